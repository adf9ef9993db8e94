"""Correlation of two collections' scores and changes, with and without noise."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, hstack
from scipy.sparse.csgraph import connected_components
from scipy.stats import t as student

from postprocess.reporting.assessment import Chance
from postprocess.scoring.inference import standard_error
from postprocess.statistics.agreement.group_arrays import stack_groups
from postprocess.statistics.agreement.split_halves import (
    HalfCorrelations,
    Halves,
    change_means,
    correlate_halves,
    halves_of_contexts,
    item_means,
    reliability_of_all,
    split_halves,
)
from postprocess.statistics.agreement.weighted import Columns, correlate_weighted, count_drawn
from postprocess.statistics.correlations import DECIMALS, Method, correlate
from postprocess.statistics.intervals import basic_interval
from postprocess.table.groups import with_groups
from postprocess.two_collections.matching import Aligned
from postprocess.types import Floats, Integers

SCORE, CHANGE = "score", "change"
METHODS: Mapping[str, tuple[Method, ...]] = {
    SCORE: ("pearson", "spearman"),
    CHANGE: ("uncentered", "pearson", "spearman"),
}
COLUMNS = (
    "of", "method", "n", "correlation", "low", "high", "reliability_first", "reliability_second",
    "ceiling", "disattenuated", "disattenuated_low", "disattenuated_high", "corrected_for",
)  # fmt: skip

MOST_PARTS = 40  # of the blocks, each of which is left out once

Reliabilities = dict[str, HalfCorrelations | None]


def figures_of(scores: pd.DataFrame) -> dict[str, Floats]:
    """Return the scores of both contexts, shape (n_pairs, 2), and the changes, (n_pairs, 1).

    >>> figures_of(pd.DataFrame({"sim1": [1.0], "sim2": [3.0]}))["change"].tolist()
    [[2.0]]
    """
    sims = scores[["sim1", "sim2"]].to_numpy(dtype=float).round(DECIMALS)
    return {SCORE: sims, CHANGE: (sims[:, 1:] - sims[:, :1]).round(DECIMALS)}


def draw_pairs(n_pairs: int, chance: Chance) -> Integers:
    """Return the positions of pairs drawn with replacement, shape (n_resamples, n_pairs)."""
    return chance.rng().integers(n_pairs, size=(chance.n_resamples, n_pairs))


def correlate_collections(aligned: Aligned, chance: Chance) -> pd.DataFrame:
    """Correlate the scores and the changes of two collections of the same items.

    Returns
    -------
    DataFrame, shape (5, 14)
        A row for each correlation: of ("score", over contexts; "change", over pairs), method
        ("uncentered" for changes alone, as in subtask 1; "pearson", "spearman"); n; correlation,
        with the ends low and high of its 95 % bootstrap interval over pairs;
        reliability_first and reliability_second, by split halves, NaN without two ratings of a
        context; ceiling: the root of their product, the correlation to expect if both collections
        measured the same without bias; disattenuated: the correlation divided by the ceiling, with
        the ends of its 95 % interval, a jackknife over the blocks of `find_blocks`, NaN for a
        single block; corrected_for: "both", or the side ("first", "second") whose reliability is
        defined, or "" if neither is; n_blocks. NaN where undefined, such as for a reliability of 0
        or below.

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things; Efron and
    Tibshirani (1993) for the jackknife.
    """
    figures = [figures_of(scores) for scores in aligned.scores]
    n_pairs = len(aligned.rows)
    halves = [_halve(ratings, n_pairs, chance) for ratings in aligned.ratings]
    weights, blocks = count_drawn(draw_pairs(n_pairs, chance), n_pairs), find_blocks(aligned)
    sides = {of: (figures[0][of], figures[1][of]) for of in METHODS}
    rows = [
        _row(of, method, sides[of], (halves[0][of], halves[1][of]), weights, _leave_out(blocks))
        for of, methods in METHODS.items()
        for method in methods
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).assign(n_blocks=int(blocks.max()) + 1)


def _halve(ratings: pd.DataFrame | None, n_pairs: int, chance: Chance) -> Reliabilities:
    """Return the correlations of random halves of one side; None without ratings."""
    stacks = [] if ratings is None else stack_groups(ratings)
    if not stacks:
        return dict.fromkeys(METHODS)
    contexts = np.concatenate([stack.items.ravel() for stack in stacks])
    splits = split_halves(stacks, chance.n_splits, chance.rng())
    halves = list(halves_of_contexts(splits, contexts))
    by_context = [Halves(*(field.reshape(*field.shape[:2], -1) for field in h)) for h in halves]
    return {
        SCORE: correlate_halves(map(item_means, by_context), METHODS[SCORE]),
        CHANGE: correlate_halves(map(change_means, halves), METHODS[CHANGE]),
    }


def find_blocks(aligned: Aligned) -> Integers:
    """Number the block of each pair, shape (n_pairs,): blocks share no group of annotators.

    The errors of the pairs of a group depend on each other. A group that rated every context does
    not count: what its annotators have in common changes no correlation. Nor does a side with one
    rating of each context, whose errors are not corrected for.
    """
    index = aligned.scores[0].index
    rated = [csr_array((len(index), len(index)))]  # pairs, then groups
    for ratings in aligned.ratings:
        if ratings is not None and ratings.duplicated(["pair", "context"]).any():
            table = with_groups(ratings).drop_duplicates(["group", "pair", "context"])
            counts = pd.crosstab(table["pair"], table["group"]).reindex(index, fill_value=0)
            rated.append(csr_array(counts.loc[:, counts.sum() < 2 * len(index)].to_numpy()))
    ends, wide = hstack(rated).nonzero(), sum(part.shape[1] for part in rated)
    graph = csr_array((np.ones(len(ends[0])), ends), shape=(wide, wide))
    return np.asarray(connected_components(graph, directed=False)[1][: len(index)])


def _leave_out(blocks: Integers) -> list[Integers]:
    """Return the pairs that are left without each block; none if there is only one block."""
    parts = blocks % MOST_PARTS
    return [np.flatnonzero(parts != part) for part in np.unique(parts)] if parts.any() else []


def _row(
    of: str,
    method: Method,
    sides: tuple[Floats, Floats],
    halves: tuple[HalfCorrelations | None, HalfCorrelations | None],
    weights: Floats,
    kept: Sequence[Integers],
) -> tuple[object, ...]:
    figure = float(correlate(sides[0].ravel(), sides[1].ravel(), method=method))
    low, high = basic_interval(figure, _correlate(*sides, method, weights))
    first, second = (
        float("nan") if half is None else half.mean_reliability(method) for half in halves
    )
    true = _divide(figure, first, second)
    without = [_without_noise(sides, halves, method, pairs) for pairs in kept]
    names = [name for name, r in (("first", first), ("second", second)) if not np.isnan(r)]
    return (
        of, method, sides[0].size, figure, low, high, first, second,
        float(np.sqrt(first * second)) if min(first, second) > 0 else float("nan"),
        true, *_jackknife(true, np.array(without)), "both" if len(names) == 2 else "".join(names),
    )  # fmt: skip


def _correlate(first: Floats, second: Floats, method: Method, weights: Floats) -> Floats:
    """Correlate the numbers of both sides in the pairs of each resample."""
    columns = Columns.of(first.reshape(1, -1), second.reshape(1, -1))
    columns = columns._replace(item=columns.item // first.shape[1])
    (rho,) = correlate_weighted(columns, weights, [method])[method]
    return np.asarray(rho)


def _without_noise(
    sides: tuple[Floats, Floats],
    halves: tuple[HalfCorrelations | None, HalfCorrelations | None],
    method: Method,
    pairs: Integers,
) -> float:
    """Return the correlation of some pairs without noise, by the first splits alone."""
    first, second = (side[pairs].ravel() for side in sides)
    n_each = sides[0].shape[1]
    items = (n_each * pairs[:, None] + np.arange(n_each)).ravel()
    reliabilities = [
        float("nan") if half is None else reliability_of_all(half.kept.of_items(items), method)
        for half in halves
    ]
    return _divide(float(correlate(first, second, method=method)), *reliabilities)


def _divide(figure: float, *reliabilities: float) -> float:
    """Divide a correlation by the square roots of the known reliabilities; NaN without any."""
    defined = [r for r in reliabilities if not np.isnan(r)]
    return (
        figure / float(np.sqrt(np.prod(defined))) if defined and min(defined) > 0 else float("nan")
    )


def _jackknife(figure: float, without: Floats) -> tuple[float, float]:
    """Return the ends of a figure's 95 % interval, by the figures without each block."""
    if not len(without) or np.isnan(without).any():
        return float("nan"), float("nan")
    reach = float(student.ppf(0.975, len(without) - 1)) * standard_error(without)
    return figure - reach, figure + reach
