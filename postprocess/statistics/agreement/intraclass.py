"""Intraclass correlation (two-way random effects, absolute agreement) of many groups at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from postprocess.statistics.agreement.group_arrays import Stack
from postprocess.statistics.correlations import ratio
from postprocess.types import Floats


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
        In scale points. Only items that all annotators of their group rated count; leave out
        annotators with few ratings first.
    n_slices : int
        Slices are numbered from 0 to this, exclusively.

    Returns
    -------
    array, shape (n_slices, 2)
        ICC(2,1), of one annotator's ratings, and ICC(2,k), of the means of all k annotators; of
        several groups, k is the harmonic mean over items of the number of annotators. At most 1,
        and below 0 if the means of items differ less than by chance. NaN for under two items or
        annotators, if all ratings are equal, and if the estimated variance in the denominator
        is not positive.

    References
    ----------
    Shrout and Fleiss (1979), Intraclass correlations, case 2; McGraw and Wong (1996), where
    these are ICC(A,1) and ICC(A,k).

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
    """Return the `_Sums` of each table, shape (n_tables, 10); 0 for under 2 items or annotators."""
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
