"""How far each annotator agrees with the others of the group, for many groups at once."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.correlations import FEWEST_COMMON, correlate_pairs
from postprocess.numbering import Codes, Floats, Numbers
from postprocess.parts import fill_parts, in_parts, take_all
from postprocess.ratings import smallest_codes
from postprocess.stacks import Stack, stack_groups

_SUMS = np.dtype(
    [("rho", float), ("n_rho", np.int64), ("has_common", bool), ("is_constant", bool)]
)  # of each sitting: its defined rhos added up, and their number


def average_agreement(numbers: Numbers) -> pd.DataFrame:
    """Each annotator's mean Spearman correlation with the others of the group.

    Parameters
    ----------
    numbers : Numbers
        The ratings, without NaN; some sittings may be without any.

    Returns
    -------
    DataFrame, shape (n_sittings, 4), in the order of the sittings
        rho (NaN where no correlation is defined), has_common (whether some other shares three
        items or more), is_constant (all ratings equal) and gain: the mean pairwise rho of the
        group without the annotator, less that with them (NaN if either is undefined).

    Notes
    -----
    Where everybody in a group rated all of its items, the mean needs no pairs: with z an
    annotator's ranks, centred and of length 1, the sum of the correlations with the others is
    z · Z − 1, where Z is the sum of all z. Elsewhere each two annotators are compared on the
    items both rated.
    """
    group = numbers.sittings.group
    of_cell = group[numbers.sitting]
    place, n_items = _number_places(numbers, of_cell)
    n_given = numbers.per_sitting(numbers.n)
    n_of_group, n_raters = (
        np.bincount(group, weights=of_sitting, minlength=len(n_items))
        for of_sitting in (n_given, n_given > 0)
    )
    is_whole = n_of_group == n_items * n_raters
    sums = _sum_whole(numbers, place)
    if not is_whole.all():
        _sum_stacks(sums, numbers, ~is_whole[of_cell][numbers.cell])
    rho, n_rho = sums["rho"], sums["n_rho"]
    return pd.DataFrame(
        {
            "rho": np.clip(_ratio(rho, n_rho), -1, 1),
            "has_common": sums["has_common"],
            "is_constant": sums["is_constant"],
            "gain": _gains(rho, n_rho, group),
        }
    )


def _number_places(numbers: Numbers, of_cell: Codes) -> tuple[Codes, Codes]:
    """A number for each rating's item in its group; and each group's number of items."""
    item, n_groups = numbers.item, len(numbers.sittings.groups)
    group = take_all(of_cell.astype(smallest_codes(n_groups)), numbers.cell)
    only = np.full(item.max() + 1, -1, dtype=group.dtype)

    def assign(rows: slice) -> None:  # of several groups one stays, whichever, the others differ
        only[item[rows]] = group[rows]

    def compare(rows: slice) -> bool:
        return bool((only[item[rows]] == group[rows]).all())

    in_parts(len(item), assign)
    if all(in_parts(len(item), compare)):  # every item stands in one group
        return item, np.bincount(only[only >= 0], minlength=n_groups)
    place, keys = pd.factorize(item * n_groups + group)
    return place, np.bincount(keys % n_groups, minlength=n_groups)


def _sum_whole(numbers: Numbers, place: Codes) -> NDArray[np.void]:
    """The sums of all sittings, right for those of groups in which nothing is missing."""
    sums = np.zeros(numbers.n_sittings, dtype=_SUMS)
    n, whose = numbers.n, numbers.sitting
    n_items = numbers.per_sitting(n)
    before = np.cumsum(n) - n  # all that are lower, and all of the sittings before
    before_sitting = np.cumsum(n_items) - n_items
    rank = before - before_sitting[whose] + (n + 1) / 2  # the average of ties
    centred = rank - (n_items[whose] + 1) / 2
    length = np.sqrt(numbers.per_sitting(n * centred**2))[whose]
    of_cell = np.divide(centred, length, out=np.zeros(len(n)), where=length > 0)
    z = take_all(of_cell, numbers.cell)
    of_place = np.bincount(place, weights=z)

    fill_parts(z, lambda rows: z[rows] * of_place[place[rows]])
    with_self = np.bincount(take_all(whose, numbers.cell), weights=z, minlength=len(sums))
    group = numbers.sittings.group
    is_constant = numbers.per_sitting(n > 0) == 1
    is_defined = ~is_constant & (n_items >= FEWEST_COMMON)
    n_defined = np.bincount(group, weights=is_defined)[group]
    sums["n_rho"] = np.where(is_defined, n_defined - 1, 0)
    sums["rho"] = np.where(sums["n_rho"] > 0, with_self - 1, 0)
    n_raters = np.bincount(group, weights=n_items > 0)[group]
    sums["has_common"] = (n_items >= FEWEST_COMMON) & (n_raters > 1)
    sums["is_constant"] = is_constant
    return sums


def _sum_stacks(sums: NDArray[np.void], numbers: Numbers, rows: NDArray[np.bool_]) -> None:
    """Fill in the sums of groups in which something is missing, whose ratings are in `rows`."""
    cell, item = numbers.cell[rows], numbers.item[rows]
    sitting = numbers.sitting[cell]
    columns = {
        "pair": item // 2,
        "context": item % 2 + 1,
        "annotator": sitting,
        "rating": numbers.points[cell],
        "group": numbers.sittings.group[sitting],
    }
    people = np.flatnonzero(np.bincount(sitting))
    for stack in stack_groups(pd.DataFrame(columns, copy=False)):
        sums[people[stack.annotators]] = _sum_pairs(stack)


def _sum_pairs(stack: Stack) -> NDArray[np.void]:
    """The sums of the annotators of a stack, shape (n_tables, n_annotators)."""
    sums = np.zeros(stack.annotators.shape, dtype=_SUMS)
    rho = correlate_pairs(stack.tables, method="spearman")
    sums["rho"], sums["n_rho"] = np.nansum(rho, axis=2), (~np.isnan(rho)).sum(axis=2)
    rated = (~np.isnan(stack.tables)).astype(float)
    n_common = np.einsum("tin,tjn->tij", rated, rated)
    oneself = np.arange(rated.shape[1])
    n_common[:, oneself, oneself] = 0
    sums["has_common"] = (n_common >= FEWEST_COMMON).any(axis=2)
    sums["is_constant"] = np.nanmax(stack.tables, axis=2) == np.nanmin(stack.tables, axis=2)
    return sums


def _gains(rho: Floats, n_rho: Codes, group: Codes) -> Floats:
    """How much each group's mean rho rises when one sitting is left out of it."""
    total, n_total = (
        np.bincount(group, weights=rho)[group],
        np.bincount(group, weights=n_rho)[group],
    )
    without = _ratio(total - 2 * rho, n_total - 2 * n_rho)
    return np.subtract(without, _ratio(total, n_total))


def _ratio(total: NDArray[Any], n: NDArray[Any]) -> Floats:
    ratio: Floats = np.divide(total, n, out=np.full(len(total), np.nan), where=n > 0)
    return ratio
