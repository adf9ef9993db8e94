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
    found: dict[str, Floats] = {}
    if "human" in figures:
        found["human"] = mean_weighted(_with_others(stacks), weights, ["spearman"])["spearman"]
    if methods := {figure: PAIRWISE[figure] for figure in figures if figure in PAIRWISE}:
        means = mean_weighted(_pairs(stacks), weights, list(methods.values()))
        found |= {figure: means[method] for figure, method in methods.items()}
    for figure in figures:
        if figure in ALPHAS:
            found[figure] = weighted_alpha(stacks, weights, level=ALPHAS[figure])
    if any(figure in INTRACLASS for figure in figures):
        found |= zip(INTRACLASS, weighted_intraclass(stacks, weights).T, strict=True)
    return {figure: found[figure] for figure in figures if figure in found}


def _with_others(stacks: Sequence[Stack]) -> Iterator[Columns]:
    """Yield each annotator with the means of the others of the group."""
    n_before = 0
    for stack in stacks:
        n_tables, n_annotators, n_items = stack.tables.shape
        means = means_of_others(stack.tables)
        table, annotator, item = np.nonzero(~np.isnan(stack.tables + means))
        places = table, annotator, item
        yield Columns(
            table * n_annotators + annotator,
            n_before + table * n_items + item,
            stack.tables[places],
            means[places],
            n_tables * n_annotators,
        )
        n_before += n_tables * n_items


def _pairs(stacks: Sequence[Stack]) -> Iterator[Columns]:
    """Yield each pair of annotators of a group, some pairs at a time."""
    n_before = 0
    for stack in stacks:
        n_tables, n_annotators, n_items = stack.tables.shape
        rated = ~np.isnan(stack.tables)
        n_together = max(1, COMPARED_AT_ONCE // (n_tables * n_items))
        pairs = np.column_stack(np.triu_indices(n_annotators, k=1))
        for start in range(0, len(pairs), n_together):
            one, other = pairs[start : start + n_together].T
            table, pair, item = np.nonzero(rated[:, one] & rated[:, other])
            yield Columns(
                table * len(one) + pair,
                n_before + table * n_items + item,
                stack.tables[table, one[pair], item],
                stack.tables[table, other[pair], item],
                n_tables * len(one),
            )
        n_before += n_tables * n_items
