import numpy as np
import pytest

from postprocess.planning.detection import detectable_changes, least_detectable_change
from postprocess.planning.plan import power_curve
from postprocess.planning.question import Costs, PlanError, Question
from postprocess.planning.rating_models import RatingModels

MIDDLE = RatingModels(np.array([[0.02, 0.08, 0.2, 0.4, 0.2, 0.08, 0.02]]), width=10 / 6)
QUESTION = Question(simulations=2000)


def rng(seed=1):
    return np.random.default_rng(seed)


def test_least_detectable_change_is_the_one_that_a_plan_needs_so_many_for():
    found = least_detectable_change(MIDDLE, 12, QUESTION, rng=rng())

    curve = power_curve(MIDDLE, found["change"], Question(most=13, simulations=8000), rng=rng(2))
    assert curve.set_index("n").loc[12, "power"] == pytest.approx(0.8, abs=0.02)
    assert found["change_low"] < found["change"] < found["change_high"]
    assert found["change_high"] - found["change_low"] < 0.3


def test_detectable_changes_fall_with_the_number_of_annotators():
    table = detectable_changes(MIDDLE, [6, 12, 24], QUESTION, Costs(pairs=100), rng=rng())

    assert table["n"].tolist() == [6, 12, 24]
    assert (np.diff(table["change"]) < -0.3).all()
    assert table["ratings"].tolist() == [1200, 2400, 4800]


def test_least_detectable_change_is_unknown_if_no_change_is_found():
    # two against two have p = 0.10 at best
    found = least_detectable_change(MIDDLE, 2, Question(simulations=200), rng=rng())

    assert np.isnan(list(found.values())).all()


def test_least_detectable_change_scales_with_the_published_scale():
    wide = RatingModels(MIDDLE.probabilities, width=100 / 6)

    one, other = (least_detectable_change(m, 12, QUESTION, rng=rng()) for m in (MIDDLE, wide))

    assert other["change"] == pytest.approx(10 * one["change"])


def test_detectable_changes_are_the_same_for_the_same_seed_only():
    one, same, other = (
        detectable_changes(MIDDLE, [8, 9], QUESTION, Costs(pairs=1), rng=rng(seed))
        for seed in (1, 1, 2)
    )

    assert one.equals(same)
    assert not one.equals(other)


def test_detectable_changes_refuse_a_single_annotator():
    with pytest.raises(PlanError, match="2 annotators per context or more are needed, got 1"):
        detectable_changes(MIDDLE, [8, 1], QUESTION, Costs(pairs=1), rng=rng())
