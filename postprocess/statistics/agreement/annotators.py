"""Average agreement of each annotator with the others of the group, for many groups at once."""

from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.statistics.agreement.group_arrays import Stack, stack_groups
from postprocess.statistics.agreement.measures import pairwise_agreement
from postprocess.statistics.correlations import FEWEST_COMMON, ratio
from postprocess.table.numbering import Numbers, smallest_codes
from postprocess.table.parallel import AT_ONCE, as_places, in_parts, on_all_cores
from postprocess.types import Bools, Codes, Floats

MOST_PARTS = 16  # of the ratings; each part has separate sums
_SUMS = np.dtype(
    [("rho", float), ("n_rho", np.int64), ("has_common", bool), ("is_constant", bool)]
)  # of each member: the sum and number of its defined rhos, …


def average_agreement(numbers: Numbers) -> pd.DataFrame:
    """Compute each annotator's mean Spearman correlation with the others of the group.

    Ratings are without NaN; some members may have none.

    Returns
    -------
    DataFrame, shape (n_members, 4), in the order of the members
        rho (NaN if no correlation is defined), has_common (whether at least one other annotator
        shares three items or more), is_constant (all ratings equal) and gain: the mean pairwise
        rho of the group without the annotator less that with them (NaN if either is undefined).

    Notes
    -----
    If all annotators of a group rated all of its items, no pairs are compared: with z an
    annotator's ranks, centred and of length 1, the sum of the correlations with the others is
    z · Z − 1, where Z is the sum of all z. Otherwise each pair of annotators is compared on the
    items both rated.
    """
    group = numbers.members.group
    of_cell = group[numbers.member]
    cell, place, n_items = _line_up(numbers, of_cell)
    n_given = numbers.per_member(numbers.n)
    n_of_group, n_raters = (
        np.bincount(group, weights=of_member, minlength=len(n_items))
        for of_member in (n_given, n_given > 0)
    )
    is_whole = n_of_group == n_items * n_raters
    sums = _sum_whole(numbers, cell, place)
    if not is_whole.all():
        _sum_stacks(sums, numbers, ~is_whole[of_cell][numbers.cell])
    rho, n_rho = sums["rho"], sums["n_rho"]
    return pd.DataFrame(
        {
            "rho": np.clip(ratio(rho, n_rho), -1, 1),
            "has_common": sums["has_common"],
            "is_constant": sums["is_constant"],
            "gain": _gains(rho, n_rho, group),
        }
    )


def _line_up(numbers: Numbers, of_cell: Codes) -> tuple[Codes, Codes, Codes]:
    """Sort the ratings by place; a place is an item in a group.

    Returns the cells and the places of all ratings, and the number of places of each group.
    `of_cell` is the group of each cell.
    """
    item, n_groups = numbers.item, len(numbers.members.groups)
    of_cell = of_cell.astype(smallest_codes(n_groups))

    def find_begun(rows: slice) -> Codes | None:
        """Return the group of each item that begins here; None if one is in several groups."""
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
    """Compute the sums of all members; they are valid in groups without missing ratings."""
    sums = np.zeros(numbers.n_members, dtype=_SUMS)
    n, member = numbers.n, numbers.member
    n_items = numbers.per_member(n)
    tie = _number_ties(numbers)
    n_tied = np.bincount(tie, weights=n)
    before = (np.cumsum(n_tied) - n_tied)[tie]  # lower ratings, and those of earlier members
    before_member = np.cumsum(n_items) - n_items
    rank = before - before_member[member] + (n_tied[tie] + 1) / 2  # the average rank of the tie
    centred = rank - (n_items[member] + 1) / 2
    length = np.sqrt(numbers.per_member(n * centred**2))[member]
    of_cell = np.divide(centred, length, out=np.zeros(len(n)), where=length > 0)

    def add_products(rows: slice) -> Floats:
        """Return the z · Z of these places for each member."""
        cells = as_places(cell[rows])
        z = of_cell[cells]
        starts = np.flatnonzero(np.diff(place[rows], prepend=-1))
        z *= np.repeat(np.add.reduceat(z, starts), np.diff(starts, append=len(z)))
        return np.asarray(np.bincount(member[cells], weights=z, minlength=len(sums)), dtype=float)

    parts = _cut_between(place, len(sums))
    with_self = np.sum(on_all_cores(add_products, parts), axis=0)
    group = numbers.members.group
    is_first_of_tie = np.diff(tie, prepend=-1) > 0
    is_constant = numbers.per_member(is_first_of_tie & (n_tied[tie] > 0)) == 1
    is_defined = ~is_constant & (n_items >= FEWEST_COMMON)
    n_defined = np.bincount(group, weights=is_defined)[group]
    sums["n_rho"] = np.where(is_defined, n_defined - 1, 0)
    sums["rho"] = np.where(sums["n_rho"] > 0, with_self - 1, 0)
    n_raters = np.bincount(group, weights=n_items > 0)[group]
    sums["has_common"] = (n_items >= FEWEST_COMMON) & (n_raters > 1)
    sums["is_constant"] = is_constant
    return sums


def _number_ties(numbers: Numbers) -> Codes:
    """Number the ties: cells of one member with equal points, ascending.

    Calibration can make the points of neighbouring cells equal, such as 5 and 6 if it moves a
    member up by 1 on a scale that ends at 6.
    """
    begins = np.diff(numbers.member, prepend=-1) != 0
    begins[1:] |= np.diff(numbers.points) != 0
    return np.cumsum(begins) - 1


def _cut_between(place: Codes, n_sums: int) -> list[slice]:
    """Cut the rows into a few parts between places, the same on every machine.

    Each part needs `n_sums` sums; the parts together need no more sums than there are rows.
    """
    n_parts = max(1, min(MOST_PARTS, len(place) // AT_ONCE, len(place) // n_sums))
    near = [place[len(place) * part // n_parts] for part in range(n_parts)]
    ends = [*np.searchsorted(place, np.array(near, dtype=place.dtype)), len(place)]
    return [slice(*one) for one in pairwise(ends) if one[0] < one[1]]


def _sum_stacks(sums: NDArray[np.void], numbers: Numbers, rows: Bools) -> None:
    """Fill in the sums of groups with missing ratings, whose ratings are in `rows`."""
    cell, item = numbers.cell[rows], numbers.item[rows]
    member = numbers.member[cell]
    columns = {
        "pair": item // 2,
        "context": item % 2 + 1,
        "annotator": member,
        "rating": numbers.points[cell],
        "group": numbers.members.group[member],
    }
    members = np.flatnonzero(np.bincount(member))
    for stack in stack_groups(pd.DataFrame(columns, copy=False)):
        sums[members[stack.annotators]] = _sum_pairs(stack)


def _sum_pairs(stack: Stack) -> NDArray[np.void]:
    """Return the sums of the annotators of a stack, shape (n_tables, n_annotators)."""
    sums = np.zeros(stack.annotators.shape, dtype=_SUMS)
    rho = pairwise_agreement(stack.tables, method="spearman")
    sums["rho"], sums["n_rho"] = np.nansum(rho, axis=2), (~np.isnan(rho)).sum(axis=2)
    rated = (~np.isnan(stack.tables)).astype(float)
    n_common = np.einsum("tin,tjn->tij", rated, rated)
    diagonal = np.arange(rated.shape[1])
    n_common[:, diagonal, diagonal] = 0
    sums["has_common"] = (n_common >= FEWEST_COMMON).any(axis=2)
    sums["is_constant"] = np.nanmax(stack.tables, axis=2) == np.nanmin(stack.tables, axis=2)
    return sums


def _gains(rho: Floats, n_rho: Codes, group: Codes) -> Floats:
    """Return by how much each group's mean rho rises without each member."""
    total, n_total = (
        np.bincount(group, weights=rho)[group],
        np.bincount(group, weights=n_rho)[group],
    )
    without = ratio(total - 2 * rho, n_total - 2 * n_rho)
    return np.subtract(without, ratio(total, n_total))
