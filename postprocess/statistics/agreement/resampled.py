"""The figures of agreement in many resamples of the items at once, by the weights of the items."""

from collections.abc import Iterator, Sequence

import numpy as np

from postprocess.statistics.agreement.alpha import Level, weighted_alpha
from postprocess.statistics.agreement.group_arrays import Stack
from postprocess.statistics.agreement.intraclass import weighted_intraclass
from postprocess.statistics.agreement.measures import means_of_others
from postprocess.statistics.agreement.weighted import Columns, mean_weighted
from postprocess.statistics.correlations import Method
from postprocess.types import Floats

COMPARED_AT_ONCE = 1 << 13  # items of pairs of annotators
PAIRWISE: dict[str, Method] = {"pairwise_spearman": "spearman", "pairwise_pearson": "pearson"}
ALPHAS: dict[str, Level] = {"alpha_ordinal": "ordinal", "alpha_interval": "interval"}
INTRACLASS = ("icc_single", "icc_average")


def resample_figures(
    stacks: Sequence[Stack], weights: Floats, figures: Sequence[str]
) -> dict[str, Floats]:
    """Return some of `TABLE_FIGURES` in each resample of the items of one slice.

    `weights`, shape (n_items, n_resamples): how often each item was drawn; items are in the order
    of stacks, tables, and items within tables. Returns arrays of shape (n_resamples,): what the
    plain functions return for groups in which every item is repeated as often as it was drawn.
    """
    resampled: dict[str, Floats] = {}
    if "human" in figures:
        resampled["human"] = mean_weighted(_with_others(stacks), weights, ["spearman"])["spearman"]
    if methods := {figure: PAIRWISE[figure] for figure in figures if figure in PAIRWISE}:
        means = mean_weighted(_pairs(stacks), weights, list(methods.values()))
        resampled |= {figure: means[method] for figure, method in methods.items()}
    for figure in figures:
        if figure in ALPHAS:
            resampled[figure] = weighted_alpha(stacks, weights, level=ALPHAS[figure])
    if any(figure in INTRACLASS for figure in figures):
        resampled |= zip(INTRACLASS, weighted_intraclass(stacks, weights).T, strict=True)
    return {figure: resampled[figure] for figure in figures if figure in resampled}


def _with_others(stacks: Sequence[Stack]) -> Iterator[Columns]:
    """Yield each annotator with the means of the others of the group."""
    n_before = 0
    for stack in stacks:
        _, n_annotators, n_items = stack.tables.shape
        both = (stack.tables, means_of_others(stack.tables))
        sides = (side.reshape(-1, n_items) for side in both)
        yield _number_items(Columns.of(*sides), n_before, n_annotators, n_items)
        n_before += stack.items.size


def _pairs(stacks: Sequence[Stack]) -> Iterator[Columns]:
    """Yield each pair of annotators of a group, some pairs at a time."""
    n_before = 0
    for stack in stacks:
        n_tables, n_annotators, n_items = stack.tables.shape
        n_together = max(1, COMPARED_AT_ONCE // (n_tables * n_items))
        pairs = np.column_stack(np.triu_indices(n_annotators, k=1))
        for start in range(0, len(pairs), n_together):
            some = pairs[start : start + n_together]
            sides = (stack.tables[:, place].reshape(-1, n_items) for place in some.T)
            yield _number_items(Columns.of(*sides), n_before, len(some), n_items)
        n_before += stack.items.size


def _number_items(columns: Columns, n_before: int, n_pairs: int, n_items: int) -> Columns:
    """Number the items of each table, of `n_pairs` pairs, after the items of earlier tables."""
    return columns._replace(item=n_before + columns.pair // n_pairs * n_items + columns.item)
