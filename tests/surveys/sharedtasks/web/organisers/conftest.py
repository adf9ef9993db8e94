from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories.sharedtasks import make_shared_task

NOW = datetime(2027, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def ana(db):
    return User.objects.create_user("ana", password="correct horse")


@pytest.fixture
def client(ana):
    """Return a client signed in as the organiser."""
    client = Client()
    client.force_login(ana)
    return client


@pytest.fixture
def draft(ana):
    return make_shared_task(ana, state="draft", opened_at=None, zone="UTC")


@pytest.fixture
def shared_task(ana):
    return make_shared_task(ana, zone="UTC", text="Predict.", terms="Be fair.")


@pytest.fixture(autouse=True)
def fixed_clock(monkeypatch):
    """Let each request of a page of a shared task begin at noon on 1 January 2027."""
    monkeypatch.setattr("surveys.sharedtasks.web.organisers.access.began_at", lambda request: NOW)
