"""The ratings of many groups as arrays; groups of equal shape are stacked."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.table.groups import with_groups
from postprocess.table.ratings import RatingsError, get_codes
from postprocess.types import Floats, Integers

MOST_NUMBERS = 2**22  # in one array; larger ones are computed in parts


class Stack(NamedTuple):
    """Groups with equally many annotators and equally many items.

    `tables`, shape (n_tables, n_annotators, n_items): ratings, NaN for missing ones.
    `slices`, shape (n_tables,): the slice of each table, ascending.
    `annotators`, shape (n_tables, n_annotators): their positions among the sorted names.
    `items`, shape (n_tables, n_items): 2 × the number of the pair, + 1 for context 2.
    """

    tables: Floats
    slices: Integers
    annotators: Integers
    items: Integers


def stack_groups(ratings: pd.DataFrame, slices: Integers | None = None) -> list[Stack]:
    """Arrange the ratings of each group in a table, and tables of one shape in stacks.

    Stacks are sorted by shape and have one table or at most MOST_NUMBERS numbers; within a stack,
    tables are sorted by slice, language and group, annotators by name, items by pair and context.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        Columns pair, context (1 or 2), annotator, rating in any unit, and optionally group
        (otherwise groups are found) and language; pairs and groups of two languages are
        different even if they have the same names. Columns may be categorical. Rows without a
        rating do not count. The order of the rows does not matter.
    slices : array of int, shape (n_ratings,), optional
        The slice of each row, from 0; a group has a table in each of its slices. Rows with -1 do
        not count. Without it, all rows are slice 0.

    Raises
    ------
    RatingsError
        A rating without a pair, annotator, group or language (if there is that column), a
        context other than 1 or 2, or an annotator who rated a context twice in one group.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": [1, 1, 2, 2], "context": 1, "annotator": list("ABAB"),
    ...                         "rating": [0, 1, 4, 5], "group": "1"})
    >>> stack_groups(ratings)[0].tables.tolist()
    [[[0.0, 4.0], [1.0, 5.0]]]
    """
    ratings = with_groups(ratings)
    slices = np.zeros(len(ratings), dtype=np.int64) if slices is None else slices
    counts = ratings["rating"].notna().to_numpy() & (slices >= 0)
    if not counts.all():
        ratings, slices = ratings[counts], slices[counts]
    if ratings.empty:
        return []
    language = _number_all(ratings, "language") if "language" in ratings else slices * 0
    table = _number_rows(slices, language, _number_all(ratings, "group"))
    item = 2 * _number_rows(language, _number_all(ratings, "pair")) + _second_context(ratings)
    annotators = _places(table, _number_all(ratings, "annotator"))
    items = _places(table, item)
    order = np.lexsort((items.n_each, annotators.n_each))
    sizes = annotators.n_each * items.n_each
    starts = _find_starts(sizes, order)
    cells = starts[table] + annotators.place * items.n_each[table] + items.place
    numbers = _fill_cells(ratings["rating"].to_numpy(dtype=float), cells, sizes.sum())
    slice_of = np.empty(len(sizes), dtype=np.int64)
    slice_of[table] = slices
    return [
        Stack(
            tables=_cut(numbers, starts[tables[0]], (len(tables), *shape)),
            slices=slice_of[tables],
            annotators=annotators.names_of(tables),
            items=items.names_of(tables),
        )
        for shape, tables in _runs(order, annotators.n_each, items.n_each)
    ]


def number_names(column: pd.Series) -> Integers:
    """Return the position of each value of a column among its sorted values, -1 if missing.

    >>> number_names(pd.Series(["b", "a", None, "b"], dtype="category")).tolist()
    [1, 0, -1, 1]
    """
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return np.asarray(pd.factorize(column, sort=True)[0], dtype=np.int64)
    codes = get_codes(column)
    used = np.unique(codes[codes >= 0])
    order = column.cat.categories[used].argsort()
    numbers = np.full(len(column.cat.categories) + 1, -1, dtype=np.int64)  # the last is for -1
    numbers[used[order]] = np.arange(len(used))
    return numbers[codes]


def of_slice(stacks: Sequence[Stack], number: int) -> list[Stack]:
    """Return the tables of one slice."""
    ends = [np.searchsorted(stack.slices, [number, number + 1]) for stack in stacks]
    cut = [
        Stack(
            tables=stack.tables[first:last],
            slices=stack.slices[first:last],
            annotators=stack.annotators[first:last],
            items=stack.items[first:last],
        )
        for stack, (first, last) in zip(stacks, ends, strict=True)
    ]
    return [stack for stack in cut if len(stack.slices)]


def _number_all(ratings: pd.DataFrame, column: str) -> Integers:
    numbers = number_names(ratings[column])
    if (numbers < 0).any():
        raise RatingsError(f"{column} is missing in {(numbers < 0).sum()} rows")
    return numbers


def _find_starts(sizes: Integers, order: Integers) -> Integers:
    """Return the start of each block if blocks of these sizes follow each other in this order."""
    starts = np.empty_like(sizes)
    starts[order] = np.cumsum(sizes[order]) - sizes[order]
    return starts


def _fill_cells(ratings: Floats, cells: Integers, size: int) -> Floats:
    """Return an array of this size with each rating at its cell, NaN elsewhere."""
    numbers = np.full(size, np.nan)
    numbers[cells] = ratings
    if np.count_nonzero(~np.isnan(numbers)) < len(cells):
        raise RatingsError("an annotator rated a context twice in one group; keep one rating")
    return numbers


class _Places(NamedTuple):
    """The distinct names in each table, sorted.

    `place`, shape (n_ratings,): the position of the row's name within its table, from 0.
    `n_each` and `starts`, shape (n_tables,): the number of names of a table, and the position
    of its first one in `names`.
    """

    place: Integers
    n_each: Integers
    starts: Integers
    names: Integers

    def names_of(self, tables: Integers) -> Integers:
        """Return names of shape (n_tables, n_each), for tables with equally many."""
        return self.names[self.starts[tables][:, None] + np.arange(self.n_each[tables[0]])]


def _places(table: Integers, name: Integers) -> _Places:
    cell = _number_rows(table, name)
    n_cells = int(cell.max()) + 1
    owner, names = np.empty(n_cells, dtype=np.int64), np.empty(n_cells, dtype=np.int64)
    owner[cell], names[cell] = table, name
    n_each = np.bincount(owner)
    starts = np.cumsum(n_each) - n_each
    return _Places(cell - starts[table], n_each, starts, names)


def _number_rows(*columns: Integers) -> Integers:
    """Return the rank of each row among the distinct rows, from 0."""
    numbers, *others = columns
    for column in others:
        joined = numbers * (column.max() + 1) + column
        numbers = np.asarray(pd.factorize(joined, sort=True)[0], dtype=np.int64)
    return numbers


def _second_context(ratings: pd.DataFrame) -> Integers:
    context = ratings["context"].to_numpy(dtype=float)
    if not np.isin(context, [1, 2]).all():
        raise RatingsError("context must be 1 or 2 in every row")
    return np.asarray(context == 2, dtype=np.int64)


def _runs(
    order: Integers, n_annotators: Integers, n_items: Integers
) -> Iterator[tuple[tuple[int, int], Integers]]:
    """Yield the tables of each shape, at most MOST_NUMBERS numbers together."""
    shapes = np.column_stack([n_annotators, n_items])[order]
    changes = np.flatnonzero((shapes[1:] != shapes[:-1]).any(axis=1)) + 1
    for tables in np.split(order, changes):
        shape = int(n_annotators[tables[0]]), int(n_items[tables[0]])
        n_together = max(1, MOST_NUMBERS // (shape[0] * shape[1]))
        for first in range(0, len(tables), n_together):
            yield shape, tables[first : first + n_together]


def _cut(numbers: Floats, start: int, shape: tuple[int, int, int]) -> Floats:
    return numbers[start : start + shape[0] * shape[1] * shape[2]].reshape(shape)
