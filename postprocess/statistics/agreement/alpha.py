"""Krippendorff's alpha of many groups at once."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from postprocess.statistics.agreement.group_arrays import Stack
from postprocess.statistics.correlations import ratio
from postprocess.types import Floats, Integers

Level = Literal["interval", "ordinal"]


def krippendorff_alpha(
    stacks: Sequence[Stack], n_slices: int, *, level: Level = "interval"
) -> Floats:
    """Compute Krippendorff's alpha of each slice: 1 - observed / expected disagreement.

    Parameters
    ----------
    stacks : sequence of Stack
        In scale points; NaN where an annotator did not rate an item. Items with one rating do
        not count. A context in two groups is two items: annotators are compared within groups.
    n_slices : int
        Slices are numbered from 0 to this, exclusively.
    level : "interval" or "ordinal"
        Disagreement is the squared distance of two ratings, or of their average ranks among
        all ratings that count; the latter is Krippendorff's own ordinal metric.

    Returns
    -------
    array, shape (n_slices,)
        1 for full agreement, 0 for chance; expected disagreement is that of all ratings of the
        slice. NaN if no item has two ratings or all ratings are equal.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> from postprocess.statistics.agreement.group_arrays import stack_groups
    >>> ratings = pd.DataFrame({"pair": [1, 2, 3] * 2, "context": 1, "annotator": list("AAABBB"),
    ...                         "rating": [0, 3, 6] * 2, "group": "1"})
    >>> krippendorff_alpha(stack_groups(ratings), 1).tolist()
    [1.0]
    """
    return _alphas(*_join(stacks), n_slices=n_slices, level=level)


def weighted_alpha(stacks: Sequence[Stack], weights: Floats, *, level: Level) -> Floats:
    """Compute the alpha of one slice in each resample of its items.

    `weights`, shape (n_items, n_resamples): how often each item was drawn. Returns shape
    (n_resamples,): `krippendorff_alpha` of groups with every item as often as it was drawn.
    """
    ratings, items, _ = _join(stacks)
    numbers, point = np.unique(ratings, return_inverse=True)
    counts = csr_array((np.ones(len(items)), (items, point)), shape=(len(weights), len(numbers)))
    n_each = np.maximum(np.bincount(items, minlength=len(weights)), 1)[:, None]
    weights = np.where(n_each >= 2, weights, 0)
    n = np.asarray(counts.T @ weights)  # of each point
    x = np.cumsum(n, axis=0) - (n - 1) / 2 if level == "ordinal" else numbers[:, None]
    total = n.sum(axis=0)
    x = x - ratio((n * x).sum(axis=0), total)
    expected = (n * x**2).sum(axis=0)
    squares, sums = (np.asarray(counts @ numbers) for numbers in (x**2, x))
    within = squares - sums**2 / n_each
    observed = (weights * n_each / np.maximum(n_each - 1, 1) * within).sum(axis=0)
    differ = (n > 0).sum(axis=0) > 1
    share = ratio(observed * (total - 1), np.where(differ, total * expected, 0))
    return 1 - share


def _join(stacks: Sequence[Stack]) -> tuple[Floats, Integers, Integers]:
    """Return all ratings, the item of each, and the slice of each item."""
    ratings, items, slices, n_items = [np.empty(0)], [np.empty(0, np.int64)], [], 0
    for stack in stacks:
        rated = ~np.isnan(stack.tables)
        table, _, place = np.nonzero(rated)
        ratings.append(stack.tables[rated])
        items.append(n_items + table * stack.items.shape[1] + place)
        slices.append(np.repeat(stack.slices, stack.items.shape[1]))
        n_items += stack.items.size
    of_item = np.concatenate([np.empty(0, np.int64), *slices])
    return np.concatenate(ratings), np.concatenate(items), of_item


def _alphas(
    ratings: Floats, items: Integers, slice_of: Integers, *, n_slices: int, level: Level
) -> Floats:
    """Return alpha of each slice; `items` is each rating's item, `slice_of` each item's slice."""
    n_each = np.bincount(items, minlength=len(slice_of))
    pairable = n_each[items] >= 2
    ratings, items = ratings[pairable], items[pairable]
    slices = slice_of[items]
    if level == "ordinal":
        ratings = _rank_within(ratings, slices)
    any_of = np.zeros(n_slices)
    any_of[slices] = ratings
    ratings = ratings - any_of[slices]  # exactly 0 if all ratings of a slice are equal
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
    """Return average ranks whose differences within a slice equal the slice's own ranks'.

    The distance of the average ranks of c and k is the number of ratings from c to k less half
    of those that are c or k, which is how Krippendorff defines the ordinal metric.
    """
    levels, values = pd.factorize(ratings, sort=True)
    cells, _ = pd.factorize(slices * len(values) + levels, sort=True)
    n_each = np.bincount(cells)
    ranks = np.cumsum(n_each) - (n_each - 1) / 2
    return np.asarray(ranks[cells], dtype=float)
