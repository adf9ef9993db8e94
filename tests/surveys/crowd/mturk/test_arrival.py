"""Arrivals of workers at a HIT: claims are checked and open only the worker's own work."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.crowd.errors import HitRefused
from surveys.crowd.mturk.hits import close_hit
from surveys.models import Assignment, Invitation, Place, Visit, Worker
from surveys.participation.withdrawal import revoke_invitation
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import open_entrance
from surveys.study.design import configure_study
from tests.factories.arrivals import agree, arrive, page
from tests.factories.batches import OTHER, WORKER, arm, come, do, plan, publish
from tests.factories.studies import count_places_left, stored
from tests.surveys.crowd.mturk.entering import RETURN, enter, refusal

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.study(n_pairs=4, block_size=2, ratings_per_context=4, contact="ana@example.org"),
]


# Preview


@pytest.mark.parametrize("preview", ["", "ASSIGNMENT_ID_NOT_AVAILABLE"])
@pytest.mark.parametrize("worker", ["", WORKER])
def test_a_preview_shows_a_sample_and_stores_nothing(client, first_hit, preview, worker):
    answer = client.get(enter(first_hit, assignmentId=preview, workerId=worker))

    content = answer.content.decode()
    assert answer.status_code == 200
    assert "A sample of the task" in content
    assert "US$ 0.50" in content
    assert "You are paid for the whole HIT" in content
    assert "2 short texts" in content
    assert not any(part in content for part in ("<form", "<input", "<button", "alpha1", WORKER))
    assert (Visit.objects.count(), Worker.objects.count()) == (0, 0)


def test_an_arrival_stores_nothing_before_consent_and_redirects(client, first_hit):
    answer = client.get(enter(first_hit))
    assert "I agree and take part" in answer.content.decode()
    assert "by opening the HIT again" in answer.content.decode()
    assert "pause at any time" not in answer.content.decode()
    assert "You are paid for the whole HIT" in answer.content.decode()
    assert Worker.objects.count() == 0

    begun = agree(client, enter(first_hit))

    visit = Visit.objects.get()
    assert begun.url == page("next", visit.assignment)
    assert (visit.reservation, visit.provider_study, visit.submission) == (
        first_hit.reservation, first_hit.hit_id, "3ASSIGNMENT1",
    )  # fmt: skip
    assert visit.worker.worker_id == WORKER
    assert visit.assignment.questionnaire == first_hit.reservation.questionnaire
    assert visit.assignment.place.reservation == first_hit.reservation
    assert len(visit.completion_code) == 16
    assert WORKER not in begun.url
    assert count_places_left(first_hit.batch.study) == 16 - 6


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"workerId": ""}, "your ID (workerId)"),
        ({"workerId": "B1WORKER"}, "your ID (workerId)"),
        ({"workerId": "A1%3Cb%3E"}, "your ID (workerId)"),
        ({"assignmentId": "3ass"}, "your ID (assignmentId)"),
        ({"hitId": ""}, "your ID (hitId)"),
        ({"hitId": "3ANOTHERHIT"}, "from a different site"),
        ({"turkSubmitTo": "https://evil.example.org"}, "from a different site"),
        ({"turkSubmitTo": "https://127.0.0.1:8800"}, "from a different site"),
    ],
)
def test_an_invalid_arrival_is_refused(client, first_hit, changed, message):
    assert message in refusal(client, enter(first_hit, **changed))
    assert Visit.objects.count() == 0


@pytest.mark.parametrize("named", ["", "http://127.0.0.1:8800", "http://127.0.0.1:8800/"])
def test_the_submit_url_may_have_a_slash_or_be_missing(client, first_hit, named):
    assert client.get(enter(first_hit, turkSubmitTo=named)).status_code == 200


def test_an_unknown_hit_key_is_refused(client):
    address = reverse("annotate:enter", args=[uuid4()])

    assert "does not belong to a HIT" in refusal(client, address)


def test_a_planned_or_closed_hit_refuses_workers(client, study):
    (planned,) = plan(study).hits.all()
    with pytest.raises(HitRefused, match="not open any more"):
        come(planned)
    (hit,) = publish(arm(plan(study, 1)))
    close_hit(hit)

    assert "not open any more" in refusal(client, enter(hit))
    with pytest.raises(HitRefused, match="not open any more"):
        come(hit)
    assert Worker.objects.count() == 0


def test_a_hit_of_a_disabled_target_refuses_workers(first_hit, settings):
    settings.MTURK_SIMULATOR_URL = ""

    with pytest.raises(HitRefused, match="not open any more"):
        come(first_hit)


def test_the_entrance_of_a_target_has_no_address(client, first_hit):
    assert client.get(arrive(first_hit.batch.entrance)).status_code == 404


# Once per block


def test_a_worker_never_gets_a_block_again(client, hits):
    come(hits[0])

    content = refusal(client, enter(hits[1], assignmentId="3ASSIGNMENT2"))

    assert "already had this group of texts" in content
    assert Assignment.objects.count() == 1
    assert hits[1].reservation.places.reserved().count() == 2


def test_a_known_worker_starts_another_block_by_a_button_without_consenting_again(client, hits):
    come(hits[0])
    address = enter(hits[2], assignmentId="3ASSIGNMENT2")

    shown = client.get(address).content.decode()

    assert "<button>Continue</button>" in shown
    assert "I agree" not in shown
    assert (Assignment.objects.count(), Visit.objects.count()) == (1, 1)

    answer = agree(client, address)

    assert Assignment.objects.count() == 2
    assert answer.url == page("next", Assignment.objects.latest("pk"))
    assert stored(Visit.objects.latest("pk"), "worker") == (Worker.objects.get().pk,)
    assert client.get(address).url == answer.url


def test_a_lapsed_visit_is_resumed_by_a_button_and_not_by_a_get(client, first_hit):
    first = come(first_hit)
    late = timezone.now() - timedelta(hours=1)
    Visit.objects.update(deadline_at=late)

    assert "<button>Continue</button>" in client.get(enter(first_hit)).content.decode()
    assert stored(Visit.objects.get(), "deadline_at") == (late,)

    assert agree(client, enter(first_hit)).url == page("next", first)
    assert Visit.objects.get().deadline_at > timezone.now()


def test_a_withdrawn_or_revoked_worker_gets_no_other_hit(hits):
    withdraw_annotator(come(hits[0]).annotator)
    with pytest.raises(HitRefused, match="You have withdrawn"):
        come(hits[2], submission="3ASSIGNMENT2")
    come(hits[0], OTHER, "3ASSIGNMENT3")
    revoke_invitation(Invitation.objects.latest("pk"), "asked to")

    with pytest.raises(HitRefused, match="no longer valid"):
        come(hits[2], OTHER, "3ASSIGNMENT4")


def test_a_full_hit_refuses_and_uses_no_place(client, first_hit):
    come(first_hit)
    come(first_hit, OTHER, "3ASSIGNMENT2")

    third = enter(first_hit, workerId="A3THIRDWORKER", assignmentId="3ASSIGNMENT3")

    assert "All places of this HIT are taken." in refusal(client, third)
    assert Worker.objects.count() == 2


def test_a_lapsed_place_is_replaced_by_another_of_the_hit(first_hit):
    assignment = come(first_hit)
    Assignment.objects.update(active_at=timezone.now() - timedelta(days=3))
    open_entrance(first_hit.batch.study, "link")
    come(first_hit, OTHER, "3ASSIGNMENT2")  # an arrival frees lapsed places
    assert stored(assignment, "state") == ("expired",)
    Visit.objects.update(deadline_at=timezone.now() - timedelta(hours=1))

    again = come(first_hit)

    assert (again.pk, again.state) == (assignment.pk, "offered")
    assert Place.objects.get(assignment=again).reservation == first_hit.reservation


# The end


def test_a_finished_worker_submits_a_plain_form_to_the_target(client, first_hit):
    visit = do(first_hit)

    content = client.get(page("thanks", visit.assignment)).content.decode()

    assert 'action="http://127.0.0.1:8800/mturk/externalSubmit"' in content
    assert '<input type="hidden" name="assignmentId" value="3ASSIGNMENT1">' in content
    assert f'name="completion_code" value="{visit.completion_code}"' in content
    assert "<button>Hand in the HIT</button>" in content
    assert "<script" not in content
    assert "ana@example.org" in content
    assert "Read more texts" not in content
    assert client.get(page("thanks", visit.assignment)).content.decode() == content


def test_a_worker_of_a_hit_is_not_offered_another_block(client, first_hit):
    configure_study(first_hit.batch.study, allows_more_blocks=True)
    visit = do(first_hit)

    content = client.get(page("thanks", visit.assignment)).content.decode()
    answer = client.post(page("thanks", visit.assignment))

    assert "Read more texts" not in content
    assert answer.status_code == 409
    assert Assignment.objects.count() == 1


def test_past_the_deadline_the_page_says_so_and_keeps_the_form(client, first_hit):
    visit = do(first_hit)
    Visit.objects.update(deadline_at=timezone.now() - timedelta(minutes=1))

    content = client.get(page("thanks", visit.assignment)).content.decode()

    assert "The time of this HIT is over" in content
    assert "Hand in the HIT" in content


def test_a_stale_visit_has_no_form_to_submit(client, first_hit):
    visit = do(first_hit)
    come(first_hit, OTHER)

    content = client.get(page("thanks", visit.assignment)).content.decode()

    assert "externalSubmit" not in content
    assert "Another worker has this HIT by now" in content


def test_a_worker_who_did_not_finish_is_asked_to_return_the_hit(client, first_hit):
    assignment = come(first_hit)
    withdraw_annotator(assignment.annotator)

    content = client.get(page("ended", assignment)).content.decode()

    assert RETURN in content
    assert "<form" not in content
