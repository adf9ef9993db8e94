from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from surveys.errors import TooManyRequests
from surveys.sharedtasks.teams.rates import limit_checks, limit_registrations, limit_submissions
from tests.factories.sharedtasks import make_shared_task, make_team

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]

HERE, ELSEWHERE = "203.0.113.9", "198.51.100.7"


@pytest.fixture(autouse=True)
def clock(monkeypatch):
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


@pytest.mark.parametrize(("limit", "n_allowed"), [(limit_checks, 30), (limit_submissions, 10)])
def test_a_team_has_a_number_an_hour(clock, limit, n_allowed):
    team = make_team(make_shared_task())

    n, refused = count(lambda: limit(team, HERE))
    assert (n, refused.status, refused.retry_after) == (n_allowed, 429, 3600 / n_allowed)
    assert count(limit, team, ELSEWHERE)[0] == 0

    clock.at += timedelta(hours=1)
    assert count(limit, team, HERE)[0] == n_allowed


def test_an_address_has_a_number_an_hour_whatever_the_team():
    shared_task = make_shared_task()
    teams = [make_team(shared_task, f"Team {n}") for n in range(3)]

    for n in range(10):
        limit_submissions(teams[n % 2], HERE)

    with pytest.raises(TooManyRequests, match="submissions within an hour"):
        limit_submissions(teams[2], HERE)
    limit_submissions(teams[2], ELSEWHERE)
    limit_checks(teams[2], HERE)


def test_registrations_are_limited_by_address_and_in_all():
    assert count(limit_registrations, HERE)[0] == 5
    n_elsewhere = 0
    for n in range(100):
        try:
            limit_registrations(f"192.0.2.{n}")
        except TooManyRequests:
            break
        n_elsewhere += 1

    assert n_elsewhere == 55
