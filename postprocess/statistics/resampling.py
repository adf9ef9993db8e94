"""Bootstrap intervals: items are resampled with replacement, annotators left out in turn.

Items are always resampled: an interval shows how far a figure depends on the items of the study,
given its annotators. With `resample="items and annotators"` it also shows how far the figure
depends on the annotators, by a jackknife over them.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, get_args

import numpy as np

from postprocess.statistics import Resample as Resample
from postprocess.statistics.agreement.group_arrays import Stack
from postprocess.statistics.agreement.weighted import count_drawn
from postprocess.table.ratings import RatingsError
from postprocess.types import Floats, Integers

FEWEST_ITEMS = 3  # of a group, for resampling within it to be informative
FEWEST_ANNOTATORS = 3  # of a group, for leaving one out to be informative
N_PARTS = 10  # of the annotators; each part is left out once
RESAMPLES_A_DIVISION = 30  # so that the jackknife takes a third of the time of the resamples
RATINGS_AT_ONCE = 2**18  # whose items are drawn together, all of one size before those of the next


def includes_annotators(resample: Resample) -> bool:
    """Return whether annotators are resampled too. Raises RatingsError for an unknown value.

    >>> includes_annotators("items and annotators")
    True
    """
    names = get_args(Resample)
    if resample not in names:
        raise RatingsError(f'"{resample}" cannot be resampled; name one of {", ".join(names)}')
    return resample == "items and annotators"


def can_draw(stacks: Sequence[Stack]) -> bool:
    """Return whether most items are in groups of three items or more, so that draws differ.

    >>> can_draw([])
    False
    """
    large = [stack for stack in stacks if stack.items.shape[1] >= FEWEST_ITEMS]
    return 2 * _count_items(large) > _count_items(stacks)


def can_leave_out(stacks: Sequence[Stack]) -> bool:
    """Return whether most items are in groups of three annotators or more.

    >>> can_leave_out([])
    False
    """
    large = [stack for stack in stacks if stack.annotators.shape[1] >= FEWEST_ANNOTATORS]
    return 2 * _count_items(large) > _count_items(stacks)


def draw_items(
    stacks: Sequence[Stack], n_resamples: int, rng: np.random.Generator
) -> list[Integers]:
    """Draw items with replacement, in each group as many as it has.

    Groups that rated the same pairs, such as the two questionnaires of a block, draw the same
    items: the two contexts of a pair share their words, so their ratings are not independent.
    Returns for each stack the positions of the drawn items in their tables, shape (n_resamples,
    n_tables, n_items).
    """
    places: dict[int, Integers] = {}
    for n_items in sorted({stack.items.shape[1] for stack in stacks}):
        of_size = [number for number, s in enumerate(stacks) if s.items.shape[1] == n_items]
        pairs = np.concatenate([stacks[number].items // 2 for number in of_size])
        distinct, which = np.unique(pairs, axis=0, return_inverse=True)
        drawn = rng.integers(n_items, size=(n_resamples, *distinct.shape))
        ends = np.cumsum([len(stacks[number].items) for number in of_size])
        parts = np.split(which.reshape(-1), ends[:-1])
        places |= {number: drawn[:, part] for number, part in zip(of_size, parts, strict=True)}
    return [places[number] for number in range(len(stacks))]


def weigh_items(stacks: Sequence[Stack], n_resamples: int, rng: np.random.Generator) -> Floats:
    """Draw items by `draw_items` and return how often each was drawn in each resample.

    Returns shape (n_items, n_resamples); items are numbered as in `Halves`.
    """
    n_items = sum(stack.items.size for stack in stacks)
    together = max(1, RATINGS_AT_ONCE // max(1, sum(stack.tables.size for stack in stacks)))
    parts = [np.empty((n_items, 0))]
    for start in range(0, n_resamples, together):
        drawn = draw_items(stacks, min(together, n_resamples - start), rng)
        parts.append(count_drawn(join_items(stacks, drawn), n_items))
    return np.concatenate(parts, axis=1)


def join_items(stacks: Sequence[Stack], drawn: Sequence[Integers]) -> Integers:
    """Return the drawn items of all stacks side by side, numbered as in `Halves`.

    `drawn` comes from `draw_items`. Returns shape (n_resamples, n_items).
    """
    parts, n_before = [], 0
    for stack, places in zip(stacks, drawn, strict=True):
        n_tables, n_items = stack.items.shape
        starts = n_before + n_items * np.arange(n_tables)[:, None]
        parts.append((starts + places).reshape(len(places), -1))
        n_before += stack.items.size
    return np.concatenate(parts, axis=1)


class Division(NamedTuple):
    """Annotators divided at random into `N_PARTS` parts.

    `annotators`, shape (n_annotators,): their numbers, ascending; `parts`: the part of each,
    from 0. An annotator of several groups is in one part.
    """

    annotators: Integers
    parts: Integers


def divide_annotators(
    stacks: Sequence[Stack], n_resamples: int, rng: np.random.Generator
) -> Iterator[Division]:
    """Divide annotators into parts that take as evenly as possible from each group.

    Yields a division for every `RESAMPLES_A_DIVISION` resamples, and one more for the rest.
    """
    numbers = np.concatenate([stack.annotators.ravel() for stack in stacks])
    sizes = [np.full(len(stack.annotators), stack.annotators.shape[1]) for stack in stacks]
    each = np.concatenate(sizes)
    annotators, first = np.unique(numbers, return_index=True)
    group = np.repeat(np.arange(len(each)), each)[first]
    for _ in range(0, n_resamples, RESAMPLES_A_DIVISION):
        order = np.lexsort((rng.random(len(annotators)), group))
        parts = np.empty_like(annotators)
        parts[order] = (np.arange(len(annotators)) + rng.integers(N_PARTS)) % N_PARTS
        yield Division(annotators, parts)


def leave_out(stacks: Sequence[Stack], division: Division) -> list[Stack]:
    """Return the stacks of one slice without each part of the annotators, a slice per part."""
    without_parts = []
    for stack in stacks:
        part = division.parts[np.searchsorted(division.annotators, stack.annotators)]
        stays = part != np.arange(N_PARTS)[:, None, None]
        n_left = stays.sum(axis=2)
        for n in np.unique(n_left[n_left > 0]):
            without, table = np.nonzero(n_left == n)
            positions = np.argsort(~stays[without, table], axis=1, kind="stable")[:, :n]
            rows = table[:, None]
            without_parts.append(
                Stack(
                    tables=stack.tables[rows, positions],
                    slices=without,
                    annotators=stack.annotators[rows, positions],
                    items=stack.items[table],
                )
            )
    return without_parts


def blank_out(stacks: Sequence[Stack], division: Division, part: int) -> list[Stack]:
    """Return the stacks with the ratings of a part of the annotators missing."""
    annotators = division.annotators[division.parts == part]
    return [
        stack._replace(
            tables=np.where(np.isin(stack.annotators, annotators)[..., None], np.nan, stack.tables)
        )
        for stack in stacks
    ]


def _count_items(stacks: Sequence[Stack]) -> int:
    return sum(stack.items.size for stack in stacks)
