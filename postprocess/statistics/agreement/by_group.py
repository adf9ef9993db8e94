"""Agreement by group, block, language or another column, with bootstrap intervals."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.statistics.agreement.alpha import krippendorff_alpha
from postprocess.statistics.agreement.group_arrays import (
    Stack,
    number_names,
    of_slice,
    stack_groups,
)
from postprocess.statistics.agreement.intraclass import intraclass_correlation
from postprocess.statistics.agreement.measures import leave_one_out_agreement, pairwise_agreement
from postprocess.statistics.agreement.resampled import resample_figures
from postprocess.statistics.agreement.split_halves import (
    SplitMeans,
    correlate_halves,
    mean_reliabilities,
    means_of_halves,
    reliabilities_left_out,
    reliability_of_all,
    reliability_of_drawn,
    spearman_brown,
    split_halves,
)
from postprocess.statistics.agreement.without_parts import (
    Figure,
    Process,
    measure_without_parts,
    process_without_parts,
)
from postprocess.statistics.correlations import mean_defined, ratio
from postprocess.statistics.intervals import Range, basic_interval
from postprocess.statistics.resampling import (
    N_PARTS,
    Resample,
    can_draw,
    can_leave_out,
    divide_annotators,
    includes_annotators,
    leave_out,
    weigh_items,
)
from postprocess.table.groups import with_groups
from postprocess.table.ratings import RatingsError
from postprocess.types import Floats, Integers

Kernel = Callable[[Floats], Floats]
OVERALL = "overall"
SPLIT_HALF = "split_half"


def agreement_table(
    ratings: pd.DataFrame,
    *,
    by: Sequence[str] = ("group",),
    figures: Sequence[str] | None = None,
    n_resamples: int = 1000,
    n_splits: int = 100,
    seed: int = 0,
    resample: Resample = "items",
    process: Process | None = None,
) -> pd.DataFrame:
    """Compute agreement in every slice of the ratings, and overall.

    Only annotators of one group are compared, and the generator is seeded for each slice.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `stack_groups` takes it, in points of one scale; and the columns of `by`.
    by : sequence of str
        The columns to slice by, such as block. Rows with a missing value are in no slice of it.
    figures : sequence of str, optional
        Some of `FIGURES`; by default all.
    n_resamples, n_splits, seed : int
        Bootstrap samples, in each of which every group draws as many items as it has (0: no
        intervals); random splits for "split_half"; seed of the generator.
    resample : "items" or "items and annotators"
        Whether intervals generalise to infinitely many items rated by the annotators of the
        study, or to other annotators too, with as many in each group.
    process : callable, optional
        Calibration, filtering or other steps: takes the ratings and returns those to compare, with
        the same columns. It treats each group separately. With "items and annotators" it is applied
        again without each part of the annotators. By default `ratings` are compared as they are.

    Returns
    -------
    DataFrame, shape (n_slices, 6 + 3 × n_figures), in the order of `by` and of the names
        by and name (of the slice; "overall" and "" in the last row), n_groups, n_items,
        n_annotators, n_ratings; each figure, and with _low and _high the ends of its 95 % interval:
        human (mean over annotators of Spearman's rho with the mean of the others);
        pairwise_spearman, pairwise_pearson (mean over all pairs in one group); alpha_ordinal,
        alpha_interval (Krippendorff's, of all items); icc_single, icc_average (ICC(2,1), ICC(2,k),
        from the variances within groups); split_half (mean reliability, Pearson, of all items).
        NaN if a figure is undefined; an interval is NaN also if the figure is undefined in more
        than 5 % of the resamples, or if most items are in groups of one or two items (or
        annotators, if these are resampled).

    Raises
    ------
    RatingsError
        A missing column, an unknown figure or value of `resample`, or as `stack_groups`.

    >>> ratings = pd.DataFrame({"pair": [1, 2, 3] * 2, "context": 1, "annotator": list("AAABBB"),
    ...                         "rating": [0, 3, 6, 1, 3, 5], "group": "1"})
    >>> agreement_table(ratings, figures=["human"], n_resamples=0)[["by", "human"]].values.tolist()
    [['group', 1.0], ['overall', 1.0]]
    """
    given = with_groups(ratings)
    chosen = tuple(FIGURES) if figures is None else tuple(figures)
    _refuse_unknown(given, by, chosen)
    plan = _Plan(chosen, n_resamples, n_splits, seed, includes_annotators(resample))
    compared, without = given, None
    if process:
        compared = process(given)
        if plan.annotators and n_resamples:
            rng = np.random.default_rng([seed, 2])
            without = list(process_without_parts(given, process, n_resamples, rng))
    parts = [_slice_by(compared, column, plan, without) for column in by]
    everything = _Slices(np.zeros(len(compared), dtype=np.int64), OVERALL, [""])
    overall = _describe(compared, everything, plan, without)
    return pd.concat([part for part in (*parts, overall) if len(part)], ignore_index=True)


class _Plan(NamedTuple):
    figures: tuple[str, ...]
    n_resamples: int
    n_splits: int
    seed: int
    annotators: bool  # whether these are resampled too


class _Slices(NamedTuple):
    """The slice of each row, the column they are made by ("overall" for one), and their names."""

    of_row: Integers
    by: str
    names: Sequence[object]

    def number(self, ratings: pd.DataFrame) -> Integers:
        """Return the slice of each row of other ratings, -1 for none."""
        if self.by == OVERALL:
            return np.zeros(len(ratings), dtype=np.int64)
        numbers = {name: number for number, name in enumerate(self.names)}
        codes, names = pd.factorize(ratings[self.by])
        return np.array([*(numbers.get(name, -1) for name in names), -1], dtype=np.int64)[codes]


def _slice_by(
    ratings: pd.DataFrame, column: str, plan: _Plan, without: Sequence[pd.DataFrame] | None
) -> pd.DataFrame:
    slices = number_names(ratings[column])
    names: list[object] = [None] * (slices.max(initial=-1) + 1)
    firsts = np.unique(slices, return_index=True)
    for number, row in zip(*firsts, strict=True):
        if number >= 0:
            names[number] = ratings[column].iloc[row]
    return _describe(ratings, _Slices(slices, column, names), plan, without)


def _describe(
    ratings: pd.DataFrame,
    slices: _Slices,
    plan: _Plan,
    without: Sequence[pd.DataFrame] | None,
) -> pd.DataFrame:
    """Return the rows of the table for the slices of one column.

    `without` are the tables of `process_without_parts`, None if no steps are to be repeated.
    """
    names = slices.names
    stacks = stack_groups(ratings, slices.of_row)
    columns = {"by": slices.by, "name": list(names)} | _count(stacks, len(names))
    of_slices = {
        figure: TABLE_FIGURES[figure](stacks, len(names))
        for figure in plan.figures
        if figure in TABLE_FIGURES
    }
    left_out = None
    if without is not None:
        left_out = measure_without_parts(
            without,
            [slices.number(table) for table in without],
            len(names),
            {figure: TABLE_FIGURES.get(figure, mean_reliabilities) for figure in plan.figures},
        )
    rows = [
        _add_intervals(
            of_slice(stacks, number),
            {f: of_slices[f][number] for f in of_slices},
            plan,
            left_out and {figure: parts[:, number] for figure, parts in left_out.items()},
        )
        for number in range(len(names))
    ]
    for figure in plan.figures:
        for column in (figure, f"{figure}_low", f"{figure}_high"):
            columns[column] = [row[column] for row in rows]
    return pd.DataFrame(columns)


def _count(stacks: Sequence[Stack], n_slices: int) -> dict[str, object]:
    counts = np.zeros((3, n_slices), dtype=np.int64)
    annotators = [np.empty((0, 2), dtype=np.int64)]
    for stack in stacks:
        rated = ~np.isnan(stack.tables)
        _, n_annotators, n_items = rated.shape
        of_table = (
            np.ones(len(rated)),
            np.full(len(rated), n_items),
            rated.sum(axis=(1, 2)),
        )
        for row, numbers in zip(counts, of_table, strict=True):
            row += np.bincount(stack.slices, numbers, n_slices).astype(np.int64)
        owners = np.repeat(stack.slices, n_annotators)
        annotators.append(np.column_stack([owners, stack.annotators.ravel()]))
    distinct = np.unique(np.concatenate(annotators), axis=0)
    n_groups, n_items_each, n_ratings = counts
    return {
        "n_groups": n_groups,
        "n_items": n_items_each,
        "n_annotators": np.bincount(distinct[:, 0], minlength=n_slices),
        "n_ratings": n_ratings,
    }


def _add_intervals(
    stacks: Sequence[Stack],
    known: Mapping[str, float],
    plan: _Plan,
    left_out: Mapping[str, Floats] | None,
) -> dict[str, float]:
    """Return all figures of one slice with the ends of their intervals.

    `left_out` are the figures without parts of the annotators, None if they are not yet known.
    """
    figures, means = dict(known), None
    if SPLIT_HALF in plan.figures:
        figures[SPLIT_HALF] = np.nan
        if stacks:
            figures[SPLIT_HALF], means = _split(stacks, plan)
    row = dict(figures)
    samples = {}
    if _can_sample(stacks, plan):
        if left_out is None:
            left_out = _leave_out(stacks, plan) if plan.annotators else {}
        samples = _sample(stacks, figures, means, plan, left_out)
    for figure in plan.figures:
        ends = (np.nan, np.nan)
        if sample := samples.get(figure):
            ends = basic_interval(
                figures[figure],
                sample.resampled,
                limit=sample.limit,
                within=RANGES.get(figure, "correlation"),
                left_out=sample.left_out,
            )
        row[f"{figure}_low"], row[f"{figure}_high"] = ends
    return row


class _Sample(NamedTuple):
    """The arguments of `basic_interval` for a figure."""

    resampled: Floats
    limit: float
    left_out: Floats | None


def _can_sample(stacks: Sequence[Stack], plan: _Plan) -> bool:
    if plan.annotators and not can_leave_out(stacks):
        return False
    return plan.n_resamples > 0 and can_draw(stacks)


def _sample(
    stacks: Sequence[Stack],
    figures: Mapping[str, float],
    means: SplitMeans | None,
    plan: _Plan,
    left_out: Mapping[str, Floats],
) -> dict[str, _Sample]:
    rng = np.random.default_rng([plan.seed, 1])
    weights = weigh_items(stacks, plan.n_resamples, rng)
    twice = np.full((len(weights), 1), 2.0)
    resampled = resample_figures(stacks, np.hstack([weights, twice]), plan.figures)
    samples = {
        figure: _Sample(
            replicates[:-1],
            2 * replicates[-1] - figures[figure],  # corrections for the number of items halve
            left_out.get(figure),
        )
        for figure, replicates in resampled.items()
    }
    if means is not None:
        replicates = reliability_of_drawn(means, weights, ["pearson"])["pearson"]
        limit = reliability_of_all(means, "pearson")
        samples[SPLIT_HALF] = _Sample(replicates, limit, left_out.get(SPLIT_HALF))
    return samples


def _split(stacks: Sequence[Stack], plan: _Plan) -> tuple[float, SplitMeans]:
    """Return the mean split-half reliability, and the means of halves in the first splits."""
    rng = np.random.default_rng([plan.seed, 0])
    splits = means_of_halves(split_halves(stacks, plan.n_splits, rng))
    halves = correlate_halves(splits, ["pearson"])
    reliabilities = spearman_brown(halves.correlations["pearson"], halves.steps)
    return float(mean_defined(reliabilities)), halves.kept


def _leave_out(stacks: Sequence[Stack], plan: _Plan) -> dict[str, Floats]:
    """Return each figure without each part of the annotators, shape (n_divisions, N_PARTS)."""
    rng = np.random.default_rng([plan.seed, 2])
    of_figure: dict[str, list[Floats]] = {figure: [] for figure in plan.figures}
    for division in divide_annotators(stacks, plan.n_resamples, rng):
        without = leave_out(stacks, division)
        for figure, rows in of_figure.items():
            if measure := TABLE_FIGURES.get(figure):
                rows.append(measure(without, N_PARTS))
            else:
                halves = reliabilities_left_out(stacks, division, means_of_halves, ["pearson"])
                rows.append(halves["pearson"])
    return {figure: np.stack(rows) for figure, rows in of_figure.items()}


def _mean_of_slices(kernel: Kernel) -> Figure:
    """Return a figure: the mean of the kernel's values, other than NaN, over a slice."""

    def figure(stacks: Sequence[Stack], n_slices: int) -> Floats:
        total, n_defined = np.zeros(n_slices), np.zeros(n_slices)
        for stack in stacks:
            rho = kernel(stack.tables).reshape(len(stack.tables), -1)
            defined = ~np.isnan(rho)
            sums = np.where(defined, rho, 0).sum(axis=1)
            total += np.bincount(stack.slices, sums, n_slices)
            n_defined += np.bincount(stack.slices, defined.sum(axis=1), n_slices)
        return ratio(total, n_defined)

    return figure


def _intraclass(column: int, stacks: Sequence[Stack], n_slices: int) -> Floats:
    return intraclass_correlation(stacks, n_slices)[:, column]


TABLE_FIGURES: Mapping[str, Figure] = {  # those without random splits
    "human": _mean_of_slices(leave_one_out_agreement),
    "pairwise_spearman": _mean_of_slices(partial(pairwise_agreement, method="spearman")),
    "pairwise_pearson": _mean_of_slices(partial(pairwise_agreement, method="pearson")),
    "alpha_ordinal": partial(krippendorff_alpha, level="ordinal"),
    "alpha_interval": partial(krippendorff_alpha, level="interval"),
    "icc_single": partial(_intraclass, 0),
    "icc_average": partial(_intraclass, 1),
}
FIGURES = (*TABLE_FIGURES, SPLIT_HALF)
RANGES: Mapping[str, Range] = {  # of figures that may be below -1
    "alpha_ordinal": "coefficient",
    "alpha_interval": "coefficient",
    "icc_single": "coefficient",
    "icc_average": "coefficient",
}


def _refuse_unknown(ratings: pd.DataFrame, by: Sequence[str], figures: Sequence[str]) -> None:
    if missing := [column for column in by if column not in ratings]:
        columns = ", ".join(str(column) for column in ratings.columns)
        raise RatingsError(f"the ratings have no column {', '.join(missing)} (found: {columns})")
    if unknown := [figure for figure in figures if figure not in FIGURES]:
        raise RatingsError(f"unknown figures: {', '.join(unknown)}; known are {', '.join(FIGURES)}")
