import numpy as np
import pandas as pd
import pytest
from scipy import stats

from postprocess.statistics.means import mean_intervals
from postprocess.steps import score_intervals as module
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import read_recipe
from postprocess.steps.score_intervals import score_intervals

ENDS = ["low", "high", "error"]


def outcome_of(ratings, recipe="cosimlex", *changes):
    columns = [
        name for name in ("pair", "context", "annotator", "rating", "group") if name in ratings
    ]
    recipe = read_recipe(recipe, changes)
    return post_process(ratings[columns], recipe, n_pairs=int(ratings["pair"].max()))


@pytest.fixture
def shifted(simulated):
    """Ratings of four groups, one of them with gaps, of which calibration moves some."""
    ratings = simulated()
    is_high = ratings["annotator"].isin(["1A00", "2B01"])
    return ratings.assign(rating=(ratings["rating"] + 2 * is_high).clip(upper=6).astype(int))


def leave_out_one_by_one(ratings, recipe):
    """Return the squared errors of scores and changes, by running all steps for each annotator."""
    squares = {"sim1": 0, "sim2": 0, "change": 0}
    for _, members in ratings.groupby("group")["annotator"]:
        names = sorted(set(members))
        left = [outcome_of(ratings[ratings["annotator"] != one], recipe).scores for one in names]
        for figure in squares:
            values = np.array([scores[figure] for scores in left])
            k = len(names)
            squares[figure] = squares[figure] + (k - 1) / k * ((values - values.mean(0)) ** 2).sum(
                0
            )
    return squares


def test_errors_are_those_of_all_steps_without_each_annotator(shifted):
    outcome = outcome_of(shifted)

    found = score_intervals(outcome)

    assert (outcome.annotators["shift"] != 0).any()
    assert (outcome.annotators["decision"] == "left out").any()
    for figure, squares in leave_out_one_by_one(shifted, "cosimlex").items():
        assert found[f"{figure}_error"].to_numpy() == pytest.approx(np.sqrt(squares))
        assert found[figure].equals(outcome.scores[figure])


def test_intervals_without_steps_are_those_of_student(shifted):
    outcome = outcome_of(shifted[shifted["block"] == 1], "raw")

    found = score_intervals(outcome)

    for context in (1, 2):
        ends = found[[f"sim{context}_low", f"sim{context}_high"]].to_numpy()
        assert ends == pytest.approx(mean_intervals(outcome.scores, context, 0, 10))


def test_intervals_of_changes_without_steps_are_those_of_welch(simulated):
    ratings = simulated()
    outcome = outcome_of(ratings[ratings["block"] == 1], "raw")

    found = score_intervals(outcome)

    scores = outcome.scores
    for pair, row in found.iterrows():
        n, mean, sd = (scores.loc[pair, [f"{name}1", f"{name}2"]] for name in ("n", "sim", "stdev"))
        test = stats.ttest_ind_from_stats(
            mean.iloc[1],
            sd.iloc[1],
            n.iloc[1],
            mean.iloc[0],
            sd.iloc[0],
            n.iloc[0],
            equal_var=False,
        )
        is_apart = row["change_low"] > 0 or row["change_high"] < 0
        assert is_apart == (test.pvalue < 0.05)
        assert row["change_error"] == pytest.approx(abs(row["change"] / test.statistic))


def test_annotators_of_both_contexts_are_left_out_of_both(ratings_of):
    # The same four annotators; change of each 1 2 3 2, mean 2, so its error is sqrt(2/3/4)
    first = ratings_of(group="1", A=[1], B=[2], C=[3], D=[4])
    second = ratings_of(group="2", A=[2], B=[4], C=[6], D=[6]).assign(context=2)
    outcome = outcome_of(pd.concat([first, second]), "raw", "rescaling.maximum=6")

    found = score_intervals(outcome).iloc[0]

    error = np.sqrt(2 / 3 / 4)
    assert found["change_error"] == pytest.approx(error)
    assert found["change_high"] - 2 == pytest.approx(stats.t.ppf(0.975, 3) * error)


def test_contexts_rated_by_two_groups_are_those_of_all_their_annotators(ratings_of):
    parts = [
        ratings_of(group="1", A=[0, 2], B=[2, 3], C=[4, 1]),
        ratings_of(group="2", D=[1, 6], E=[5, 4]),
        ratings_of(group="3", F=[3, 3], G=[3, 3]).assign(context=2),
    ]
    ratings = pd.concat(parts)

    found = score_intervals(outcome_of(ratings, "raw"))

    squares = leave_out_one_by_one(ratings, "raw")
    assert found["sim1_error"].to_numpy() == pytest.approx(np.sqrt(squares["sim1"]))
    assert found[["sim2_low", "sim2_high"]].to_numpy().tolist() == [[5, 5]] * 2
    assert found["change_error"].to_numpy() == pytest.approx(found["sim1_error"].to_numpy())


def test_intervals_end_at_the_scale(ratings_of):
    first = ratings_of(group="1", A=[6], B=[6], C=[3])
    second = ratings_of(group="2", D=[0], E=[0], F=[3]).assign(context=2)

    found = score_intervals(outcome_of(pd.concat([first, second]), "raw")).iloc[0]

    assert (found["sim1_high"], found["sim2_low"], found["change_low"]) == (10, 0, -10)


def test_intervals_are_undefined_if_one_annotator_gave_all_ratings_of_a_context(ratings_of):
    first = ratings_of(group="1", A=[1, 2], B=[None, 3], C=[None, 4])
    second = ratings_of(group="2", D=[5, 2]).assign(context=2)

    found = score_intervals(outcome_of(pd.concat([first, second]), "raw"))

    assert np.isnan(found[["sim1_low", "sim2_high", "change_error"]].iloc[0]).all()
    assert not np.isnan(found["sim1_low"].iloc[1])
    assert np.isnan(found["sim2_low"]).all()


def test_large_groups_are_left_out_in_parts(monkeypatch):
    rng = np.random.default_rng(4)
    rows = [(1, context, f"{context}{who:03}", rating, str(context)) for context in (1, 2)
            for who, rating in enumerate(rng.integers(0, 7, 300))]  # fmt: skip
    ratings = pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])
    outcome = outcome_of(ratings, "raw")
    stages = []

    found = score_intervals(outcome, progress=lambda *stage: stages.append(stage)).iloc[0]

    student = np.sqrt((outcome.scores["stdev1"] ** 2 / outcome.scores["n1"]).iloc[0])
    assert found["sim1_error"] == pytest.approx(student, rel=0.3)
    assert stages == [("leaving out annotators", part, 40) for part in range(module.MOST_PARTS)]


def test_intervals_do_not_depend_on_the_order_of_rows_and_the_unit(shifted):
    found = score_intervals(outcome_of(shifted))
    other = shifted.sample(frac=1, random_state=1)
    other = other.assign(annotator="x" + other["annotator"])

    doubled = score_intervals(outcome_of(other, "cosimlex", "rescaling.maximum=20"))

    pd.testing.assert_frame_equal(doubled, 2 * found)
