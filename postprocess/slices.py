"""Agreement of every group, block, language, … of a ratings table, with bootstrap intervals."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.alpha import alpha_of_slices
from postprocess.correlations import correlate_left_out, correlate_pairs, mean_defined
from postprocess.halves import SplitMeans, item_means, split_halves
from postprocess.intraclass import intraclass_of_slices
from postprocess.ratings import RatingsError, with_groups
from postprocess.reliability import correlate_halves, reliability_of_drawn, spearman_brown
from postprocess.resampling import (
    can_resample,
    draw_items,
    join_items,
    percentile_interval,
    take_items,
)
from postprocess.stacks import (
    Floats,
    Integers,
    Stack,
    number_names,
    of_slice,
    stack_groups,
)

Figure = Callable[[Sequence[Stack], int], Floats]
Kernel = Callable[[Floats], Floats]
OVERALL = "overall"
RESAMPLED_AT_ONCE = 2**18  # ratings of resamples held at a time: what fits a cache is no slower
SPLIT_HALF = "split_half"


def agreement_table(
    ratings: pd.DataFrame,
    *,
    by: Sequence[str] = ("group",),
    figures: Sequence[str] | None = None,
    n_resamples: int = 1000,
    n_splits: int = 100,
    seed: int = 0,
) -> pd.DataFrame:
    """Agreement in every slice of the ratings, and overall.

    Only people of one group are compared. Each slice draws from the seed afresh, so that its
    interval does not depend on what else is asked for.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        Columns pair, context, annotator, rating in points of one scale, and optionally group
        (or else groups are found) and language, as in `stack_groups`; and those of `by`.
    by : sequence of str
        The columns to slice by, such as block. Rows in which one is missing are in none of its.
    figures : sequence of str, optional
        Some of `FIGURES`; by default all.
    n_resamples, n_splits, seed : int
        Bootstrap samples of the items, drawn in each group as many as it has (0: no intervals);
        random splits that "split_half" is the mean of; and of chance.

    Returns
    -------
    DataFrame, shape (n_slices, 7 + 3 × n_figures)
        by and name (of the slice; "overall" and "" in the last row), n_groups, n_items,
        n_complete (items that all annotators of their group rated: those of the intraclass
        correlations), n_annotators, n_ratings; each figure, and the ends of its 95 % interval
        with _low and _high. Rows in the order of `by` and of the names.

        human : mean over annotators of Spearman's rho with the mean of the others
        pairwise_spearman, pairwise_pearson : mean correlation over all two of one group
        alpha_ordinal, alpha_interval : Krippendorff's alpha of all items
        icc_single, icc_average : ICC(2,1), ICC(2,k), from the variances within groups
        split_half : mean split-half reliability (Pearson) of all items

        NaN where none is defined; an interval also where more than 5 % of the resamples have
        none, or most items are in groups of one or two.

    Raises
    ------
    RatingsError
        A missing column, an unknown figure, or as `stack_groups`.

    References
    ----------
    See `leave_one_out_agreement`, `pairwise_agreement`, `krippendorff_alpha`,
    `intraclass_correlation`, `split_half_reliability`, `percentile_interval`.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": [1, 2, 3] * 2, "context": 1, "annotator": list("AAABBB"),
    ...                         "rating": [0, 3, 6, 1, 3, 5], "group": "1"})
    >>> agreement_table(ratings, figures=["human"], n_resamples=0)[["by", "human"]].values.tolist()
    [['group', 1.0], ['overall', 1.0]]
    """
    ratings = with_groups(ratings)
    chosen = tuple(FIGURES) if figures is None else tuple(figures)
    _refuse_unknown(ratings, by, chosen)
    plan = _Plan(chosen, n_resamples, n_splits, seed)
    parts = [_slice_by(ratings, column, plan) for column in by]
    everything = np.zeros(len(ratings), dtype=np.int64)
    parts.append(_describe(ratings, everything, (OVERALL, [""]), plan))
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


class _Plan(NamedTuple):
    """What is to be computed of each slice."""

    figures: tuple[str, ...]
    n_resamples: int
    n_splits: int
    seed: int


def _slice_by(ratings: pd.DataFrame, column: str, plan: _Plan) -> pd.DataFrame:
    slices = number_names(ratings[column])
    names: list[object] = [None] * (slices.max(initial=-1) + 1)
    firsts = np.unique(slices, return_index=True)
    for number, row in zip(*firsts, strict=True):
        if number >= 0:
            names[number] = ratings[column].iloc[row]
    return _describe(ratings, slices, (column, names), plan)


def _describe(
    ratings: pd.DataFrame, slices: Integers, title: tuple[str, Sequence[object]], plan: _Plan
) -> pd.DataFrame:
    """The rows of the table for the slices of one column, which `title` names."""
    by, names = title
    stacks = stack_groups(ratings, slices)
    columns = {"by": by, "name": list(names)} | _count(stacks, len(names))
    by_chance = [_draw(of_slice(stacks, number), plan) for number in range(len(names))]
    for figure in plan.figures:
        known = TABLE_FIGURES.get(figure)
        for column in (figure, f"{figure}_low", f"{figure}_high"):
            columns[column] = [found[column] for found in by_chance]
        if known is not None:
            columns[figure] = known(stacks, len(names))
    return pd.DataFrame(columns)


def _count(stacks: Sequence[Stack], n_slices: int) -> dict[str, object]:
    counts = np.zeros((4, n_slices), dtype=np.int64)
    people = [np.empty((0, 2), dtype=np.int64)]
    for stack in stacks:
        rated = ~np.isnan(stack.tables)
        _, n_annotators, n_items = rated.shape
        of_table = (
            np.ones(len(rated)),
            np.full(len(rated), n_items),
            rated.all(axis=1).sum(axis=1) if n_annotators > 1 else np.zeros(len(rated)),
            rated.sum(axis=(1, 2)),
        )
        for row, numbers in zip(counts, of_table, strict=True):
            row += np.bincount(stack.slices, numbers, n_slices).astype(np.int64)
        owners = np.repeat(stack.slices, n_annotators)
        people.append(np.column_stack([owners, stack.annotators.ravel()]))
    distinct = np.unique(np.concatenate(people), axis=0)
    n_groups, n_items_each, n_complete, n_ratings = counts
    return {
        "n_groups": n_groups,
        "n_items": n_items_each,
        "n_complete": n_complete,
        "n_annotators": np.bincount(distinct[:, 0], minlength=n_slices),
        "n_ratings": n_ratings,
    }


def _draw(stacks: Sequence[Stack], plan: _Plan) -> dict[str, float]:
    """What takes chance: the ends of all intervals of one slice, and its split-half figure."""
    found: dict[str, float] = {}
    means = None
    if SPLIT_HALF in plan.figures and stacks:
        found[SPLIT_HALF], means = _split(stacks, plan)
    replicates = _bootstrap(stacks, means, plan)
    for figure in plan.figures:
        low, high = percentile_interval(replicates[figure])
        found |= {figure: found.get(figure, np.nan), f"{figure}_low": low, f"{figure}_high": high}
    return found


def _split(stacks: Sequence[Stack], plan: _Plan) -> tuple[float, SplitMeans]:
    """The mean split-half reliability, and the means of the halves in the first splits."""
    rng = np.random.default_rng([plan.seed, 0])
    splits = (item_means(halves) for halves in split_halves(stacks, plan.n_splits, rng))
    found = correlate_halves(splits, ["pearson"])
    reliabilities = spearman_brown(found.correlations["pearson"], found.steps)
    return float(mean_defined(reliabilities)), found.kept


def _bootstrap(stacks: Sequence[Stack], means: SplitMeans | None, plan: _Plan) -> dict[str, Floats]:
    """Each figure in each resample, all from the same resamples of the items."""
    rng = np.random.default_rng([plan.seed, 1])
    replicates = {figure: [np.empty(0)] for figure in plan.figures}
    n_numbers = sum(stack.tables.size for stack in stacks)
    n_together = max(1, RESAMPLED_AT_ONCE // max(1, n_numbers))
    for first in range(0, plan.n_resamples if can_resample(stacks) else 0, n_together):
        n_drawn = min(n_together, plan.n_resamples - first)
        drawn = draw_items(stacks, n_drawn, rng)
        taken = [take_items(stack, places) for stack, places in zip(stacks, drawn, strict=True)]
        for figure in plan.figures:
            if known := TABLE_FIGURES.get(figure):
                replicates[figure].append(known(taken, n_drawn))
            elif means is not None:
                places = join_items(stacks, drawn)
                replicates[figure].append(reliability_of_drawn(means, places, "pearson"))
    return {figure: np.concatenate(parts) for figure, parts in replicates.items()}


def _mean_of_slices(kernel: Kernel) -> Figure:
    """The mean over all that the kernel says of the tables of a slice and that is not NaN."""

    def figure(stacks: Sequence[Stack], n_slices: int) -> Floats:
        total, n_defined = np.zeros(n_slices), np.zeros(n_slices)
        for stack in stacks:
            rho = kernel(stack.tables).reshape(len(stack.tables), -1)
            defined = ~np.isnan(rho)
            sums = np.where(defined, rho, 0).sum(axis=1)
            total += np.bincount(stack.slices, sums, n_slices)
            n_defined += np.bincount(stack.slices, defined.sum(axis=1), n_slices)
        return np.where(n_defined > 0, total / np.maximum(n_defined, 1), np.nan)

    return figure


def _intraclass(column: int, stacks: Sequence[Stack], n_slices: int) -> Floats:
    return intraclass_of_slices(stacks, n_slices)[:, column]


TABLE_FIGURES: Mapping[str, Figure] = {  # those that need no chance
    "human": _mean_of_slices(correlate_left_out),
    "pairwise_spearman": _mean_of_slices(partial(correlate_pairs, method="spearman")),
    "pairwise_pearson": _mean_of_slices(partial(correlate_pairs, method="pearson")),
    "alpha_ordinal": partial(alpha_of_slices, level="ordinal"),
    "alpha_interval": partial(alpha_of_slices, level="interval"),
    "icc_single": partial(_intraclass, 0),
    "icc_average": partial(_intraclass, 1),
}
FIGURES = (*TABLE_FIGURES, SPLIT_HALF)


def _refuse_unknown(ratings: pd.DataFrame, by: Sequence[str], figures: Sequence[str]) -> None:
    if missing := [column for column in by if column not in ratings]:
        found = ", ".join(str(column) for column in ratings.columns)
        raise RatingsError(f"the ratings have no column {', '.join(missing)} (found: {found})")
    if unknown := [figure for figure in figures if figure not in FIGURES]:
        raise RatingsError(
            f"no figure is called {', '.join(unknown)}; there are {', '.join(FIGURES)}"
        )
