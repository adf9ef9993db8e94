"""The figures of both subtasks, for all pairs and without each pair in turn.

A jackknife is used for intervals and differences since it needs no chance, so that everybody gets
the same digits, and since its intervals and tests held their level best in simulations.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from postprocess.statistics.correlations import FEWEST_COMMON
from postprocess.statistics.evaluation import scale_to_one
from postprocess.types import Floats

MOST_GROUPS = 2_000  # of pairs that are left out together
COMPARED_AT_ONCE = 4_000_000  # numbers: 32 MB


class Subtask(StrEnum):
    """1: predict the change of each pair; 2: predict both scores of each pair."""

    CHANGES = "1"
    SCORES = "2"


class Reason(StrEnum):
    """Why a score is 0 without being computed."""

    NONE = ""
    CONSTANT = "constant"
    NOT_POSITIVE = "not positive"


class Figures(NamedTuple):
    """The figures of predictions, and those without each group of pairs.

    `score` is the metric of the subtask; `pearson` and `spearman` are those of subtask 2, NaN in
    subtask 1 or if undefined. `left_out`, shape (n_groups,): the score without each group, which
    is a pair unless there are more than `MOST_GROUPS`. `n`: pairs.
    """

    score: float
    pearson: float
    spearman: float
    reason: Reason
    n: int
    left_out: Floats


def score_changes(predicted: ArrayLike, gold: ArrayLike) -> Figures:
    """Compute the metric of subtask 1; see `uncentered_pearson`.

    Parameters
    ----------
    predicted, gold : array_like, shape (n_pairs,)
        Changes, each in its own unit, without NaN.

    Returns
    -------
    Figures
        A score is 0 if all predictions are.

    Raises
    ------
    ValueError
        Different shapes, no pair, or a value that is not finite.

    Examples
    --------
    >>> score_changes([3, 4], [4, 3]).score
    0.96
    """
    x, y = _check(predicted, gold, (None,))
    scores = np.concatenate([_uncentred(x, y, kept) for kept in _leave_out(len(x), 1)])
    reason = Reason.NONE if x.any() else Reason.CONSTANT
    return Figures(float(scores[0]), np.nan, np.nan, reason, len(x), scores[1:])


def score_similarities(predicted: ArrayLike, gold: ArrayLike) -> Figures:
    """Compute the metric of subtask 2; see `harmonic_correlation`.

    Parameters
    ----------
    predicted, gold : array_like, shape (n_pairs, 2)
        Scores in both contexts, each in its own unit, without NaN.

    Returns
    -------
    Figures
        A score is 0 if a correlation is undefined or not positive.

    Raises
    ------
    ValueError
        As `score_changes`.
    """
    x, y = _check(predicted, gold, (None, 2))
    x, y = np.ravel(x), np.ravel(y)
    parts = [(_pearson(x, y, kept), _spearman(x, y, kept)) for kept in _leave_out(len(x) // 2, 2)]
    pearson, spearman = (np.concatenate(part) for part in zip(*parts, strict=True))
    is_positive = (pearson > 0) & (spearman > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        harmonic = 2 * pearson * spearman / (pearson + spearman)
    scores = np.where(is_positive, harmonic, 0.0)
    reason = Reason.NONE if is_positive[0] else Reason.NOT_POSITIVE
    return Figures(
        float(scores[0]),
        float(pearson[0]),
        float(spearman[0]),
        Reason.CONSTANT if np.ptp(x) == 0 else reason,
        len(x) // 2,
        scores[1:],
    )


def _check(predicted: ArrayLike, gold: ArrayLike, shape: tuple[int | None, ...]) -> list[Floats]:
    """Return both as arrays whose largest absolute values are about 1."""
    x, y = np.asarray(predicted, dtype=float), np.asarray(gold, dtype=float)
    if x.shape != y.shape or x.ndim != len(shape) or x.shape[1:] != shape[1:] or not x.size:
        raise ValueError(f"predictions and gold do not match: {x.shape} and {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("predictions and gold must be finite numbers")
    return [scale_to_one(x), scale_to_one(y)]


def _leave_out(n_pairs: int, n_contexts: int) -> Iterator[Floats]:
    """Yield pieces of an array, shape (1 + n_groups, n_pairs × n_contexts), of ones.

    In the first row all count; each other row has zeros for the group of pairs that it leaves out.
    """
    group = np.repeat(np.arange(n_pairs) % MOST_GROUPS, n_contexts)
    n_rows = 1 + min(n_pairs, MOST_GROUPS)
    at_once = max(1, COMPARED_AT_ONCE // len(group))
    for start in range(0, n_rows, at_once):
        left_out = np.arange(start, min(start + at_once, n_rows)) - 1
        yield (group != left_out[:, None]).astype(float)


def _uncentred(x: Floats, y: Floats, kept: Floats) -> Floats:
    """Return the uncentred correlations of the numbers that each row keeps; 0 if undefined."""
    products, squares, gold_squares = (kept @ column for column in (x * y, x * x, y * y))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = products / np.sqrt(squares * gold_squares)
    return np.where((squares > 0) & (gold_squares > 0), np.clip(found, -1, 1), 0.0)


def _pearson(x: Floats, y: Floats, kept: Floats) -> Floats:
    x, y = x - x.mean(), y - y.mean()
    n = kept.sum(axis=1)
    total_x, total_y, products, squares_x, squares_y = (
        kept @ column for column in (x, y, x * y, x * x, y * y)
    )
    return _divide(
        products - total_x * total_y / n, squares_x - total_x**2 / n, squares_y - total_y**2 / n
    )


def _spearman(x: Floats, y: Floats, kept: Floats) -> Floats:
    """Return the rank correlations; a number's rank falls by 1 for each smaller one left out."""
    n = kept.sum(axis=1)
    mean = (n + 1) / 2
    first, second = (_rank(values, kept) for values in (x, y))
    found = _divide(
        (first * second).sum(axis=1) - n * mean**2,
        (first**2).sum(axis=1) - n * mean**2,
        (second**2).sum(axis=1) - n * mean**2,
    )
    return np.where(n >= FEWEST_COMMON, found, np.nan)


def _rank(values: Floats, kept: Floats) -> Floats:
    """Return the ranks among the numbers that each row keeps, the mean for equal ones.

    Those that are left out are 0.
    """
    ranks = np.tile(rankdata(values), (len(kept), 1))
    for row, left_out in enumerate(kept == 0):
        for value in values[left_out]:
            ranks[row] -= (value < values) + 0.5 * (value == values)
    return ranks * kept


def _divide(products: Floats, first: Floats, second: Floats) -> Floats:
    """Return correlations from sums of squares; NaN if a side is constant."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.clip(products / np.sqrt(first * second), -1, 1)
    return np.where((first > 0) & (second > 0), found, np.nan)
