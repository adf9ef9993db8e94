"""Reliability by split halves: of the scores, and of the change between two contexts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.statistics.agreement.group_arrays import Stack, stack_groups
from postprocess.statistics.agreement.split_halves import (
    Halves,
    Measure,
    SplitMeans,
    change_means,
    correlate_halves,
    halves_of_contexts,
    means_of_halves,
    reliabilities_left_out,
    reliability_of_all,
    reliability_of_drawn,
    spearman_brown,
    split_halves,
)
from postprocess.statistics.agreement.weighted import count_drawn
from postprocess.statistics.change_size import squared_errors
from postprocess.statistics.correlations import DECIMALS, Method, mean_defined
from postprocess.statistics.intervals import basic_interval
from postprocess.statistics.resampling import (
    Resample,
    can_draw,
    can_leave_out,
    divide_annotators,
    includes_annotators,
    weigh_items,
)
from postprocess.table.ratings import RatingsError
from postprocess.types import Floats, Integers

RANGE = (0.025, 0.975)  # of the splits
ROOTS = {"reliability": "ceiling", "low": "ceiling_low", "high": "ceiling_high"}

Draw = Callable[[int], Floats]  # the weights of a number of resamples


def split_half_reliability(
    ratings: pd.DataFrame,
    *,
    rng: np.random.Generator,
    n_splits: int = 1000,
    n_resamples: int = 1000,
    resample: Resample = "items",
) -> pd.DataFrame:
    """Estimate how well scores would agree with other annotators' scores.

    In each split the annotators of each group are halved at random; the mean ratings of all items
    of all groups in one half are correlated with those in the other, and the correlation is stepped
    up to all annotators with `spearman_brown`.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `stack_groups` takes it. One group or several.
    rng : Generator
        The same state gives the same figures.
    n_splits, n_resamples : int
        Splits, and bootstrap samples of the items; 0 of these for no interval.
    resample : "items" or "items and annotators"
        What the interval generalises over, as in `agreement_table`.

    Returns
    -------
    DataFrame, shape (2, 7), index method ("pearson", "spearman")
        n_items; correlation (of the halves) and reliability, means over splits; splits_low and
        splits_high, between which 95 % of the splits lie; low and high, the 95 % bootstrap
        interval (NaN if most items are in groups too small for it). NaN if the correlation is
        undefined: under three items that both halves rated, or all equal.

    Raises
    ------
    RatingsError
        As `stack_groups`; no ratings; or an unknown value of `resample`.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": [1, 2, 3] * 2, "context": 1, "annotator": list("AAABBB"),
    ...                         "rating": [0, 1, 2, 0, 2, 1], "group": "1"})
    >>> halves = split_half_reliability(ratings, rng=np.random.default_rng(0), n_resamples=0)
    >>> halves.loc["pearson", ["correlation", "reliability"]].round(3).tolist()
    [0.5, 0.667]
    """
    stacks = _stacks_of(ratings)

    def draw(n_resamples: int) -> Floats:
        return weigh_items(stacks, n_resamples, rng)

    n_drawn = n_resamples if can_draw(stacks) else 0
    sampling = _Sampling(rng, n_splits, n_drawn, includes_annotators(resample))
    table = _summarise(stacks, means_of_halves, ("pearson", "spearman"), draw, sampling)
    table.insert(0, "n_items", sum(stack.items.size for stack in stacks))
    return table


def change_reliability(
    ratings: pd.DataFrame,
    *,
    rng: np.random.Generator,
    n_splits: int = 1000,
    n_resamples: int = 1000,
    resample: Resample = "items",
) -> pd.DataFrame:
    """Estimate how well changes would agree with other annotators' changes.

    In each split the annotators of each context are halved at random, and each half estimates the
    change of every pair. The correlation of the two, stepped up to all annotators, is the
    reliability of the changes; its square root is the ceiling: the score of the true changes
    against the measured ones. An annotator who rated both contexts of a pair in groups of the same
    annotators is in the same half of both.

    Parameters
    ----------
    ratings, rng, n_splits, n_resamples, resample
        As in `split_half_reliability`, with the same errors; the items are the pairs.

    Returns
    -------
    DataFrame, shape (3, 10), index method ("uncentered": that of subtask 1, "pearson", "spearman")
        n_pairs (with two ratings or more of each context; others do not count); correlation,
        reliability, splits_low, splits_high, low, high as in `split_half_reliability`, over
        pairs; ceiling, ceiling_low, ceiling_high: the square roots of reliability, low and
        high, or 0 if these are negative.

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things, for the ceiling;
    Armendariz et al. (2020), SemEval-2020 Task 3, for the metric.

    Examples
    --------
    >>> ratings = pd.DataFrame({
    ...     "pair": [1, 2, 3] * 4, "context": [1] * 6 + [2] * 6, "annotator": list("AAABBBCCCDDD"),
    ...     "rating": [0, 0, 0, 0, 0, 0, 1, 2, 3, 1, 2, 3], "group": list("111111222222")})
    >>> change_reliability(ratings, rng=np.random.default_rng(0), n_resamples=0)["ceiling"].tolist()
    [1.0, 1.0, 1.0]
    """
    stacks = _stacks_of(ratings)
    contexts = np.concatenate([stack.items.ravel() for stack in stacks])
    pairs = _ratable_pairs(stacks, contexts)
    n_pairs = len(pairs)
    measure = partial(_pair_changes, contexts=contexts, pairs=pairs)

    def draw(n_resamples: int) -> Floats:
        return count_drawn(rng.integers(n_pairs, size=(n_resamples, n_pairs)), n_pairs)

    methods: tuple[Method, ...] = ("uncentered", "pearson", "spearman")
    n_drawn = n_resamples if n_pairs else 0
    sampling = _Sampling(rng, n_splits, n_drawn, includes_annotators(resample))
    table = _summarise(stacks, measure, methods, draw, sampling)
    table.insert(0, "n_pairs", n_pairs)
    for column, root in ROOTS.items():
        table[root] = np.sqrt(table[column].clip(lower=0))
    return table


def change_reliability_from_scores(scores: pd.DataFrame) -> float:
    """Estimate the reliability of the changes from the published means and deviations.

    Parameters
    ----------
    scores : DataFrame, shape (n_pairs, 6 or more)
        Columns sim1, sim2, stdev1, stdev2 (sample deviations) in points of one scale, and n1,
        n2; as `aggregate_ratings` returns it.

    Returns
    -------
    float
        One minus the sum of the changes' squared standard errors, stdev1² / n1 + stdev2² / n2,
        over the sum of the squared changes: the figure of `change_reliability` for "uncentered",
        but without splits. Its square root is the ceiling for subtask 1. NaN if no score changes
        or a deviation is missing.

    References
    ----------
    Rulon (1939), A simplified procedure for determining the reliability of a test by
    split-halves: the mean over all splits of that coefficient, without its centring.

    Examples
    --------
    >>> change_reliability_from_scores(pd.DataFrame({
    ...     "sim1": [2.0], "sim2": [4.0], "stdev1": [1.0], "stdev2": [2.0], "n1": [5], "n2": [5]}))
    0.75
    """
    squared = float(((scores["sim2"] - scores["sim1"]).round(DECIMALS) ** 2).sum())
    noise = float(squared_errors(scores).sum())
    return 1 - noise / squared if squared > 0 else float("nan")


def _stacks_of(ratings: pd.DataFrame) -> list[Stack]:
    if stacks := stack_groups(ratings):
        return stacks
    raise RatingsError("there are no ratings, and so no halves of them")


class _Sampling(NamedTuple):
    """The source of randomness, and the numbers of splits and resamples."""

    rng: np.random.Generator
    n_splits: int
    n_resamples: int
    annotators: bool  # whether these are resampled too


def _summarise(
    stacks: Sequence[Stack],
    measure: Measure,
    methods: Sequence[Method],
    draw: Draw,
    sampling: _Sampling,
) -> pd.DataFrame:
    """Return a row of figures and intervals for each method."""
    halves = correlate_halves(
        measure(split_halves(stacks, sampling.n_splits, sampling.rng)), methods
    )
    rows = {m: _row(halves.correlations[m], halves.steps) for m in methods}
    is_possible = not sampling.annotators or can_leave_out(stacks)
    n_resamples = sampling.n_resamples if is_possible else 0
    resampled = reliability_of_drawn(halves.kept, draw(n_resamples), methods)
    left_out: dict[Method, Floats] = {}
    if sampling.annotators and n_resamples:
        left_out = _leave_out(stacks, measure, methods, sampling)
    for method, row in rows.items():
        row["low"], row["high"] = basic_interval(
            row["reliability"],
            resampled[method],
            limit=reliability_of_all(halves.kept, method),
            left_out=left_out.get(method),
        )
    return pd.DataFrame(rows.values(), index=pd.Index(methods, name="method"))


def _leave_out(
    stacks: Sequence[Stack], measure: Measure, methods: Sequence[Method], sampling: _Sampling
) -> dict[Method, Floats]:
    """Return the reliability without each part of annotators, shape (n_divisions, N_PARTS)."""
    divisions = divide_annotators(stacks, sampling.n_resamples, sampling.rng)
    rows = [reliabilities_left_out(stacks, division, measure, methods) for division in divisions]
    return {method: np.stack([row[method] for row in rows]) for method in methods}


def _row(correlations: Floats, steps: Floats) -> dict[str, float]:
    reliabilities = spearman_brown(correlations, steps)
    defined = reliabilities[~np.isnan(reliabilities)]
    low, high = np.quantile(defined, RANGE) if len(defined) else (np.nan, np.nan)
    return {
        "correlation": float(mean_defined(correlations)),
        "reliability": float(mean_defined(reliabilities)),
        "splits_low": float(low),
        "splits_high": float(high),
    }


def _ratable_pairs(stacks: Sequence[Stack], contexts: Integers) -> Integers:
    """Return the numbers of the pairs with two ratings or more of each context."""
    counts = np.concatenate([(~np.isnan(s.tables)).sum(axis=1).ravel() for s in stacks])
    per_context = np.bincount(contexts, counts, 2 * (int(contexts.max()) // 2 + 1))
    return np.flatnonzero((per_context.reshape(-1, 2) >= 2).all(axis=1))


def _pair_changes(
    splits: Iterable[Halves], contexts: Integers, pairs: Integers
) -> Iterator[SplitMeans]:
    """Yield each pair's change in both halves; `contexts` belong to the halves' items."""
    for halves in halves_of_contexts(splits, contexts):
        sums, counts = (field[:, :, pairs] for field in halves)
        yield change_means(Halves(sums, counts))
