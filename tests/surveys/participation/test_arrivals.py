"""Arrivals through an entrance."""

from dataclasses import replace

import pytest

from surveys.errors import LinkRevoked, NoPlaceLeft, OwnLinkNeeded, SurveyError
from surveys.models import (
    Annotator,
    Assignment,
    Entrance,
    Invitation,
    Visit,
    Worker,
)
from surveys.models.participation import make_token
from surveys.participation.arrivals import (
    is_full,
    refuse_closed,
    return_by_own_link,
    return_visitor,
    start_through,
)
from surveys.participation.withdrawal import return_assignment
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import close_entrance, open_entrance
from tests.factories.newcomers import FULL, arrive, claims_of
from tests.factories.studies import count_places_left, make_study, start, stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # locks and constraints


def counts() -> dict[str, int]:
    tables = (Worker, Annotator, Assignment, Invitation, Visit)
    return {table.__name__: table.objects.count() for table in tables}


NOTHING = {"Worker": 0, "Annotator": 0, "Assignment": 0, "Invitation": 0, "Visit": 0}


# Starting


def test_start_through_stores_the_worker_and_the_visit(prolific):
    assignment = arrive(prolific, "w1", "s1")

    annotator = Annotator.objects.get()
    assert (annotator.worker.provider, annotator.worker.worker_id) == ("prolific", "w1")
    assert annotator.invitation.entrance == prolific
    visit = Visit.objects.values_list(
        "entrance", "provider_study", "submission", "worker", "assignment", "completion_code"
    )
    assert list(visit) == [
        (prolific.pk, "st1", "s1", annotator.worker_id, assignment.pk, "DONE1"),
    ]  # fmt: skip


def test_start_through_the_open_link_turns_the_ticket_into_a_personal_link(link):
    ticket = make_token()

    assignment = start_through(link, ticket)

    assert Invitation.objects.values_list("token", "annotator", "entrance").get() == (
        ticket, assignment.annotator_id, link.pk,
    )  # fmt: skip
    assert counts() == {**NOTHING, "Annotator": 1, "Assignment": 1, "Invitation": 1}


def test_start_through_with_the_same_ticket_is_one_assignment(link):
    ticket = make_token()

    first, again = start_through(link, ticket), start_through(link, ticket)

    assert first == again
    assert Assignment.objects.count() == 1


def test_one_worker_is_one_annotator_in_a_study(prolific):
    first = arrive(prolific, "w1", "s1")
    before = counts()

    with pytest.raises(OwnLinkNeeded):
        arrive(prolific, "w1", "s2")
    again = return_by_own_link(prolific, claims_of("w1", "s2"), first.token)

    assert first == again
    assert counts() == {**before, "Visit": 2}


def test_a_repeated_visit_is_stored_once(prolific):
    for _ in range(3):
        arrive(prolific, "w1", "s1")

    assert Visit.objects.count() == 1


def test_one_worker_is_another_annotator_in_another_study(prolific):
    other = open_entrance(make_study(2, slug="other"), "prolific")

    first, second = arrive(prolific, "w1"), arrive(other, "w1")

    assert first.annotator != second.annotator
    assert [a.annotator.study.slug for a in (first, second)] == ["study", "other"]
    assert Worker.objects.count() == 1


def test_different_workers_are_different_annotators(prolific):
    first, second = arrive(prolific, "w1"), arrive(prolific, "w2")

    assert first.annotator != second.annotator
    assert Worker.objects.count() == 2


@pytest.mark.parametrize("end", ["withdrawn", "returned"])
def test_a_worker_whose_assignment_ended_gets_no_further_one(prolific, end):
    first = arrive(prolific)
    if end == "withdrawn":
        withdraw_annotator(first.annotator)
    else:
        return_assignment(first, "tried")

    assert arrive(prolific) == first

    assert stored(first, "state") == (end,)
    assert Assignment.objects.count() == 1


def test_return_visitor_of_a_new_worker_stores_nothing(prolific):
    assert return_visitor(prolific, claims_of("w1")) is None

    assert counts() == NOTHING


def test_return_visitor_finds_the_assignment_by_submission(prolific):
    first = arrive(prolific, "w1", "s1")

    assert return_visitor(prolific, claims_of("w1", "s1")) == first
    assert return_visitor(prolific, claims_of("w1", "s2")) is None
    assert return_visitor(prolific, claims_of("w2", "s1")) is None
    assert return_visitor(prolific, replace(claims_of("w1", "s1"), provider_study="st2")) is None

    assert list(Visit.objects.values_list("submission", flat=True)) == ["s1"]


def test_a_personal_link_proves_nothing_for_another_annotator(prolific):
    arrive(prolific, "w1", "s1")
    other = arrive(prolific, "w2", "s3")
    before = counts()

    for link in (other.token, other.annotator.invitation.token, "", "s1"):
        assert return_by_own_link(prolific, claims_of("w1", "s2"), link) is None

    assert counts() == before


@pytest.mark.django_db(transaction=True)
def test_return_visitor_of_a_new_worker_begins_no_transaction(django_assert_num_queries):
    """On SQLite it would wait for writers, and block them."""
    entrance = open_entrance(make_study(2), "prolific")

    with django_assert_num_queries(1):  # a transaction would be counted, too
        return_visitor(entrance, claims_of("w1"))


# No more room


def test_start_through_refuses_when_no_place_is_left_and_stores_nothing(prolific):
    start(prolific.study), start(prolific.study)
    before = counts()

    with pytest.raises(NoPlaceLeft, match="We have enough people for this study now") as refused:
        arrive(prolific)

    assert refused.value.completion == FULL
    assert counts() == before


def test_start_through_stops_at_the_cap(link):
    entrance = open_entrance(link.study, "link", cap=1)
    ticket = make_token()
    first = start_through(entrance, ticket)
    assert is_full(entrance)

    with pytest.raises(NoPlaceLeft):
        start_through(entrance, make_token())

    assert start_through(entrance, ticket) == first
    assert (Assignment.objects.count(), count_places_left(entrance.study)) == (1, 1)


def test_a_cap_never_stops_a_returning_worker(prolific):
    entrance = open_entrance(prolific.study, "prolific", cap=1)
    first = arrive(entrance, "w1")

    assert arrive(entrance, "w1") == first
    with pytest.raises(NoPlaceLeft) as refused:
        arrive(entrance, "w2")

    assert refused.value.completion == FULL
    assert Worker.objects.count() == 1


@pytest.mark.parametrize(("cap", "expected"), [(None, False), (0, True), (1, False)])
def test_is_full_by_its_own_cap_alone(link, cap, expected):
    start(link.study), start(link.study)  # by personal links

    assert is_full(open_entrance(link.study, "link", cap=cap)) is expected


def test_a_closed_entrance_refuses_new_annotators_only(prolific):
    first = arrive(prolific, "w1")
    close_entrance(prolific)

    with pytest.raises(LinkRevoked, match="takes no more people"):
        refuse_closed(prolific)
    with pytest.raises(LinkRevoked):
        arrive(prolific, "w2")

    assert arrive(prolific, "w1") == first
    assert (Annotator.objects.count(), Worker.objects.count()) == (1, 1)


def test_start_through_refuses_an_entrance_closed_meanwhile(prolific):
    seen_open = Entrance.objects.get(pk=prolific.pk)
    close_entrance(prolific)

    with pytest.raises(LinkRevoked):
        arrive(seen_open)

    assert counts() == NOTHING


def test_a_ticket_that_is_another_annotators_link_is_refused(link):
    personal = start(link.study).annotator.invitation
    before = counts()

    with pytest.raises(SurveyError):
        start_through(link, personal.token)

    assert counts() == before
