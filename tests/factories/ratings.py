"""Ratings of simulated annotators, and their post-processing outcomes."""

import numpy as np
import pandas as pd

from postprocess.steps.post_process import Outcome, post_process
from postprocess.steps.recipe import read_recipe


def simulate_study(
    n_pairs: int = 24, n_raters: int = 8, *, n_blocks: int = 1, odd: bool = True, seed: int = 7
) -> pd.DataFrame:
    """Return ratings of questionnaires A and B per block; in A the first rates high, the last at
    random.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for pair in range(n_pairs):
        block = pair % n_blocks
        for context in (1, 2):
            group = f"{block + 1}{'AB'[(pair // n_blocks + context) % 2]}"
            centre = rng.uniform(0.5, 5.5)
            points = np.clip(np.round(centre + rng.normal(0, 0.9, n_raters)), 0, 6)
            if odd and group.endswith("A"):
                points[0] = min(6, points[0] + 2)
                points[-1] = rng.integers(0, 7)
            rows += [
                (pair + 1, context, f"{group}-{rater:02}", int(rating), group)
                for rater, rating in enumerate(points)
            ]
    return pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])


def outcome_of(ratings: pd.DataFrame, recipe: str = "cosimlex", *changes: str) -> Outcome:
    return post_process(ratings, read_recipe(recipe, changes), n_pairs=int(ratings["pair"].max()))


def rate(*rows: tuple[object, ...], **columns: object) -> pd.DataFrame:
    """Return a ratings table of (pair, context, annotator, rating)."""
    table = pd.DataFrame(list(rows), columns=["pair", "context", "annotator", "rating"])
    return table.assign(**columns)
