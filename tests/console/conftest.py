import pytest
from django.contrib.auth.models import User
from django.test import Client

from surveys.accessing import grant_role
from surveys.models import Role
from tests.factories import make_study


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
