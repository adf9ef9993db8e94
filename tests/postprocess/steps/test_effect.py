import pytest

from postprocess.steps.effect import measure_effect
from tests.factories.ratings import outcome_of, simulate_study
from tests.postprocess.steps.test_comparison import outcome


def test_measure_effect_lists_annotators_and_scores():
    # cosimlex moves E down by 1 and leaves out D and G; see test_comparison
    effect = measure_effect(outcome("raw"), outcome("cosimlex"))

    assert (effect.n_ratings, effect.n_used, effect.n_moved) == (32, 24, 4)
    assert effect.excluded == {"below the correlation bound": 8}
    assert effect.annotators["annotator"].tolist() == ["D", "G", "E"]
    assert effect.annotators["shift"].tolist()[-1] == -1
    scores = effect.scores
    changed = scores[(scores["pair"] == 1) & (scores["context"] == 1)].iloc[0]
    assert changed["as_given"] == pytest.approx(1.25 * 10 / 6)
    assert changed["score"] == pytest.approx(1 / 3 * 10 / 6)
    assert changed["difference"] == pytest.approx(-11 / 12 * 10 / 6)
    assert scores["difference"].abs().is_monotonic_decreasing


def test_measure_effect_agrees_with_loops_over_the_ledger():
    ratings = simulate_study(40)
    as_given, scored = outcome_of(ratings, "raw"), outcome_of(ratings)

    effect = measure_effect(as_given, scored)

    rows = scored.ledger.to_dict("records")
    used = [row for row in rows if row["reason"] == ""]
    assert effect.n_used == len(used)
    assert effect.n_moved == sum(row["calibrated"] != row["rating"] for row in used)
    assert sum(effect.excluded.values()) == len(rows) - len(used)
    left_out = effect.annotators[effect.annotators["n_used"] == 0]
    assert set(left_out["annotator"]) == {r["annotator"] for r in rows if r["reason"]}
    for row in effect.scores.to_dict("records"):
        column, pair = f"sim{row['context']}", row["pair"]
        assert row["score"] == scored.scores.loc[pair, column]
        assert row["as_given"] == as_given.scores.loc[pair, column]


def test_measure_effect_of_no_steps_is_nothing():
    effect = measure_effect(outcome("raw"), outcome("raw"))

    assert (effect.n_used, effect.n_moved, effect.excluded) == (32, 0, {})
    assert effect.annotators.empty
    assert effect.scores.empty
