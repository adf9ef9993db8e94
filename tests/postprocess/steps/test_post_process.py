import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.steps import core
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import Recipe, read_recipe
from postprocess.table.ratings import RatingsError

PEOPLE = 5
TABLES = st.lists(
    st.lists(st.integers(0, 6), min_size=PEOPLE, max_size=PEOPLE), min_size=3, max_size=8
)

KEEPING = ("cosimlex", "filtering.enabled=false")


def table(by_pair, *, marks=None):
    """Ratings of each pair: the same annotators rate context 1, as many others context 2."""
    rows = [
        (pair, context, f"{'AB'[context - 1]}{person}", rating, str(context))
        for pair, ratings in enumerate(by_pair, 1)
        for context in (1, 2)
        for person, rating in enumerate(ratings if context == 1 else ratings[::-1])
    ]
    ratings = pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])
    return ratings if marks is None else ratings.assign(mark=marks)


def run(ratings, recipe="cosimlex", *changes, **more):
    n_pairs = int(ratings["pair"].max())
    return post_process(ratings, read_recipe(recipe, changes), n_pairs=n_pairs, **more)


@settings(max_examples=15)
@given(TABLES, st.randoms(use_true_random=False))
def test_post_process_keeps_whole_ratings_whole_and_does_not_depend_on_row_order(by_pair, random):
    ratings = table(by_pair)
    order = list(range(len(ratings)))
    random.shuffle(order)

    one, other = outcome_or_refusal(ratings), outcome_or_refusal(ratings.iloc[order])

    if isinstance(one, str):
        assert one == other
    else:
        assert pd.api.types.is_integer_dtype(one.used["rating"])
        assert one.used["rating"].between(0, 6).all()
        for name in ("ledger", "annotators", "scores", "used"):
            pd.testing.assert_frame_equal(
                getattr(one, name), getattr(other, name), check_exact=True
            )


@settings(max_examples=15)
@given(TABLES)
def test_post_process_does_not_depend_on_names(by_pair):
    ratings = table(by_pair)
    turned = {name: f"Z{9 - int(name[1])}{name[0]}" for name in ratings["annotator"].unique()}

    one = outcome_or_refusal(ratings)
    other = outcome_or_refusal(ratings.assign(annotator=ratings["annotator"].map(turned)))

    if isinstance(one, str):
        assert one == other
    else:
        pd.testing.assert_frame_equal(one.scores, other.scores, check_exact=True)
        renamed = one.annotators.assign(annotator=one.annotators["annotator"].map(turned))
        renamed = renamed.sort_values(["group", "annotator"], ignore_index=True)
        pd.testing.assert_frame_equal(renamed, other.annotators, rtol=1e-9)


@settings(max_examples=15)
@given(TABLES)
def test_post_process_turns_scores_with_the_contexts(by_pair):
    ratings = table(by_pair)

    one = run(ratings, *KEEPING)
    other = run(ratings.assign(context=3 - ratings["context"]), *KEEPING)

    for first, second in (("sim1", "sim2"), ("stdev1", "stdev2"), ("n1", "n2")):
        assert one.scores[first].tolist() == other.scores[second].tolist()
    assert one.scores["pvalue"].tolist() == pytest.approx(other.scores["pvalue"].tolist())
    assert one.scores["delta"].tolist() == pytest.approx((-other.scores["delta"]).tolist())
    assert one.scores["change"].tolist() == (-other.scores["change"]).tolist()


@settings(max_examples=15)
@given(TABLES, st.integers(-3, 3))
def test_post_process_of_a_moved_scale_gives_the_same(by_pair, constant):
    ratings = table(by_pair)
    moved = ratings.assign(rating=ratings["rating"] + constant)
    ends = [f"scale.minimum={constant}", f"scale.maximum={6 + constant}"]

    one, other = run(ratings, *KEEPING), run(moved, *KEEPING, *ends)

    pd.testing.assert_frame_equal(one.scores, other.scores, rtol=1e-9)
    figures = ["shift", "n_clipped", "rho", "reason"]
    pd.testing.assert_frame_equal(one.annotators[figures], other.annotators[figures], rtol=1e-9)


@settings(max_examples=15)
@given(TABLES)
def test_post_process_of_everybody_twice_gives_the_same_scores(by_pair):
    ratings = table(by_pair)
    twins = ratings.assign(annotator=ratings["annotator"] + "'")

    one, other = run(ratings, *KEEPING), run(pd.concat([ratings, twins]), *KEEPING)

    for figure in ("sim1", "sim2", "median1", "median2", "change", "delta"):
        assert one.scores[figure].tolist() == pytest.approx(other.scores[figure].tolist())
    assert (other.scores["n1"] == 2 * one.scores["n1"]).all()
    assert (other.scores["pvalue"] <= one.scores["pvalue"]).all()
    assert other.annotators["shift"].tolist() == one.annotators["shift"].repeat(2).tolist()


def outcome_or_refusal(ratings):
    try:
        return run(ratings)
    except RatingsError as error:
        return str(error)


def test_post_process_accounts_for_every_rating():
    marks = [""] * 30
    marks[0], marks[1], marks[7] = "withdrawn", "cannot judge", "rejected"
    ratings = table([[0, 1, 2, 3, 4], [2, 2, 3, 4, 6], [1, 3, 3, 5, 6]], marks=marks)
    ratings.loc[1, "rating"] = np.nan

    outcome = run(ratings, "raw", "exclusion.rejected_engagement=true")

    ledger = outcome.ledger
    assert len(ledger) == 30
    left_out = ledger[ledger["reason"] != ""]
    assert left_out[["pair", "context", "annotator", "reason"]].values.tolist() == [
        [1, 1, "A0", "withdrawn"],
        [1, 1, "A1", "cannot judge"],
        [1, 2, "B2", "engagement rejected"],
    ]
    assert left_out["calibrated"].isna().all()
    assert outcome.annotators.loc[0, ["n_ratings", "n_used"]].tolist() == [3, 2]
    assert outcome.scores.loc[1, ["n1", "n2"]].tolist() == [3, 4]
    assert len(outcome.used) == 27


def test_post_process_of_a_marked_rating_is_as_without_it():
    by_pair = [[0, 1, 2, 3, 4], [2, 2, 3, 4, 6], [1, 3, 3, 5, 6], [0, 2, 2, 6, 6]]
    ratings = table(by_pair)
    is_first = ratings["annotator"] == "A0"
    marked = ratings.assign(mark=np.where(is_first, "replaced", ""))

    one, other = run(marked), run(ratings[~is_first])

    pd.testing.assert_frame_equal(one.scores, other.scores, check_exact=True)
    assert one.annotators.loc[0, ["annotator", "n_used", "decision", "reason"]].tolist() == [
        "A0",
        0,
        "left out",
        "round replaced",
    ]
    pd.testing.assert_frame_equal(
        one.annotators.iloc[1:].reset_index(drop=True), other.annotators, check_dtype=False
    )


def test_post_process_names_the_step_that_leaves_no_ratings():
    ratings = table([[1]], marks=["rejected", ""])

    with pytest.raises(RatingsError, match="after leaving out what does not count, contexts"):
        run(ratings)
    with pytest.raises(
        RatingsError, match=r"^contexts without ratings: pair 1 context 2.*leave these pairs out"
    ):
        run(ratings.iloc[:1])


def test_post_process_leaves_out_failed_checkpoints_before_calibration():
    ratings = table([[0, 0, 6], [0, 0, 6], [0, 1, 6]])
    checks = pd.DataFrame(
        {"group": ["1"], "annotator": ["A2"], "rating": [6], "lowest": [0], "highest": [1]}
    )

    outcome = run(ratings, "cosimlex", "exclusion.most_failed_checkpoints=0", checks=checks)

    who = outcome.annotators.set_index("annotator")
    assert who.loc["A2", ["decision", "reason"]].tolist() == ["left out", "failed checkpoint"]
    assert who.loc["A0", "group_mean"] == pytest.approx(1 / 6)  # of A0 and A1 alone


def test_post_process_without_steps_still_computes_the_figures():
    outcome = run(table([[0, 1, 5], [1, 2, 6], [2, 3, 5]]), "raw")

    who = outcome.annotators
    assert who["decision"].unique().tolist() == ["kept"]
    assert (who["shift"] == 0).all()
    assert who[["mean", "rho", "bound"]].notna().all().all()
    assert (outcome.ledger["calibrated"] == outcome.ledger["rating"]).all()


def test_post_process_reports_progress_to_the_end():
    calls = []

    run(table([[0, 1, 5], [1, 2, 6], [2, 3, 5]]), progress=lambda *one: calls.append(one))

    assert [stage for stage, *_ in calls] == ["checking", "calibrating", "filtering", "scoring"]
    assert calls[-1][1:] == (3, 3)


def test_post_process_of_many_identical_ratings_is_exact():
    n = 50_000
    ratings = pd.DataFrame(
        {
            "pair": 1,
            "context": np.repeat([1, 2], n),
            "annotator": [f"A{i}" for i in range(2 * n)],
            "rating": 1,
            "group": np.repeat(["1", "2"], n),
        }
    )

    scores = post_process(ratings, read_recipe("raw"), n_pairs=1).scores.loc[1]

    assert scores[["sim1", "sim2"]].tolist() == pytest.approx([10 / 6] * 2, rel=1e-12)
    assert scores[["stdev1", "stdev2", "pvalue", "delta"]].tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("scale", "ratings", "expected"),
    [
        ((0, 6, 0.25), [0.25, 0.5], 0.625),
        ((1, 7, 1), [1, 7], 5),
        ((-3, 3, 1), [-3, 0], 2.5),
        ((0, 100, 1), [37, 38], 3.75),
    ],
)
def test_post_process_supports_other_scales(scale, ratings, expected):
    both = pd.DataFrame(
        {"pair": 1, "context": [1, 1, 2, 2], "annotator": list("ABCD"), "rating": ratings * 2}
    )
    changes = [f"scale.{n}={x}" for n, x in zip(("minimum", "maximum", "step"), scale, strict=True)]

    assert run(both, "raw", *changes).scores.loc[1, "sim1"] == pytest.approx(expected)


def test_the_default_recipe_is_that_of_the_published_files():
    assert Recipe().name == "cosimlex"


@pytest.mark.parametrize("changes", [(), ("calibration.threshold=0.5", "filtering.gain_share=0.2")])
def test_post_process_does_not_depend_on_the_number_of_cores(changes, monkeypatch):
    rng = np.random.default_rng(5)
    ratings = table(rng.integers(0, 7, (60, PEOPLE)).tolist())
    ratings = ratings[rng.random(len(ratings)) < 0.9]
    found = []
    monkeypatch.setattr(core, "CELLS_AT_ONCE", 50)
    for n_cores in (1, 2, 5):
        monkeypatch.setattr(os, "cpu_count", lambda n=n_cores: n)
        found.append(run(ratings, "cosimlex", *changes))

    for other in found[1:]:
        for one in ("ledger", "annotators", "scores"):
            pd.testing.assert_frame_equal(
                getattr(found[0], one), getattr(other, one), check_exact=True
            )
