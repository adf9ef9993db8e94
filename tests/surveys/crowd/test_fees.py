"""Fees of a provider: Amazon's final price list, in whole cents; and what an hour is paid."""

import pytest

from surveys.crowd.batches.offer import find_pace
from surveys.crowd.fees import (
    estimate_hits,
    hourly_cents,
    is_low_wage,
    rates_of,
    round_reserved,
    round_shown,
    split_places,
)
from surveys.study.design import configure_study
from surveys.study.planning.durations import introduction_seconds
from tests.factories.studies import make_study


@pytest.mark.parametrize(
    ("reward", "n_places", "fee"),
    [(1, 9, 1), (5, 9, 1), (12, 9, 2), (13, 9, 3), (50, 9, 10), (12, 10, 5), (50, 10, 20)],
)
def test_the_fee_for_a_place_is_that_of_the_price_list(reward, n_places, fee):
    rates = rates_of("production")

    assert round_shown(rates.of_reward(reward, n_places=n_places)) == fee


@pytest.mark.parametrize(("reward", "fee"), [(1, 1), (5, 1), (6, 2), (12, 3), (13, 3), (50, 10)])
def test_what_is_reserved_is_rounded_up(reward, fee):
    assert round_reserved(rates_of("simulator").of_reward(reward)) == fee


@pytest.mark.parametrize(("places_a_hit", "n_hits", "total"), [(9, 12, 6000), (100, 1, 7000)])
def test_a_hundred_places_at_half_a_dollar(places_a_hit, n_hits, total):
    estimate = estimate_hits(rates_of("sandbox"), 50, split_places(100, places_a_hit))

    assert (estimate.n_hits, estimate.wages_cents, estimate.total_cents) == (n_hits, 5000, total)


def test_masters_cost_another_twentieth_and_bonuses_a_fifth():
    rates = rates_of("production")

    assert rates.of_reward(100, for_masters=True) == 25
    assert (rates.of_bonus(100), rates.of_bonus(1)) == (20, 1)


@pytest.mark.parametrize("provider", ["prolific", "link"])
def test_a_provider_without_bills_has_no_rates(provider):
    assert rates_of(provider).of_reward(100) == 0


def test_a_wage_below_the_configured_one_is_low(settings):
    settings.LOWEST_WAGE_CENTS = 800

    assert hourly_cents(50, 4.0) == 750
    assert (is_low_wage(799), is_low_wage(800)) == (True, False)


@pytest.mark.every_database  # aggregated
@pytest.mark.django_db
def test_the_pace_of_a_reward_includes_the_introduction():
    study = configure_study(make_study(4), seconds_per_item=60)
    minutes = round(introduction_seconds(study) / 60, 1)

    pace = find_pace(study)

    assert (pace.texts_minutes, pace.introduction_minutes) == (4, minutes)
    assert pace.minutes == 4 + minutes
    assert pace.hourly_cents(100) == round(6000 / (4 + minutes))
    assert pace.later_hourly_cents(100) == 1500
