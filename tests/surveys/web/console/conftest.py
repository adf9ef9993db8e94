import pytest

from tests.factories.studies import make_study
from tests.fixtures.providers import no_target_answers

__all__ = ["no_target_answers"]  # a fixture


@pytest.fixture
def study(db):
    return make_study(2)
