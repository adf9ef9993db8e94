import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from surveys.access.api_tokens import all_scopes, make_token
from surveys.access.roles import grant_role
from surveys.models import Role
from tests.factories.studies import make_study


class Program:
    """A program with a token, which sends JSON."""

    def __init__(self, key: str) -> None:
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.client = Client(headers=self.headers)

    def get(self, path: str, **parameters: Any) -> Any:
        return self.client.get(f"/api/v1/{path}", parameters)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        data = b"" if body is None else json.dumps(body)
        send = getattr(self.client, method.lower())
        kind = "application/json"
        return send(f"/api/v1/{path}", data, content_type=kind, headers=headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("post", path, body, **headers)


@pytest.fixture(autouse=True)
def forgotten_throttles():
    cache.clear()


@pytest.fixture
def study(db):
    return make_study(2)


@pytest.fixture
def program(study):
    """Return a function that makes the program of a user with a role in the study, or none."""

    def make(
        role: Role | None = Role.OWNER, *scopes: str, name: str = "ana", **options: Any
    ) -> Program:
        user, _ = User.objects.get_or_create(username=name)
        if role is not None:
            grant_role(study, user, role)
        n_tokens = user.api_tokens.count()
        _, key = make_token(user, f"program {n_tokens}", scopes or list(all_scopes()), **options)
        return Program(key)

    return make


def errors_of(answer: Any) -> list[tuple[Any, ...]]:
    """What the errors of an answer are about."""
    return [tuple(error.values()) for error in answer.json()["errors"]]
