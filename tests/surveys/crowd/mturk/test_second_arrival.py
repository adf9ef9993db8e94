"""Second arrivals of workers at a HIT, and arrivals at the place of another."""

import pytest

from surveys.crowd.errors import HitRefused
from surveys.crowd.models import Hit
from surveys.errors import OwnLinkNeeded
from surveys.models import Assignment, Place, Response, Visit
from surveys.participation.assignments import begin_assignment
from surveys.recruitment.completion_codes import completion_for, latest_reserved_visit
from tests.factories.arrivals import agree, hidden_fields, page, withdraw
from tests.factories.batches import OTHER, WORKER, come, do
from tests.factories.studies import finish, rate_due, stored
from tests.surveys.crowd.mturk.entering import enter

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.study(n_pairs=4, block_size=2, ratings_per_context=4, contact="ana@example.org"),
]


def test_a_worker_who_comes_again_is_redirected_and_nothing_is_stored(client, first_hit):
    agree(client, enter(first_hit))
    before = list(Visit.objects.values())

    again = client.get(enter(first_hit))

    assert again.url == page("next", Assignment.objects.get())
    assert list(Visit.objects.values()) == before
    assert come(first_hit) == Assignment.objects.get()


def test_a_new_worker_of_a_submission_gets_the_place_and_answers_stay(first_hit):
    Hit.objects.filter(pk=first_hit.pk).update(n_places=2)
    first = begin_assignment(come(first_hit))
    rate_due(first, 4)

    second = come(first_hit, OTHER)

    assert stored(first, "state") == ("returned",)
    assert first.responses.rated().count() == 1
    assert second.pk != first.pk
    mine, theirs = Visit.objects.order_by("pk")
    assert (mine.returned_at is not None, theirs.returned_at) == (True, None)
    assert first_hit.reservation.places.reserved().count() == 1


@pytest.mark.every_database
def test_a_worker_who_returns_after_another_resumes(first_hit):
    first = begin_assignment(come(first_hit))
    rate_due(first, 4)
    second = come(first_hit, OTHER)
    with pytest.raises(OwnLinkNeeded):
        come(first_hit)
    assert stored(second, "state") == ("offered",)

    again = come(first_hit, own_link=first.token)

    assert (again.pk, again.state) == (first.pk, "started")
    assert first.responses.rated().count() == 1
    assert stored(second, "state") == ("returned",)
    assert stored(Visit.objects.get(worker__worker_id=WORKER), "returned_at") == (None,)
    assert Place.objects.get(assignment=first).reservation == first_hit.reservation


def test_a_worker_who_accepts_again_with_a_new_submission_resumes(first_hit):
    first = come(first_hit)
    finish(begin_assignment(first))
    with pytest.raises(OwnLinkNeeded):
        come(first_hit, submission="3ASSIGNMENT2")
    assert Visit.objects.count() == 1

    again = come(first_hit, submission="3ASSIGNMENT2", own_link=first.token)

    assert Assignment.objects.get() == again
    done = completion_for(again, latest_reserved_visit(again))
    assert done
    assert done.fields["assignmentId"] == "3ASSIGNMENT2"
    assert Visit.objects.current().count() == 1


def test_finished_and_returned_work_keeps_answers_and_place(first_hit):
    done = do(first_hit)
    come(first_hit, OTHER)

    assert stored(done.assignment, "state") == ("submitted",)
    assert (
        Place.objects.filter(reservation=first_hit.reservation, assignment__isnull=False).count()
        == 2
    )
    with pytest.raises(HitRefused, match="All places"):
        come(first_hit, "A3THIRDWORKER", "3ASSIGNMENT3")


def test_a_worker_id_with_a_different_assignment_opens_nothing(client, first_hit):
    first = begin_assignment(come(first_hit))
    rate_due(first, 4)
    visits = list(Visit.objects.values())

    looked = client.get(enter(first_hit, assignmentId="3MADEUP"))
    sent = {**hidden_fields(looked), "answer": "agree", "own_link": "nonsense"}
    posted = client.post(enter(first_hit).split("?")[0], sent)

    assert (looked.status_code, posted.status_code) == (403, 422)
    for answer in (looked, posted):
        content = answer.content.decode()
        assert "Please confirm your identity" in content
        assert "please return this HIT" in content
        assert first.token not in content
    assert list(Visit.objects.values()) == visits
    assert stored(first, "state") == ("started",)


def test_the_own_link_opens_a_hit_accepted_again(client, first_hit):
    first = come(first_hit)
    asked = hidden_fields(client.get(enter(first_hit, assignmentId="3ASSIGNMENT2")))
    own = client.get(page("instructions", first)).content.decode()
    link = own.partition('class="kept" dir="ltr" href="')[2].partition('"')[0]

    answer = client.post(enter(first_hit).split("?")[0], {**asked, "own_link": link})

    assert answer.url == page("next", first)
    assert client.get(enter(first_hit, assignmentId="3ASSIGNMENT2")).url == page("next", first)


def test_a_worker_id_on_another_hit_opens_no_earlier_work(client, hits):
    first = begin_assignment(come(hits[0]))
    rate_due(first, 4)
    agree(client, enter(hits[2], assignmentId="3MADEUP"))
    second = Assignment.objects.latest("pk")
    own = first.annotator.invitation.token

    for name in ("instructions", "withdraw", "kept"):
        assert own not in client.get(page(name, second)).content.decode()
    for sent in ({}, {"confirmed": "yes"}, {"confirmed": "yes", "own_link": second.token}):
        assert client.post(page("withdraw", second), sent).status_code == 422
    assert stored(first, "annotator__withdrawn_at") == (None,)
    for sent in ({}, {"own_link": second.token}):
        refused = client.post(page("kept", second), sent)
        assert (refused.status_code, b'"rating"' in refused.content) == (422, False)
    copy = client.post(page("kept", second), {"own_link": own})
    assert [len(one["answers"]) for one in copy.json()["assignments"]] == [1, 0]

    answer = withdraw(client, second, own_link=own)

    assert "You have withdrawn" in answer.content.decode()
    assert not Response.objects.filter(is_erased=False).exists()
