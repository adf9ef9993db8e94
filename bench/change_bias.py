"""Measure the bias of changes' reliability and size, by recipe.

    .venv/bin/python bench/change_bias.py
    .venv/bin/python bench/change_bias.py --studies 200 --pairs 24 340

The true similarity of a pair's first context is uniform on 0–6, that of the second differs by a
normal change of SD 1.4, cut at the ends. Every study is collected twice, by different annotators
(`studies.py`). R of the first is compared with the correlation of the changes of both, which it
estimates, and their root mean square without noise with the root of the mean product of both, in
which noise cancels. In brackets: standard errors over studies.
"""

import numpy as np
import pandas as pd
from reporting import read_options, say, table
from studies import Crowd, Floats, Shape, collect, in_points

from postprocess.statistics.agreement.reliability import change_reliability_from_scores
from postprocess.statistics.change_size import change_size
from postprocess.statistics.evaluation import uncentered_pearson
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import read_recipe

PAIRS_OF_A_BLOCK, CHANGE = 20, 1.4
RECIPES = ("raw", "cosimlex")
COLUMNS = (
    "pairs", "recipe", "R", "correlation of two studies", "bias of R", "bias of √R",
    "without noise", "root of mean product",
)  # fmt: skip


def measure_study(n_pairs: int, recipe: str, seed: int) -> tuple[float, float, float, float]:
    """Return R and its estimand, and the mean square without noise and its estimand."""
    rng = np.random.default_rng(seed)
    first = rng.uniform(0, 6, n_pairs)
    second = np.clip(first + rng.normal(0, CHANGE, n_pairs), 0, 6)
    shape = Shape(2 * -(-n_pairs // PAIRS_OF_A_BLOCK), PAIRS_OF_A_BLOCK)

    def measure_scores() -> pd.DataFrame:
        ratings = collect(
            np.stack([first, second], axis=1),
            Crowd.gather(shape, rng),
            rng,
            n_block=PAIRS_OF_A_BLOCK,
        )
        return post_process(in_points(ratings), read_recipe(recipe), n_pairs=n_pairs).scores

    scores, others = measure_scores(), measure_scores()
    change, other = scores["change"].to_numpy(), others["change"].to_numpy()
    return (
        change_reliability_from_scores(scores),
        uncentered_pearson(change, other),
        change_size(scores).without_noise ** 2,
        float((change * other).mean()),
    )


def describe(figures: Floats) -> list[str]:
    """Return a row of the table from the figures of studies, shape (n_studies, 4)."""
    reliability, correlation, square, product = figures.mean(axis=0)
    error = (figures[:, 0] - figures[:, 1]).std(ddof=1) / np.sqrt(len(figures))
    return [
        f"{reliability:.3f}",
        f"{correlation:.3f}",
        f"{reliability - correlation:+.3f} ({error:.3f})",
        f"{np.sqrt(figures[:, 0].clip(0)).mean() - np.sqrt(correlation):+.3f}",
        f"{np.sqrt(square):.2f}",
        f"{np.sqrt(product):.2f}",
    ]


def main() -> None:
    """Simulate and print a Markdown table."""
    options = read_options(__doc__, studies=200, pairs=[24, 112, 340])
    rows = []
    for n_pairs in options.pairs:
        for recipe in RECIPES:
            studies = [measure_study(n_pairs, recipe, seed) for seed in range(options.studies)]
            rows.append([str(n_pairs), recipe, *describe(np.array(studies))])
    say(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
