"""Matching the pairs of two collections, and bringing both to the same numbers and scale."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd

from postprocess.formats.marks import plain_text
from postprocess.formats.tabular import fold
from postprocess.steps.core import rescale
from postprocess.table.ratings import RatingsError, Scale, name_some
from postprocess.two_collections import By
from postprocess.two_collections.collection import ALONE, SCORES, Collection
from postprocess.types import Bools, Integers

WORDS = {
    "number": "the number of the pair, its row in the stimuli",
    "words": "the two words of the pair",
    "texts": "the two words and both texts of the pair",
}
ADVICE = "Correct the stimuli, match by another key, or compare only the pairs that both have."
Row = Sequence[str]


class Matching(NamedTuple):
    """The matched pairs of two collections.

    `by`: the key; `first` and `second`, shape (n_matched,): their numbers, from 1, in the order of
    the first collection; `is_swapped`, shape (n_matched,): whether context 1 of the first is
    context 2 of the second; `only_first` and `only_second`: the numbers of the others.
    """

    by: By
    first: Integers
    second: Integers
    is_swapped: Bools
    only_first: tuple[int, ...]
    only_second: tuple[int, ...]


class Aligned(NamedTuple):
    """The matched pairs of two collections, numbered as in the first, on its published scale.

    `rows`: of the first's stimuli; `scores`: of both, with the same index (pair) and the columns
    n1, n2, sim1, sim2, stdev1, stdev2 and `ALONE`; `ratings`: of both, None where they are not
    known, on the published scale; `scale`: the published one; `traits`: block and pos of each pair,
    as far as either collection knows them.
    """

    rows: tuple[tuple[str, ...], ...]
    scores: tuple[pd.DataFrame, pd.DataFrame]
    ratings: tuple[pd.DataFrame | None, pd.DataFrame | None]
    scale: Scale
    traits: pd.DataFrame


def match_pairs(
    first: Collection, second: Collection, *, by: By | None = None, only_matched: bool = False
) -> Matching:
    """Match the pairs of two collections.

    Parameters
    ----------
    first, second : Collection
        Their rows are matched; letter case, spacing and Unicode normal form are ignored.
    by : "number", "words" or "texts", optional
        The key: the row in the stimuli; the two dictionary forms, in their order; these and both
        texts, in either order. By default the number for equal stimuli or two languages, else the
        texts.
    only_matched : bool
        Whether pairs that one collection lacks are left out, and not refused.

    Returns
    -------
    Matching

    Raises
    ------
    RatingsError
        An unknown key; pairs that are in one collection only; two pairs with the same key in one
        collection; pairs of the same number and language with other words; or nothing in common.
        The message names the rows.

    Examples
    --------
    >>> rows = tuple(("ice", w, f"{w} one", f"{w} two", "", "", "", "") for w in "abc")
    >>> first, second = (
    ...     Collection(name, "en", side, pd.DataFrame(), Scale(0, 10))
    ...     for name, side in (("A", rows), ("B", rows[::-1])))
    >>> matching = match_pairs(first, second)
    >>> matching.by, matching.second.tolist()
    ('texts', [3, 2, 1])
    """
    known = get_args(By)
    if by is not None and by not in known:
        raise RatingsError(f'pairs cannot be matched by "{by}"; name one of {", ".join(known)}')
    key = by or _choose_key(first, second)
    keys = [_list_keys(side, key) for side in (first, second)]
    if key == "number" and first.language == second.language:
        _refuse_other_words(first, second)
    places = [
        _index_keys(names, side, key) for names, side in zip(keys, (first, second), strict=True)
    ]
    common = [name for name in keys[0] if name in places[0] and name in places[1]]
    only = [
        tuple(n for name, n in places[side].items() if name not in places[1 - side])
        for side in (0, 1)
    ]
    if not common or (not only_matched and any(only)):
        raise RatingsError(_explain_unmatched(first, second, key, (only[0], only[1])))
    numbers, others = (np.array([place[name] for name in common]) for place in places)
    swapped = [
        key == "texts" and _is_swapped(first.rows[row - 1], second.rows[other_row - 1])
        for row, other_row in zip(numbers, others, strict=True)
    ]
    return Matching(key, numbers, others, np.array(swapped, dtype=bool), only[0], only[1])


def align(first: Collection, second: Collection, matching: Matching) -> Aligned:
    """Return the matched pairs of both collections, numbered and scaled as in the first."""
    index = pd.Index(matching.first, name="pair")
    names = [*SCORES, *ALONE]
    of_first, of_second = (
        scores.reindex(columns=names, fill_value=0).set_index(index).astype(float)
        for scores in (first.scores.loc[matching.first], second.scores.loc[matching.second])
    )
    of_second = _swap(_rescale_scores(of_second, second.published, first.published), matching)
    return Aligned(
        rows=tuple(first.rows[pair - 1] for pair in matching.first),
        scores=(of_first, of_second),
        ratings=(
            _renumber(
                first, first.published, index, matching.first, np.zeros(len(index), dtype=bool)
            ),
            _renumber(second, first.published, index, matching.second, matching.is_swapped),
        ),
        scale=first.published,
        traits=_join_traits(first, second, matching, index),
    )


def _choose_key(first: Collection, second: Collection) -> By:
    is_number = first.rows == second.rows or first.language != second.language
    return "number" if is_number else "texts"


def _list_keys(collection: Collection, by: By) -> list[Hashable]:
    if by == "number":
        return list(range(1, len(collection.rows) + 1))
    return [(_words(row), _texts(row)) if by == "texts" else _words(row) for row in collection.rows]


def _words(row: Row) -> tuple[str, ...]:
    return tuple(map(fold, row[:2]))


def _texts(row: Row) -> tuple[str, ...]:
    return tuple(sorted(fold(plain_text(text)) for text in row[2:4]))


def _is_swapped(first: Row, second: Row) -> bool:
    return fold(plain_text(first[2])) != fold(plain_text(second[2]))


def _index_keys(keys: Sequence[Hashable], of: Collection, by: By) -> dict[Hashable, int]:
    """Return the number of each key with scores. Raises RatingsError if one occurs twice."""
    rows: dict[Hashable, list[int]] = defaultdict(list)
    for number, key in enumerate(keys, 1):
        rows[key].append(number)
    if twice := [numbers for numbers in rows.values() if len(numbers) > 1]:
        places = name_some(["rows " + " and ".join(map(str, numbers)) for numbers in twice])
        other = "texts" if by == "words" else "number"
        raise RatingsError(
            f"{of.name} has the same {by} in {places}, so pairs cannot be matched by {WORDS[by]}; "
            f"match by {other}"
        )
    return {key: numbers[0] for key, numbers in rows.items() if numbers[0] not in of.unscored}


def _refuse_other_words(first: Collection, second: Collection) -> None:
    pairs = enumerate(zip(first.rows, second.rows, strict=False), 1)  # the rest is unmatched
    if others := [
        f"row {number} ({row[0]}, {row[1]}; {other_row[0]}, {other_row[1]})"
        for number, (row, other_row) in pairs
        if _words(row) != _words(other_row)
    ]:
        raise RatingsError(
            f"pairs with the same number have other words in {first.name} and {second.name}: "
            f"{name_some(others)}; match by words or texts"
        )


def _explain_unmatched(
    first: Collection, second: Collection, by: By, only: tuple[Sequence[int], Sequence[int]]
) -> str:
    parts = [
        f"{side.name}: {name_some([_name_row(side, number) for number in numbers])}"
        for side, numbers in zip((first, second), only, strict=True)
        if numbers
    ]
    return (
        f"pairs of one collection that the other does not have, by {WORDS[by]}: "
        f"{'; '.join(parts)}. {ADVICE}"
    )


def _name_row(collection: Collection, number: int) -> str:
    return f"row {number} ({', '.join(collection.rows[number - 1][:2])})"


def _rescale_scores(scores: pd.DataFrame, source: Scale, target: Scale) -> pd.DataFrame:
    ratio = (target.maximum - target.minimum) / (source.maximum - source.minimum)
    sims = {name: rescale(scores[name].to_numpy(), source, target) for name in ("sim1", "sim2")}
    return scores.assign(**sims, **{name: scores[name] * ratio for name in ("stdev1", "stdev2")})


def _swap(scores: pd.DataFrame, matching: Matching) -> pd.DataFrame:
    """Exchange the columns of contexts 1 and 2 of pairs whose contexts are the other way round."""
    swapped = scores.copy()
    for name in ("n", "sim", "stdev", "alone"):
        both = scores[[f"{name}1", f"{name}2"]].to_numpy()
        turned = np.where(matching.is_swapped[:, None], both[:, ::-1], both)
        swapped[f"{name}1"], swapped[f"{name}2"] = turned[:, 0], turned[:, 1]
    return swapped


def _join_traits(
    first: Collection, second: Collection, matching: Matching, index: pd.Index
) -> pd.DataFrame:
    """Return the matched pairs' traits, from the second collection where the first has none."""
    traits = first.traits.reindex(matching.first).set_index(index)
    others = second.traits.reindex(matching.second).set_index(index)
    return traits.join(others[[name for name in others if name not in traits]])


def _renumber(
    collection: Collection, target: Scale, pairs: pd.Index, numbers: Integers, is_swapped: Bools
) -> pd.DataFrame | None:
    """Return the ratings of the pairs `numbers` under the numbers `pairs`, on the target scale."""
    if collection.ratings is None or collection.scale is None:
        return None
    place = pd.Index(numbers).get_indexer(pd.Index(collection.ratings["pair"]))
    ratings, place = collection.ratings[place >= 0], place[place >= 0]
    context = ratings["context"].to_numpy(dtype=np.int64)
    return ratings.assign(
        pair=pairs.to_numpy()[place],
        context=np.where(is_swapped[place], 3 - context, context),
        rating=rescale(ratings["rating"].to_numpy(dtype=float), collection.scale, target),
    ).reset_index(drop=True)
