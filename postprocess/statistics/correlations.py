"""Correlations of many columns of ratings at once, with ties, gaps and constant columns."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Floats = NDArray[np.float64]
Method = Literal["spearman", "pearson", "uncentered"]

FEWEST_COMMON = 3  # items that both sides must have for a correlation
NUMBERS_AT_ONCE = 1 << 16  # of the items that several annotators share with others
DECIMALS = 9  # means are rounded to these before ranking, so that equal means are ties


def correlate(first: Floats, second: Floats, *, method: Method) -> Floats:
    """Correlate along the last axis.

    Parameters
    ----------
    first, second : array, shape (…, n_items)
        In any unit; NaN where there is none.
    method : "spearman", "pearson" or "uncentered"
        Of the ranks, ties by average rank; of the numbers; or of the numbers without taking
        their means off, as subtask 1 of the task paper does.

    Returns
    -------
    array, shape (…)
        Over the items that both have. NaN for under 3 of them, if either side is constant on
        them (uncentered: zero on all of them).

    Examples
    --------
    >>> a, b = np.array([[0.0, 1, 2, 6]]), np.array([[0.0, 2, 1, 6]])
    >>> correlate(a, b, method="spearman").tolist()
    [0.8]
    """
    common = ~(np.isnan(first) | np.isnan(second))
    x = _deviations(first, common, method)
    y = _deviations(second, common, method)
    products = np.einsum("...n,...n->...", x, y)
    sizes = np.einsum("...n,...n->...", x, x) * np.einsum("...n,...n->...", y, y)
    few = common.sum(axis=-1) < FEWEST_COMMON
    return _divide(products, np.where(few, 0, sizes))


def correlate_pairs(tables: Floats, *, method: Method) -> Floats:
    """Correlate each annotator with each other one.

    Parameters
    ----------
    tables : array, shape (n_tables, n_annotators, n_items)
        In any unit; NaN where there is no rating.
    method : "spearman", "pearson" or "uncentered"
        As in `correlate`.

    Returns
    -------
    array, shape (n_tables, n_annotators, n_annotators)
        Symmetric; NaN on the diagonal and where `correlate` has it.
    """
    n_tables, n_annotators, _ = tables.shape
    rho = np.full((n_tables, n_annotators, n_annotators), np.nan)
    complete = ~np.isnan(tables).any(axis=(1, 2))
    rho[complete] = _correlate_complete(tables[complete], method)
    gaps = tables[~complete]
    n_together = max(1, NUMBERS_AT_ONCE // max(1, gaps.size))
    for i in range(0, n_annotators if len(gaps) else 0, n_together):
        some = slice(i, i + n_together)
        with_later = correlate(gaps[:, some, None], gaps[:, None, i:], method=method)
        rho[~complete, some, i:] = with_later
        rho[~complete, i:, some] = with_later.swapaxes(1, 2)
    oneself = np.arange(n_annotators)
    rho[:, oneself, oneself] = np.nan
    return rho


def correlate_left_out(tables: Floats) -> Floats:
    """Spearman's correlation of each annotator with the mean of the others.

    Parameters
    ----------
    tables : array, shape (n_tables, n_annotators, n_items)
        In any unit; NaN where there is no rating.

    Returns
    -------
    array, shape (n_tables, n_annotators)
        NaN where `correlate` has it. Equal means are ties, whatever noise floats add.
    """
    rated = ~np.isnan(tables)
    filled = np.where(rated, tables, 0)
    n_others = rated.sum(axis=1, keepdims=True) - rated
    totals = filled.sum(axis=1, keepdims=True) - filled
    means = np.where(n_others > 0, totals / np.maximum(n_others, 1), np.nan)
    return correlate(tables, means.round(DECIMALS), method="spearman")


def mean_defined(numbers: Floats, *, axis: int | None = None) -> Floats:
    """The mean of those that are not NaN; NaN if none is.

    >>> float(mean_defined(np.array([1.0, np.nan, 2.0])))
    1.5
    """
    defined = ~np.isnan(numbers)
    n_defined = defined.sum(axis=axis)
    total = np.where(defined, numbers, 0).sum(axis=axis)
    return np.asarray(np.where(n_defined > 0, total / np.maximum(n_defined, 1), np.nan))


def _correlate_complete(tables: Floats, method: Method) -> Floats:
    """The one matrix product that all pairs without gaps need."""
    n_tables, n_annotators, n_items = tables.shape
    if n_items < FEWEST_COMMON:
        return np.full((n_tables, n_annotators, n_annotators), np.nan)
    x = _deviations(tables, np.ones(tables.shape, dtype=bool), method)
    products = np.einsum("tin,tjn->tij", x, x)
    squares = np.diagonal(products, axis1=1, axis2=2)
    return _divide(products, squares[:, :, None] * squares[:, None, :])


def _deviations(numbers: Floats, common: NDArray[np.bool_], method: Method) -> Floats:
    """What is to be multiplied; 0 where not common, and throughout if all common are equal."""
    n_common = common.sum(axis=-1, keepdims=True)
    if method == "spearman":
        ranks = rankdata(np.where(common, numbers, np.inf), axis=-1)  # gaps behind all others
        return np.where(common, ranks - (n_common + 1) / 2, 0)
    if method == "uncentered":
        return np.where(common, numbers, 0)
    least = np.where(common, numbers, np.inf).min(axis=-1, keepdims=True, initial=np.inf)
    above = np.where(common, numbers - np.where(n_common > 0, least, 0), 0)  # 0 if all are equal
    mean = above.sum(axis=-1, keepdims=True) / np.maximum(n_common, 1)
    return np.where(common, above - mean, 0)


def _divide(products: Floats, sizes: Floats) -> Floats:
    """Over the root of the sizes; NaN where that is 0."""
    defined = sizes > 0
    rho = products / np.sqrt(np.where(defined, sizes, 1))
    return np.where(defined, np.clip(rho, -1, 1), np.nan)
