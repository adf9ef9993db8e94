"""The published test of a change, for many pairs of contexts at once, from counts of ratings."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Counts = NDArray[np.integer[Any]] | NDArray[np.float64]  # whole numbers
Floats = NDArray[np.float64]


class ChangeTests(NamedTuple):
    """One-sided p-values, and the direction (-1, 0 or 1) in which each change points."""

    pvalues: NDArray[np.float64]
    directions: NDArray[np.int64]


def change_tests(first: Counts, second: Counts) -> ChangeTests:
    """Test for a change between contexts whose ratings are given as counts of each scale point.

    Parameters
    ----------
    first, second : array of int, shapes (…, n_points)
        How many ratings of the two contexts stand at each point of the scale, lowest first;
        one or more in all. The leading axes are broadcast, so that two lists of contexts are
        tested all against all.

    Returns
    -------
    ChangeTests
        `pvalues`, shape (…): half of the two-sided ones by the normal approximation, at most
        0.5; 1 where all ratings are equal. `directions`: 1 where the ranks of the second context
        are the higher ones on average, -1 where those of the first are.

    References
    ----------
    Mann and Whitney (1947), with the correction for ties and for continuity of
    `scipy.stats.mannwhitneyu(method="asymptotic")`.

    Examples
    --------
    >>> tests = change_tests(np.array([2, 0, 0, 1]), np.array([0, 0, 1, 1]))  # 0 0 3 and 2 3
    >>> tests.pvalues.round(4).item(), tests.directions.item()
    (0.2714, 1)
    """
    together = (first + second).astype(float)
    n_first, n_second = first.sum(axis=-1), second.sum(axis=-1)
    wins_of_first = (first * (add_from_lowest(second) - second / 2)).sum(axis=-1)
    excess = n_first * n_second / 2 - wins_of_first  # above 0 if the second ranks higher
    tied = (together * (together * together - 1)).sum(axis=-1)  # t³ - t
    pvalues = _pvalues(np.abs(excess), tied, n_first, n_second)
    all_equal = together.max(axis=-1) == n_first + n_second
    return ChangeTests(np.where(all_equal, 1.0, pvalues), np.sign(excess).astype(np.int64))


def add_from_lowest(counts: Counts) -> Counts:
    """How many ratings stand at each point or below: the points, last axis, added up.

    >>> add_from_lowest(np.array([[2, 0, 1]])).tolist()
    [[2, 2, 3]]
    """
    up_to = counts.copy(order="K")
    for point in range(1, counts.shape[-1]):
        up_to[..., point] += up_to[..., point - 1]
    return up_to


def change_pvalues_between(first: Counts, second: Counts) -> NDArray[np.float64]:
    """The p-values of `change_tests` for contexts tested all against all.

    Parameters
    ----------
    first, second : array of int, shapes (n_first, n_points) and (n_second, n_points)
        How many ratings stand at each point of the scale. Every context of `first` has as many
        ratings as every other, and so has every context of `second`.

    Returns
    -------
    array, shape (n_first, n_second)
        One-sided, as those of `change_tests`; several times faster.

    Examples
    --------
    >>> change_pvalues_between(np.array([[2, 0, 0, 1]]), np.array([[0, 0, 1, 1]])).round(4)
    array([[0.2714]])
    """
    a, b = first.astype(float), second.astype(float)
    n_first, n_second = a[0].sum(), b[0].sum()
    wins_of_first = a @ (b.cumsum(axis=1) - b / 2).T
    cubes = (a**3).sum(axis=1)[:, None] + (b**3).sum(axis=1) + 3 * (a**2 @ b.T + a @ (b**2).T)
    excess = np.abs(n_first * n_second / 2 - wins_of_first)
    pvalues = _pvalues(excess, cubes - n_first - n_second, n_first, n_second)
    return np.where(_all_equal(a, b), 1.0, pvalues)


def _all_equal(first: Floats, second: Floats) -> NDArray[np.bool_]:
    """Whether all ratings of two contexts stand at one and the same point, all against all."""
    one, other = ((c == c.sum(axis=1, keepdims=True)).astype(float) for c in (first, second))
    return np.asarray(one @ other.T > 0)


def _pvalues(
    excess: Floats,
    tied: Floats,
    n_first: NDArray[np.integer[Any]] | np.float64,
    n_second: NDArray[np.integer[Any]] | np.float64,
) -> Floats:
    """From how far U is from its mean and the sum of t³ - t over the points, unless all is tied."""
    n = n_first + n_second
    variance = n_first * n_second / 12 * (n + 1 - tied / (n * (n - 1)))
    z = (excess - 0.5) / np.sqrt(np.maximum(variance, np.finfo(float).tiny))
    return np.asarray(np.minimum(ndtr(-z), 0.5))
