from datetime import datetime
from types import SimpleNamespace

import pytest
from django.utils import timezone

from tests.factories.clients import client_of
from tests.factories.sharedtasks import START


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
def leader(team):
    return client_of("otters")
