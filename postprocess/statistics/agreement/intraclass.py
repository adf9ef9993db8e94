"""Intraclass correlation, two-way random, absolute agreement: of one table, and of many stacks."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.statistics.agreement.group_arrays import Floats, Stack


class IntraclassCorrelation(NamedTuple):
    """ICC(2,1) and ICC(2,k), and the numbers of items and annotators they rest on."""

    single: float
    average: float
    n_items: int
    n_annotators: int


def intraclass_correlation(ratings: pd.DataFrame) -> IntraclassCorrelation:
    """Intraclass correlation of one annotator's ratings, and of the means of all.

    Two-way random effects, absolute agreement: items and annotators are both samples of many
    more, and an annotator who rates higher than the others counts as an error.

    Parameters
    ----------
    ratings : DataFrame, shape (n_items, n_annotators)
        One group, in scale points. Only items that all annotators rated count; so leave out
        first who rated little.

    Returns
    -------
    IntraclassCorrelation
        `single` is ICC(2,1), `average` ICC(2,k) for k = `n_annotators`; 1 at best, and below 0
        where the means of items differ less than chance would have it. NaN for under two items
        or annotators, if all ratings are equal, and where the estimate of the variance that it
        divides by is not positive. `n_items` counts the items that all rated.

    References
    ----------
    Shrout and Fleiss (1979), Intraclass correlations, case 2; McGraw and Wong (1996), where
    these are ICC(A,1) and ICC(A,k).

    Examples
    --------
    >>> intraclass_correlation(pd.DataFrame({"A": [0, 3, 6], "B": [1, 4, 7]})).single
    0.9473684210526315
    """
    table = np.ascontiguousarray(ratings.to_numpy(dtype=float).T)[None]
    sums = _sums_of_squares(table)[0]
    single, average = _coefficients(sums[None])[0]
    n_items = int((~np.isnan(table)).all(axis=1).sum())
    return IntraclassCorrelation(float(single), float(average), n_items, ratings.shape[1])


def intraclass_of_slices(stacks: Sequence[Stack], n_slices: int) -> Floats:
    """ICC(2,1) and ICC(2,k) of each slice.

    In a slice with several groups the variances between items, between annotators and of the
    rest are taken to be the same in each group, and are estimated from the sums of squares
    within groups, added up.

    Parameters
    ----------
    stacks : sequence of Stack
        Only items that all annotators of their group rated count.
    n_slices : int
        Slices are numbered from 0 up to this.

    Returns
    -------
    array, shape (n_slices, 2)
        For one group as `intraclass_correlation`. k is the harmonic mean over items of the
        number of annotators.
    """
    sums = np.zeros((n_slices, len(_Sums._fields)))
    for stack in stacks:
        of_table = _sums_of_squares(stack.tables)
        for column, numbers in enumerate(of_table.T):
            sums[:, column] += np.bincount(stack.slices, numbers, n_slices)
    return _coefficients(sums)


class _Sums(NamedTuple):
    """What is added up over groups: sums of squares, degrees of freedom, what they multiply."""

    of_items: Floats
    of_annotators: Floats
    of_rest: Floats
    items_free: Floats
    annotators_free: Floats
    rest_free: Floats
    items_weight: Floats  # degrees of freedom of items × number of annotators
    annotators_weight: Floats  # degrees of freedom of annotators × number of items
    n_items: Floats
    n_items_shared: Floats  # number of items / number of annotators


def _sums_of_squares(tables: Floats) -> Floats:
    """The `_Sums` of each table, shape (n_tables, 10); 0 for under two items or annotators."""
    n_tables, k, _ = tables.shape
    complete = ~np.isnan(tables).any(axis=1, keepdims=True)
    n = complete.sum(axis=2)[:, 0].astype(float)
    least = np.where(complete, tables, np.inf).min(axis=(1, 2), keepdims=True, initial=np.inf)
    x = np.where(complete, tables - np.where(np.isfinite(least), least, 0), 0)
    of_annotator = x.sum(axis=2, keepdims=True) / np.maximum(n, 1)[:, None, None]
    of_item = x.mean(axis=1, keepdims=True)
    mean = of_annotator.mean(axis=1, keepdims=True)
    rest = np.where(complete, x - of_annotator - of_item + mean, 0)
    sums = _Sums(
        of_items=k * (np.where(complete, of_item - mean, 0) ** 2).sum(axis=(1, 2)),
        of_annotators=n * ((of_annotator - mean) ** 2).sum(axis=(1, 2)),
        of_rest=(rest**2).sum(axis=(1, 2)),
        items_free=n - 1,
        annotators_free=np.full(n_tables, k - 1.0),
        rest_free=(n - 1) * (k - 1),
        items_weight=(n - 1) * k,
        annotators_weight=(k - 1) * n,
        n_items=n,
        n_items_shared=n / k,
    )
    usable = (n >= 2) & (k >= 2)
    return np.where(usable[:, None], np.column_stack(sums), 0)


def _coefficients(sums: Floats) -> Floats:
    """ICC(2,1) and ICC(2,k) of each row of `_Sums`, from the estimates of the variances."""
    s = _Sums(*sums.T)
    usable = s.rest_free > 0
    rest = s.of_rest / np.where(usable, s.rest_free, 1)
    items = (s.of_items - s.items_free * rest) / np.where(usable, s.items_weight, 1)
    annotators = (s.of_annotators - s.annotators_free * rest) / np.where(
        usable, s.annotators_weight, 1
    )
    one_over_k = s.n_items_shared / np.where(usable, s.n_items, 1)
    single = _ratio(items, items + annotators + rest)
    average = _ratio(items, items + (annotators + rest) * one_over_k)
    return np.column_stack([single, average])


def _ratio(part: Floats, whole: Floats) -> Floats:
    defined = whole > 0
    return np.where(defined, part / np.where(defined, whole, 1), np.nan)
