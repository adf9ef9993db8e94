import pytest

from surveys.models import Entrance
from surveys.recruitment.links import open_entrance
from tests.factories.newcomers import CODES
from tests.factories.studies import make_study


@pytest.fixture
def prolific() -> Entrance:
    """The entrance of a study with a place in A and one in B."""
    return open_entrance(make_study(2, ratings_per_context=1), "prolific", **CODES)


@pytest.fixture
def link() -> Entrance:
    """The open link of a study with a place in A and one in B."""
    return open_entrance(make_study(2, ratings_per_context=1), "link")
