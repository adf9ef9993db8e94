"""Ratings in order without a sort: each is put into the place that is its own.

Where everybody sat in one group, and every item stands in one, an item has a seat for each person
of its group, and which seat is whose is known before any rating is looked at.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.table.numbering import Integers, Sittings, make_sittings
from postprocess.table.parallel import AT_ONCE, as_places, in_parts, on_all_cores
from postprocess.table.sorting import as_column, as_numbers

MOST_SEATS = 2  # for each rating; with more of them empty, sorting is no slower
MOST_STATES = np.iinfo(np.uint16).max  # of a seat: empty, or which rating and mark


class _Seats(NamedTuple):
    """The seats, in the order of items and, for each of them, of the people of its group.

    `group` and `first`, shape (n_items,): the group of each item, and where that begins in
    `people`, the annotators in the order of their groups.
    `starts`, shape (n_items + 1,): the first seat of each item, and how many there are of all.
    `group_of_annotator` and `rank`, shape (n_annotators,): which group, and which of its people.
    """

    group: Integers
    starts: NDArray[np.int32]
    first: NDArray[np.int32]
    people: NDArray[np.int32]
    group_of_annotator: Integers
    rank: NDArray[np.int32]


class Placed(NamedTuple):
    """Ratings in order, and the sitting of each as `number_sittings` numbers them."""

    rows: pd.DataFrame
    sitting: NDArray[np.int32]
    sittings: Sittings


class _States(NamedTuple):
    """What may be on a seat: 0 for nothing, or a mark's ratings from the least on, from 1."""

    least: int
    n_ratings: int
    n_marks: int


def place_rows(table: pd.DataFrame) -> Placed | None:
    """The rows of a ratings table in the order of pair, context and annotator.

    Parameters
    ----------
    table : DataFrame, shape (n_ratings, 4 to 6)
        As `check_ratings` returns it, but in any order.

    Returns
    -------
    Placed or None
        The rows that `sort_rows` returns, twice as fast; None if that must be asked: without
        groups, with ratings that are not whole, with people or items in several groups, with many
        ratings missing, or with two of one item by one person.

    Examples
    --------
    >>> one, people = pd.Categorical(["1", "1"]), pd.Categorical(["B", "A"])
    >>> table = pd.DataFrame({"pair": [1, 1], "context": [1, 1], "annotator": people,
    ...                       "rating": [6, 0], "group": one})
    >>> place_rows(table).rows["rating"].tolist()
    [0, 6]
    """
    if "group" not in table or table["rating"].dtype.kind != "i":
        return None
    n_items, n_rows = 2 * int(table["pair"].max()), len(table)
    states = _find_states(table)
    if n_items > MOST_SEATS * n_rows or states.n_ratings * states.n_marks > MOST_STATES:
        return None
    numbers = {str(name): as_numbers(table[name]) for name in table}
    seats = _find_seats(numbers, n_items, len(table["annotator"].cat.categories))
    if seats is None or seats.starts[-1] > MOST_SEATS * n_rows:
        return None
    taken = _take_seats(numbers, seats, states)
    if taken is None or np.count_nonzero(taken) < n_rows:
        return None
    read, place = _read(taken, seats, states, numbers)
    rows = pd.DataFrame({name: as_column(read[name], table[name]) for name in read}, copy=False)
    group, names = seats.group_of_annotator[seats.people], (table["group"], table["annotator"])
    categories = (column.cat.categories for column in names)
    return Placed(rows, place, make_sittings(group, seats.people, *categories))


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


def _find_seats(numbers: dict[str, Integers], n_items: int, n_annotators: int) -> _Seats | None:
    """The seats, if each annotator and each item is in the group of any of their rows."""
    annotator, group = numbers["annotator"], numbers["group"]
    of_annotator, of_item = (np.full(n, -1, dtype=group.dtype) for n in (n_annotators, n_items))

    def assign(rows: slice) -> None:
        of_annotator[as_places(annotator[rows])] = group[rows]
        of_item[_number_items(numbers, rows)] = group[rows]

    in_parts(len(group), assign)
    people = np.argsort(of_annotator, kind="stable").astype(np.int32)
    people = people[of_annotator[people] >= 0]
    n_each = np.bincount(of_annotator[people] + 1)  # the first for items of no group
    firsts = np.cumsum(n_each) - n_each
    rank = np.zeros(n_annotators, dtype=np.int32)
    rank[people] = np.arange(len(people)) - firsts[of_annotator[people] + 1]
    if of_item.max() + 1 >= len(n_each):  # a group whose people are all in others, too
        return None
    starts = np.append(0, np.cumsum(n_each[of_item + 1]))
    if starts[-1] > np.iinfo(np.int32).max:
        return None
    first = firsts[of_item + 1].astype(np.int32)
    return _Seats(of_item, starts.astype(np.int32), first, people, of_annotator, rank)


def _take_seats(numbers: dict[str, Integers], seats: _Seats, states: _States) -> Integers | None:
    """What is on each seat; None if an annotator or an item is in several groups."""
    taken = np.zeros(seats.starts[-1], dtype=np.min_scalar_type(states.n_ratings * states.n_marks))

    def take(rows: slice) -> bool:
        item, annotator = _number_items(numbers, rows), as_places(numbers["annotator"][rows])
        group = seats.group[item]
        if (group != numbers["group"][rows]).any():
            return False
        if (group != seats.group_of_annotator[annotator]).any():
            return False
        state = numbers["rating"][rows] - (states.least - 1)
        if "mark" in numbers:
            state += numbers["mark"][rows] * np.int32(states.n_ratings)
        seat = seats.starts[item]
        seat += seats.rank[annotator]
        taken[as_places(seat)] = state.astype(taken.dtype)  # else each would be cast by itself
        return True

    return taken if all(in_parts(len(numbers["pair"]), take)) else None


def _read(
    taken: Integers, seats: _Seats, states: _States, numbers: dict[str, Integers]
) -> tuple[dict[str, Integers], NDArray[np.int32]]:
    """The columns of the seats that are not empty, in types as before; and whose these are."""
    n_items = len(seats.group)
    at_once = max(1, AT_ONCE * n_items // len(taken))
    cuts = [*range(0, n_items, at_once), n_items]
    parts = [slice(*ends) for ends in pairwise(cuts)]
    spans = [slice(*ends) for ends in pairwise(seats.starts[cuts].tolist())]
    n_taken = on_all_cores(lambda span: np.count_nonzero(taken[span]), spans)
    lasts = np.cumsum(n_taken).tolist()
    read = {name: np.empty_like(column) for name, column in numbers.items()}
    places = np.empty(lasts[-1], dtype=np.int32)

    def put(number: int) -> None:
        part, span = parts[number], spans[number]
        rows = slice(lasts[number] - n_taken[number], lasts[number])
        n_seats = np.diff(seats.starts[part.start : part.stop + 1])
        item = np.repeat(np.arange(part.start, part.stop, dtype=np.int32), n_seats)
        place = np.repeat(seats.first[part] - seats.starts[part], n_seats)
        place += np.arange(span.start, span.stop, dtype=np.int32)
        group, state = np.repeat(seats.group[part], n_seats), taken[span].astype(np.int32)
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
        read["annotator"][rows] = seats.people[as_places(place)]
        read["context"][rows] = (item & 1) + 1
        item >>= 1
        item += 1
        read["pair"][rows] = item

    on_all_cores(put, range(len(parts)))
    return read, places
