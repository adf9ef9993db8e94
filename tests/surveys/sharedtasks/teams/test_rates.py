from contextlib import suppress
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory
from django.utils import timezone

from surveys.access.client_address import client_address
from surveys.sharedtasks.errors import SubmissionRefused, TooManyRequests
from surveys.sharedtasks.models import TeamKind
from surveys.sharedtasks.teams import rates
from surveys.sharedtasks.teams.rates import (
    limit_checks,
    limit_registrations,
    limiting_submissions,
)
from tests.factories.sharedtasks import make_shared_task, make_team

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]

HERE, ELSEWHERE = "203.0.113.9", "198.51.100.7"


@pytest.fixture(autouse=True)
def budget_clock(monkeypatch):
    """A clock that stands still until a test moves it."""
    clock = SimpleNamespace(at=timezone.now())
    moving = SimpleNamespace(now=lambda: clock.at)
    monkeypatch.setattr("surveys.access.sign_in_limits.timezone", moving)
    return clock


def count(act, *given):
    """Return how often an action is allowed before it is refused, and the refusal."""
    for n in range(100):
        try:
            act(*given)
        except TooManyRequests as refused:
            return n, refused
    raise AssertionError("never refused")


def submit(team):
    with limiting_submissions(team):
        pass


def register(user, *addresses):
    """Register once from each address; return how many were allowed."""
    n_allowed = 0
    for address in addresses:
        with suppress(TooManyRequests):
            limit_registrations(user, address)
            n_allowed += 1
    return n_allowed


def ipv6(text):
    return client_address(RequestFactory().get("/", REMOTE_ADDR=text))


@pytest.mark.parametrize(("act", "n_allowed"), [(limit_checks, 30), (submit, 10)])
def test_a_team_has_a_number_an_hour_that_others_do_not_use(budget_clock, act, n_allowed):
    shared_task = make_shared_task()
    team, other = (make_team(shared_task, name) for name in ("Owls", "Herons"))

    n, refused = count(act, team)
    assert (n, refused.status, refused.retry_after) == (n_allowed, 429, 3600 / n_allowed)
    assert count(act, other)[0] == n_allowed

    budget_clock.at += timedelta(hours=1)
    assert count(act, team)[0] == n_allowed


def test_a_refused_submission_is_not_counted():
    team = make_team(make_shared_task())

    for _ in range(40):
        with pytest.raises(SubmissionRefused), limiting_submissions(team):
            raise SubmissionRefused("All 9 attempts are used up.")

    assert count(submit, team)[0] == 10


def test_trial_teams_of_organisers_have_no_rates():
    team = make_team(make_shared_task(), kind=TeamKind.TRIAL)

    for _ in range(40):
        limit_checks(team)
        submit(team)


def test_an_account_registers_five_teams_wherever_it_is(django_user_model):
    known, other = (django_user_model.objects.create(username=name) for name in "ab")

    assert register(known, *[HERE] * 10, ELSEWHERE) == 5
    assert register(other, HERE) == 1
    assert register(AnonymousUser(), *[HERE] * 100) == 20  # at a shared address


def test_all_networks_of_one_customer_stop_nobody_elsewhere():
    home = [ipv6(f"2001:db8:7:{n:x}::1") for n in range(0x4400, 0x4500)]

    assert register(AnonymousUser(), *home, *home) == 20
    assert register(AnonymousUser(), ipv6("2001:db8:8::1"), ELSEWHERE) == 2


def test_a_flood_of_new_accounts_from_everywhere_is_limited(monkeypatch):
    assert rates.ALL_UNKNOWN.burst == 600
    monkeypatch.setattr(rates, "ALL_UNKNOWN", rates.ALL_UNKNOWN._replace(burst=30))

    assert register(AnonymousUser(), *(f"198.51.100.{n}" for n in range(40))) == 30
