from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.test import Client

from mturk_simulator.tests.stage import Stage, empty_simulator
from surveys.access.roles import grant_role
from surveys.models import Role
from tests.factories.studies import make_study

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def no_target_answers(settings, monkeypatch):
    """Let no provider answer, and skip the waits between retries; `platform` starts one."""
    settings.MTURK_SIMULATOR_URL = NOWHERE
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda seconds: None))


@pytest.fixture
def platform(no_target_answers, settings) -> Iterator[Stage]:
    """Set an empty simulator as the provider that the site calls."""
    with empty_simulator() as stage:
        settings.MTURK_SIMULATOR_URL = stage.url
        yield stage


@pytest.fixture
def study(db):
    return make_study(2)


@pytest.fixture
def sign_in(study):
    """Return a client signed in as a new account with a role in the study, or without a role."""

    def make(role: Role | None, name: str = "ana") -> Client:
        user = User.objects.create_user(name, password="correct horse")
        if role is not None:
            grant_role(study, user, role)
        client = Client()
        client.force_login(user)
        return client

    return make
