import io
import json

import numpy as np
import pandas as pd
import pytest

from postprocess.statistics.disagreement import measure_disagreement
from postprocess.steps.distributions import (
    measure_distributions,
    render_distributions,
    write_distributions_parquet,
)
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import read_recipe


@pytest.fixture
def shifted_outcome(simulated):
    """An outcome in which annotators are shifted and left out."""
    ratings = simulated().drop(columns=["block", "pos"])
    shifted = ratings["annotator"] == "1A00"
    ratings["rating"] = (ratings["rating"] + 2 * shifted).clip(upper=6).astype(int)
    return post_process(ratings, read_recipe("cosimlex"), n_pairs=40)


@pytest.fixture
def table(shifted_outcome):
    return measure_distributions(shifted_outcome)


@pytest.mark.parametrize(
    ("kind", "column", "counts"),
    [("given", "rating", "calibrated"), ("used", "calibrated", "reason")],
)
def test_distributions_are_those_of_the_ledger(shifted_outcome, table, kind, column, counts):
    ledger = shifted_outcome.ledger
    is_counted = ledger[counts].notna() if kind == "given" else ledger[counts] == ""
    by_context = ledger[is_counted].groupby(["pair", "context"])[column]

    for row in table.to_dict("records"):
        ratings = by_context.get_group((row["pair"], row["context"]))
        n_each = np.array([(ratings == point).sum() for point in range(7)])
        assert row[f"n_{kind}"] == len(ratings) == n_each.sum()
        shares = [row[f"{kind}_{point}"] for point in range(7)]
        assert shares == pytest.approx((n_each / n_each.sum()).tolist())
        expected = measure_disagreement(n_each[None]).iloc[0]
        assert {name: row[f"{name}_{kind}"] for name in expected.index} == expected.to_dict()


def test_calibration_and_filtering_change_the_distributions(table):
    assert (table["n_used"] < table["n_given"]).any()
    assert (table["used_3"] != table["given_3"]).any()


def test_the_json_and_the_parquet_file_have_the_table(shifted_outcome, table):
    read = json.loads(render_distributions(table, shifted_outcome, "sl"))

    assert (read["language"], read["points"]) == ("sl", list(range(7)))
    assert read["scale"] == {"minimum": 0, "maximum": 6, "step": 1}
    assert [(one["pair"], one["context"]) for one in read["contexts"]] == [
        (pair, context) for pair in range(1, 41) for context in (1, 2)
    ]
    for kind in ("given", "used"):
        flat = pd.DataFrame(
            {"n": one["n"], "entropy": one["entropy"], "polarisation": one["polarisation"],
             "agreement": one["agreement"], **dict(enumerate(one["shares"]))}
            for one in (context[kind] for context in read["contexts"])
        )  # fmt: skip
        names = [f"{name}_{kind}" for name in flat.columns[:4]]
        expected = table[names + [f"{kind}_{point}" for point in range(7)]]
        assert flat.to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-11)
    parquet = pd.read_parquet(io.BytesIO(write_distributions_parquet(table)))
    pd.testing.assert_frame_equal(parquet, table, check_dtype=False)


def test_distributions_on_a_scale_of_two_points_have_no_agreement():
    ratings = pd.DataFrame(
        {"pair": 1, "context": [1, 1, 2, 2], "annotator": list("ABAB"), "rating": [-1, 1, 1, 1]}
    )
    recipe = read_recipe("raw", ["scale.minimum=-1", "scale.maximum=1", "scale.step=2"])
    outcome = post_process(ratings, recipe, n_pairs=1)

    table = measure_distributions(outcome)

    assert table.columns[6:8].tolist() == ["given_-1", "given_1"]
    assert table["agreement_used"].isna().all()
    assert json.loads(render_distributions(table, outcome, "sl"))["contexts"][0]["used"] == {
        "n": 2, "entropy": 1, "polarisation": 1, "agreement": None, "shares": [0.5, 0.5]
    }  # fmt: skip


def test_a_calibrated_rating_between_two_points_counts_at_the_nearest():
    ratings = pd.DataFrame(
        {"pair": [1, 1, 1, 1] * 2, "context": [1, 1, 2, 2] * 2, "annotator": list("AAAABBBB"),
         "rating": [0, 0, 0, 0, 6, 6, 6, 6], "group": "1"}
    ).drop_duplicates(["context", "annotator"])  # fmt: skip
    recipe = read_recipe("raw", ["calibration.enabled=true", "calibration.step=0.4"])

    table = measure_distributions(post_process(ratings, recipe, n_pairs=1))

    assert table[["used_0", "used_6"]].to_numpy().tolist() == [[0.5, 0.5]] * 2
