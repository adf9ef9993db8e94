import pytest
from django.contrib.auth.models import User

from surveys.models import Study
from tests.factories.selections import make_draft


@pytest.fixture
def ana(db) -> User:
    return User.objects.create_user("ana")


@pytest.fixture
def draft(ana) -> Study:
    """A draft with two pairs of three candidates each."""
    return make_draft(ana)
