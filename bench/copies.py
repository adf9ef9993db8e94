"""Measure how often honest annotators are listed as copies of each other, and copies are.

    .venv/bin/python bench/copies.py
    .venv/bin/python bench/copies.py --studies 20 --ratings ratings_sl.csv

Simulated studies: a rating is drawn from the ratings that one context of `--ratings` got, or is
normal (SD 1.5, or 0.5 for sharp texts) around the text's mean, which is uniform on the scale or,
for skewed texts, exponential; then each annotator's bias (normal, SD 0.6 of 6 points) is added, and
the distance from the middle multiplied by the annotator's factor (log-normal, SD 0.3). In the last
columns one annotator gives another's ratings, of which the given share is replaced at random.
"""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from reporting import say, table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from postprocess.statistics.agreement.copies import find_copies
from tests.postprocess.simulated import tabulate_points

BIAS, FACTOR, TOP = 0.6, 0.3, 6
SHARES = (0.0, 0.1, 0.2)
STUDIES, SEED = 100, 20200312
COLUMNS = (
    "texts", "annotators", "common texts", "groups", "points", "honest studies with a pair",
    *(f"copies found, {share:.0%} changed" for share in SHARES),
)  # fmt: skip


class Design(NamedTuple):
    """The numbers of annotators and texts of a group, of groups, and of points of the scale."""

    n_annotators: int
    n_texts: int
    n_groups: int
    n_points: int


DESIGNS = (
    Design(3, 20, 10, 7), Design(10, 20, 10, 7), Design(27, 40, 2, 7), Design(200, 20, 1, 7),
    Design(10, 12, 10, 7), Design(10, 10, 10, 11), Design(10, 20, 10, 4),
)  # fmt: skip


def simulate(
    design: Design, texts: str, given: list[NDArray[np.float64]], rng: np.random.Generator
) -> pd.DataFrame:
    """Return the ratings of honest annotators."""
    shape = n_annotators, n_texts, n_groups = design[:3]
    top = design.n_points - 1
    if texts == "given":
        of_text = (given[number] for number in rng.integers(len(given), size=n_texts * n_groups))
        drawn = np.stack([rng.choice(one, n_annotators) for one in of_text], axis=1)
        points = drawn.reshape(shape) + rng.uniform(-0.5, 0.5, shape)
    else:
        size = (1, n_texts, n_groups)
        mean = rng.exponential(0.8, size) if texts == "skewed" else rng.uniform(0, TOP, size)
        points = mean + rng.normal(0, 0.5 if texts == "sharp" else 1.5, shape)
    own = (n_annotators, 1, n_groups)
    points = points + rng.normal(0, BIAS, own) - TOP / 2
    points = (points * np.exp(rng.normal(0, FACTOR, own)) / TOP + 0.5) * top
    return tabulate_points(np.clip(np.rint(points), 0, top))


def copy(ratings: pd.DataFrame, share: float, top: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return the ratings with annotator 0-1's given by 0-0, but for a share."""
    copied = ratings["rating"].to_numpy(copy=True)
    (rows, source) = (np.flatnonzero(ratings["annotator"] == name) for name in ("0-0", "0-1"))
    copied[rows] = copied[source]
    changed = rng.choice(rows, int(np.ceil(share * len(rows))), replace=False)
    copied[changed] = (copied[changed] + rng.integers(1, top + 1, len(changed))) % (top + 1)
    return ratings.assign(rating=copied)


def main() -> None:
    """Simulate and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--ratings", type=Path, help="a ratings file on 0–6")
    options = parser.parse_args()
    given, kinds = [], ["normal", "skewed", "sharp"]
    if options.ratings:
        contexts = pd.read_csv(options.ratings).groupby(["pair", "context"])["rating"]
        given, kinds = [ratings.to_numpy(dtype=float) for _, ratings in contexts], ["given"]
    rows = []
    for texts in kinds:
        for design in DESIGNS:
            rng = np.random.default_rng(SEED)
            n_listed, n_found = 0, [0] * len(SHARES)
            for _ in range(options.studies):
                ratings = simulate(design, texts, given, rng)
                n_listed += not find_copies(ratings).empty
                for place, share in enumerate(SHARES):
                    found = find_copies(copy(ratings, share, design.n_points - 1, rng))
                    n_found[place] += bool((found["annotator1"] == "0-0").any())
            counts = (f"{n} of {options.studies}" for n in (n_listed, *n_found))
            rows.append([texts, *map(str, design), *counts])
    say(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
