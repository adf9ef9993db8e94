import pytest

from surveys.models import Release
from tests.factories.repositories import make_complete_release


@pytest.fixture
def release(db: None) -> Release:
    return make_complete_release()
