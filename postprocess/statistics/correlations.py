"""Correlations of many columns of ratings at once, with ties, gaps and constant columns."""

from math import prod
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from postprocess.types import Bools, Floats

Method = Literal["spearman", "pearson", "uncentered"]

FEWEST_COMMON = 3  # items that both sides need for a correlation
DECIMALS = 9  # means are rounded to these before ranking, so that equal means are ties


def correlate(first: Floats, second: Floats, *, method: Method) -> Floats:
    """Correlate along the last axis.

    Parameters
    ----------
    first, second : array, shape (…, n_items)
        In any unit; NaN where a rating is missing.
    method : "spearman", "pearson" or "uncentered"
        Correlation of the ranks, ties by average rank; of the numbers; or of the numbers
        without subtracting their means, as in subtask 1 of the task paper.

    Returns
    -------
    array, shape (…)
        Over the items that both have. NaN for under 3 of them, or if either side is constant
        on them (uncentered: zero on all of them).

    Examples
    --------
    >>> a, b = np.array([[0.0, 1, 2, 6]]), np.array([[0.0, 2, 1, 6]])
    >>> correlate(a, b, method="spearman").tolist()
    [0.8]
    """
    common = ~(np.isnan(first) | np.isnan(second))
    x = deviations(first, common, method)
    y = deviations(second, common, method)
    products = np.einsum("...n,...n->...", x, y)
    sizes = np.einsum("...n,...n->...", x, x) * np.einsum("...n,...n->...", y, y)
    few = common.sum(axis=-1) < FEWEST_COMMON
    return divide(products, np.where(few, 0, sizes))


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Return Spearman's rank correlation over the items that both have.

    Parameters
    ----------
    first, second : array_like, shape (n_items,)
        In any unit; NaN where an item has no rating.

    Returns
    -------
    float
        Ties by average rank. NaN for under 3 common items, or if either is constant on them.

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things.

    Examples
    --------
    >>> spearman([0, 1, 2, 6], [0, 2, 1, 6])
    0.8
    """
    x, y = (np.asarray(side, dtype=float) for side in (first, second))
    return float(correlate(x, y, method="spearman"))


def mean_defined(numbers: Floats, *, axis: int | None = None) -> Floats:
    """Return the mean of the numbers that are not NaN; NaN if all are.

    >>> float(mean_defined(np.array([1.0, np.nan, 2.0])))
    1.5
    """
    defined = ~np.isnan(numbers)
    return ratio(np.where(defined, numbers, 0).sum(axis=axis), defined.sum(axis=axis))


def ratio(parts: ArrayLike, wholes: ArrayLike) -> Floats:
    """Return the quotients; NaN where the whole is not above 0.

    >>> ratio([1, 2], [4, 0]).tolist()
    [0.25, nan]
    """
    part, whole = np.asarray(parts, dtype=float), np.asarray(wholes, dtype=float)
    undefined = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    return np.asarray(np.divide(part, whole, out=undefined, where=whole > 0))


def rank(numbers: Floats) -> Floats:
    """Rank along the last axis from 1, ties by average rank; infinite numbers rank, too.

    As `scipy.stats.rankdata`, which is slow to load.

    Parameters
    ----------
    numbers : array, shape (…, n_items)
        Without NaN.

    Returns
    -------
    array, shape (…, n_items)

    Examples
    --------
    >>> rank(np.array([[3.0, 0, 3, 1], [2, 2, 2, 2]])).tolist()
    [[3.5, 1.0, 3.5, 2.0], [2.5, 2.5, 2.5, 2.5]]
    """
    rows = numbers.reshape(prod(numbers.shape[:-1]), numbers.shape[-1])
    order = rows.argsort(axis=1)
    ascending = np.take_along_axis(rows, order, axis=1)
    differs = ascending[:, 1:] != ascending[:, :-1]
    place = np.arange(rows.shape[1])
    first = np.where(np.pad(differs, ((0, 0), (1, 0)), constant_values=True), place, 0)
    last = np.where(np.pad(differs, ((0, 0), (0, 1)), constant_values=True), place, len(place))
    first = np.maximum.accumulate(first, axis=1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks.reshape(numbers.shape)


def rank_levels(n: Floats) -> Floats:
    """Return twice the deviations of the average ranks of levels from their mean.

    `n`, shape (n_levels, …): how often each level was drawn, lowest first. A deviation is the
    number of lower ratings less that of higher ones: a whole number, exact in any order.

    >>> rank_levels(np.array([2.0, 0, 1])).tolist()
    [-1.0, 1.0, 2.0]
    """
    ranks = np.empty_like(n)
    lower = -n.sum(axis=0)
    for level, one in enumerate(n):
        lower = lower + one
        ranks[level] = lower
        lower = lower + one
    return ranks


def deviations(numbers: Floats, common: Bools, method: Method) -> Floats:
    """Return the deviations to multiply; 0 if not common, and throughout if all are equal."""
    n_common = common.sum(axis=-1, keepdims=True)
    if method == "spearman":
        ranks = rank(np.where(common, numbers, np.inf))  # gaps rank last
        return np.where(common, ranks - (n_common + 1) / 2, 0)
    if method == "uncentered":
        return np.where(common, numbers, 0)
    least = np.where(common, numbers, np.inf).min(axis=-1, keepdims=True, initial=np.inf)
    above = np.where(common, numbers - np.where(n_common > 0, least, 0), 0)  # 0 if all are equal
    mean = above.sum(axis=-1, keepdims=True) / np.maximum(n_common, 1)
    return np.where(common, above - mean, 0)


def divide(products: Floats, sizes: Floats) -> Floats:
    """Divide the products by the roots of the sizes; NaN where these are 0."""
    defined = sizes > 0
    rho = products / np.sqrt(np.where(defined, sizes, 1))
    return np.where(defined, np.clip(rho, -1, 1), np.nan)
