"""Measure what the comparison of two collections says about crowds whose relation is known.

    .venv/bin/python bench/two_collections.py
    .venv/bin/python bench/two_collections.py --studies 20

Two crowds rate the same pairs, in blocks with two questionnaires each. The true scores of the
second correlate with those of the first by a known amount, and are higher by a known one. A skewed
bias is exponential less its mean.

First table: the mean of each figure, the true one, and in how many per cent of the studies the 95 %
interval contains it. Second table: how often p and q are below 0.05 if both crowds are of one
population, with whole ratings from 0 to 6.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from reporting import read_options, say, table
from studies import Crowd, Floats, collect, in_points

from postprocess.reporting.assessment import Chance
from postprocess.table.ratings import Scale
from postprocess.two_collections.association import correlate_collections
from postprocess.two_collections.differences import (
    compare_changes,
    compare_contexts,
    measure_differences,
)
from postprocess.two_collections.matching import Aligned

BIAS, NOISE, SPREAD = 0.6, 1.2, 1.6
SEED, LEVEL = 20200312, 0.05
CORRELATIONS, HIGHER = (1.0, 0.8), 0.5
CHANCE = Chance(200, 20, 0, "items")
SCORES = ["n1", "n2", "sim1", "sim2", "stdev1", "stdev2"]
COLUMNS = ("pairs", "questionnaires", "annotators", "bias", "true r", "figure", "mean",
           "coverage %", "none %", "median width")  # fmt: skip
ALARMS = ("pairs", "test", "p < 0.05", "studies with a q < 0.05")


class Design(NamedTuple):
    """Pairs, pairs of a block, annotators of a questionnaire, and whether biases are skewed."""

    n_pairs: int
    n_block: int = 20
    n_raters: int = 10
    skewed: bool = False

    @property
    def n_questionnaires(self) -> int:
        """Two of each block."""
        return 2 * -(-self.n_pairs // self.n_block)


DESIGNS = (
    Design(24, 24), Design(340, 340), Design(24), Design(40), Design(60), Design(60, n_raters=5),
    Design(60, skewed=True), Design(100), Design(340, 85), Design(120), Design(200),
    Design(200, skewed=True),
)  # fmt: skip
ALARMED = (Design(24), Design(120))


def rate(true: Floats, design: Design, rng: np.random.Generator) -> tuple[pd.DataFrame, float]:
    """Return the ratings of true scores, shape (n_pairs, 2), by a new crowd, and its mean bias."""
    shape = design.n_questionnaires, design.n_raters
    biases = rng.exponential(BIAS, shape) - BIAS if design.skewed else rng.normal(0, BIAS, shape)
    crowd = Crowd(biases, np.full(shape, NOISE))
    ratings = collect(true, crowd, rng, n_block=design.n_block)
    # Annotators of blocks of unequal size give different numbers of ratings.
    return ratings, float(biases.ravel()[ratings["annotator"]].mean())


def align(first: pd.DataFrame, second: pd.DataFrame, n_pairs: int) -> Aligned:
    """Return both crowds' ratings as matched pairs, in points of the ratings."""
    rows = tuple(("", "") for _ in range(n_pairs))
    both = (_aggregate(first), _aggregate(second)), (first, second)
    return Aligned(rows, *both, Scale(0, 6), pd.DataFrame())


def _aggregate(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return what `aggregate_ratings` does, without its tests, which take most of the time."""
    figures = ratings.groupby(["pair", "context"])["rating"].agg(["count", "mean", "std"]).unstack()
    return figures.set_axis(SCORES, axis=1).assign(alone1=False, alone2=False)


def cover(n_studies: int) -> Iterator[list[str]]:
    """Yield a row for each figure with its coverage, among the studies that have an interval."""
    for design, rho in product(DESIGNS, CORRELATIONS):
        rng = np.random.default_rng([SEED, *design, int(10 * rho)])
        intervals: dict[str, list[tuple[float, float, float, float]]] = defaultdict(list)
        for _ in range(n_studies):
            for figure, *numbers in _measure(design, rho, rng):
                intervals[figure].append(tuple(numbers))
        bias = "skewed" if design.skewed else "normal"
        studied = design.n_pairs, design.n_questionnaires, design.n_raters, bias, f"{rho:g}"
        for figure, rows in intervals.items():
            estimate, low, high, truth = np.array(rows).T
            given = ~np.isnan(low)
            held = ((low <= truth) & (truth <= high))[given]
            width = np.median((high - low)[given]) if given.any() else np.nan
            numbers = estimate.mean(), 100 * held.mean() if given.any() else np.nan
            yield [
                *map(str, studied), figure, f"{numbers[0]:.3f}", f"{numbers[1]:.0f}",
                f"{100 * (1 - given.mean()):.0f}", f"{width:.2f}",
            ]  # fmt: skip


def count_alarms(n_studies: int) -> Iterator[list[str]]:
    """Yield a row for each test, for two crowds of one population."""
    for design in ALARMED:
        n_pairs = design.n_pairs
        rng = np.random.default_rng([SEED, n_pairs])
        shares: dict[str, list[tuple[float, bool]]] = defaultdict(list)
        for _ in range(n_studies):
            true = 3 + rng.normal(0, SPREAD, (n_pairs, 2))
            both = align(*(in_points(rate(true, design, rng)[0]) for _ in range(2)), n_pairs)
            for test, rows in (
                ("contexts", compare_contexts(both)), ("pairs", compare_changes(both))
            ):  # fmt: skip
                q = rows["qvalue"]
                shares[test].append(
                    (float((rows["pvalue"] < LEVEL).mean()), bool((q < LEVEL).any()))
                )
        for test, studies in shares.items():
            below, any_q = np.array(studies, dtype=float).mean(axis=0)
            yield [str(n_pairs), test, f"{100 * below:.1f} %", f"{100 * any_q:.1f} %"]


def _measure(
    design: Design, rho: float, rng: np.random.Generator
) -> Iterator[tuple[str, float, float, float, float]]:
    """Yield figure, estimate, low, high and the true value of one study."""
    true = rng.normal(0, SPREAD, (design.n_pairs, 2))
    other = rho * true + np.sqrt(1 - rho**2) * rng.normal(0, SPREAD, true.shape) + HIGHER
    first, bias = rate(3 + true, design, rng)
    second, other_bias = rate(3 + other, design, rng)
    both = align(first, second, design.n_pairs)
    correlations = correlate_collections(both, CHANCE).set_index(["of", "method"])
    for of, method in (("score", "pearson"), ("change", "uncentered")):
        row = correlations.loc[(of, method)]
        ends = (row[f"disattenuated{end}"] for end in ("", "_low", "_high"))
        yield (f"{of}, r without noise", *ends, rho)
    differences = measure_differences(both, CHANCE).set_index("of").loc["score"]
    ends = (differences[f"difference{end}"] for end in ("", "_low", "_high"))
    yield ("mean difference, for these annotators", *ends, HIGHER + other_bias - bias)


def main() -> None:
    """Simulate and print two Markdown tables."""
    options = read_options(__doc__, studies=200)
    say(table(COLUMNS, list(cover(options.studies))))
    say(table(ALARMS, list(count_alarms(options.studies))))


if __name__ == "__main__":
    main()
