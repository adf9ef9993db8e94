"""The ratings table as arrays of numbers, with which the steps compute."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.table.parallel import (
    AT_ONCE,
    as_places,
    fill_parts,
    in_parts,
    on_all_cores,
    take_all,
)
from postprocess.types import Bools, Codes, Floats, Integers

WIDEST = 1000  # span up to which whole ratings are numbered by subtraction
MOST_CELLS = 50_000_000  # members × different ratings: 400 MB


class Members(NamedTuple):
    """The members of groups; a member is one annotator in one group.

    `group` and `annotator`, shape (n_members,), sorted by both: positions in `groups` and
    `annotators`.
    """

    group: Codes
    annotator: Codes
    groups: pd.Index
    annotators: pd.Index

    def table(self) -> pd.DataFrame:
        """Return a row for each member: group and annotator, as text."""
        return pd.DataFrame(
            {
                "group": self.groups.take(self.group).array,
                "annotator": self.annotators.take(self.annotator).array,
            },
            copy=False,
        )


class Numbers(NamedTuple):
    """Ratings as numbers, grouped in cells of equal ratings by one member.

    The steps treat all ratings of a cell alike, so that they compute with cells instead of
    ratings.

    `item` and `cell`, shape (n_ratings,): the context, ascending by pair and context; and the
    position of the cell.
    `member`, `points` and `n`, shape (n_cells,), ascending by member and points: whose ratings
    the cell holds, their value, and their number, which may be 0. Calibrated points never
    decrease within a member, but neighbouring cells may have equal ones: these are ties.
    """

    item: Codes
    cell: Codes
    member: Codes
    points: Floats
    n: Codes
    members: Members

    @property
    def n_members(self) -> int:
        """The number of members, including those without ratings."""
        return len(self.members.group)

    def per_member(self, numbers: Codes | Floats | Bools) -> Floats:
        """Return the sums over the cells of each member of one number per cell."""
        weights = np.asarray(numbers, dtype=float)
        total = np.bincount(self.member, weights=weights, minlength=self.n_members)
        return np.asarray(total, dtype=float)


def number_members(ratings: pd.DataFrame) -> tuple[Codes, Members]:
    """Return the member of each rating of a table with a column group, and all members.

    >>> ratings = pd.DataFrame({"annotator": ["B", "A"], "group": "1"})
    >>> number_members(ratings)[0].tolist()
    [1, 0]
    """
    annotator, annotators = _in_order(ratings["annotator"])
    group, groups = _in_order(ratings["group"])
    member, keys = _number_pairs(group, annotator, len(annotators))
    return member, make_members(*np.divmod(keys, len(annotators)), groups, annotators)


def make_members(
    group: Integers, annotator: Integers, groups: pd.Index, annotators: pd.Index
) -> Members:
    """Return the members for pairs of group and annotator sorted by both; drop unused names.

    >>> names = pd.Index(["A", "B", "C"])
    >>> make_members(np.array([0]), np.array([2]), pd.Index(["1"]), names).table().values.tolist()
    [['1', 'C']]
    """
    (in_group, groups), (in_annotator, annotators) = (
        _only_used(*one) for one in ((group, groups), (annotator, annotators))
    )
    return Members(in_group.astype(np.int64), in_annotator.astype(np.int64), groups, annotators)


def number_ratings(ratings: pd.DataFrame) -> Numbers:
    """Number ratings of a table that has a column group, as `check_ratings` returns it, no NaN.

    >>> ratings = pd.DataFrame({"pair": [1, 1], "context": [1, 2], "annotator": ["B", "A"],
    ...                         "rating": [6, 0], "group": "1"})
    >>> numbers = number_ratings(ratings)
    >>> numbers.item.tolist(), numbers.points[numbers.cell].tolist()
    ([0, 1], [6.0, 0.0])
    """
    member, members = number_members(ratings)
    return number_cells(number_items(ratings), member, ratings["rating"], members)


def number_cells(item: Codes, member: Codes, ratings: pd.Series, members: Members) -> Numbers:
    """Number the cells of ratings whose items and members have been numbered."""
    value, values = number_values(ratings.to_numpy())
    n_members = len(members.group)

    def place(rows: slice) -> Codes:
        return as_places(member[rows]) * len(values) + value[rows]

    cell = fill_parts(np.empty(len(item), dtype=_fitting(n_members * len(values))), place)
    if n_members * len(values) <= MOST_CELLS:
        of_cell = np.repeat(np.arange(n_members), len(values))
        points = np.tile(values, n_members)
    else:
        cell, keys = pd.factorize(cell, sort=True)
        of_cell, points = keys // len(values), values[keys % len(values)]
    return Numbers(item, cell, of_cell, points, _count_all(cell, len(of_cell)), members)


def index_names(column: pd.Series) -> tuple[Integers, pd.Index]:
    """Return the position of each name among the sorted names that occur, and these names.

    >>> codes, names = index_names(pd.Series(["b", "a", "b"]))
    >>> codes.tolist(), names.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    return _only_used(*_in_order(column))


def _count_all(numbers: Codes, n_numbers: int) -> Codes:
    """Count how often each number below `n_numbers` occurs."""
    size = max(AT_ONCE, 4 * n_numbers)
    parts = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    counts = on_all_cores(lambda part: np.bincount(as_places(part), minlength=n_numbers), parts)
    return np.asarray(sum(counts, start=np.zeros(n_numbers, dtype=np.int64)))


def _in_order(column: pd.Series) -> tuple[Integers, pd.Index]:
    """Return the position of each name among sorted names, some perhaps unused, and the names."""
    if (
        isinstance(column.dtype, pd.CategoricalDtype)
        and column.cat.categories.is_monotonic_increasing
    ):
        return column.cat.codes.to_numpy(), column.cat.categories
    codes, names = pd.factorize(column, sort=True)
    return codes, pd.Index(names)


def take_texts(texts: Sequence[str], places: Integers) -> pd.Series:
    """Return a column of the texts at these positions.

    >>> take_texts(["", "kept"], np.array([1, 0])).tolist()
    ['kept', '']
    """
    return pd.Series(pd.array(list(texts), dtype="str").take(places))


def _only_used(codes: Integers, names: pd.Index) -> tuple[Integers, pd.Index]:
    """Return the codes renumbered without unused names, and the names that occur."""
    occurs = np.zeros(len(names), dtype=bool)

    def mark(rows: slice) -> None:
        occurs[as_places(codes[rows])] = True

    in_parts(len(codes), mark)
    if occurs.all():
        return codes, names
    return take_all(np.cumsum(occurs) - 1, codes), names[occurs]


def number_values(ratings: NDArray[Any]) -> tuple[Integers, Floats]:
    """Return the position of each rating among ascending values, and these, some perhaps unused.

    NaN has the position after the last value.

    >>> codes, values = number_values(np.array([2.5, 0, np.nan]))
    >>> codes.tolist(), values.tolist()
    ([1, 0, 2], [0.0, 2.5])
    """
    if ratings.dtype.kind == "i" and len(ratings):
        least, most = int(ratings.min()), int(ratings.max())
        if most - least < WIDEST:

            def number(rows: slice) -> Codes:
                return np.asarray(np.subtract(ratings[rows], least, dtype=np.int64))

            numbers = fill_parts(np.empty(len(ratings), dtype=np.int16), number)
            return numbers, np.arange(least, most + 1, dtype=float)
    codes, distinct = pd.factorize(ratings)
    order = np.argsort(distinct)
    places = np.empty(len(order) + 1, dtype=np.int64)
    places[order] = np.arange(len(order))
    places[-1] = len(order)  # NaN has the code -1
    return places[codes], distinct[order].astype(float)


def number_items(ratings: pd.DataFrame) -> Codes:
    """Return the context of each rating as a number: 0 and 1 for pair 1, 2 and 3 for pair 2, ….

    >>> number_items(pd.DataFrame({"pair": [1, 1, 2], "context": [1, 2, 1]})).tolist()
    [0, 1, 2]
    """
    pair, context = ratings["pair"].to_numpy(), ratings["context"].to_numpy()

    def number(rows: slice) -> Codes:
        item: Codes = 2 * pair[rows].astype(np.int64) + context[rows] - 3
        return item

    n_items = 2 * int(pair.max(initial=0))
    return fill_parts(np.empty(len(pair), dtype=_fitting(n_items)), number)


def smallest_codes(n_names: int) -> np.dtype[np.signedinteger[Any]]:
    """Return the integer type that pandas uses for the codes of this many names.

    >>> smallest_codes(1000)
    dtype('int16')
    """
    fits = (kind for kind in (np.int8, np.int16, np.int32) if n_names < np.iinfo(kind).max)
    return np.dtype(next(fits, np.int64))


def _fitting(n_numbers: int) -> type[np.int32 | np.int64]:
    """Return the smaller of the two integer types that fits this many numbers."""
    return np.int32 if n_numbers <= np.iinfo(np.int32).max else np.int64


def _number_pairs(group: Integers, annotator: Integers, n_annotators: int) -> tuple[Codes, Codes]:
    """Number the distinct pairs of group and annotator; also return their sorted keys.

    A key is group · n_annotators + annotator.
    """
    only = np.full(n_annotators, -1, dtype=group.dtype)

    def assign(rows: slice) -> None:
        only[as_places(annotator[rows])] = group[rows]

    in_parts(len(group), assign)
    has_rated = np.flatnonzero(only >= 0)
    keys = only[has_rated].astype(np.int64) * n_annotators + has_rated
    order = np.argsort(keys)
    number = np.empty(n_annotators, dtype=_fitting(n_annotators))
    number[has_rated[order]] = np.arange(len(has_rated))
    numbers = np.empty(len(group), dtype=number.dtype)

    def take(rows: slice) -> bool:
        positions = as_places(annotator[rows])
        numbers[rows] = number[positions]
        return bool((only[positions] == group[rows]).all())

    if all(in_parts(len(group), take)):  # each annotator is in one group
        return numbers, keys[order]
    return pd.factorize(group.astype(np.int64) * n_annotators + annotator, sort=True)
