"""The ratings table as numbers, which the steps compute with: what is numbered once stays so."""

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

Codes = NDArray[np.signedinteger[Any]]
Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]
WIDEST = 1000  # span of whole ratings that are numbered without a search
MOST_CELLS = 50_000_000  # of the table of sittings by different ratings: 400 MB


class Sittings(NamedTuple):
    """Who rated in which group: a sitting is one annotator in one group.

    `group` and `annotator`, shape (n_sittings,), in the order of both: their numbers, which count
    through `groups` and `annotators`.
    """

    group: Codes
    annotator: Codes
    groups: pd.Index
    annotators: pd.Index

    def table(self) -> pd.DataFrame:
        """A row for each sitting: group and annotator, as text."""
        return pd.DataFrame(
            {
                "group": self.groups.take(self.group).array,
                "annotator": self.annotators.take(self.annotator).array,
            },
            copy=False,
        )


class Numbers(NamedTuple):
    """Ratings as numbers: what each is of, and which it is of those that are alike.

    Alike are ratings of one height from one sitting: apart from what they are of, no step can
    tell them from each other, so that it needs only look at each cell, and not at each rating.

    `item` and `cell`, shape (n_ratings,): the number of the context, ascending by pair and
    context; and that of the cell.
    `sitting`, `points` and `n`, shape (n_cells,), ascending by sitting and points: whose a cell
    is, how high its ratings are, and how many they are, which may be none. Calibrated points
    never fall within a sitting, but neighbouring cells can have equal ones: these are ties.
    """

    item: Codes
    cell: Codes
    sitting: Codes
    points: Floats
    n: Codes
    sittings: Sittings

    @property
    def n_sittings(self) -> int:
        """How many there are, some perhaps without ratings."""
        return len(self.sittings.group)

    def per_sitting(self, numbers: Codes | Floats | NDArray[np.bool_]) -> Floats:
        """The sum of a number of each cell over the cells of each sitting."""
        weights = np.asarray(numbers, dtype=float)
        total = np.bincount(self.sitting, weights=weights, minlength=self.n_sittings)
        return np.asarray(total, dtype=float)


def number_sittings(ratings: pd.DataFrame) -> tuple[Codes, Sittings]:
    """The sitting of each rating of a table that has a column group; and all sittings.

    >>> ratings = pd.DataFrame({"annotator": ["B", "A"], "group": "1"})
    >>> number_sittings(ratings)[0].tolist()
    [1, 0]
    """
    annotator, annotators = _in_order(ratings["annotator"])
    group, groups = _in_order(ratings["group"])
    sitting, keys = _number_pairs(group, annotator, len(annotators))
    return sitting, make_sittings(*np.divmod(keys, len(annotators)), groups, annotators)


def make_sittings(
    group: Integers, annotator: Integers, groups: pd.Index, annotators: pd.Index
) -> Sittings:
    """The sittings of annotators in groups, in the order of both, of names that need not occur.

    >>> names = pd.Index(["A", "B", "C"])
    >>> make_sittings(np.array([0]), np.array([2]), pd.Index(["1"]), names).table().values.tolist()
    [['1', 'C']]
    """
    (in_group, groups), (in_annotator, annotators) = (
        _only_used(*one) for one in ((group, groups), (annotator, annotators))
    )
    return Sittings(in_group.astype(np.int64), in_annotator.astype(np.int64), groups, annotators)


def number_ratings(ratings: pd.DataFrame) -> Numbers:
    """Number ratings of a table that has a column group, as `check_ratings` returns it, no NaN.

    >>> ratings = pd.DataFrame({"pair": [1, 1], "context": [1, 2], "annotator": ["B", "A"],
    ...                         "rating": [6, 0], "group": "1"})
    >>> numbers = number_ratings(ratings)
    >>> numbers.item.tolist(), numbers.points[numbers.cell].tolist()
    ([0, 1], [6.0, 0.0])
    """
    sitting, sittings = number_sittings(ratings)
    return number_cells(number_items(ratings), sitting, ratings["rating"], sittings)


def number_cells(item: Codes, sitting: Codes, ratings: pd.Series, sittings: Sittings) -> Numbers:
    """Number the cells of ratings, whose items and sittings have been numbered."""
    value, values = number_values(ratings.to_numpy())
    n_sittings = len(sittings.group)

    def place(rows: slice) -> Codes:
        return as_places(sitting[rows]) * len(values) + value[rows]

    cell = fill_parts(np.empty(len(item), dtype=_fitting(n_sittings * len(values))), place)
    if n_sittings * len(values) <= MOST_CELLS:
        of_cell = np.repeat(np.arange(n_sittings), len(values))
        points = np.tile(values, n_sittings)
    else:
        cell, keys = pd.factorize(cell, sort=True)
        of_cell, points = keys // len(values), values[keys % len(values)]
    return Numbers(item, cell, of_cell, points, _count_all(cell, len(of_cell)), sittings)


def index_names(column: pd.Series) -> tuple[Integers, pd.Index]:
    """Each name's number, counting through the names that occur in their order; and those.

    >>> codes, names = index_names(pd.Series(["b", "a", "b"]))
    >>> codes.tolist(), names.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    return _only_used(*_in_order(column))


def _count_all(numbers: Codes, n_numbers: int) -> Codes:
    """How often each number below `n_numbers` occurs."""
    size = max(AT_ONCE, 4 * n_numbers)
    parts = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    counts = on_all_cores(lambda part: np.bincount(as_places(part), minlength=n_numbers), parts)
    return np.asarray(sum(counts, start=np.zeros(n_numbers, dtype=np.int64)))


def _in_order(column: pd.Series) -> tuple[Integers, pd.Index]:
    """Each name's number, counting through names in their order, some perhaps unused; and those."""
    if (
        isinstance(column.dtype, pd.CategoricalDtype)
        and column.cat.categories.is_monotonic_increasing
    ):
        return column.cat.codes.to_numpy(), column.cat.categories
    codes, names = pd.factorize(column, sort=True)
    return codes, pd.Index(names)


def take_texts(texts: Sequence[str], places: Integers) -> pd.Series:
    """A column of text from the places of its texts.

    >>> take_texts(["", "kept"], np.array([1, 0])).tolist()
    ['kept', '']
    """
    return pd.Series(pd.array(list(texts), dtype="str").take(places))


def _only_used(codes: Integers, names: pd.Index) -> tuple[Integers, pd.Index]:
    """The numbers of names that count through those that occur; and these."""
    occurs = np.zeros(len(names), dtype=bool)

    def mark(rows: slice) -> None:
        occurs[as_places(codes[rows])] = True

    in_parts(len(codes), mark)
    if occurs.all():
        return codes, names
    return take_all(np.cumsum(occurs) - 1, codes), names[occurs]


def number_values(ratings: NDArray[Any]) -> tuple[Integers, Floats]:
    """The place of each rating among values in ascending order; and those, some perhaps unused.

    The place of NaN is behind them all.

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
    places[-1] = len(order)  # of NaN, whose code is -1
    return places[codes], distinct[order].astype(float)


def number_items(ratings: pd.DataFrame) -> Codes:
    """A number for the context of each rating, ascending by pair and context.

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
    """The type in which pandas keeps the numbers of so many names.

    >>> smallest_codes(1000)
    dtype('int16')
    """
    fits = (kind for kind in (np.int8, np.int16, np.int32) if n_names < np.iinfo(kind).max)
    return np.dtype(next(fits, np.int64))


def _fitting(n_numbers: int) -> type[np.int32 | np.int64]:
    """The type for long columns of so many numbers: what is read less is sooner read."""
    return np.int32 if n_numbers <= np.iinfo(np.int32).max else np.int64


def _number_pairs(group: Integers, annotator: Integers, n_annotators: int) -> tuple[Codes, Codes]:
    """A number for each (group, annotator), ascending; and their keys, from which both follow."""
    only = np.full(n_annotators, -1, dtype=group.dtype)

    def assign(rows: slice) -> None:
        only[as_places(annotator[rows])] = group[rows]

    in_parts(len(group), assign)
    sat = np.flatnonzero(only >= 0)
    keys = only[sat].astype(np.int64) * n_annotators + sat
    order = np.argsort(keys)
    number = np.empty(n_annotators, dtype=_fitting(n_annotators))
    number[sat[order]] = np.arange(len(sat))
    numbers = np.empty(len(group), dtype=number.dtype)

    def take(rows: slice) -> bool:
        who = as_places(annotator[rows])
        numbers[rows] = number[who]
        return bool((only[who] == group[rows]).all())

    if all(in_parts(len(group), take)):  # everybody sat once
        return numbers, keys[order]
    return pd.factorize(group.astype(np.int64) * n_annotators + annotator, sort=True)
