"""Correlation of the scores and of the changes of two collections, and what noise hides of it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.reporting.assessment import Chance
from postprocess.statistics.agreement.group_arrays import MOST_NUMBERS, stack_groups
from postprocess.statistics.agreement.split_halves import (
    HalfCorrelations,
    Halves,
    change_means,
    correlate_halves,
    halves_of_contexts,
    item_means,
    reliability_of_all,
    reliability_of_drawn,
    spearman_brown,
    split_halves,
)
from postprocess.statistics.correlations import DECIMALS, Method, correlate, mean_defined
from postprocess.statistics.resampling import basic_interval
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

Reliabilities = dict[str, HalfCorrelations | None]


class _Sample(NamedTuple):
    """A figure of all pairs, of all pairs by the first splits alone, and of each resample."""

    figure: float
    limit: float
    resampled: Floats


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

    Parameters
    ----------
    aligned : Aligned
        The matched pairs.
    chance : Chance
        Resamples of the pairs, splits of the annotators, and the seed.

    Returns
    -------
    DataFrame, shape (5, 13)
        A row for each correlation: of ("score", over contexts; "change", over pairs), method
        ("uncentered" for changes alone, as in subtask 1; "pearson", "spearman"); n; correlation,
        with the ends low and high of its 95 % bootstrap interval over pairs;
        reliability_first and reliability_second, by split halves, NaN without two ratings of a
        context; ceiling: the root of their product, the correlation to expect if both collections
        measured the same without bias; disattenuated: the correlation divided by the ceiling, with
        its interval; corrected_for: "both", or the side ("first", "second") whose reliability is
        defined, or "" if neither is. NaN where undefined, such as for a reliability of 0 or below.

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things.
    """
    figures = [figures_of(scores) for scores in aligned.scores]
    halves = [_halve(ratings, len(aligned.rows), chance) for ratings in aligned.ratings]
    drawn = draw_pairs(len(aligned.rows), chance)
    rows = [
        _row(of, method, (figures[0][of], figures[1][of]), (halves[0][of], halves[1][of]), drawn)
        for of, methods in METHODS.items()
        for method in methods
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


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


def _row(
    of: str,
    method: Method,
    sides: tuple[Floats, Floats],
    halves: tuple[HalfCorrelations | None, HalfCorrelations | None],
    drawn: Integers,
) -> tuple[object, ...]:
    found = _correlate(*sides, method, drawn)
    low, high = basic_interval(found.figure, found.resampled)
    reliabilities = [_rely(half, method, drawn, sides[0].shape[1]) for half in halves]
    known = [one for one in reliabilities if not np.isnan(one.figure)]
    true = _divide(found, known)
    ends = basic_interval(true.figure, true.resampled, limit=true.limit, within="difference")
    names = [
        name
        for name, one in zip(("first", "second"), reliabilities, strict=True)
        if not np.isnan(one.figure)
    ]
    return (
        of, method, sides[0].size, found.figure, low, high,
        reliabilities[0].figure, reliabilities[1].figure,
        _ceiling(reliabilities), true.figure, *ends, "both" if len(names) == 2 else "".join(names),
    )  # fmt: skip


def _correlate(first: Floats, second: Floats, method: Method, drawn: Integers) -> _Sample:
    """Correlate all numbers of both sides, and those of the pairs of each resample."""
    figure = float(correlate(first.ravel(), second.ravel(), method=method))
    n_together = max(1, MOST_NUMBERS // max(1, first.size))
    parts = [np.empty(0)]
    for start in range(0, len(drawn), n_together):
        x, y = (
            side[drawn[start : start + n_together]].reshape(-1, first.size)
            for side in (first, second)
        )
        parts.append(correlate(x, y, method=method))
    return _Sample(figure, figure, np.concatenate(parts))


def _rely(half: HalfCorrelations | None, method: Method, drawn: Integers, n_each: int) -> _Sample:
    """Return the reliability of one side, in the same resamples of pairs."""
    if half is None:
        return _Sample(np.nan, np.nan, np.full(len(drawn), np.nan))
    reliabilities = spearman_brown(half.correlations[method], half.steps)
    numbers = (n_each * drawn[:, :, None] + np.arange(n_each)).reshape(
        len(drawn), n_each * drawn.shape[1]
    )
    resampled = reliability_of_drawn(half.kept, numbers, method) if len(drawn) else np.empty(0)
    return _Sample(
        float(mean_defined(reliabilities)), reliability_of_all(half.kept, method), resampled
    )


def _ceiling(reliabilities: list[_Sample]) -> float:
    """Return the root of the product of both reliabilities; NaN unless both are positive."""
    first, second = (one.figure for one in reliabilities)
    return float(np.sqrt(first * second)) if min(first, second) > 0 else float("nan")


def _divide(found: _Sample, reliabilities: list[_Sample]) -> _Sample:
    """Divide a correlation by the roots of the known reliabilities; NaN if none is known."""
    if not reliabilities:
        return _Sample(np.nan, np.nan, found.resampled * np.nan)
    figures = []
    for position in range(len(_Sample._fields)):
        product = np.prod([np.asarray(one[position]) for one in reliabilities], axis=0)
        lowest = np.min([np.asarray(one[position]) for one in reliabilities], axis=0)
        root = np.sqrt(np.where(lowest > 0, product, np.nan))
        figures.append(np.asarray(found[position]) / root)
    return _Sample(float(figures[0]), float(figures[1]), figures[2])
