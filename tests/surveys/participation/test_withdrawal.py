"""Returned assignments, withdrawn annotators, revoked links."""

from contextlib import suppress
from decimal import Decimal

import pytest

from surveys.errors import AssignmentEnded, LinkRevoked, SurveyError
from surveys.models import Annotator, Assignment, Place
from surveys.participation.answers import record_engagement, record_rating
from surveys.participation.assignments import (
    resume_assignment,
    start_another_assignment,
    start_assignment,
    submit_assignment,
)
from surveys.participation.withdrawal import return_assignment, revoke_invitation
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import invite_annotators
from surveys.results.ratings_table import list_shortfalls
from surveys.study.design import configure_study
from tests.factories.studies import (
    count_places_left,
    counted_ratings,
    due_response,
    finish,
    make_study,
    progress_of,
    rate_due,
    start,
    stored,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,  # locks
    pytest.mark.study(ratings_per_context=1),
]

ANSWER = ("written1", "written2", "rating")


@pytest.fixture
def half_done(study) -> Assignment:
    """Return an assignment with the first of two texts answered."""
    assignment = start(study)
    rate_due(assignment, 4)
    return assignment


def answers(assignment: Assignment) -> list[tuple[object, ...]]:
    return list(assignment.responses.values_list("is_erased", *ANSWER))


def holds_place(assignment: Assignment) -> bool:
    return Place.objects.filter(assignment=assignment).exists()


# Returned


def test_return_assignment_frees_the_place_and_keeps_the_answers(study, half_done):
    return_assignment(half_done, "asked by mail")

    assert stored(half_done, "state", "ended_because") == ("returned", "asked by mail")
    assert answers(half_done) == [(False, "sea", "salt", 4), (False, "", "", None)]
    assert count_places_left(study) == 2
    assert start(study).questionnaire == half_done.questionnaire


def test_return_assignment_again_keeps_the_first_reason(half_done):
    return_assignment(half_done, "asked by mail")

    return_assignment(half_done, "another reason")

    assert stored(half_done, "state", "ended_because") == ("returned", "asked by mail")


def test_return_assignment_does_not_touch_a_finished_one(study):
    assignment = start(study)
    finish(assignment)

    return_assignment(assignment, "too late")

    assert stored(assignment, "state", "ended_because") == ("submitted", "")
    assert holds_place(assignment)


def test_a_returned_assignment_is_not_resumed(study, half_done):
    return_assignment(half_done, "asked by mail")

    resume_assignment(half_done)

    assert stored(half_done, "state") == ("returned",)
    assert count_places_left(study) == 2


def test_a_returned_assignment_is_the_only_one_of_its_link(half_done):
    return_assignment(half_done, "asked by mail")

    assert start_assignment(half_done.annotator.invitation) == half_done
    assert start_another_assignment(half_done) == half_done

    assert Assignment.objects.count() == 1


# Withdrawn


def test_withdraw_annotator_erases_the_answers(study, half_done):
    withdraw_annotator(half_done.annotator)

    assert stored(half_done, "state", "ended_because") == (
        "withdrawn", "withdrawn by the annotator",
    )  # fmt: skip
    assert stored(half_done.annotator, "withdrawn_at") != (None,)
    for response in half_done.responses.all():
        kept = {name for name, value in vars(response).items() if value not in (None, "", False)}
        assert kept == {
            "_state", "id", "assignment_id", "annotator_id", "pair_id", "context_id", "position",
            "is_erased", "writes",
        }  # fmt: skip
    assert count_places_left(study) == 2


def test_withdraw_annotator_keeps_the_answers_if_agreed(study):
    configure_study(study, erases_withdrawn=False)
    assignment = start(study)
    finish(assignment, rating=4)

    withdraw_annotator(assignment.annotator)

    assert stored(assignment, "state") == ("withdrawn",)
    assert answers(assignment) == [(False, "sea", "salt", 4)] * 2
    assert count_places_left(study) == 2


@pytest.mark.parametrize("erases", [True, False])
def test_withdrawal_follows_the_consent_not_the_current_setting(study, erases):
    configure_study(study, erases_withdrawn=erases)
    assignment = start(study)
    finish(assignment)
    configure_study(study, erases_withdrawn=not erases)

    withdraw_annotator(Annotator.objects.get())

    assert assignment.responses.rated().count() == (0 if erases else 2)


@pytest.mark.parametrize("erases", [True, False])
def test_withdrawn_answers_are_not_in_the_dataset(study, erases):
    configure_study(study, erases_withdrawn=erases)
    stays, leaves = start(study), start(study)
    finish(stays, rating=1)
    finish(leaves, rating=5)

    withdraw_annotator(leaves.annotator)

    assert counted_ratings(study)["rating"].tolist() == [1, 1]
    assert list_shortfalls(study) == [
        "contexts with fewer than the 1 ratings wanted: 2",
        "questionnaires withdrawn by their annotators, left out: 1",
    ]


def test_withdraw_annotator_again_changes_nothing(half_done):
    withdraw_annotator(half_done.annotator)
    before = stored(half_done.annotator, "withdrawn_at"), answers(half_done)

    withdraw_annotator(half_done.annotator)

    assert (stored(half_done.annotator, "withdrawn_at"), answers(half_done)) == before


def test_withdraw_annotator_withdraws_all_blocks():
    study = make_study(4, block_size=2, ratings_per_context=1)
    configure_study(study, allows_more_blocks=True)
    first = start(study)
    finish(first)
    second = start_another_assignment(first)
    rate_due(second, 4)
    bystander = start(study)
    rate_due(bystander, 2)

    withdraw_annotator(first.annotator)

    assert [stored(a, "state")[0] for a in (first, second, bystander)] == [
        "withdrawn", "withdrawn", "started",
    ]  # fmt: skip
    assert bystander.responses.rated().count() == 1
    assert count_places_left(study) == 3


def test_a_withdrawn_annotator_cannot_begin_again(study, half_done):
    withdraw_annotator(half_done.annotator)

    assert start_assignment(half_done.annotator.invitation) == half_done
    assert start_another_assignment(half_done) == half_done
    resume_assignment(half_done)

    assert stored(half_done, "state") == ("withdrawn",)
    assert (Assignment.objects.count(), count_places_left(study)) == (1, 2)


def test_a_new_answer_after_withdrawal_is_refused(half_done):
    withdraw_annotator(half_done.annotator)
    where = progress_of(half_done)

    for answer in (
        lambda: record_engagement(where, "late", "words"),
        lambda: record_rating(where, Decimal(3)),
        lambda: submit_assignment(half_done),
    ):
        with pytest.raises(SurveyError):
            answer()

    assert answers(half_done) == [(True, "", "", None)] * 2


@pytest.mark.parametrize("erases", [True, False])
@pytest.mark.parametrize("page", ["words", "rating", "last rating"])
def test_an_answer_during_a_withdrawal_is_not_stored(study, erases, page):
    configure_study(study, erases_withdrawn=erases)
    assignment = start(study)
    if page == "last rating":
        rate_due(assignment, 4)
    if page != "words":
        record_engagement(progress_of(assignment), "sea", "salt")
    where, response = progress_of(assignment), due_response(assignment)

    withdraw_annotator(assignment.annotator)
    before = stored(response, *ANSWER)
    with suppress(AssignmentEnded):
        if page == "words":
            record_engagement(where, "late", "words")
        else:
            record_rating(where, Decimal(3))

    assert stored(response, *ANSWER) == before
    assert stored(assignment, "state") == ("withdrawn",)


# Revoked


def test_revoke_invitation_closes_an_unused_link(study):
    (invitation,) = invite_annotators(study, 1)

    revoke_invitation(invitation, "sent to the wrong person")

    assert stored(invitation, "revoked_because") == ("sent to the wrong person",)
    with pytest.raises(LinkRevoked, match="no longer valid"):
        start_assignment(invitation)
    assert Annotator.objects.count() == 0
    assert count_places_left(study) == 2


def test_revoke_invitation_returns_the_unfinished_assignment(study, half_done):
    revoke_invitation(half_done.annotator.invitation, "passed on")

    assert stored(half_done, "state", "ended_because") == ("returned", "link revoked: passed on")
    assert answers(half_done) == [(False, "sea", "salt", 4), (False, "", "", None)]
    assert count_places_left(study) == 2
    with pytest.raises(LinkRevoked):
        start_assignment(half_done.annotator.invitation)


def test_revoke_invitation_keeps_submitted_assignments(study):
    assignment = start(study)
    finish(assignment)

    revoke_invitation(assignment.annotator.invitation, "passed on")

    assert stored(assignment, "state") == ("submitted",)
    assert holds_place(assignment)
    assert len(counted_ratings(study)) == 2


def test_revoke_invitation_again_keeps_the_first_instant_and_reason(study):
    (invitation,) = invite_annotators(study, 1)
    revoke_invitation(invitation, "passed on")
    before = stored(invitation, "revoked_at", "revoked_because")

    revoke_invitation(invitation, "another reason")

    assert stored(invitation, "revoked_at", "revoked_because") == before


def test_a_revoked_link_gives_no_further_block():
    study = make_study(4, block_size=2, ratings_per_context=1)
    configure_study(study, allows_more_blocks=True)
    assignment = start(study)
    finish(assignment)
    revoke_invitation(assignment.annotator.invitation, "passed on")

    with pytest.raises(LinkRevoked):
        start_another_assignment(assignment)

    assert Assignment.objects.count() == 1
