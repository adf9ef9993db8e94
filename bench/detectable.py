"""Simulate the changes that numbers of annotators detect, for `postprocess/planning/published.tsv`.

The population is that of a published dataset; a row for each number of annotators, a column for
each number of points of the scale. Takes some minutes; `scripts/fetch_published` gets the dataset.

    .venv/bin/python bench/detectable.py --dataset cosimlex_sl.csv > published.tsv
"""

from pathlib import Path

import numpy as np
from reporting import read_options, say

from postprocess.formats.files import read_dataset
from postprocess.planning.detection import detectable_curve
from postprocess.planning.question import Question
from postprocess.planning.rating_models import models_of_scores, on_points
from postprocess.table.ratings import Scale

SIZES = (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 27, 40, 60, 100, 200)
POINTS = (2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 21)
QUESTION = Question(simulations=20_000)


def main() -> None:
    """Print the table."""
    options = read_options(__doc__, dataset=(Path, "table of scores, such as cosimlex_sl.csv"))
    if options.dataset is None:
        raise SystemExit("Name a table of scores: --dataset; scripts/fetch_published gets some.")
    scores = read_dataset(options.dataset.read_bytes())
    models = models_of_scores(scores, Scale(), Scale(0, 10), n_ratings=10)
    rng = np.random.default_rng(1)
    curves = [detectable_curve(on_points(models, n), SIZES, QUESTION, rng=rng) for n in POINTS]
    rows = [["n", *map(str, POINTS)]]
    rows += [[str(n), *(f"{curve[n]:.3f}" for curve in curves)] for n in SIZES]
    say("\n".join("\t".join(row) for row in rows))


if __name__ == "__main__":
    main()
