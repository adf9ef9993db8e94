import numpy as np

from postprocess.planning.detection import detectable_changes
from postprocess.planning.plan import plan_study
from postprocess.planning.question import Costs, Question
from postprocess.planning.rating_models import RatingModels
from postprocess.planning.text import render_detectable, render_plan

MODELS = RatingModels(np.array([[0.02, 0.08, 0.2, 0.4, 0.2, 0.08, 0.02]]), width=10 / 6)


def lines_of(costs, **changes):
    question = Question(**{"changes": (3.0,), "most": 30, "simulations": 1000, **changes})
    plan = plan_study(MODELS, question, costs, rng=np.random.default_rng(1))
    return plan.table.iloc[0], render_plan(plan, costs, currency="EUR").splitlines()


def test_render_plan_shows_the_cost():
    row, lines = lines_of(Costs(pairs=100, seconds_per_item=36, pay_per_hour=9))

    assert lines[0].split() == [
        "change", "n", "interval", "power", "false", "ratings", "people", "sittings", "hours",
        "cost",
    ]  # fmt: skip
    cells = lines[1].split()
    assert cells[:3] == ["3", f"{row['n']:.0f}", f"{row['n_low']:.0f}–{row['n_high']:.0f}"]
    assert cells[-2:] == [f"{row['n'] * 18:.2f}", "EUR"]
    assert "find 80% of such changes (p < 0.05, one-sided" in lines[3]


def test_render_plan_has_no_cost_without_pay():
    row, lines = lines_of(Costs(pairs=100))

    assert lines[1].split()[-1] == f"{row['hours']:.1f}"


def test_render_plan_shows_if_no_number_is_enough():
    _, lines = lines_of(Costs(pairs=100), changes=(0.1,), most=5)

    assert lines[1].split() == ["0.1", ">", "5"]


def test_render_detectable_shows_changes_and_costs():
    question, costs = Question(simulations=500), Costs(pairs=100, pay_per_hour=9)
    table = detectable_changes(MODELS, [2, 12], question, costs, rng=np.random.default_rng(1))

    lines = render_detectable(table, question, currency="EUR").splitlines()

    assert lines[1].split()[:3] == ["n", "change", "interval"]
    assert lines[2].split()[:3] == ["2", "none", "400"]
    row = table.iloc[1]
    interval = f"{row['change_low']:.2f}–{row['change_high']:.2f}"
    assert lines[3].split()[:4] == ["12", f"{row['change']:.2f}", interval, "2400"]
    assert lines[3].split()[-1] == "EUR"
    assert "find 80%" in lines[5]
