"""Completion codes for providers."""

import pytest

from surveys.models import Annotator, Assignment, Entrance, Invitation
from surveys.models.participation import make_token
from surveys.participation.answers import record_engagement, record_unjudgeable
from surveys.participation.arrivals import (
    find_assignment_to_show,
    return_by_own_link,
    start_through,
)
from surveys.participation.assignments import start_another_assignment
from surveys.participation.withdrawal import return_assignment
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.completion_codes import (
    Completion,
    completion_of,
    earned_before,
    no_place_completion,
)
from surveys.recruitment.links import open_entrance
from surveys.study.design import configure_study
from tests.factories.newcomers import CODES, DONE, FULL, arrive, claims_of
from tests.factories.studies import finish, make_study, progress_of, start

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # subqueries


def test_completion_of_a_finished_assignment_is_the_code(prolific):
    assignment = arrive(prolific)
    finish(start(prolific.study, assignment.annotator.invitation))

    assert completion_of(Annotator.objects.get()) == DONE


def test_completion_counts_texts_that_could_not_be_judged(prolific):
    configure_study(prolific.study, allows_unjudgeable=True)
    assignment = start(prolific.study, arrive(prolific).annotator.invitation)
    finish_without_judging(assignment)

    assert completion_of(Annotator.objects.get()) == DONE


def finish_without_judging(assignment: Assignment) -> None:
    for _ in range(assignment.n_items):
        record_engagement(progress_of(assignment), "sea", "salt")
        record_unjudgeable(progress_of(assignment), "")


def test_completion_after_a_failed_check_is_the_no_place_code(prolific):
    assignment = return_assignment(arrive(prolific), "comprehension check not passed")

    assert completion_of(assignment.annotator) == FULL


def test_completion_is_the_code_that_was_current_when_the_annotator_came(prolific):
    assignment = arrive(prolific, "w1", "s1")
    open_entrance(prolific.study, "prolific", completion_code="DONE2")
    finish(start(prolific.study, assignment.annotator.invitation))

    assert completion_of(Annotator.objects.get()) == DONE


def test_completion_is_the_code_of_the_last_visit(prolific):
    assignment = arrive(prolific, "w1", "s1")
    finish(start(prolific.study, assignment.annotator.invitation))
    entrance = open_entrance(prolific.study, "prolific", completion_code="DONE2")

    return_by_own_link(entrance, claims_of("w1", "s2"), assignment.token)

    assert completion_of(Annotator.objects.get()).code == "DONE2"


def test_completion_without_a_code_at_the_visit_is_the_current_code(prolific):
    Entrance.objects.update(completion_code="")
    assignment = arrive(Entrance.objects.get())
    finish(start(prolific.study, assignment.annotator.invitation))
    open_entrance(prolific.study, "prolific", completion_code="DONE2")

    assert completion_of(Annotator.objects.get()).code == "DONE2"


@pytest.fixture
def second_assignment() -> Assignment:
    """Return the second assignment of an annotator from Prolific."""
    study = make_study(4, block_size=2, ratings_per_context=1)
    entrance = open_entrance(configure_study(study, allows_more_blocks=True), "prolific", **CODES)
    first = start(study, arrive(entrance).annotator.invitation)
    finish(first)
    return start_another_assignment(Assignment.objects.get(pk=first.pk))


@pytest.mark.parametrize("end", ["withdrawn", "returned", None])
def test_completion_of_a_done_block_is_kept_during_the_next(second_assignment, end):
    if end == "withdrawn":
        withdraw_annotator(second_assignment.annotator)
    elif end == "returned":
        return_assignment(second_assignment, "asked by mail")

    assert completion_of(second_assignment.annotator) == DONE


def test_earned_before_at_a_further_block_is_the_code(second_assignment):
    first = Assignment.objects.earliest("pk")

    assert earned_before(second_assignment) == DONE
    assert earned_before(first) is None  # its page has it


def test_earned_before_at_the_first_block_is_none(prolific):
    configure_study(prolific.study, allows_more_blocks=True)

    assert earned_before(return_of(arrive(prolific))) is None


def return_of(assignment: Assignment) -> Assignment:
    return Assignment.objects.with_study().get(pk=assignment.pk)


def test_lead_back_returns_the_done_block_during_another(second_assignment):
    first = Assignment.objects.earliest("pk")

    assert find_assignment_to_show(second_assignment) == first
    finish(second_assignment)
    assert find_assignment_to_show(return_of(second_assignment)) == second_assignment


def test_completion_of_a_personal_link_is_none(prolific):
    assignment = start(prolific.study)
    finish(assignment)

    assert completion_of(Annotator.objects.get()) is None


def test_completion_of_an_open_link_has_a_code_and_no_address(link):
    entrance = open_entrance(link.study, "link", completion_code="THANKS")
    ticket = make_token()
    start_through(entrance, ticket)
    finish(start(link.study, Invitation.objects.get()))

    assert completion_of(Annotator.objects.get()) == Completion("THANKS", "", "Finish and go back")


def test_completion_without_a_code_is_none(link):
    assert no_place_completion(link) is None
