"""Intraclass correlation (two-way random effects, absolute agreement) of many groups at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from postprocess.statistics.agreement.group_arrays import Stack
from postprocess.statistics.correlations import ratio
from postprocess.types import Bools, Floats, Integers

SINGULAR = 1e-9  # eigenvalues below this share of the number of items are 0


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
        effects[gaps], n_fitted[gaps] = _solve(rated[gaps], about_items[gaps])
    rest = about_items - _deviations(rated, np.where(rated, effects[..., None], 0), axis=1)
    return (rest**2).sum(axis=(1, 2)), n_fitted


def _solve(rated: Bools, about_items: Floats) -> tuple[Floats, Integers]:
    """Return the effects of annotators, given deviations from items, and the parameters fitted.

    The matrix of the normal equations is singular, once for each set of annotators who have no
    item in common with others.
    """
    _, n_annotators, n_items = rated.shape
    shares = rated / np.sqrt(np.maximum(rated.sum(axis=1, keepdims=True), 1))
    normal = -np.einsum("tai,tbi->tab", shares, shares)
    normal[:, np.arange(n_annotators), np.arange(n_annotators)] += rated.sum(axis=2)
    sizes, vectors = np.linalg.eigh(normal)
    regular = sizes > SINGULAR * n_items
    along = np.einsum("tab,ta->tb", vectors, about_items.sum(axis=2))
    effects = np.einsum("tab,tb->ta", vectors, along * regular / np.where(regular, sizes, 1))
    return effects, regular.sum(axis=1) + rated.any(axis=1).sum(axis=1)


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
    single = ratio(items, items + annotators + rest)
    average = ratio(items, items + (annotators + rest) * one_over_k)
    return np.column_stack([single, average])
