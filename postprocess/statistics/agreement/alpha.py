"""Krippendorff's alpha, of one group's table and of many groups' stacks."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from postprocess.statistics.agreement.group_arrays import Floats, Integers, Stack

Level = Literal["interval", "ordinal"]


def krippendorff_alpha(ratings: pd.DataFrame, *, level: Level = "interval") -> float:
    """Krippendorff's alpha: one minus observed over expected disagreement.

    Parameters
    ----------
    ratings : DataFrame, shape (n_items, n_annotators)
        In scale points; NaN where an annotator did not rate an item. Items with one rating
        do not count.
    level : "interval" or "ordinal"
        Disagreement is the squared distance of two ratings, or of their average ranks among
        all ratings that count; the latter is Krippendorff's own ordinal metric.

    Returns
    -------
    float
        1 for full agreement, 0 for chance. NaN if no item has two ratings or all are equal.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> krippendorff_alpha(pd.DataFrame({"A": [0, 3, 6], "B": [0, 3, 6]}))
    1.0
    """
    table = ratings.to_numpy(dtype=float)
    rated = ~np.isnan(table)
    items = np.nonzero(rated)[0]
    one_slice = np.zeros(len(table), dtype=np.int64)
    return float(_alphas(table[rated], items, one_slice, n_slices=1, level=level)[0])


def alpha_of_slices(stacks: Sequence[Stack], n_slices: int, *, level: Level) -> Floats:
    """Krippendorff's alpha of each slice.

    Parameters
    ----------
    stacks : sequence of Stack
        A context that is in two groups is two items: nobody is compared with another group.
    n_slices : int
        Slices are numbered from 0 up to this.
    level : "interval" or "ordinal"
        As in `krippendorff_alpha`.

    Returns
    -------
    array, shape (n_slices,)
        Expected disagreement is of all ratings of the slice. NaN where `krippendorff_alpha`
        has it.
    """
    ratings, items, slices, n_items = [np.empty(0)], [np.empty(0, np.int64)], [], 0
    for stack in stacks:
        rated = ~np.isnan(stack.tables)
        table, _, place = np.nonzero(rated)
        ratings.append(stack.tables[rated])
        items.append(n_items + table * stack.items.shape[1] + place)
        slices.append(np.repeat(stack.slices, stack.items.shape[1]))
        n_items += stack.items.size
    of_item = np.concatenate([np.empty(0, np.int64), *slices])
    joined = np.concatenate(ratings), np.concatenate(items), of_item
    return _alphas(*joined, n_slices=n_slices, level=level)


def _alphas(
    ratings: Floats, items: Integers, slice_of: Integers, *, n_slices: int, level: Level
) -> Floats:
    """Alpha of each slice, from ratings with the number of their item, and items with a slice."""
    n_each = np.bincount(items, minlength=len(slice_of))
    pairable = n_each[items] >= 2
    ratings, items = ratings[pairable], items[pairable]
    slices = slice_of[items]
    if level == "ordinal":
        ratings = _rank_within(ratings, slices)
    any_of = np.zeros(n_slices)
    any_of[slices] = ratings
    ratings = ratings - any_of[slices]  # exactly 0 throughout if all of a slice are equal
    total = np.bincount(slices, minlength=n_slices)
    mean = np.bincount(slices, ratings, n_slices) / np.maximum(total, 1)
    expected = np.bincount(slices, (ratings - mean[slices]) ** 2, n_slices)
    means = np.bincount(items, ratings, len(slice_of)) / np.maximum(n_each, 1)
    weights = n_each / np.maximum(n_each - 1, 1)
    observed = np.bincount(slices, weights[items] * (ratings - means[items]) ** 2, n_slices)
    defined = expected > 0
    ratio = (observed / np.maximum(total, 1)) / np.where(defined, expected, 1) * (total - 1)
    return np.where(defined, 1 - ratio, np.nan)


def _rank_within(ratings: Floats, slices: Integers) -> Floats:
    """Average ranks; within a slice they differ as ranks of that slice do.

    The distance of the average ranks of c and k is the number of ratings from c to k less half
    of those that are c or k, which is how Krippendorff defines the ordinal metric.
    """
    levels, values = pd.factorize(ratings, sort=True)
    cells, _ = pd.factorize(slices * len(values) + levels, sort=True)
    n_each = np.bincount(cells)
    ranks = np.cumsum(n_each) - (n_each - 1) / 2
    return np.asarray(ranks[cells], dtype=float)
