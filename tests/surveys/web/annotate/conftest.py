import pytest

from surveys.models import Assignment, Study
from surveys.participation.assignments import start_assignment
from surveys.recruitment.links import invite_annotators
from surveys.study.design import configure_study
from tests.factories.arrivals import page
from tests.factories.studies import make_study


@pytest.fixture
def study() -> Study:
    """A study with all three steps of the introduction and two tries for the check."""
    return configure_study(make_study(2), n_check_tries=2)


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
