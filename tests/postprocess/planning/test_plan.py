import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from postprocess.planning.plan import cost_of, plan_study, power_curve, wilson_interval
from postprocess.planning.question import Costs, PlanError, Question
from postprocess.planning.rating_models import RatingModels, models_of_ratings, shift_models
from postprocess.table.ratings import Scale

MIDDLE = RatingModels(np.array([[0.02, 0.08, 0.2, 0.4, 0.2, 0.08, 0.02]]), width=10 / 6)
COSTS = Costs(pairs=100)


def rng(seed=1):
    return np.random.default_rng(seed)


def question(**changes):
    return Question(**{"changes": (2.0,), "most": 30, "simulations": 2000, **changes})


# --- power ----------------------------------------------------------------------------------


def test_power_curve_of_few_annotators_by_hand():
    # Two against two: at best U = 4, z = 1.5/√(4/12 · (5 - 12/12)) = 1.3, p = 0.10: never below
    # 0.05. Three against three, all apart: z = 4/√(9/12 · 7) = 1.75 or more, p = 0.04 or less
    apart = RatingModels(np.array([[0.98, 0.01, 0.01]]), width=5)

    curve = power_curve(apart, 9.6, question(most=3), rng=rng())

    assert curve["n"].tolist() == [2, 3]
    assert curve["power"].iloc[0] == 0
    assert curve["power"].iloc[1] > 0.8


def test_power_curve_counts_only_the_right_direction():
    curve = power_curve(MIDDLE, 1e-6, question(alpha=0.3), rng=rng())

    # of no change to speak of, half of what is found points the right way
    ratio = curve["power"].iloc[10:].sum() / curve["false_alarms"].iloc[10:].sum()
    assert ratio == pytest.approx(0.5, abs=0.03)


def test_power_curve_has_false_alarms_of_at_most_twice_alpha():
    curve = power_curve(MIDDLE, 1.0, question(simulations=5000), rng=rng())

    assert curve["false_alarms"].max() < 0.115
    assert curve["false_alarms"].iloc[-1] > 0.07


def test_power_curve_grows_with_n_and_with_the_change():
    curves = [power_curve(MIDDLE, d, question(), rng=rng())["power"] for d in (1.0, 2.0, 3.0)]

    for curve in curves:
        assert np.diff(curve.rolling(5).mean().dropna()).min() > -0.02
    assert (curves[2] >= curves[1] - 0.02).all()
    assert (curves[1] >= curves[0] - 0.02).all()


def test_power_curve_is_smooth():
    # every experiment keeps its ratings when an annotator is added
    power = power_curve(MIDDLE, 1.5, question(most=40), rng=rng())["power"].to_numpy()

    assert np.abs(np.diff(power[20:], 2)).max() < 0.03


def test_plans_from_pilots_are_near_the_truth():
    # half of the contexts are narrow, half are wide: n is simulated from the true distributions,
    # and planned from the ratings of 30 pairs by 10 annotators
    steps = np.arange(7)
    bells = [np.exp(-((steps - m) ** 2) / (2 * s**2)) for s in (0.8, 1.6) for m in range(1, 6)]
    truth = RatingModels(np.array([bell / bell.sum() for bell in bells]), 10 / 6)
    asked = question(changes=(2.0, 3.0), most=40)
    true_n = plan_study(truth, asked, COSTS, rng=rng()).table["n"]

    chance, planned = rng(2), []
    for _ in range(8):
        which = chance.integers(0, len(bells), 60)
        points = [chance.choice(7, 10, p=truth.probabilities[one]) for one in which]
        table = pd.DataFrame({"rating": np.concatenate(points)})
        table = table.assign(pair=np.arange(600) // 20 + 1, context=np.arange(600) // 10 % 2 + 1)
        models = models_of_ratings(table, Scale(), Scale(0, 10))
        planned.append(plan_study(models, asked, COSTS, rng=chance).table["n"])

    ratios = np.mean(planned, axis=0) / true_n
    assert (ratios > 0.93).all()
    assert (ratios < 1.12).all()


def test_power_curve_is_the_same_for_the_same_seed_only():
    one, same, other = (power_curve(MIDDLE, 2.0, question(), rng=rng(s)) for s in (1, 1, 2))

    assert one.equals(same)
    assert not one.equals(other)
    assert np.abs(one["power"] - other["power"]).max() < 0.06


def test_power_curve_refuses_a_change_without_room():
    with pytest.raises(PlanError, match="no context has room on the scale for a change of 9"):
        power_curve(MIDDLE, 9, question(), rng=rng())


@pytest.mark.parametrize("change", [1.0, 1.5, 2.0])
def test_plan_study_is_near_to_noethers_formula(change):
    # n of each side = (z_alpha + z_beta)² / (6 · (P - ½)²), where P is the chance that the
    # second rating is the higher one, ties counting half; made for no ties, so it asks for more
    shifted, _ = shift_models(MIDDLE, change)
    p, q = MIDDLE.probabilities[0], shifted.probabilities[0]
    higher = float((np.cumsum(p) - p / 2) @ q)
    noether = (norm.ppf(0.95) + norm.ppf(0.8)) ** 2 / (6 * (higher - 0.5) ** 2)

    plan = plan_study(
        MIDDLE, question(changes=(change,), most=80, simulations=8000), COSTS, rng=rng()
    )

    assert 0.8 * noether < plan.table.loc[0, "n"] < 1.15 * noether


def test_plan_study_answers_for_each_change():
    plan = plan_study(MIDDLE, question(changes=(2.0, 3.0)), COSTS, rng=rng())

    table = plan.table.set_index("change")
    assert table.index.tolist() == [2, 3]
    assert table.loc[2.0, "n"] > table.loc[3.0, "n"]
    for change, row in table.iterrows():
        assert row["n_low"] <= row["n"] <= row["n_high"]
        assert row["power_low"] < row["power"] < row["power_high"]
        curve = plan.curve[plan.curve["change"] == change].set_index("n")["power"]
        assert (curve.loc[row["n"] :] >= 0.8).all()
        assert curve.loc[row["n"] - 1] < 0.8
        assert row["ratings"] == 200 * row["n"]


def test_plan_study_has_no_figures_if_no_number_is_enough():
    plan = plan_study(MIDDLE, question(changes=(0.1,), most=5), COSTS, rng=rng())

    assert plan.table.drop(columns="change").isna().all(axis=None)
    assert len(plan.curve) == 4


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"changes": ()}, "changes must be above 0"),
        ({"changes": (1.0, -2.0)}, "changes must be above 0"),
        ({"changes": (math.nan,)}, "changes must be above 0"),
        ({"power": 1.0}, "power must lie between 0 and 1"),
        ({"alpha": 0.0}, "alpha must lie between 0 and 1"),
        ({"most": 1}, "at least 2 annotators"),
        ({"simulations": 10}, "100 simulations or more"),
    ],
)
def test_question_refuses_nonsense(wrong, message):
    with pytest.raises(PlanError, match=message):
        Question(**wrong)


@pytest.mark.parametrize(("n_found", "n_tried"), [(0, 10), (10, 10), (1, 3), (800, 1000)])
def test_wilson_interval_solves_its_equation(n_found, n_tried):
    # the ends are where |share - p| = z · √(p(1-p)/n)
    share = n_found / n_tried

    for p in wilson_interval(n_found, n_tried):
        assert abs(share - p) == pytest.approx(
            norm.ppf(0.975) * math.sqrt(p * (1 - p) / n_tried), abs=1e-7
        )


# --- cost -----------------------------------------------------------------------------------


def test_cost_of_by_hand():
    # 110 pairs: 6 blocks of 20 or fewer, 12 questionnaires. 11 used of 12 paid (8 % left out):
    # 144 sittings, 2640 ratings. 2640 · 30 s = 22 h, 144 · 5 min = 12 h; 34 h · 10 = 340, + 25 %
    costs = Costs(
        pairs=110,
        seconds_per_item=30,
        minutes_before=5,
        left_out_percent=8,
        pay_per_hour=10,
        fee_percent=25,
    )

    assert cost_of(11, costs) == {
        "ratings": 2640,
        "annotators": 24,
        "sittings": 144,
        "hours": 34.0,
        "cost": 425.0,
    }


def test_cost_of_counts_no_one_too_many_for_float_noise():
    assert cost_of(9, Costs(pairs=1, left_out_percent=10))["annotators"] == 20


def test_cost_of_without_pay_is_not_known():
    assert math.isnan(cost_of(10, COSTS)["cost"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"pairs": 0},
        {"pairs": 1, "block_size": 0},
        {"pairs": 1, "seconds_per_item": -1},
        {"pairs": 1, "pay_per_hour": math.inf},
        {"pairs": 1, "fee_percent": math.nan},
        {"pairs": 1, "left_out_percent": 100},
    ],
)
def test_costs_refuse_nonsense(wrong):
    with pytest.raises(PlanError):
        Costs(**wrong)
