"""The smallest change that a design detects, from published ratings or the study's own."""

import math
from decimal import Decimal

import pytest

from postprocess.planning.published import change_at, published_curve
from surveys.errors import SettingRefused
from surveys.study.planning import power
from surveys.study.planning.power import estimate_power, weigh_power
from surveys.study.planning.workload import Plan
from tests.factories.reviews import submit
from tests.factories.studies import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.study(n_pairs=4)]

PLAN = Plan(
    n_pairs=40, block_size=20, ratings_per_context=11, seconds_per_item=36,
    introduction_seconds=0, pay_per_hour=Decimal(10), fee_percent=Decimal(20),
)  # fmt: skip
PUBLISHED = Decimal(0), Decimal(6), Decimal(1)


def test_power_has_the_chosen_ratings_among_others_with_hours_and_cost(study):
    found = weigh_power(study, PLAN, PUBLISHED)

    assert [one.plan.ratings_per_context for one in found.outlooks] == [8, 11, 17, 22]
    assert found.chosen.change == change_at(published_curve(7), 11)
    assert found.chosen.own_change == pytest.approx(found.chosen.change * 0.6)
    assert (found.chosen.plan.n_assignments, found.chosen.plan.hours) == (44, Decimal("8.8"))
    assert found.chosen.plan.total == Decimal("105.60")
    assert (found.own, found.is_published_scale) == (None, False)


@pytest.mark.parametrize(("n", "known"), [(1, False), (2, False), (3, True), (10_000, False)])
def test_power_of_extreme_numbers_of_ratings_is_unknown(study, n, known):
    plan = Plan(
        n_pairs=4, block_size=2, ratings_per_context=n, seconds_per_item=30, introduction_seconds=0
    )

    chosen = weigh_power(study, plan, (Decimal(0), Decimal(10), Decimal("0.1"))).chosen

    assert (chosen.is_found, chosen.plan.ratings_per_context) == (known, n)
    assert math.isnan(chosen.change) != known


def test_an_estimate_needs_ratings(study):
    with pytest.raises(SettingRefused, match=r"20 contexts with 5 or more .* so far there are 0"):
        estimate_power(study)

    assert weigh_power(study, PLAN, PUBLISHED).own is None


@pytest.mark.every_database
def test_an_estimate_from_the_studys_own_ratings_is_used_from_then_on(monkeypatch):
    monkeypatch.setattr(power, "SIMULATIONS", 100)
    monkeypatch.setattr(power, "SIZES", (4, 8, 12, 24))
    monkeypatch.setattr(power, "FEWEST_CONTEXTS", 4)
    monkeypatch.setattr(power, "FEWEST_RATINGS", 1)
    study = make_study(2, ratings_per_context=2, block_size=2)
    for _ in range(4):
        submit(study)
    scale = study.scale_minimum, study.scale_maximum, study.scale_step

    estimate_power(study)

    own = weigh_power(study, PLAN, scale).own
    assert own is not None
    assert (own.n_ratings, own.n_contexts) == (8, 4)
    assert weigh_power(study, PLAN, (*scale[:2], Decimal("0.25"))).own is None
    assert weigh_power(make_study(2, slug="other"), PLAN, scale).own is None
