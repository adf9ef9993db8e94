"""Measure what the comparison of two collections says about crowds whose relation is known.

    .venv/bin/python bench/two_collections.py
    .venv/bin/python bench/two_collections.py --studies 20

Two crowds rate the same pairs, in blocks of 20 with two questionnaires of 10 annotators each. The
true scores of the second correlate with those of the first by a known amount, and are higher by a
known one. Annotators have a normal bias (SD 0.6) and noise (SD 1.2); true scores have an SD of 1.6.

First table: the mean of each figure, the true one, and in how many per cent of the studies the 95 %
interval contains it. Second table: how often p and q are below 0.05 if both crowds are of one
population, with whole ratings from 0 to 6.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from reporting import say, table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from postprocess.reporting.assessment import Chance
from postprocess.steps.single_steps import aggregate_ratings
from postprocess.table.ratings import Scale
from postprocess.two_collections.association import correlate_collections
from postprocess.two_collections.differences import (
    compare_changes,
    compare_contexts,
    measure_differences,
)
from postprocess.two_collections.matching import Aligned

Floats = NDArray[np.float64]
RATERS, PAIRS = 10, 20  # annotators of a questionnaire, pairs of a block
BIAS, NOISE, SPREAD = 0.6, 1.2, 1.6
SEED, LEVEL = 20200312, 0.05
SIZES, CORRELATIONS, HIGHER = (24, 120), (1.0, 0.8), 0.5
CHANCE = Chance(200, 20, 0, "items")
SCORES = ["n1", "n2", "sim1", "sim2", "stdev1", "stdev2"]
COLUMNS = ("pairs", "true r", "figure", "mean", "true", "coverage %", "SE")
ALARMS = ("pairs", "test", "p < 0.05", "studies with a q < 0.05")


class Crowd(NamedTuple):
    """The ratings of one crowd, and the mean bias of their annotators."""

    ratings: pd.DataFrame
    bias: float


def rate(true: Floats, rng: np.random.Generator, *, whole: bool) -> Crowd:
    """Return the ratings of true scores, shape (n_pairs, 2), by new annotators."""
    n_blocks = -(-len(true) // PAIRS)
    biases = rng.normal(0, BIAS, (2 * n_blocks, RATERS))
    pair, context, rater = np.indices((*true.shape, RATERS)).reshape(3, -1)
    questionnaire = 2 * (pair // PAIRS) + (pair + context) % 2
    bias = biases[questionnaire, rater]
    points = true[pair, context] + bias + rng.normal(0, NOISE, len(bias))
    table = pd.DataFrame(
        {
            "pair": pair + 1,
            "context": context + 1,
            "annotator": questionnaire * RATERS + rater,
            "rating": np.clip(np.rint(points), 0, 6) if whole else points,
            "group": questionnaire,
        }
    )
    return Crowd(table, float(bias.mean()))


def align(first: Crowd, second: Crowd, n_pairs: int) -> Aligned:
    """Return both crowds as matched pairs, in points of the ratings."""
    scores = [aggregate_ratings(one.ratings, n_pairs)[SCORES] for one in (first, second)]
    rows = tuple(("", "") for _ in range(n_pairs))
    both = (scores[0], scores[1]), (first.ratings, second.ratings)
    return Aligned(rows, *both, Scale(0, 6), pd.DataFrame())


def cover(n_studies: int) -> Iterator[list[str]]:
    """Yield a row for each figure with its coverage."""
    for n_pairs in SIZES:
        for rho in CORRELATIONS:
            rng = np.random.default_rng([SEED, n_pairs, int(10 * rho)])
            found: dict[str, list[tuple[float, float, float, float]]] = defaultdict(list)
            for _ in range(n_studies):
                for figure, *numbers in _measure(n_pairs, rho, rng):
                    found[figure].append(tuple(numbers))
            for figure, rows in found.items():
                estimate, low, high, truth = np.array(rows).T
                share = float(((low <= truth) & (truth <= high)).mean())
                error = np.sqrt(share * (1 - share) / len(rows))
                numbers = f"{estimate.mean():.3f}", f"{truth.mean():.3f}"
                covered = f"{100 * share:.0f}", f"{100 * error:.1f}"
                yield [str(n_pairs), f"{rho:g}", figure, *numbers, *covered]


def count_alarms(n_studies: int) -> Iterator[list[str]]:
    """Yield a row for each test, for two crowds of one population."""
    for n_pairs in SIZES:
        rng = np.random.default_rng([SEED, n_pairs])
        shares: dict[str, list[tuple[float, bool]]] = defaultdict(list)
        for _ in range(n_studies):
            true = 3 + rng.normal(0, SPREAD, (n_pairs, 2))
            both = align(*(rate(true, rng, whole=True) for _ in range(2)), n_pairs)
            for test, rows in (
                ("contexts", compare_contexts(both)), ("pairs", compare_changes(both))
            ):  # fmt: skip
                q = rows["qvalue"]
                shares[test].append(
                    (float((rows["pvalue"] < LEVEL).mean()), bool((q < LEVEL).any()))
                )
        for test, found in shares.items():
            below, any_q = np.array(found, dtype=float).mean(axis=0)
            yield [str(n_pairs), test, f"{100 * below:.1f} %", f"{100 * any_q:.1f} %"]


def _measure(
    n_pairs: int, rho: float, rng: np.random.Generator
) -> Iterator[tuple[str, float, float, float, float]]:
    """Yield figure, estimate, low, high and the true value of one study."""
    true = rng.normal(0, SPREAD, (n_pairs, 2))
    other = rho * true + np.sqrt(1 - rho**2) * rng.normal(0, SPREAD, true.shape) + HIGHER
    crowds = rate(3 + true, rng, whole=False), rate(3 + other, rng, whole=False)
    both = align(*crowds, n_pairs)
    correlations = correlate_collections(both, CHANCE).set_index(["of", "method"])
    for of, method in (("score", "pearson"), ("change", "uncentered")):
        row = correlations.loc[(of, method)]
        ends = (row[f"disattenuated{end}"] for end in ("", "_low", "_high"))
        yield (f"{of}, r without noise", *ends, rho)
    differences = measure_differences(both, CHANCE).set_index("of").loc["score"]
    ends = (differences[f"difference{end}"] for end in ("", "_low", "_high"))
    yield ("mean difference, for these annotators", *ends, HIGHER + crowds[1].bias - crowds[0].bias)


def main() -> None:
    """Simulate and print two Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=200)
    options = parser.parse_args()
    say(table(COLUMNS, list(cover(options.studies))))
    say(table(ALARMS, list(count_alarms(options.studies))))


if __name__ == "__main__":
    main()
