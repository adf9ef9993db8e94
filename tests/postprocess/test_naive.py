"""`post_process` compared with the documented steps in plain loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import Recipe, read_recipe
from postprocess.table.ratings import RatingsError
from tests.postprocess.naive import NothingLeft, post_process_naively

SCALES = [(0, 6, 1), (0, 6, 0.25), (1, 5, 0.5), (-3, 3, 1), (0, 10, 1), (0, 1, 0.1)]
CHANGES = [
    ("cosimlex",),
    ("cosimlex", "calibration.threshold=0.5"),
    ("cosimlex", "filtering.k=0.5", "filtering.minimum_rho=0.2"),
    ("cosimlex", "calibration.enabled=false"),
    ("simlex",),
    ("simlex", "filtering.gain_share=0.4"),
    ("raw",),
]
OF_ANNOTATORS = ["mean", "group_mean", "shift", "n_clipped", "rho", "bound", "gain"]
OF_SCORES = [
    "n1", "n2", "sim1", "sim2", "stdev1", "stdev2", "median1", "median2", "change", "pvalue",
    "pvalue_two_sided", "qvalue", "delta",
]  # fmt: skip


def collect(rng, scale, *, n_pairs, n_annotators, share_missing):
    """Return ratings of two questionnaires by annotators with biases, some of them large."""
    lowest, highest, step = scale
    n_points = round((highest - lowest) / step) + 1
    rows = []
    for group in ("A", "B"):
        similarity = rng.uniform(0, 1, n_pairs)
        for annotator in range(n_annotators):
            own = similarity + rng.normal(0, 0.25) + rng.normal(0, 0.2, n_pairs)
            points = np.clip(np.rint(own * (n_points - 1)), 0, n_points - 1)
            for pair, point in enumerate(points, 1):
                context = 1 + (pair + (group == "B")) % 2
                mark = "rejected" if rng.random() < share_missing / 2 else ""
                if rng.random() >= share_missing:
                    rating = round(lowest + step * point, 9)
                    rows.append((pair, context, f"{group}{annotator}", rating, group, mark))
    columns = ["pair", "context", "annotator", "rating", "group", "mark"]
    return pd.DataFrame(rows, columns=columns)


def on_scale(recipe, scale):
    ends = zip(("minimum", "maximum", "step"), scale, strict=True)
    span = (scale[1] - scale[0]) / 6
    section = recipe.calibration
    moved = section.model_copy(
        update={
            "threshold": round(section.threshold * span, 9),
            "step": max(scale[2], round(section.step * span / scale[2]) * scale[2]),
        }
    )
    return recipe.model_copy(
        update={
            "scale": recipe.scale.model_copy(update={name: float(x) for name, x in ends}),
            "calibration": moved,
        }
    )


def check_against_loops(ratings, recipe, n_pairs):
    try:
        accounts, scores = post_process_naively(ratings, recipe, n_pairs)
    except NothingLeft:
        with pytest.raises(RatingsError, match="contexts without ratings"):
            post_process(ratings, recipe, n_pairs=n_pairs)
        return
    outcome = post_process(ratings, recipe, n_pairs=n_pairs)
    annotators = outcome.annotators.set_index(["group", "annotator"])
    expected = pd.DataFrame.from_dict(accounts, orient="index").sort_index()
    found = annotators.loc[expected.index]
    assert found[["decision", "reason"]].to_numpy().tolist() == (
        expected[["decision", "reason"]].to_numpy().tolist()
    )
    assert found[OF_ANNOTATORS].to_numpy(dtype=float) == pytest.approx(
        expected[OF_ANNOTATORS].to_numpy(dtype=float), rel=1e-12, abs=1e-12, nan_ok=True
    )
    assert outcome.scores[OF_SCORES].to_numpy(dtype=float) == pytest.approx(
        scores[OF_SCORES].to_numpy(dtype=float), rel=1e-12, abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("recipe", CHANGES, ids=" ".join)
@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from(SCALES),
    n_pairs=st.integers(3, 9),
    n_annotators=st.integers(2, 7),
    share_missing=st.sampled_from([0, 0.15]),
)
def test_post_process_gives_the_figures_of_the_documented_steps(
    recipe, seed, scale, n_pairs, n_annotators, share_missing
):
    ratings = collect(
        np.random.default_rng(seed),
        scale,
        n_pairs=n_pairs,
        n_annotators=n_annotators,
        share_missing=share_missing,
    )
    name, *changes = recipe

    check_against_loops(ratings, on_scale(read_recipe(name, changes), scale), n_pairs)


def test_post_process_ranks_points_that_calibration_made_equal_as_ties():
    by_annotator = {
        "A": [0, 0, 0, 3, 0, 0, 2, 0],
        "B": [3, 4, 2, 6, 2, 0, 6, 1],
        "C": [4, 3, 0, 4, 0, 3, 6, 0],
        "D": [4, 5, 1, 5, 0, 3, 6, 4],  # moved down by 1: the 0 stays and meets the 1
        "E": [3, 1, 1, 6, 2, 0, 4, 1],
    }
    rows = [
        (1 + number // 2, 1 + number % 2, annotator, rating, "1", "")
        for annotator, ratings in by_annotator.items()
        for number, rating in enumerate(ratings)
    ]
    ratings = pd.DataFrame(
        rows, columns=["pair", "context", "annotator", "rating", "group", "mark"]
    )

    outcome = post_process(ratings, Recipe(), n_pairs=4)

    fourth = outcome.annotators.set_index("annotator").loc["D"]
    assert fourth["shift"] == -1
    assert fourth["rho"] == pytest.approx(0.68432, abs=5e-6)
    assert fourth["bound"] == pytest.approx(0.68219, abs=5e-6)
    assert fourth["decision"] == "kept"
    check_against_loops(ratings, Recipe(), 4)
