import pytest

from surveys.models import Assignment, Study
from surveys.participation.assignments import start_assignment
from surveys.recruitment.links import invite_annotators
from surveys.study.design import configure_study
from tests.annotate.arriving import page
from tests.factories import make_study


@pytest.fixture
def study() -> Study:
    """All three steps, and two tries for the check."""
    return configure_study(make_study(2), n_check_tries=2)


@pytest.fixture
def newcomer(study) -> Assignment:
    """Somebody who has agreed to take part, and nothing more."""
    return start_assignment(invite_annotators(study, 1)[0])


@pytest.fixture
def at_practice(client, newcomer) -> Assignment:
    client.post(page("instructions", newcomer))
    return newcomer


@pytest.fixture
def at_check(client, at_practice) -> Assignment:
    client.post(page("practice_answer", at_practice))
    return at_practice
