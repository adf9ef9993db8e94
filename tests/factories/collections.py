"""Two collections of the same items, for tests of their comparison."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import ReportSection, read_recipe
from postprocess.table.ratings import Scale
from postprocess.two_collections.collection import Collection, collection_of_outcome
from postprocess.two_collections.comparing import CollectionComparison, compare_collections
from postprocess.two_collections.matching import Aligned, align, match_pairs
from postprocess.two_collections.sources import Source
from tests.factories.datasets import stimuli_for
from tests.factories.ratings import simulate_study

BRIEF = ReportSection(n_resamples=20, n_splits=5)
MODEL = Source("model", "Parrot", "2", rated_on="2026-05-31")


def collection_of(ratings: pd.DataFrame, name: str = "A", **more: Any) -> Collection:
    """Return the collection of ratings from 0 to 6 by the recipe raw; `more` are its fields."""
    n_pairs = int(ratings["pair"].max())
    outcome = post_process(ratings, read_recipe("raw"), n_pairs=n_pairs)
    made = collection_of_outcome(outcome, stimuli_for(n_pairs).rows, name=name, language="sl")
    return replace(made, **more)


def aligned(first: Collection, second: Collection) -> Aligned:
    """Return two collections with their common pairs in one order."""
    return align(first, second, match_pairs(first, second))


def rerate(ratings: pd.DataFrame, *, seed: int = 1, n_raters: int = 6) -> pd.DataFrame:
    """Return ratings of the same items by other annotators, who rate somewhat higher."""
    rng = np.random.default_rng(seed)
    means = ratings.groupby(["group", "pair", "context"], as_index=False)["rating"].mean()
    parts = [
        means.assign(
            annotator=means["group"] + f"-x{rater}",
            rating=np.clip(np.rint(means["rating"] + rng.normal(0.5, 1, len(means))), 0, 6),
        )
        for rater in range(n_raters)
    ]
    return pd.concat(parts, ignore_index=True)


def compare_crowds(n_pairs: int = 24, **second: Any) -> CollectionComparison:
    """Return the comparison of two simulated crowds; `second` are fields of the second."""
    ratings = simulate_study(n_pairs, n_blocks=2)
    first = collection_of(ratings)
    traits = pd.DataFrame({"pos": ["noun", "verb"] * (n_pairs // 2)}, index=first.scores.index)
    other = collection_of(rerate(ratings), **{"name": "B", **second})
    return compare_collections(replace(first, traits=traits), other, wanted=BRIEF)


def scores_of(sims: list[tuple[float, float]], name: str = "A", **more: Any) -> Collection:
    """Return a collection of these scores from 0 to 10, without ratings."""
    index = pd.RangeIndex(1, len(sims) + 1, name="pair")
    scores = pd.DataFrame(sims, columns=["sim1", "sim2"], index=index)
    scores = scores.reindex(columns=["n1", "n2", "sim1", "sim2", "stdev1", "stdev2"]).astype(float)
    rows = stimuli_for(len(sims)).rows
    return replace(Collection(name, "sl", rows, scores, Scale(0, 10)), **more)
