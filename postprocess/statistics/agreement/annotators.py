"""How far each annotator agrees with the others of the group, for many groups at once."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.statistics.agreement.group_arrays import Stack, stack_groups
from postprocess.statistics.correlations import FEWEST_COMMON, correlate_pairs
from postprocess.table.numbering import Codes, Floats, Numbers, smallest_codes
from postprocess.table.parallel import AT_ONCE, as_places, in_parts, on_all_cores

MOST_PARTS = 16  # of the ratings, each with sums of its own
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
    cell, place, n_items = _line_up(numbers, of_cell)
    n_given = numbers.per_sitting(numbers.n)
    n_of_group, n_raters = (
        np.bincount(group, weights=of_sitting, minlength=len(n_items))
        for of_sitting in (n_given, n_given > 0)
    )
    is_whole = n_of_group == n_items * n_raters
    sums = _sum_whole(numbers, cell, place)
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


def _line_up(numbers: Numbers, of_cell: Codes) -> tuple[Codes, Codes, Codes]:
    """The ratings by place, which is an item in a group: the cells and places of all, ascending.

    And each group's number of places. `of_cell`: the group of each cell.
    """
    item, n_groups = numbers.item, len(numbers.sittings.groups)
    of_cell = of_cell.astype(smallest_codes(n_groups))

    def find_begun(rows: slice) -> Codes | None:
        """The group of each item that begins here; None if one stands in several groups."""
        rows = slice(max(rows.start - 1, 0), rows.stop)  # with the last one before
        group = of_cell[as_places(numbers.cell[rows])]
        is_next = np.diff(item[rows]) > 0
        if (group[1:] != group[:-1])[~is_next].any():
            return None
        return group[1:][is_next] if rows.start else group[np.append(True, is_next)]

    begun = in_parts(len(item), find_begun)
    found = [of_part for of_part in begun if of_part is not None]
    if len(found) == len(begun):
        return numbers.cell, item, np.bincount(np.concatenate(found), minlength=n_groups)
    place = as_places(item) * n_groups + of_cell[as_places(numbers.cell)]
    order = np.argsort(place, kind="stable")
    n_items = np.bincount(np.unique(place) % n_groups, minlength=n_groups)
    return numbers.cell[order], place[order], n_items


def _sum_whole(numbers: Numbers, cell: Codes, place: Codes) -> NDArray[np.void]:
    """The sums of all sittings, right for those of groups in which nothing is missing."""
    sums = np.zeros(numbers.n_sittings, dtype=_SUMS)
    n, whose = numbers.n, numbers.sitting
    n_items = numbers.per_sitting(n)
    tie = _number_ties(numbers)
    n_tied = np.bincount(tie, weights=n)
    before = (np.cumsum(n_tied) - n_tied)[tie]  # all lower ratings, and all of earlier sittings
    before_sitting = np.cumsum(n_items) - n_items
    rank = before - before_sitting[whose] + (n_tied[tie] + 1) / 2  # the average rank of the tie
    centred = rank - (n_items[whose] + 1) / 2
    length = np.sqrt(numbers.per_sitting(n * centred**2))[whose]
    of_cell = np.divide(centred, length, out=np.zeros(len(n)), where=length > 0)

    def add_products(rows: slice) -> Floats:
        """Of each sitting, the z · Z of these places."""
        cells = as_places(cell[rows])
        z = of_cell[cells]
        starts = np.flatnonzero(np.diff(place[rows], prepend=-1))
        z *= np.repeat(np.add.reduceat(z, starts), np.diff(starts, append=len(z)))
        return np.asarray(np.bincount(whose[cells], weights=z, minlength=len(sums)), dtype=float)

    parts = _cut_between(place, len(sums))
    with_self = np.sum(on_all_cores(add_products, parts), axis=0)
    group = numbers.sittings.group
    is_first_of_tie = np.diff(tie, prepend=-1) > 0
    is_constant = numbers.per_sitting(is_first_of_tie & (n_tied[tie] > 0)) == 1
    is_defined = ~is_constant & (n_items >= FEWEST_COMMON)
    n_defined = np.bincount(group, weights=is_defined)[group]
    sums["n_rho"] = np.where(is_defined, n_defined - 1, 0)
    sums["rho"] = np.where(sums["n_rho"] > 0, with_self - 1, 0)
    n_raters = np.bincount(group, weights=n_items > 0)[group]
    sums["has_common"] = (n_items >= FEWEST_COMMON) & (n_raters > 1)
    sums["is_constant"] = is_constant
    return sums


def _number_ties(numbers: Numbers) -> Codes:
    """Number the ties among the cells: those of one sitting whose points are equal, ascending.

    Calibration can make the points of neighbouring cells equal, as it does with 5 and 6 where it
    moves a sitting up by 1 on a scale that ends at 6.
    """
    begins = np.diff(numbers.sitting, prepend=-1) != 0
    begins[1:] |= np.diff(numbers.points) != 0
    return np.cumsum(begins) - 1


def _cut_between(place: Codes, n_sums: int) -> list[slice]:
    """A few parts of the rows, the same on any machine, none of which ends within a place.

    `n_sums`: the sums that each part takes, in all no more than there are rows.
    """
    n_parts = max(1, min(MOST_PARTS, len(place) // AT_ONCE, len(place) // n_sums))
    near = [place[len(place) * part // n_parts] for part in range(n_parts)]
    ends = [*np.searchsorted(place, np.array(near, dtype=place.dtype)), len(place)]
    return [slice(*one) for one in pairwise(ends) if one[0] < one[1]]


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
