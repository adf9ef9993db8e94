"""Inter-rater agreement of annotators with each other, for many groups at once."""

import numpy as np
from numpy.typing import ArrayLike

from postprocess.statistics.correlations import (
    DECIMALS,
    FEWEST_COMMON,
    Method,
    correlate,
    deviations,
    divide,
    rank_levels,
    ratio,
    spearman,
)
from postprocess.statistics.intervals import LARGEST, basic_interval
from postprocess.types import Bools, Floats, Integers

PERFECT = 0.025  # share of resamples with a correlation of 1: beyond the end of an interval
NUMBERS_AT_ONCE = 1 << 20  # ranks of annotator pairs with gaps that are multiplied together


def leave_one_out_agreement(tables: Floats) -> Floats:
    """Correlate each annotator with the mean of the others.

    Parameters
    ----------
    tables : array, shape (n_tables, n_annotators, n_items)
        A table for each group, in scale points; NaN where an annotator did not rate an item.

    Returns
    -------
    array, shape (n_tables, n_annotators)
        Spearman's rho, ties by average rank; NaN for constant ratings, under 3 common items or
        a single annotator. Means that differ only by rounding errors are ties.

    References
    ----------
    Armendariz et al. (2020), SemEval-2020 Task 3, the human performance row.

    Examples
    --------
    >>> leave_one_out_agreement(np.array([[[0.0, 3, 6], [1, 3, 5]]])).tolist()
    [[1.0, 1.0]]
    """
    return correlate(tables, means_of_others(tables), method="spearman")


def means_of_others(tables: Floats) -> Floats:
    """Return the mean rating of each item by all annotators but each one, rounded against noise.

    Shapes as in `leave_one_out_agreement`; NaN if nobody else rated an item.

    >>> means_of_others(np.array([[[0.0, 3], [1, 3], [3, np.nan]]])).tolist()
    [[[2.0, 3.0], [1.5, 3.0], [0.5, 3.0]]]
    """
    rated = ~np.isnan(tables)
    filled = np.where(rated, tables, 0)
    n_others = rated.sum(axis=1, keepdims=True) - rated
    totals = filled.sum(axis=1, keepdims=True) - filled
    return np.where(n_others > 0, totals / np.maximum(n_others, 1), np.nan).round(DECIMALS)


def pairwise_agreement(tables: Floats, *, method: Method = "spearman") -> Floats:
    """Correlate each annotator with each other one.

    Parameters
    ----------
    tables : array, shape (n_tables, n_annotators, n_items)
        A table for each group, in scale points; NaN where an annotator did not rate an item.
    method : "spearman", "pearson" or "uncentered"
        As in `correlate`.

    Returns
    -------
    array, shape (n_tables, n_annotators, n_annotators)
        Symmetric; NaN on the diagonal, for constant ratings and under 3 common items. The mean
        of a row is the annotator's average agreement, the mean of a table the group's mean
        pairwise correlation.

    Examples
    --------
    >>> rho = pairwise_agreement(np.array([[[0.0, 3, 6], [1, 3, 5], [6, 3, 0]]]))
    >>> np.nanmean(rho, axis=2).tolist()
    [[0.0, 0.0, -1.0]]
    """
    n_tables, n_annotators, _ = tables.shape
    rho = np.full((n_tables, n_annotators, n_annotators), np.nan)
    complete = ~np.isnan(tables).any(axis=(1, 2))
    rho[complete] = _correlate_complete(tables[complete], method)
    if not complete.all():
        rho[~complete] = _correlate_common(tables[~complete], method)
    diagonal = np.arange(n_annotators)
    rho[:, diagonal, diagonal] = np.nan
    return rho


def sum_pairs(tables: Floats) -> dict[str, Floats | Bools | Integers]:
    """Sum each annotator's correlations with the others over the items that both rated.

    Parameters
    ----------
    tables : array, shape (n_tables, n_annotators, n_items)
        A table for each group, in scale points; NaN where an annotator did not rate an item.

    Returns
    -------
    dict of array, shape (n_tables, n_annotators)
        rho, the sum of Spearman's rho with each other annotator; n_rho, how many are defined;
        has_common, whether another annotator shares 3 items or more; is_constant, whether all
        ratings are equal.

    Examples
    --------
    >>> sums = sum_pairs(np.array([[[0.0, 3, 6, np.nan], [1, 3, 5, 2]]]))
    >>> sums["rho"].tolist(), sums["n_rho"].tolist()
    ([[1.0, 1.0]], [[1, 1]])
    """
    rho = pairwise_agreement(tables)
    has_rated = (~np.isnan(tables)).astype(float)
    n_common = np.einsum("tin,tjn->tij", has_rated, has_rated)
    n_common[:, *np.diag_indices(n_common.shape[1])] = 0
    return {
        "rho": np.nansum(rho, axis=2),
        "n_rho": (~np.isnan(rho)).sum(axis=2),
        "has_common": (n_common >= FEWEST_COMMON).any(axis=2),
        "is_constant": np.nanmax(tables, axis=2) == np.nanmin(tables, axis=2),
    }


def agreement_with_means(
    own: ArrayLike, means: ArrayLike, *, n_resamples: int = 1000, seed: int = 0
) -> tuple[float, float, float]:
    """Correlate one annotator with the means of the others, with a bootstrap interval.

    Parameters
    ----------
    own, means : array_like, shape (n_items,)
        The annotator's rating of each item and the mean rating of the others, in scale points;
        NaN where a rating is missing. Means that differ only by rounding errors are ties.
    n_resamples, seed : int
        Bootstrap samples of the items that both have; seed of the random generator.

    Returns
    -------
    tuple of float
        Spearman's rho as in `leave_one_out_agreement` and the ends of its 95 % interval for
        infinitely many items, this annotator and these others. NaN where `spearman` is NaN; the
        ends also if rho is undefined in more than 5 % of the resamples, or 1 in 2.5 %
        although it is less: with so few items, Fisher's z of these is infinite, and so would be
        the distance of the lower end.

    Examples
    --------
    >>> agreement_with_means([0, 1, 2, 6], [0, 2, 1, 6], n_resamples=0)
    (0.8, nan, nan)
    """
    one, others = (np.asarray(side, dtype=float) for side in (own, means))
    others = others.round(DECIMALS)
    common = ~(np.isnan(one) | np.isnan(others))
    one, others = one[common], others[common]
    rho = spearman(one, others)
    if np.isnan(rho):
        return rho, float("nan"), float("nan")
    drawn = np.random.default_rng(seed).integers(len(one), size=(n_resamples, len(one)))
    resampled = correlate(one[drawn], others[drawn], method="spearman")
    if rho < LARGEST and n_resamples and (resampled >= LARGEST).mean() >= PERFECT:
        return rho, float("nan"), float("nan")
    return rho, *basic_interval(rho, resampled)


def _correlate_complete(tables: Floats, method: Method) -> Floats:
    """Correlate all pairs without gaps by one matrix product."""
    n_tables, n_annotators, n_items = tables.shape
    if n_items < FEWEST_COMMON:
        return np.full((n_tables, n_annotators, n_annotators), np.nan)
    x = deviations(tables, np.ones(tables.shape, dtype=bool), method)
    products = np.einsum("tin,tjn->tij", x, x)
    squares = np.diagonal(products, axis1=1, axis2=2)
    return divide(products, squares[:, :, None] * squares[:, None, :])


def _correlate_common(tables: Floats, method: Method) -> Floats:
    """Correlate all pairs on their common items, by how often each rating is given on these."""
    rated = ~np.isnan(tables)
    levels = _number_levels(np.where(rated, tables, np.inf))
    given: Floats = rated.astype(np.float32)  # exact for counts
    is_at = (levels == np.arange(levels.max() + 1)[:, None, None, None]) * given
    n = np.einsum("ltin,tjn->ltij", is_at, given).astype(float)
    total, ranks = n.sum(axis=0), rank_levels(n)
    squares = (n * ranks * ranks).sum(axis=0)  # whole numbers: 0 if constant
    sizes = np.where(total < FEWEST_COMMON, 0, squares * squares.swapaxes(1, 2))
    if method == "spearman":
        return divide(_multiply_ranks(ranks, levels, given), sizes)
    x = np.where(rated, tables, 0)
    if method == "pearson":  # about the mean of each annotator, against rounding errors
        x = np.where(rated, x - ratio(x.sum(axis=2), rated.sum(axis=2))[..., None], 0)
    products, squares, sums = (
        np.einsum("tin,tjn->tij", one, other)
        for one, other in ((x, x), (x * x, rated.astype(float)), (x, rated.astype(float)))
    )
    if method == "pearson":
        products = products - ratio(sums * sums.swapaxes(1, 2), total)
        squares = np.where(sizes > 0, squares - ratio(sums * sums, total), 0)
    squares = np.where(total < FEWEST_COMMON, 0, squares * squares.swapaxes(1, 2))
    return divide(products, squares)


def _number_levels(numbers: Floats) -> Integers:
    """Return the place of each number among the different ones of its row, from 0."""
    order = np.argsort(numbers, axis=-1)
    ascending = np.take_along_axis(numbers, order, axis=-1)
    levels = np.zeros(numbers.shape, dtype=np.int64)
    levels[..., 1:] = np.cumsum(ascending[..., 1:] > ascending[..., :-1], axis=-1)
    placed = np.empty_like(levels)
    np.put_along_axis(placed, order, levels, axis=-1)
    return placed


def _multiply_ranks(ranks: Floats, levels: Integers, given: Floats) -> Floats:
    """Add up the products of ranks over the common items of each pair, some items at a time."""
    n_tables, n_annotators, n_items = levels.shape
    table, annotator = np.arange(n_tables)[:, None, None], np.arange(n_annotators)[:, None]
    products = np.zeros(ranks.shape[1:])
    step = max(1, NUMBERS_AT_ONCE // max(1, products.size))
    for some in (slice(start, start + step) for start in range(0, n_items, step)):
        ranked = ranks[levels[..., some], table, annotator] * given[..., some, None]
        products += np.einsum("tinj,tjni->tij", ranked, ranked)
    return products
