"""Decisions of researchers: rejections, overrides, compensation of unpaid work."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from mturk_simulator.client import CrowdRefused
from mturk_simulator.tests.stage import group_of as group_of_hit
from surveys.crowd.budget import approve_budget, count_spent
from surveys.crowd.errors import BatchRefused, HitRefused, PaymentRefused
from surveys.crowd.ledger import list_unpaid_work
from surveys.crowd.models import Batch, Payment
from surveys.crowd.mturk.collect import fetch_batch
from surveys.crowd.mturk.hits import plan_compensation
from surveys.crowd.mturk.payments import pay_batch
from surveys.crowd.mturk.publish import publish_batch
from surveys.crowd.mturk.rejections import override_rejection, reject_visit
from surveys.crowd.mturk.stop import stop_batch
from surveys.errors import GatewayDown
from surveys.models import AuditEntry, Visit
from tests.factories.batches import arm, plan
from tests.factories.studies import make_study, stored
from tests.factories.workers import (
    Crash,
    answer_all,
    arrive,
    count_paid_here,
    count_spent_there,
    crashing,
    do_task,
    group_of,
    hand_over,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def live_batch(platform) -> Batch:
    batch = arm(plan(make_study(2, ratings_per_context=2), 2), more_cents=100)
    publish_batch(batch)
    return batch


@pytest.fixture
def handed_in(platform, live_batch) -> Visit:
    visit = do_task(platform, live_batch)
    fetch_batch(live_batch)
    return visit


@pytest.fixture
def unpaid(platform, live_batch) -> tuple[Visit, object]:
    """Return finished work whose worker never submitted the last form, and the worker."""
    worker = platform.worker()
    answer_all(worker.accept(group_of(platform, live_batch)))
    platform.control.advance(3601)
    Visit.objects.update(deadline_at=timezone.now() - timedelta(hours=2))
    fetch_batch(live_batch)
    (visit,) = list_unpaid_work(live_batch)
    return visit, worker


# Rejecting


def test_a_rejection_with_a_reason_is_made_once(platform, live_batch, handed_in, ana):
    reject_visit(handed_in, by=ana, feedback="every answer is the same")
    reject_visit(handed_in, by=ana, feedback="every answer is the same")

    there = platform.client().get_assignment(AssignmentId=handed_in.submission)["Assignment"]
    assert (there["AssignmentStatus"], there["RequesterFeedback"]) == (
        "Rejected", "every answer is the same",
    )  # fmt: skip
    assert platform.control.counts()["RejectAssignment"] == 1
    assert stored(handed_in, "standing", "provider_state") == ("settled", "rejected")
    assert AuditEntry.objects.filter(action="submission.rejected").exists()
    assert pay_batch(live_batch).counts == {}


@pytest.mark.parametrize("fault", ["fail", "done_then_fail", "done_then_cut"])
def test_a_lost_rejection_is_made_once(platform, live_batch, handed_in, ana, fault):
    platform.control.queue_fault("RejectAssignment", fault, n_calls=3)

    if fault == "fail":
        with pytest.raises(GatewayDown):
            reject_visit(handed_in, by=ana, feedback="no")
    reject_visit(handed_in, by=ana, feedback="no")

    assert stored(handed_in, "provider_state") == ("rejected",)


def test_a_rejection_needs_a_user_and_a_reason_and_unpaid_work(
    platform, live_batch, handed_in, ana
):
    for by, feedback in ((User(username="nobody"), "no"), (ana, " ")):
        with pytest.raises(PaymentRefused):
            reject_visit(handed_in, by=by, feedback=feedback)
    pay_batch(live_batch)

    with pytest.raises(PaymentRefused, match="is settled"):
        reject_visit(handed_in, by=ana, feedback="no")

    assert "RejectAssignment" not in platform.control.counts()


def test_work_approved_meanwhile_is_not_rejected(platform, live_batch, handed_in, ana):
    platform.client().approve_assignment(AssignmentId=handed_in.submission)

    with pytest.raises(PaymentRefused, match="approved already"):
        reject_visit(handed_in, by=ana, feedback="no")

    assert Payment.objects.get().state == "outside"


def test_work_that_may_have_been_paid_is_not_rejected(platform, live_batch, handed_in, ana):
    with pytest.raises(Crash), crashing("approve_assignment", after=True):
        pay_batch(live_batch)

    with pytest.raises(PaymentRefused, match="Pay the batch again first"):
        reject_visit(handed_in, by=ana, feedback="no")


def test_a_rejection_after_closing_frees_its_money(platform, live_batch, ana, handed_in):
    do_task(platform, live_batch)
    fetch_batch(live_batch)
    assert live_batch.hits.get().state == "closed"

    reject_visit(handed_in, by=ana, feedback="no")
    pay_batch(live_batch)

    assert count_spent(live_batch).committed_cents == count_paid_here(live_batch) == 60


@pytest.mark.parametrize("fault", [None, "fail", "done_then_cut"])
def test_a_rejection_is_overridden_within_thirty_days(platform, live_batch, handed_in, ana, fault):
    reject_visit(handed_in, by=ana, feedback="no")
    if fault:
        platform.control.queue_fault("ApproveAssignment", fault, n_calls=3)
    if fault == "fail":
        with pytest.raises(GatewayDown):
            override_rejection(handed_in, by=ana, reason="our mistake")

    for _ in range(2):
        assert override_rejection(handed_in, by=ana, reason="our mistake").state == "paid"

    assert count_paid_here(live_batch) == count_spent_there(platform) == 60


def test_a_rejection_is_not_overridden_later_or_without_one(live_batch, handed_in, ana):
    with pytest.raises(PaymentRefused, match="was not rejected"):
        override_rejection(handed_in, by=ana, reason="our mistake")
    reject_visit(handed_in, by=ana, feedback="no")
    Visit.objects.update(decided_at=timezone.now() - timedelta(days=31))

    with pytest.raises(PaymentRefused, match="for 30 days"):
        override_rejection(handed_in, by=ana, reason="our mistake")


# Unpaid work


def test_unpaid_work_is_paid_by_a_hit_for_its_worker_alone(platform, live_batch, unpaid, ana):
    visit, worker = unpaid
    hit = plan_compensation(visit, by=ana, reason="the form was lost")
    assert plan_compensation(visit, by=ana, reason="the form was lost") == hit
    publish_batch(live_batch)
    hit.refresh_from_db()
    group = group_of_hit(platform.client(), hit.hit_id)
    with pytest.raises(CrowdRefused, match="do not have the qualifications"):
        platform.worker().accept(group)

    held = worker.accept(group)
    assert arrive(held) == visit.assignment
    hand_over(worker, held)
    fetch_batch(live_batch)
    pay_batch(live_batch)

    assert list_unpaid_work(live_batch) == []
    assert count_paid_here(live_batch) == count_spent_there(platform) == 60
    with pytest.raises(PaymentRefused, match="has been paid in the meantime"):
        plan_compensation(visit, by=ana, reason="once more")
    assert platform.control.outbox() == []


def test_a_compensation_hit_refuses_other_workers(platform, live_batch, unpaid, ana):
    visit, worker = unpaid
    other = do_task(platform, live_batch).worker
    hit = plan_compensation(visit, by=ana, reason="the form was lost")
    publish_batch(live_batch)
    hit.refresh_from_db()
    held = worker.accept(group_of_hit(platform.client(), hit.hit_id))
    forged = held._replace(address=held.address.replace(worker.worker_id, other.worker_id))

    with pytest.raises(HitRefused, match="another person"):
        arrive(forged)


def test_a_stopped_batch_pays_for_unpaid_work(platform, live_batch, unpaid, ana):
    visit, worker = unpaid
    stop_batch(live_batch)
    fetch_batch(live_batch)
    assert count_spent(live_batch).committed_cents == 0
    hit = plan_compensation(visit, by=ana, reason="the form was lost")
    approve_budget(
        live_batch, ana, typed_cents=60, ceiling_cents=60, until=timezone.now() + timedelta(hours=1)
    )

    assert publish_batch(live_batch).counts == {"created": 1}
    hit.refresh_from_db()
    held = worker.accept(group_of_hit(platform.client(), hit.hit_id))
    hand_over(worker, held)
    fetch_batch(live_batch)
    pay_batch(live_batch)

    assert count_spent(live_batch).committed_cents == count_spent_there(platform) == 60


def test_compensation_needs_unpaid_work_and_an_approved_budget(live_batch, handed_in, ana):
    with pytest.raises(PaymentRefused, match="not unpaid work"):
        plan_compensation(handed_in, by=ana, reason="why not")
    Visit.objects.update(standing="unpaid")
    with pytest.raises(PaymentRefused, match="give a reason"):
        plan_compensation(handed_in, by=ana, reason=" ")
    Batch.objects.update(
        armed_by=None, armed_at=None, armed_until=None, ceiling_cents=None, total_cents=None
    )
    with pytest.raises(BatchRefused, match="not approved"):
        plan_compensation(handed_in, by=ana, reason="the form was lost")


# An outage between the last answer and approval


def test_work_survives_a_target_that_goes_down_after_the_last_answer(platform, live_batch, ana):
    """The worker submits the same page again when the target is back."""
    worker = platform.worker()
    held = worker.accept(group_of(platform, live_batch))
    platform.control.queue_fault("externalSubmit", "fail")
    with pytest.raises(CrowdRefused):
        hand_over(worker, held)
    assert answer_all(held).submitted_at is not None

    hand_over(worker, held)
    platform.control.queue_fault("ListAssignmentsForHIT", "fail", n_calls=3)
    with pytest.raises(GatewayDown):
        fetch_batch(live_batch)
    assert fetch_batch(live_batch).counts == {"payable": 1}
    assert pay_batch(live_batch).counts == {"paid": 1}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_while_fetching_loses_nothing(platform, live_batch, after):
    visit = do_task(platform, live_batch)

    with pytest.raises(Crash), crashing("get_hit", after=after):
        fetch_batch(live_batch)
    fetch_batch(live_batch)

    assert stored(visit, "standing") == ("payable",)


def test_a_false_worker_id_is_not_paid(platform, live_batch):
    """A worker accepts, and opens the page with the id of a worker who never came."""
    worker, other = platform.worker(), platform.worker()
    held = worker.accept(group_of(platform, live_batch))
    forged = held._replace(address=held.address.replace(worker.worker_id, other.worker_id))
    hand_over(worker, forged)

    assert fetch_batch(live_batch).counts == {"held": 1}
    assert pay_batch(live_batch).counts == {}

    held_visit = Visit.objects.get(standing="held")
    assert held_visit.worker.worker_id == worker.worker_id
    assert Payment.objects.count() == 0


def test_work_whose_form_never_arrives_is_listed_and_kept(live_batch, unpaid):
    visit, _worker = unpaid

    assert visit.assignment.responses.filter(rating__isnull=True).count() == 0
    assert Payment.objects.count() == 0
