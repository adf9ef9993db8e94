from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.test import Client

from surveys.access.roles import grant_role
from surveys.models import Role
from tests.factories import make_study
from tests.mturk.stage import Stage, running_simulator

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def no_target_answers(settings, monkeypatch):
    """Unless a test has one run; and nobody waits before asking again."""
    settings.MTURK_SIMULATOR_URL = NOWHERE
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda seconds: None))


@pytest.fixture
def platform(no_target_answers, settings) -> Iterator[Stage]:
    """A simulator of this test's own, as the target that the site asks."""
    with running_simulator() as stage:
        settings.MTURK_SIMULATOR_URL = stage.url
        yield stage


@pytest.fixture
def study(db):
    return make_study(2)


@pytest.fixture
def sign_in(study):
    """A browser in which somebody with a role in the study is signed in; None for no role."""

    def make(role: Role | None, name: str = "ana") -> Client:
        user = User.objects.create_user(name, password="correct horse")
        if role is not None:
            grant_role(study, user, role)
        client = Client()
        client.force_login(user)
        return client

    return make
