"""Intraclass correlation (two-way random effects, absolute agreement) of many groups at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from postprocess.statistics.agreement.group_arrays import MOST_NUMBERS, Stack
from postprocess.statistics.correlations import ratio
from postprocess.types import Bools, Floats, Integers

SINGULAR = 1e-9  # eigenvalues below this share of the number of items are 0
NOISE = 1e-12  # sums below this share of their parts are rounding errors


def intraclass_correlation(stacks: Sequence[Stack], n_slices: int) -> Floats:
    """Compute the intraclass correlations ICC(2,1) and ICC(2,k) of each slice.

    Two-way random effects, absolute agreement: items and annotators are both samples of larger
    populations, and an annotator who rates higher than the others counts as an error. In a slice
    with several groups, the variances between items, between annotators and of the residuals are
    assumed to be the same in each group, and are estimated from the sums of squares within
    groups, added up.

    Parameters
    ----------
    stacks : sequence of Stack
        In scale points; NaN where an annotator did not rate an item.
    n_slices : int
        Slices are numbered from 0 to this, exclusively.

    Returns
    -------
    array, shape (n_slices, 2)
        ICC(2,1), of one annotator's ratings, and ICC(2,k), of the means of all k annotators; k
        is the harmonic mean over items of the number of their ratings. At most 1, and below 0 if
        the means of items differ less than by chance. Groups without a residual, such as those
        of one annotator or one item, do not count. NaN if none is left, if all ratings are equal,
        and if the estimated variance in the denominator is not positive.

    Notes
    -----
    The variances are estimated by Henderson's method III: the sum of squares of items, after
    fitting annotators, is set equal to its expectation, and so are that of annotators, after
    fitting items, and that of the residuals of both. Without gaps these are the mean squares of
    the analysis of variance.

    References
    ----------
    Shrout and Fleiss (1979), Intraclass correlations, case 2; McGraw and Wong (1996), where
    these are ICC(A,1) and ICC(A,k); Henderson (1953), Estimation of variance and covariance
    components.

    Examples
    --------
    >>> import pandas as pd
    >>> from postprocess.statistics.agreement.group_arrays import stack_groups
    >>> ratings = pd.DataFrame({"pair": [1, 2, 3] * 2, "context": 1, "annotator": list("AAABBB"),
    ...                         "rating": [0, 3, 6, 1, 4, 7], "group": "1"})
    >>> intraclass_correlation(stack_groups(ratings), 1).round(3).tolist()
    [[0.947, 0.973]]
    """
    sums = np.zeros((n_slices, len(_Sums._fields)))
    for stack in stacks:
        of_table = _sums_of_squares(stack.tables)
        for column, numbers in enumerate(of_table.T):
            sums[:, column] += np.bincount(stack.slices, numbers, n_slices)
    return _coefficients(sums)


def weighted_intraclass(stacks: Sequence[Stack], weights: Floats) -> Floats:
    """Compute the intraclass correlations of one slice in each resample of its items.

    `weights`, shape (n_items, n_resamples): how often each item was drawn. Returns shape
    (n_resamples, 2): `intraclass_correlation` of groups with every item as often as it was drawn.
    """
    sums, n_before = np.zeros((weights.shape[1], len(_Sums._fields))), 0
    for table in (table for stack in stacks for table in stack.tables):
        drawn = weights[n_before : n_before + table.shape[1]]
        step = max(1, MOST_NUMBERS // len(table) ** 2)
        for start in range(0, len(sums), step):
            sums[start : start + step] += _weighted_sums(table, drawn[:, start : start + step])
        n_before += table.shape[1]
    return _coefficients(sums)


class _Sums(NamedTuple):
    """Sums of squares, degrees of freedom and weights, which are added up over groups."""

    of_items: Floats  # after fitting annotators
    of_annotators: Floats  # after fitting items
    of_rest: Floats
    items_free: Floats
    annotators_free: Floats
    rest_free: Floats
    items_weight: Floats  # of the variance between items in the expectation of `of_items`
    annotators_weight: Floats
    n_items: Floats
    n_items_shared: Floats  # sum over items of 1 / number of ratings


def _sums_of_squares(tables: Floats) -> Floats:
    """Return the `_Sums` of each table, shape (n_tables, 10); 0 if no residual is left."""
    rated = ~np.isnan(tables)
    least = np.where(rated, tables, np.inf).min(axis=(1, 2), keepdims=True, initial=np.inf)
    x = np.where(rated, tables - np.where(np.isfinite(least), least, 0), 0)
    n_raters, n_given = rated.sum(axis=1), rated.sum(axis=2)
    n_items, n_annotators = (n_raters > 0).sum(axis=1), (n_given > 0).sum(axis=1)
    n_ratings = n_given.sum(axis=1)
    of_rest, n_fitted = _fit(rated, x)
    sums = _Sums(
        of_items=_within(rated, x, axis=2) - of_rest,
        of_annotators=_within(rated, x, axis=1) - of_rest,
        of_rest=of_rest,
        items_free=n_fitted - n_annotators,
        annotators_free=n_fitted - n_items,
        rest_free=n_ratings - n_fitted,
        items_weight=n_ratings - n_annotators,
        annotators_weight=n_ratings - n_items,
        n_items=n_items,
        n_items_shared=(1 / np.where(n_raters > 0, n_raters, np.inf)).sum(axis=1),
    )
    usable = n_ratings > n_fitted
    return np.where(usable[:, None], np.column_stack(sums), 0)


def _weighted_sums(table: Floats, weights: Floats) -> Floats:
    """Return the `_Sums` of one table in each resample, shape (n_resamples, 10)."""
    rated = ~np.isnan(table)
    n_raters = np.maximum(rated.sum(axis=0), 1)
    x = np.where(rated, table - np.nanmin(table, axis=0), 0)  # exactly 0 where all are equal
    about_items = np.where(rated, x - x.sum(axis=0) / n_raters, 0)
    x = np.where(rated, table - np.nanmin(table), 0)

    def add_up(numbers: Floats) -> Floats:
        return np.asarray(np.einsum("ai,ir->ra", numbers, weights))

    n_given, totals = add_up(rated.astype(float)), add_up(about_items)
    n_ratings, n_items, n_annotators = (
        n_given.sum(axis=1), weights.sum(axis=0), (n_given > 0).sum(axis=1)
    )  # fmt: skip
    if rated.all():
        effects, n_fitted = totals / n_items[:, None], n_items + n_annotators - 1
    else:
        size = len(table)
        raters = [np.flatnonzero(has_rated) for has_rated in rated.T]
        cells = np.concatenate([np.add.outer(size * rater, rater).ravel() for rater in raters])
        item = np.repeat(np.arange(len(raters)), n_raters**2)
        shares = csr_array((1 / n_raters[item], (cells, item)), shape=(size**2, len(raters)))
        normal = -np.asarray(shares @ weights).T.reshape(-1, size, size)
        normal[:, np.arange(size), np.arange(size)] += n_given
        effects, rank = _solve(normal, totals, len(weights))
        n_fitted = n_items + rank
    squares, sums = add_up(x * x), add_up(x)
    about_annotators = squares - ratio(sums**2, n_given)
    within_annotators = np.where(about_annotators > NOISE * squares, about_annotators, 0)
    within_items = np.einsum("ai,ir->r", about_items**2, weights)
    of_rest = within_items - (totals * effects).sum(axis=1)
    of_resamples = _Sums(
        of_items=within_annotators.sum(axis=1) - of_rest,
        of_annotators=within_items - of_rest,
        of_rest=of_rest,
        items_free=n_fitted - n_annotators,
        annotators_free=n_fitted - n_items,
        rest_free=n_ratings - n_fitted,
        items_weight=n_ratings - n_annotators,
        annotators_weight=n_ratings - n_items,
        n_items=n_items,
        n_items_shared=(weights / n_raters[:, None]).sum(axis=0),
    )
    return np.where((n_ratings > n_fitted)[:, None], np.column_stack(of_resamples), 0)


def _within(rated: Bools, x: Floats, *, axis: int) -> Floats:
    """Return the sum of squares of each table about the means along an axis."""
    return np.asarray((_deviations(rated, x, axis=axis) ** 2).sum(axis=(1, 2)))


def _deviations(rated: Bools, x: Floats, *, axis: int) -> Floats:
    """Return the deviations of ratings from the means along an axis, 0 for missing ratings."""
    means = x.sum(axis=axis, keepdims=True) / np.maximum(rated.sum(axis=axis, keepdims=True), 1)
    return np.where(rated, x - means, 0)


def _fit(rated: Bools, x: Floats) -> tuple[Floats, Integers]:
    """Fit items and annotators; `x` are the ratings, 0 for missing ones.

    Returns the sum of squared residuals of each table, and the number of parameters fitted.
    """
    if x.shape[1] > x.shape[2]:  # solve for the fewer of annotators and items
        rated, x = rated.swapaxes(1, 2), x.swapaxes(1, 2)
    about_items = _deviations(rated, x, axis=1)
    effects = about_items.sum(axis=2) / x.shape[2]
    n_fitted = np.full(len(x), x.shape[1] + x.shape[2] - 1)
    gaps = ~rated.all(axis=(1, 2))
    if gaps.any():
        effects[gaps], rank = _solve(
            _normal_equations(rated[gaps]), about_items[gaps].sum(axis=2), x.shape[2]
        )
        n_fitted[gaps] = rank + rated[gaps].any(axis=1).sum(axis=1)
    rest = about_items - _deviations(rated, np.where(rated, effects[..., None], 0), axis=1)
    return (rest**2).sum(axis=(1, 2)), n_fitted


def _normal_equations(rated: Bools) -> Floats:
    """Return the matrices of the normal equations for annotators, given deviations from items."""
    _, n_annotators, _ = rated.shape
    shares = rated / np.sqrt(np.maximum(rated.sum(axis=1, keepdims=True), 1))
    normal: Floats = -np.einsum("tai,tbi->tab", shares, shares)
    normal[:, np.arange(n_annotators), np.arange(n_annotators)] += rated.sum(axis=2)
    return normal


def _solve(normal: Floats, totals: Floats, n_items: int) -> tuple[Floats, Integers]:
    """Return the effects of annotators and the rank of each matrix of normal equations.

    The matrix is singular, once for each set of annotators who have no item in common with others.
    For one set, which is quick to see if any two have items in common with a third, its null space
    is known.
    """
    present = np.diagonal(normal, axis1=1, axis2=2) > SINGULAR  # with items that others have, too
    linked = (np.abs(normal) > SINGULAR).astype(np.float32)
    n_linked = np.count_nonzero(linked @ linked, axis=(1, 2))
    rank = np.maximum(present.sum(axis=1) - 1, 0)
    one_set = n_linked == present.sum(axis=1) ** 2
    filled = normal[one_set] + 1
    table, annotator = np.nonzero(~present[one_set])
    filled[table, annotator, annotator] += 1
    effects = np.empty_like(totals)
    effects[one_set] = np.linalg.solve(filled, totals[one_set][..., None])[..., 0]
    if not one_set.all():
        sizes, vectors = np.linalg.eigh(normal[~one_set])
        regular = sizes > SINGULAR * n_items
        along = np.einsum("tab,ta->tb", vectors, totals[~one_set])
        along = along * regular / np.where(regular, sizes, 1)
        effects[~one_set] = np.einsum("tab,tb->ta", vectors, along)
        rank[~one_set] = regular.sum(axis=1)
    return effects, rank


def _coefficients(sums: Floats) -> Floats:
    """Return ICC(2,1) and ICC(2,k) of each row of `_Sums`, from the estimated variances."""
    s = _Sums(*sums.T)
    usable = s.rest_free > 0
    rest = s.of_rest / np.where(usable, s.rest_free, 1)
    items = (s.of_items - s.items_free * rest) / np.where(usable, s.items_weight, 1)
    annotators = (s.of_annotators - s.annotators_free * rest) / np.where(
        usable, s.annotators_weight, 1
    )
    one_over_k = s.n_items_shared / np.where(usable, s.n_items, 1)
    least = NOISE * (np.abs(items) + np.abs(annotators) + rest)[:, None]
    shared, errors = np.where(np.abs(items) > least.T[0], items, 0)[:, None], annotators + rest
    wholes = shared + np.column_stack([errors, errors * one_over_k])
    return ratio(shared, np.where(wholes > least, wholes, 0))
