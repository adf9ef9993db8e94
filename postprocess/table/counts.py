"""Ratings as counts: how often each annotator, and each context, gave or got each point.

All figures of post-processing follow from these two tables. A member is an annotator in a group;
an annotator of two groups is two members.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.table.parallel import fill_parts
from postprocess.table.ratings import RatingsError, name_some
from postprocess.types import Bools, Codes, Counts, Floats, Integers

MOST_CELLS = 50_000_000  # members × points: 400 MB


class Ratings(NamedTuple):
    """Ratings as numbers, without NaN.

    `item`, shape (n_ratings,): the context, as `number_items` numbers them.
    `member`, shape (n_ratings,): the row of the tables.
    `cell`, shape (n_ratings,): the position in the tables, read row by row.
    `n` and `points`, tables of shape (n_members, n_columns): how often each member gave each
    rating, which may be 0, and the rating in any unit; ratings of a member never decrease.
    `group`, shape (n_members,), ascending: the group of each member, from 0.
    """

    item: Integers
    member: Codes
    cell: Integers
    n: Integers
    points: Floats
    group: Codes

    def of_group(self, numbers: Floats | Integers | Bools) -> Floats:
        """Return, for each member, the sum over all members of its group."""
        return np.bincount(self.group, weights=numbers)[self.group].astype(float)

    def number_places(self) -> tuple[Codes, Integers]:
        """Number the items of each group; return each rating's number, and each member's items.

        Shapes (n_ratings,) and (n_members,): an item of two groups has two numbers.
        """
        n_groups = int(self.group[-1]) + 1
        place = np.empty(len(self.item), dtype=np.int64)
        fill_parts(
            place,
            lambda rows: self.item[rows] * np.int64(n_groups) + self.group[self.member[rows]],
        )
        number, places = pd.factorize(place)
        return number, np.bincount(places % n_groups, minlength=n_groups)[self.group]

    def as_table(self, is_listed: Bools) -> pd.DataFrame:
        """Return the ratings of some members as a table, with members in place of names."""
        rows = is_listed[self.member]
        item, member = self.item[rows], self.member[rows]
        return pd.DataFrame(
            {
                "pair": item // 2,
                "context": item % 2 + 1,
                "annotator": member,
                "rating": self.points.ravel()[self.cell[rows]],
                "group": self.group[member],
            }
        )


def count_ratings(item: Integers, member: Codes, ratings: pd.Series, group: Codes) -> Ratings:
    """Count the ratings of each member at each point; the arguments are as in `Ratings`."""
    point, points = pd.factorize(ratings.to_numpy(), sort=True)
    n_members, n_points = len(group), len(points)
    cell = np.empty(len(member), dtype=np.int64)
    fill_parts(cell, lambda rows: member[rows].astype(np.int64) * n_points + point[rows])
    table = np.broadcast_to(points.astype(float), (n_members, n_points))
    if n_members * n_points > MOST_CELLS:  # a column for each distinct rating of one member
        of_rating, cells = pd.factorize(cell, sort=True)
        owner, point = np.divmod(cells, n_points)
        n_each = np.bincount(owner, minlength=n_members)
        column = np.arange(len(cells)) - (np.cumsum(n_each) - n_each)[owner]
        table = np.full((n_members, n_each.max()), points[-1], dtype=float)
        table[owner, column] = points[point]
        cell = (owner * table.shape[1] + column)[of_rating]
    n = np.bincount(cell, minlength=table.size).reshape(table.shape)
    return Ratings(item, member, cell, n, table, group)


def count_points(
    item: Integers, cell: Integers, code: Codes, *, pairs: slice, n_points: int, n_contexts: int
) -> Counts:
    """Count the ratings at each point of the contexts of some pairs, from 0.

    `item` and `cell` are as in `Ratings`, sorted by item; `code` has the point of each cell.
    Returns an array of shape (n_pairs, n_contexts, n_points).
    """
    shape = (pairs.stop - pairs.start, n_contexts, n_points)
    ends = np.array([n_contexts * pairs.start, n_contexts * pairs.stop], dtype=item.dtype)
    rows = slice(*np.searchsorted(item, ends))
    position = (item[rows] - ends[0]) * n_points + code[cell[rows]]
    counts = np.bincount(position, minlength=np.prod(shape)).reshape(shape)
    return counts.astype(float, order="F")


def refuse_unrated(n_ratings: Integers | Bools, n_contexts: int = 2) -> None:
    """Raise RatingsError if a context has no rating, given the number of each item."""
    if missing := [
        f"pair {i // n_contexts + 1} context {i % n_contexts + 1}"
        for i in np.flatnonzero(n_ratings == 0)
    ]:
        raise RatingsError(f"contexts without ratings: {name_some(missing)}")
