"""Agreement of annotators within each collection and between the two."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.reporting.assessment import Chance
from postprocess.statistics.agreement.by_group import agreement_table
from postprocess.statistics.agreement.group_arrays import Stack, stack_groups
from postprocess.statistics.agreement.weighted import Columns, mean_weighted
from postprocess.statistics.correlations import DECIMALS, FEWEST_COMMON
from postprocess.statistics.intervals import basic_interval
from postprocess.statistics.resampling import (
    can_draw,
    weigh_items,
)
from postprocess.two_collections.matching import Aligned
from postprocess.types import Floats, Integers

SIDES = ("first", "second")
COLUMNS = ("measure", "among", "estimate", "low", "high", "n_correlations", "n_groups")
PAIRWISE, WITH_MEANS = "pairwise", "with means"
WITHIN = {PAIRWISE: "pairwise_spearman", WITH_MEANS: "human"}  # measure → figure of the table


class _Table(NamedTuple):
    """Rows of ratings on the same items, as a stack of one table, and the rows to correlate.

    `one` and `other`, shape (n_correlations,): the numbers of the rows.
    """

    stack: Stack
    one: Integers
    other: Integers


def compare_agreement(aligned: Aligned, chance: Chance) -> pd.DataFrame:
    """Compare the agreement of annotators within the collections with that between them.

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
    stacks = [[] if rows is None else [*_cut_up(stack_groups(rows))] for rows in aligned.ratings]
    scores = [side[["sim1", "sim2"]].to_numpy().ravel() for side in aligned.scores]
    rows: list[tuple[object, ...]] = []
    for side, ratings, tables in zip(SIDES, aligned.ratings, stacks, strict=True):
        if ratings is not None:
            rows += _within(side, ratings, tables, chance)
    if all(stacks):
        rows.append((PAIRWISE, "between", *_estimate(list(_join_groups(*stacks)), chance)))
    for here, there in ((1, 0), (0, 1)):
        if stacks[here]:
            joined = [_join_scores(stack, scores[there]) for stack in stacks[here]]
            among = f"{SIDES[here]} with {SIDES[there]}"
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
    row = table.iloc[0]
    for measure, figure in WITHIN.items():
        ends = row[figure], row[f"{figure}_low"], row[f"{figure}_high"]
        yield (measure, side, *ends, numbers[measure], len(stacks))


def _cut_up(stacks: Sequence[Stack]) -> Iterator[Stack]:
    """Yield each table of the stacks as a stack."""
    for stack in stacks:
        for place in range(len(stack.tables)):
            at = slice(place, place + 1)
            yield Stack(
                tables=stack.tables[at],
                slices=stack.slices[at],
                annotators=stack.annotators[at],
                items=stack.items[at],
            )


def _join_groups(first: Sequence[Stack], second: Sequence[Stack]) -> Iterator[_Table]:
    """Yield for two groups of different collections all annotators on the common items."""
    with_item = defaultdict(list)
    for place, stack in enumerate(second):
        for item in stack.items[0].tolist():
            with_item[item].append(place)
    for group in first:
        near = [place for item in group.items[0].tolist() for place in with_item[item]]
        places, n_common = np.unique(np.array(near, dtype=np.int64), return_counts=True)
        for place in places[n_common >= FEWEST_COMMON].tolist():
            yield _join(group, second[place])


def _join(first: Stack, second: Stack) -> _Table:
    items, of_first, of_second = np.intersect1d(
        first.items[0], second.items[0], assume_unique=True, return_indices=True
    )
    parts = first.tables[:, :, of_first], second.tables[:, :, of_second]
    n_first, n_second = (part.shape[1] for part in parts)
    annotators = np.arange(n_first + n_second)[None]
    stack = Stack(np.concatenate(parts, axis=1), np.zeros(1, dtype=int), annotators, items[None])
    rows, others = np.divmod(np.arange(n_first * n_second), n_second)
    return _Table(stack, rows, n_first + others)


def _join_scores(stack: Stack, scores: Floats) -> _Table:
    """Return a group with the scores of its items by the other collection in the last row."""
    row = scores[stack.items].round(DECIMALS)[:, None]
    tables = np.concatenate([stack.tables, row], axis=1)
    annotators = np.arange(tables.shape[1])[None]
    joined = stack._replace(tables=tables, annotators=annotators, slices=np.zeros(1, dtype=int))
    annotator = np.arange(stack.annotators.size)
    return _Table(joined, annotator, np.full_like(annotator, len(annotator)))


def _estimate(tables: Sequence[_Table], chance: Chance) -> tuple[float, float, float, int, int]:
    """Return the mean correlation, the ends of its interval, and the numbers."""
    stacks = [table.stack for table in tables]
    n_items = sum(stack.items.size for stack in stacks)
    n_resamples = chance.n_resamples if can_draw(stacks) else 0
    drawn = weigh_items(stacks, n_resamples, chance.rng())
    weights = np.hstack([np.ones((n_items, 1)), drawn])
    figures = mean_weighted(_compare(tables), weights, ["spearman"])["spearman"]
    low, high = basic_interval(figures[0], figures[1:])
    n_correlations = sum(len(table.one) for table in tables)
    return float(figures[0]), low, high, n_correlations, len(tables)


def _compare(tables: Sequence[_Table]) -> Iterator[Columns]:
    """Yield the rows to correlate of each table."""
    n_before = 0
    for (ratings,), row, other_row in ((table.stack.tables, *table[1:]) for table in tables):
        columns = Columns.of(ratings[row], ratings[other_row])
        yield columns._replace(item=n_before + columns.item)
        n_before += ratings.shape[1]
