"""Measure the bias of changes' reliability and size, by recipe.

    .venv/bin/python bench/change_bias.py
    .venv/bin/python bench/change_bias.py --studies 200 --pairs 24 340

Simulated studies: blocks of 20 pairs, two questionnaires, 10 annotators for each of them. The true
similarity of a pair's first context is uniform on 0–6, that of the second differs by a normal
change of SD 1.4, cut at the ends. A rating is the similarity + the annotator's bias (normal, SD
0.6) + noise (normal; SD of an annotator 0.8 to 1.8), rounded to 0–6. Every study is collected
twice, by different annotators. R of the first is compared with the correlation of the changes of
both, which it estimates, and their root mean square without noise with the root of the mean product
of both, in which noise cancels. In brackets: standard errors over studies.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from reporting import read_options, say, table

from postprocess.statistics.agreement.reliability import change_reliability_from_scores
from postprocess.statistics.change_size import change_size
from postprocess.statistics.evaluation import uncentered_pearson
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import read_recipe

PAIRS_OF_A_BLOCK, RATERS, HIGHEST = 20, 10, 6
BIAS, NOISE, CHANGE = 0.6, (0.8, 1.8), 1.4
RECIPES = ("raw", "cosimlex")
COLUMNS = (
    "pairs", "recipe", "R", "correlation of two studies", "bias of R", "bias of √R",
    "without noise", "root of mean product",
)  # fmt: skip


def draw_similarities(n_pairs: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the true similarities of both contexts, shape (n_pairs, 2)."""
    first = rng.uniform(0, HIGHEST, n_pairs)
    second = first + rng.normal(0, CHANGE, n_pairs)
    return np.clip(np.stack([first, second], axis=1), 0, HIGHEST)


def simulate_ratings(similarities: NDArray[np.float64], rng: np.random.Generator) -> pd.DataFrame:
    """Return the ratings of a collection by new annotators."""
    n_pairs = len(similarities)
    pair, context, rater = np.indices((n_pairs, 2, RATERS)).reshape(3, -1)
    group = 2 * (pair // PAIRS_OF_A_BLOCK) + (pair + context) % 2
    people = group.max() + 1, RATERS
    biases, deviations = rng.normal(0, BIAS, people), rng.uniform(*NOISE, people)
    noise = rng.normal(0, 1, len(pair)) * deviations[group, rater]
    points = similarities[pair, context] + biases[group, rater] + noise
    return pd.DataFrame(
        {
            "pair": pair + 1,
            "context": context + 1,
            "annotator": [f"A{number}" for number in group * RATERS + rater],
            "rating": np.clip(np.round(points), 0, HIGHEST).astype(int),
            "group": [f"Q{number}" for number in group],
        }
    )


def measure_study(n_pairs: int, recipe: str, seed: int) -> tuple[float, float, float, float]:
    """Return R and its estimand, and the mean square without noise and its estimand."""
    rng = np.random.default_rng(seed)
    similarities = draw_similarities(n_pairs, rng)
    scores, others = (
        post_process(
            simulate_ratings(similarities, rng), read_recipe(recipe), n_pairs=n_pairs
        ).scores
        for _ in range(2)
    )
    change, other = (one["change"].to_numpy() for one in (scores, others))
    return (
        change_reliability_from_scores(scores),
        uncentered_pearson(change, other),
        change_size(scores).without_noise ** 2,
        float((change * other).mean()),
    )


def describe(figures: NDArray[np.float64]) -> list[str]:
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
