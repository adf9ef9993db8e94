import pytest

from surveys.contexts.candidates import begin_study
from surveys.models import Study


@pytest.fixture
def blank(ana) -> Study:
    """A draft for which candidates are still to be found."""
    return begin_study(None, Study(slug="words", language="en", ratings_per_context=2), ana)
