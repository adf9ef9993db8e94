import pytest

from surveys.models import Study
from tests.fixtures.providers import no_target_answers

__all__ = ["no_target_answers"]  # a fixture


@pytest.fixture
def unopened(study: Study) -> Study:
    """The test's study, as before it was opened."""
    Study.objects.update(opened_at=None)
    study.refresh_from_db()
    return study
