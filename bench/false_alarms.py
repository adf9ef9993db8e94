"""Measure false alarms of the tests of change by recipe and annotator bias.

    .venv/bin/python bench/false_alarms.py
    .venv/bin/python bench/false_alarms.py --blocks 200 --biases 0 1

Every pair has the same expected rating in both contexts, so every finding is a false alarm. An
annotator's bias is normal with the given SD, noise is normal (SD 1.2). The standard errors in
brackets are those of a mean over blocks, since the pairs of a block are rated by the same people.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from reporting import read_options, say, table
from studies import Crowd, collect, in_points

from postprocess.statistics.change import false_discovery_rates
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import Recipe, read_recipe
from postprocess.steps.score_intervals import score_intervals

PAIRS, RATERS, NOISE = 20, 10, 1.2  # pairs of a block, annotators of a questionnaire
LEVEL = 0.05
BLOCKS_OF_A_DATASET = 5  # 100 pairs, over which q is computed
BLOCKS, SEED, BIASES = 4000, 20200312, [0.0, 0.3, 0.5, 0.7, 1.0]
RECIPES = {
    "raw": ("raw",),
    "calibrated": ("cosimlex", "filtering.enabled=false"),
    "calibrated, filtered": ("cosimlex",),
}
COLUMNS = (
    "bias SD", "recipe", "SD in a context", "two-sided p < 0.05", "one-sided p < 0.05",
    "datasets with a q < 0.05", "intervals without 0",
)  # fmt: skip


class Share(NamedTuple):
    """A share with its standard error over independent parts of the simulation."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{100 * self.mean:.1f} % ({100 * self.error:.1f})"


class Alarms(NamedTuple):
    """How often each figure is below 0.05, and the mean deviation of a context.

    `intervals`: how often the interval of a change over annotators does not contain 0.
    """

    deviation: float
    two_sided: Share
    one_sided: Share
    datasets: Share
    intervals: Share


def simulate_unchanged(n_blocks: int, bias: float, rng: np.random.Generator) -> pd.DataFrame:
    """Return ratings of pairs whose two contexts have the same expected rating."""
    expected = np.repeat(rng.uniform(1, 5, n_blocks * PAIRS)[:, None], 2, axis=1)
    biases = rng.normal(0, bias, (2 * n_blocks, RATERS))
    crowd = Crowd(biases, np.full_like(biases, NOISE))
    return in_points(collect(expected, crowd, rng, n_block=PAIRS))


def count_alarms(ratings: pd.DataFrame, recipe: Recipe) -> Alarms:
    """Post-process the ratings by a recipe and count the findings."""
    n_pairs = int(ratings["pair"].max())
    outcome = post_process(ratings, recipe, n_pairs=n_pairs)
    scores, intervals = outcome.scores, score_intervals(outcome)
    p = scores["pvalue_two_sided"].to_numpy()
    datasets = p.reshape(-1, PAIRS * BLOCKS_OF_A_DATASET)
    least_q = np.array([false_discovery_rates(dataset).min() for dataset in datasets])
    return Alarms(
        float(scores[["stdev1", "stdev2"]].to_numpy().mean()),
        _share(p < LEVEL, PAIRS),
        _share(scores["pvalue"].to_numpy() < LEVEL, PAIRS),
        _share(least_q < LEVEL, 1),
        _share(((intervals["change_low"] > 0) | (intervals["change_high"] < 0)).to_numpy(), PAIRS),
    )


def measure(n_blocks: int, biases: Sequence[float]) -> dict[tuple[float, str], Alarms]:
    """Return the false alarms of each recipe on the same ratings for each bias."""
    alarms = {}
    for bias in biases:
        ratings = simulate_unchanged(n_blocks, bias, np.random.default_rng(SEED))
        for name, (recipe, *changes) in RECIPES.items():
            alarms[bias, name] = count_alarms(ratings, read_recipe(recipe, changes))
    return alarms


def main() -> None:
    """Simulate and print a Markdown table."""
    options = read_options(
        __doc__, blocks=(BLOCKS, "a multiple of 5"), biases=(BIASES, "SDs of annotators")
    )
    rows = [
        [f"{bias:g}", name, f"{alarms.deviation:.2f}", *map(str, alarms[1:])]
        for (bias, name), alarms in measure(options.blocks, options.biases).items()
    ]
    say(table(COLUMNS, rows))


def _share(is_below: NDArray[np.bool_], n_together: int) -> Share:
    shares = is_below.reshape(-1, n_together).mean(axis=1)
    return Share(float(shares.mean()), float(shares.std(ddof=1) / np.sqrt(len(shares))))


if __name__ == "__main__":
    main()
