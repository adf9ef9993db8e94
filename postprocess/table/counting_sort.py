"""Counting sort of the ratings by pair, context and annotator.

If every annotator and every item is in one group, each item has a slot for each annotator of its
group, so that the position of every rating is known in advance.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.table.numbering import Members, make_members
from postprocess.table.parallel import AT_ONCE, as_places, in_parts, on_all_cores
from postprocess.table.sorting import as_column, as_numbers
from postprocess.types import Integers

MOST_SLOTS = 2  # per rating; with more empty ones, sorting is as fast
MOST_STATES = np.iinfo(np.uint16).max  # of a slot: empty, or a rating with a mark


class _Slots(NamedTuple):
    """The slots, sorted by item and, within an item, by the annotators of its group.

    `group` and `first`, shape (n_items,): the group of each item, and where that group begins in
    `annotators`, which are sorted by group.
    `starts`, shape (n_items + 1,): the first slot of each item, and the number of all slots.
    `group_of_annotator` and `rank`, shape (n_annotators,): group, and position within it.
    """

    group: Integers
    starts: NDArray[np.int32]
    first: NDArray[np.int32]
    annotators: NDArray[np.int32]
    group_of_annotator: Integers
    rank: NDArray[np.int32]


class Placed(NamedTuple):
    """Sorted ratings, and the member of each as `number_members` numbers them."""

    rows: pd.DataFrame
    member: NDArray[np.int32]
    members: Members


class _States(NamedTuple):
    """The possible values of a slot: 0 if empty, else 1 + mark · n_ratings + rating - least."""

    least: int
    n_ratings: int
    n_marks: int


def place_rows(table: pd.DataFrame) -> Placed | None:
    """Sort a ratings table by pair, context and annotator.

    Parameters
    ----------
    table : DataFrame, shape (n_ratings, 4 to 6)
        As `check_ratings` returns it, but in any order.

    Returns
    -------
    Placed or None
        The rows that `sort_rows` returns, twice as fast. None if `sort_rows` is needed: without
        groups, with ratings that are not whole, annotators or items in several groups, many
        missing ratings, or two ratings of one item by one annotator.

    Examples
    --------
    >>> one, names = pd.Categorical(["1", "1"]), pd.Categorical(["B", "A"])
    >>> table = pd.DataFrame({"pair": [1, 1], "context": [1, 1], "annotator": names,
    ...                       "rating": [6, 0], "group": one})
    >>> place_rows(table).rows["rating"].tolist()
    [0, 6]
    """
    if "group" not in table or table["rating"].dtype.kind != "i":
        return None
    n_items, n_rows = 2 * int(table["pair"].max()), len(table)
    states = _find_states(table)
    if n_items > MOST_SLOTS * n_rows or states.n_ratings * states.n_marks > MOST_STATES:
        return None
    numbers = {str(name): as_numbers(table[name]) for name in table}
    slots = _find_slots(numbers, n_items, len(table["annotator"].cat.categories))
    if slots is None or slots.starts[-1] > MOST_SLOTS * n_rows:
        return None
    taken = _fill_slots(numbers, slots, states)
    if taken is None or np.count_nonzero(taken) < n_rows:
        return None
    read, place = _read(taken, slots, states, numbers)
    rows = pd.DataFrame({name: as_column(read[name], table[name]) for name in read}, copy=False)
    group, names = slots.group_of_annotator[slots.annotators], (table["group"], table["annotator"])
    categories = (column.cat.categories for column in names)
    return Placed(rows, place, make_members(group, slots.annotators, *categories))


def _find_states(table: pd.DataFrame) -> _States:
    rating = table["rating"].to_numpy()
    least, most = int(rating.min()), int(rating.max())
    n_marks = len(table["mark"].cat.categories) if "mark" in table else 1
    return _States(least, most - least + 1, n_marks)


def _number_items(numbers: dict[str, Integers], rows: slice) -> NDArray[np.int64]:
    item = 2 * as_places(numbers["pair"][rows])
    item += numbers["context"][rows]
    item -= 3
    return item


def _find_slots(numbers: dict[str, Integers], n_items: int, n_annotators: int) -> _Slots | None:
    """Return the slots, given that each annotator and each item is in one group."""
    annotator, group = numbers["annotator"], numbers["group"]
    of_annotator, of_item = (np.full(n, -1, dtype=group.dtype) for n in (n_annotators, n_items))

    def assign(rows: slice) -> None:
        of_annotator[as_places(annotator[rows])] = group[rows]
        of_item[_number_items(numbers, rows)] = group[rows]

    in_parts(len(group), assign)
    annotators = np.argsort(of_annotator, kind="stable").astype(np.int32)
    annotators = annotators[of_annotator[annotators] >= 0]
    n_each = np.bincount(of_annotator[annotators] + 1)  # the first is for items without ratings
    firsts = np.cumsum(n_each) - n_each
    rank = np.zeros(n_annotators, dtype=np.int32)
    rank[annotators] = np.arange(len(annotators)) - firsts[of_annotator[annotators] + 1]
    if of_item.max() + 1 >= len(n_each):  # all annotators of a group are in others, too
        return None
    starts = np.append(0, np.cumsum(n_each[of_item + 1]))
    if starts[-1] > np.iinfo(np.int32).max:
        return None
    first = firsts[of_item + 1].astype(np.int32)
    return _Slots(of_item, starts.astype(np.int32), first, annotators, of_annotator, rank)


def _fill_slots(numbers: dict[str, Integers], slots: _Slots, states: _States) -> Integers | None:
    """Fill the slots; return None if an annotator or an item is in several groups."""
    taken = np.zeros(slots.starts[-1], dtype=np.min_scalar_type(states.n_ratings * states.n_marks))

    def take(rows: slice) -> bool:
        item, annotator = _number_items(numbers, rows), as_places(numbers["annotator"][rows])
        group = slots.group[item]
        if (group != numbers["group"][rows]).any():
            return False
        if (group != slots.group_of_annotator[annotator]).any():
            return False
        state = numbers["rating"][rows] - (states.least - 1)
        if "mark" in numbers:
            state += numbers["mark"][rows] * np.int32(states.n_ratings)
        slot = slots.starts[item]
        slot += slots.rank[annotator]
        taken[as_places(slot)] = state.astype(taken.dtype)  # or NumPy casts one by one
        return True

    return taken if all(in_parts(len(numbers["pair"]), take)) else None


def _read(
    taken: Integers, slots: _Slots, states: _States, numbers: dict[str, Integers]
) -> tuple[dict[str, Integers], NDArray[np.int32]]:
    """Return the columns of the filled slots in their original types, and the member of each."""
    n_items = len(slots.group)
    at_once = max(1, AT_ONCE * n_items // len(taken))
    cuts = [*range(0, n_items, at_once), n_items]
    parts = [slice(*ends) for ends in pairwise(cuts)]
    spans = [slice(*ends) for ends in pairwise(slots.starts[cuts].tolist())]
    n_taken = on_all_cores(lambda span: np.count_nonzero(taken[span]), spans)
    lasts = np.cumsum(n_taken).tolist()
    read = {name: np.empty_like(column) for name, column in numbers.items()}
    places = np.empty(lasts[-1], dtype=np.int32)

    def read_part(number: int) -> None:
        part, span = parts[number], spans[number]
        rows = slice(lasts[number] - n_taken[number], lasts[number])
        n_slots = np.diff(slots.starts[part.start : part.stop + 1])
        item = np.repeat(np.arange(part.start, part.stop, dtype=np.int32), n_slots)
        place = np.repeat(slots.first[part] - slots.starts[part], n_slots)
        place += np.arange(span.start, span.stop, dtype=np.int32)
        group, state = np.repeat(slots.group[part], n_slots), taken[span].astype(np.int32)
        if n_taken[number] < len(state):
            is_taken = state > 0
            item, place = item[is_taken], place[is_taken]
            group, state = group[is_taken], state[is_taken]
        state -= 1
        if "mark" in read:
            read["mark"][rows], state = np.divmod(state, np.int32(states.n_ratings))
        state += states.least
        read["rating"][rows] = state
        read["group"][rows] = group
        places[rows] = place
        read["annotator"][rows] = slots.annotators[as_places(place)]
        read["context"][rows] = (item & 1) + 1
        item >>= 1
        item += 1
        read["pair"][rows] = item

    on_all_cores(read_part, range(len(parts)))
    return read, places
