"""Scores of predictions by any metric, for all pairs and without each pair in turn.

A jackknife is used for intervals and differences since it needs no chance, so that everybody gets
the same digits, and since its intervals and tests held their level best in simulations.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from postprocess.scoring.metrics import METRICS, Metric, pearson, spearman
from postprocess.statistics.evaluation import scale_to_one
from postprocess.types import Bools, Floats

MOST_GROUPS = 2_000  # of pairs that are left out together
COMPARED_AT_ONCE = 4_000_000  # numbers: 32 MB


class Reason(StrEnum):
    """Why a score is 0, or absent, without being computed."""

    NONE = ""
    CONSTANT = "constant"
    NOT_POSITIVE = "not positive"


class Score(NamedTuple):
    """The score of predictions, without what intervals need.

    `score` is NaN if there is none; `pearson` and `spearman` are those of the metric *harmonic*,
    NaN for other metrics or if undefined. `n`: pairs that were used.
    """

    score: float
    pearson: float
    spearman: float
    reason: Reason
    n: int


class Figures(NamedTuple):
    """The figures of predictions, as `Score` has them, and those without each group of pairs.

    `left_out`, shape (n_groups,): the score without each group, which is a pair unless there are
    more than `MOST_GROUPS`; NaN where there is none, so that there is no interval, and no
    difference is proven.
    """

    score: float
    pearson: float
    spearman: float
    reason: Reason
    n: int
    left_out: Floats


def score_predictions(metric: Metric, predicted: ArrayLike, gold: ArrayLike) -> Figures:
    """Compute the score of predictions, with what intervals and tests need.

    Parameters
    ----------
    metric : Metric
        How they are scored.
    predicted, gold : array_like, shape (n_pairs,), or (n_pairs, 2) for *harmonic*
        Each in its own unit, except tags (see `TAGS`) and medians; without NaN. Rows whose median
        is not whole are left out.

    Returns
    -------
    Figures
        A score is 0 or NaN as the metric says.

    Raises
    ------
    ValueError
        Different shapes, no pair, or a value that is not finite.

    Examples
    --------
    >>> score_predictions(Metric.CHANGE, [3, 4], [4, 3]).score
    0.96
    """
    x, y, n_contexts, _ = _check(metric, predicted, gold)
    compute = METRICS[metric].compute
    pieces = [compute(x, y, kept) for kept in _leave_out(len(x) // n_contexts, n_contexts)]
    return Figures(*_score(metric, x, y, n_contexts), np.concatenate(pieces))


def score_once(metric: Metric, predicted: ArrayLike, gold: ArrayLike) -> Score:
    """Compute the score of predictions alone, in a small part of the time that intervals take.

    The arguments are those of `score_predictions`. Raises ValueError as it.
    """
    x, y, n_contexts, _ = _check(metric, predicted, gold)
    return _score(metric, x, y, n_contexts)


def score_drawn(metric: Metric, predicted: ArrayLike, gold: ArrayLike, counts: Floats) -> Floats:
    """Compute the scores of samples of pairs, shape (n_samples,); 0 or NaN as the metric says.

    `counts`, shape (n_samples, n_pairs): how often each sample has each pair. The other arguments
    are those of `score_predictions`. Raises ValueError as it.
    """
    x, y, n_contexts, is_used = _check(metric, predicted, gold)
    return METRICS[metric].compute(x, y, np.repeat(counts[:, is_used], n_contexts, axis=1))


def _score(metric: Metric, x: Floats, y: Floats, n_contexts: int) -> Score:
    whole, r, rho = np.ones((1, len(x))), np.nan, np.nan
    (score,) = METRICS[metric].compute(x, y, whole)
    is_constant = np.isnan(score) or (metric is Metric.CHANGE and not x.any())
    if metric is Metric.HARMONIC:
        is_constant = np.ptp(x) == 0
        if not is_constant:
            (r,), (rho,) = pearson(x, y, whole), spearman(x, y, whole)
    reason = Reason.CONSTANT if is_constant else Reason.NONE
    if metric is Metric.HARMONIC and not (is_constant or score):
        reason = Reason.NOT_POSITIVE
    return Score(float(score), float(r), float(rho), reason, len(x) // n_contexts)


class _Checked(NamedTuple):
    """Predictions and gold of the pairs that are used, the contexts of a pair one after another."""

    x: Floats
    y: Floats
    n_contexts: int
    is_used: Bools


def _check(metric: Metric, predicted: ArrayLike, gold: ArrayLike) -> _Checked:
    """Return both; the largest absolute values are about 1 where the unit does not matter."""
    x, y = np.asarray(predicted, dtype=float), np.asarray(gold, dtype=float)
    is_paired = metric is Metric.HARMONIC and x.ndim == 2 and x.shape[1] == 2
    if x.shape != y.shape or not (x.ndim == 1 or is_paired) or not x.size:
        raise ValueError(f"predictions and gold do not match: {x.shape} and {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("predictions and gold must be finite numbers")
    is_used = np.ones(len(x), dtype=bool)
    if metric is Metric.ORDINAL_ALPHA:
        is_used = y == np.floor(y)
        x, y = x[is_used], y[is_used]
    if METRICS[metric].is_correlation:
        x, y = scale_to_one(x), scale_to_one(y)
    return _Checked(x.ravel(), y.ravel(), 1 + is_paired, is_used)


def _leave_out(n_pairs: int, n_contexts: int) -> Iterator[Floats]:
    """Yield parts of a 0/1 array, shape (n_groups, n_pairs × n_contexts).

    Each row has zeros for the group of pairs that it leaves out.
    """
    group = np.repeat(np.arange(n_pairs) % MOST_GROUPS, n_contexts)
    n_rows = min(n_pairs, MOST_GROUPS)
    at_once = max(1, COMPARED_AT_ONCE // len(group))
    for start in range(0, n_rows, at_once):
        left_out = np.arange(start, min(start + at_once, n_rows))
        yield (group != left_out[:, None]).astype(float)
