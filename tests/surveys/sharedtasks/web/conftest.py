from datetime import datetime
from types import SimpleNamespace

import pytest
from django.utils import timezone

from tests.factories.clients import client_of
from tests.factories.sharedtasks import START, make_phase, make_shared_task, make_team


@pytest.fixture
def clock(monkeypatch):
    """The time of requests, which stands still at START until a test sets it."""
    clock = SimpleNamespace(at=START)

    def now() -> datetime:
        return clock.at

    monkeypatch.setattr("surveys.web.timing.timezone", SimpleNamespace(now=now))
    return clock


@pytest.fixture
def stopped_budgets(monkeypatch):
    """Let no check be restored while a test runs."""
    now = timezone.now()
    monkeypatch.setattr("surveys.access.sign_in_limits.timezone", SimpleNamespace(now=lambda: now))


@pytest.fixture
def shared_task(ana):
    return make_shared_task(ana, terms="Be *fair*.")


@pytest.fixture
def phase(shared_task):
    return make_phase(shared_task)


@pytest.fixture
def team(shared_task):
    return make_team(shared_task)


@pytest.fixture
def captain(team):
    return client_of("otters")
