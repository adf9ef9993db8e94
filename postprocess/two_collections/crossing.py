"""Agreement of annotators within each collection and between the two."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.reporting.assessment import Chance
from postprocess.statistics.agreement.by_group import RESAMPLED_AT_ONCE, agreement_table
from postprocess.statistics.agreement.group_arrays import Stack, stack_groups
from postprocess.statistics.agreement.measures import pairwise_agreement
from postprocess.statistics.correlations import DECIMALS, FEWEST_COMMON, correlate, ratio
from postprocess.statistics.resampling import basic_interval, can_draw, draw_items, take_items
from postprocess.two_collections.matching import Aligned
from postprocess.types import Floats

SIDES = ("first", "second")
COLUMNS = ("measure", "among", "estimate", "low", "high", "n_correlations", "n_groups")
PAIRWISE, WITH_MEANS = "pairwise", "with means"
WITHIN = {PAIRWISE: "pairwise_spearman", WITH_MEANS: "human"}  # measure → figure of the table


class _Table(NamedTuple):
    """The ratings of one group, as a stack of one table, and what is correlated in it.

    `correlate`: from tables of shape (n, n_rows, n_items) to n times `n_correlations`.
    """

    stack: Stack
    correlate: Callable[[Floats], Floats]
    n_correlations: int


def compare_agreement(aligned: Aligned, chance: Chance) -> pd.DataFrame:
    """Compare the agreement of annotators within the collections with that between them.

    Parameters
    ----------
    aligned : Aligned
        The matched pairs.
    chance : Chance
        Resamples of the items, and the seed.

    Returns
    -------
    DataFrame, shape (7 or fewer, 7)
        measure and among: "pairwise", the mean Spearman correlation of two annotators of one group
        of the "first", of the "second", and "between" them, of an annotator of each, for groups
        with three or more common contexts; "with means", the mean correlation of an annotator with
        the mean of the others of the group ("first", "second": `human` of `agreement_table`), or
        with the scores of the other collection ("second with first", "first with second").
        estimate, with the ends low and high of its 95 % bootstrap interval over items within
        groups; n_correlations, at most that many are defined; n_groups (of "between", pairs of
        groups). A side without ratings has no rows; NaN if undefined, such as within a collection
        of one annotator.

    References
    ----------
    Armendariz et al. (2020), SemEval-2020 Task 3, for the correlation with the mean of others.
    """
    stacks = [[] if one is None else list(_cut_up(stack_groups(one))) for one in aligned.ratings]
    scores = [side[["sim1", "sim2"]].to_numpy().ravel() for side in aligned.scores]
    rows: list[tuple[object, ...]] = []
    for side, ratings, tables in zip(SIDES, aligned.ratings, stacks, strict=True):
        if ratings is not None:
            rows += _within(side, ratings, tables, chance)
    if all(stacks):
        rows.append((PAIRWISE, "between", *_estimate(list(_join_groups(*stacks)), chance)))
    for own, other in ((1, 0), (0, 1)):
        if stacks[own]:
            joined = [_join_scores(stack, scores[other]) for stack in stacks[own]]
            among = f"{SIDES[own]} with {SIDES[other]}"
            rows.append((WITH_MEANS, among, *_estimate(joined, chance)))
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.sort_values("measure", kind="stable", ignore_index=True)


def _within(
    side: str, ratings: pd.DataFrame, stacks: Sequence[Stack], chance: Chance
) -> Iterator[tuple[object, ...]]:
    table = agreement_table(
        ratings,
        by=[],
        figures=list(WITHIN.values()),
        n_resamples=chance.n_resamples,
        seed=chance.seed,
    )
    n_each = [stack.annotators.size for stack in stacks]
    numbers = {PAIRWISE: sum(n * (n - 1) // 2 for n in n_each), WITH_MEANS: sum(n_each)}
    found = table.iloc[0]
    for measure, figure in WITHIN.items():
        ends = found[figure], found[f"{figure}_low"], found[f"{figure}_high"]
        yield (measure, side, *ends, numbers[measure], len(stacks))


def _cut_up(stacks: Sequence[Stack]) -> Iterator[Stack]:
    """Yield each table of the stacks as a stack."""
    for stack in stacks:
        for place in range(len(stack.tables)):
            one = slice(place, place + 1)
            yield Stack(
                tables=stack.tables[one],
                slices=stack.slices[one],
                annotators=stack.annotators[one],
                items=stack.items[one],
            )


def _join_groups(first: Sequence[Stack], second: Sequence[Stack]) -> Iterator[_Table]:
    """Yield for two groups of different collections all annotators on the common items."""
    with_item = defaultdict(list)
    for place, stack in enumerate(second):
        for item in stack.items[0].tolist():
            with_item[item].append(place)
    for one in first:
        near = [place for item in one.items[0].tolist() for place in with_item[item]]
        places, n_common = np.unique(np.array(near, dtype=np.int64), return_counts=True)
        for place in places[n_common >= FEWEST_COMMON].tolist():
            yield _join(one, second[place])


def _join(first: Stack, second: Stack) -> _Table:
    items, of_first, of_second = np.intersect1d(
        first.items[0], second.items[0], assume_unique=True, return_indices=True
    )
    parts = first.tables[:, :, of_first], second.tables[:, :, of_second]
    n_first, n_second = (part.shape[1] for part in parts)
    annotators = np.arange(n_first + n_second)[None]
    stack = Stack(np.concatenate(parts, axis=1), np.zeros(1, dtype=int), annotators, items[None])
    return _Table(stack, partial(_correlate_across, n_first), n_first * n_second)


def _join_scores(stack: Stack, scores: Floats) -> _Table:
    """Return a group with the scores of its items by the other collection in the last row."""
    row = scores[stack.items].round(DECIMALS)[:, None]
    tables = np.concatenate([stack.tables, row], axis=1)
    annotators = np.arange(tables.shape[1])[None]
    joined = stack._replace(tables=tables, annotators=annotators, slices=np.zeros(1, dtype=int))
    return _Table(joined, _correlate_with_last, stack.annotators.size)


def _correlate_across(n_first: int, tables: Floats) -> Floats:
    return pairwise_agreement(tables)[:, :n_first, n_first:]


def _correlate_with_last(tables: Floats) -> Floats:
    return correlate(tables[:, :-1], tables[:, -1:], method="spearman")


def _estimate(tables: Sequence[_Table], chance: Chance) -> tuple[float, float, float, int, int]:
    """Return the mean correlation, the ends of its interval, and the numbers."""
    stacks = [table.stack for table in tables]
    figure = float(_mean(tables, stacks)[0]) if tables else float("nan")
    resampled = [np.empty(0)]
    if can_draw(stacks):
        rng = chance.rng()
        size = max(1, RESAMPLED_AT_ONCE // sum(stack.tables.size for stack in stacks))
        for start in range(0, chance.n_resamples, size):
            drawn = draw_items(stacks, min(size, chance.n_resamples - start), rng)
            taken = [take_items(*one) for one in zip(stacks, drawn, strict=True)]
            resampled.append(_mean(tables, taken))
    low, high = basic_interval(figure, np.concatenate(resampled))
    n_correlations = sum(table.n_correlations for table in tables)
    return figure, low, high, n_correlations, len(tables)


def _mean(tables: Sequence[_Table], taken: Sequence[Stack]) -> Floats:
    """Return the mean of all defined correlations, for each resample in the stacks."""
    total, n_defined = 0.0, 0
    for table, stack in zip(tables, taken, strict=True):
        rho = table.correlate(stack.tables).reshape(len(stack.tables), -1)
        total = total + np.nansum(rho, axis=1)
        n_defined = n_defined + (~np.isnan(rho)).sum(axis=1)
    return ratio(total, n_defined)
