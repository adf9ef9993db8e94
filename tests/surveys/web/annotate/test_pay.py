"""Pay on the pages around the check and at the end, by the way in which annotators came."""

import html

import pytest

from surveys.models import Assignment
from surveys.participation.assignments import (
    begin_assignment,
    start_another_assignment,
    start_assignment,
)
from surveys.participation.introduction import Step, check_comprehension, complete_step
from surveys.recruitment.links import invite_annotators, open_entrance
from surveys.study.design import configure_study
from tests.factories.arrivals import page, squeeze
from tests.factories.newcomers import arrive
from tests.factories.studies import finish, make_study

pytestmark = pytest.mark.django_db
HOW = {
    None: "The researchers pay you for all texts together, after you finish",
    "link": "The researchers pay you for all texts together, after you finish",
    "prolific": "Prolific pays you for all texts together",
    "simulator": "You are paid for the whole HIT",
}
CODE = "Keep this code: the researchers pay you when you send it to them."


@pytest.fixture(
    params=[None, "link", "prolific", pytest.param("simulator", marks=pytest.mark.needs("crowd"))]
)
def recruited(request) -> tuple[Assignment, str]:
    """An annotator at the check, and how they are paid."""
    study = make_study(2, ratings_per_context=3)
    configure_study(study, n_check_tries=1, pay="2 €")
    if request.param is None:
        assignment = start_assignment(invite_annotators(study, 1)[0])
    elif request.param == "simulator":
        from tests.factories.batches import arm, come, plan, publish  # which import the app

        assignment = come(publish(arm(plan(study)))[0])
    else:
        assignment = arrive(open_entrance(study, request.param, completion_code="DONE1"))
    for step in (Step.INSTRUCTIONS, Step.PRACTICE):
        complete_step(assignment, step)
    return assignment, request.param


def read(client, name: str, assignment: Assignment) -> str:
    return html.unescape(squeeze(client.get(page(name, assignment))))


def test_the_check_says_what_failing_means_for_the_pay(client, recruited):
    assignment, provider = recruited

    text = read(client, "check", assignment)

    amount = "US$ 0.50" if provider == "simulator" else "2 €"
    said = (
        f"If you do not pass, you do not get the pay (<bdi>{amount}</bdi>), which is for the texts."
    )
    assert said in text
    assert HOW[provider] in text


def test_the_page_after_a_failed_check_says_that_nothing_is_paid(client, recruited):
    assignment, provider = recruited
    check_comprehension(assignment, [None] * 10)

    text = read(client, "ended", assignment)

    assert "is for the texts; the questions before them are not paid." in text
    assert HOW[provider] in text


def test_the_last_page_says_what_is_paid_how_and_when(client, recruited):
    assignment, provider = recruited
    complete_step(assignment, Step.CHECK)
    finish(assignment)

    text = read(client, "thanks", assignment)

    amount = "US$ 0.50" if provider == "simulator" else "2 €"
    assert f"Your pay:<bdi>{amount}</bdi>." in text
    assert HOW[provider] in text
    assert (CODE in text) == (provider == "link")


def test_the_last_page_adds_the_pay_for_further_texts(client):
    study = make_study(4, block_size=2)
    configure_study(study, allows_more_blocks=True, pay="2 €", pay_for_more="1 €")
    first = begin_assignment(start_assignment(invite_annotators(study, 1)[0]))
    finish(first)
    second = start_another_assignment(first)
    finish(second)

    assert "Your pay:<bdi>2 €</bdi>." in read(client, "thanks", first)
    assert "Your pay:<bdi>2 € + 1 €</bdi>." in read(client, "thanks", second)


@pytest.mark.parametrize("name", ["check", "ended", "thanks"])
def test_pages_of_an_unpaid_study_do_not_speak_of_pay(client, name):
    study = configure_study(make_study(2), n_check_tries=1)
    assignment = start_assignment(invite_annotators(study, 1)[0])
    for step in (Step.INSTRUCTIONS, Step.PRACTICE):
        complete_step(assignment, step)
    if name == "ended":
        check_comprehension(assignment, [None] * 10)
    if name == "thanks":
        complete_step(assignment, Step.CHECK)
        finish(assignment)

    assert " pay " not in read(client, name, assignment)
