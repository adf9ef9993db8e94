from typing import Any

import pytest
from django.contrib.auth.models import User

from surveys.access.api_tokens import all_scopes, make_token
from surveys.access.roles import grant_role
from surveys.models import Role
from tests.factories.programs import Program


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
