import pytest

from surveys.models import Assignment
from surveys.participation.assignments import start_assignment
from surveys.recruitment.links import invite_annotators
from tests.factories.arrivals import page


@pytest.fixture
def newcomer(study) -> Assignment:
    """An assignment whose annotator has only agreed to take part."""
    return start_assignment(invite_annotators(study, 1)[0])


@pytest.fixture
def at_practice(client, newcomer) -> Assignment:
    client.post(page("instructions", newcomer))
    return newcomer


@pytest.fixture
def at_check(client, at_practice) -> Assignment:
    client.post(page("practice_answer", at_practice) + "?item=2")
    return at_practice
