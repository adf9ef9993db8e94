"""The figures of both subtasks, for all pairs and without each pair in turn.

A jackknife is used for intervals and differences since it needs no chance, so that everybody gets
the same digits, and since its intervals and tests held their level best in simulations.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from postprocess.statistics.correlations import FEWEST_COMMON, rank
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


class Score(NamedTuple):
    """The score of predictions, without what intervals need.

    `score` is the metric of the subtask; `pearson` and `spearman` are those of subtask 2, NaN in
    subtask 1 or if undefined. `n`: pairs.
    """

    score: float
    pearson: float
    spearman: float
    reason: Reason
    n: int


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
    pieces = [_uncentred(x, y, kept) for kept in _leave_out(len(x), 1)]
    return Figures(*_score_changes(x, y), np.concatenate(pieces))


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
    x, y = map(np.ravel, _check(predicted, gold, (None, 2)))
    pieces = [
        _harmonic(_pearson(x, y, kept), _spearman(x, y, kept))
        for kept in _leave_out(len(x) // 2, 2)
    ]
    return Figures(*_score_similarities(x, y), np.concatenate(pieces))


def score_once(subtask: Subtask, predicted: ArrayLike, gold: ArrayLike) -> Score:
    """Compute the score of predictions alone, in a small part of the time that intervals take.

    The arguments are those of `score_changes` or `score_similarities`. Raises ValueError as these.
    """
    if subtask is Subtask.CHANGES:
        return _score_changes(*_check(predicted, gold, (None,)))
    return _score_similarities(*map(np.ravel, _check(predicted, gold, (None, 2))))


def score_drawn(subtask: Subtask, predicted: ArrayLike, gold: ArrayLike, counts: Floats) -> Floats:
    """Compute the scores of samples of pairs, which may have a pair several times or not at all.

    Parameters
    ----------
    subtask : Subtask
        What is predicted.
    predicted, gold : array_like
        As those of `score_changes` or `score_similarities`.
    counts : array, shape (n_samples, n_pairs)
        How often each sample has each pair.

    Returns
    -------
    array, shape (n_samples,)
        0 if a score is undefined.

    Raises
    ------
    ValueError
        As `score_changes`.
    """
    if subtask is Subtask.CHANGES:
        x, y = _check(predicted, gold, (None,))
        return _uncentred(x, y, counts)
    x, y = map(np.ravel, _check(predicted, gold, (None, 2)))
    of_contexts = np.repeat(counts, 2, axis=1)
    first, second = (_rank_drawn(values, of_contexts) for values in (x, y))
    return _harmonic(_pearson(x, y, of_contexts), _correlate_ranks(first, second, of_contexts))


def _score_changes(x: Floats, y: Floats) -> Score:
    (score,) = _uncentred(x, y, np.ones((1, len(x))))
    reason = Reason.NONE if x.any() else Reason.CONSTANT
    return Score(float(score), np.nan, np.nan, reason, len(x))


def _score_similarities(x: Floats, y: Floats) -> Score:
    whole = np.ones((1, len(x)))
    (pearson,), (spearman,) = _pearson(x, y, whole), _spearman(x, y, whole)
    (score,) = _harmonic(np.array([pearson]), np.array([spearman]))
    reason = Reason.NONE if score else Reason.NOT_POSITIVE
    if np.ptp(x) == 0:
        pearson, spearman, reason = np.nan, np.nan, Reason.CONSTANT
    return Score(float(score), float(pearson), float(spearman), reason, len(x) // 2)


def _harmonic(pearson: Floats, spearman: Floats) -> Floats:
    """Return the harmonic means of correlations; 0 unless both are positive."""
    is_positive = (pearson > 0) & (spearman > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(is_positive, 2 * pearson * spearman / (pearson + spearman), 0.0)


def _check(predicted: ArrayLike, gold: ArrayLike, shape: tuple[int | None, ...]) -> list[Floats]:
    """Return both as arrays whose largest absolute values are about 1."""
    x, y = np.asarray(predicted, dtype=float), np.asarray(gold, dtype=float)
    if x.shape != y.shape or x.ndim != len(shape) or x.shape[1:] != shape[1:] or not x.size:
        raise ValueError(f"predictions and gold do not match: {x.shape} and {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("predictions and gold must be finite numbers")
    return [scale_to_one(x), scale_to_one(y)]


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


def _uncentred(x: Floats, y: Floats, kept: Floats) -> Floats:
    """Return the uncentred correlations of the numbers that each row keeps; 0 if undefined."""
    products, squares, gold_squares = (kept @ column for column in (x * y, x * x, y * y))
    size = np.sqrt(squares * gold_squares)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(size > 0, np.clip(products / size, -1, 1), 0.0)


def _pearson(x: Floats, y: Floats, kept: Floats) -> Floats:
    x, y = x - x.mean(), y - y.mean()
    n = np.maximum(kept.sum(axis=1), 1)
    total_x, total_y, products, squares_x, squares_y = (
        kept @ column for column in (x, y, x * y, x * x, y * y)
    )
    return _divide(
        products - total_x * total_y / n, squares_x - total_x**2 / n, squares_y - total_y**2 / n
    )


def _spearman(x: Floats, y: Floats, kept: Floats) -> Floats:
    """Return the rank correlations; a number's rank falls by 1 for each smaller one left out."""
    first, second = (_rank(values, kept) for values in (x, y))
    return _correlate_ranks(first, second, kept)


def _rank_drawn(values: Floats, counts: Floats) -> Floats:
    """Return ranks of numbers in samples with repetitions, the mean rank for equal numbers.

    `counts` and the result have the shape (n_samples, n_numbers).
    """
    _, place = np.unique(values, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    of_values = np.add.reduceat(counts[:, order], starts, axis=1)
    ranks = np.cumsum(of_values, axis=1) - (of_values - 1) / 2
    return np.asarray(ranks[:, place])


def _correlate_ranks(first: Floats, second: Floats, counts: Floats) -> Floats:
    """Return the correlations of ranks, each counted so often; NaN for fewer than 3 numbers."""
    n = counts.sum(axis=1)
    mean = (n + 1) / 2
    rho = _divide(
        *((counts * x * y).sum(axis=1) - n * mean**2
          for x, y in ((first, second), (first, first), (second, second)))
    )  # fmt: skip
    return np.where(n >= FEWEST_COMMON, rho, np.nan)


def _rank(values: Floats, kept: Floats) -> Floats:
    """Return ranks among the numbers that each row keeps, the mean rank for equal numbers.

    Ranks of left-out numbers have no meaning.
    """
    ranks = np.tile(rank(values), (len(kept), 1))
    for row, left_out in enumerate(kept == 0):
        for value in values[left_out]:
            ranks[row] -= (value < values) + 0.5 * (value == values)
    return ranks


def _divide(products: Floats, first: Floats, second: Floats) -> Floats:
    """Return correlations from sums of squares; NaN if a side is constant."""
    is_defined = (first > 0) & (second > 0)
    size = np.sqrt(np.where(is_defined, first * second, 0))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(size > 0, np.clip(products / size, -1, 1), np.nan)
