"""Each call that commits money, with each fault and crash, leads to one HIT, reward or bonus."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from surveys.crowd.budget import count_spent
from surveys.crowd.ledger import intend_bonus
from surveys.crowd.models import Batch, Hit, Payment
from surveys.crowd.mturk.collect import fetch_batch
from surveys.crowd.mturk.payments import pay_batch
from surveys.crowd.mturk.publish import publish_batch
from surveys.crowd.mturk.stop import stop_batch
from surveys.errors import GatewayDown, SurveyError
from surveys.models import Visit
from tests.factories.batches import arm, plan
from tests.factories.studies import make_study, stored
from tests.factories.workers import (
    Crash,
    count_paid_here,
    count_spent_there,
    crashing,
    do_task,
    list_bonuses,
)

pytestmark = pytest.mark.django_db
CREATE, APPROVE, BONUS = "CreateHITWithHITType", "ApproveAssignment", "SendBonus"
METHODS = {
    CREATE: "create_hit_with_hit_type", APPROVE: "approve_assignment", BONUS: "send_bonus",
    "UpdateExpirationForHIT": "update_expiration_for_hit", "CreateHITType": "create_hit_type",
    "CreateQualificationType": "create_qualification_type",
}  # fmt: skip
READS = {CREATE: "ListHITs", APPROVE: "GetAssignment", BONUS: "ListBonusPayments"}
FAULTS = ["fail", "throttle", "done_then_fail", "done_then_cut"]
TRIES = 3  # by the client for one call


def make_batch() -> Batch:
    return arm(plan(make_study(2, ratings_per_context=2), 2), more_cents=100)


def prepare(platform: Any, operation: str) -> tuple[Batch, Callable[[Batch], Any]]:
    """Return a batch whose next step is the operation, and the action that does it."""
    batch = make_batch()
    if operation.startswith("Create"):
        return batch, publish_batch
    publish_batch(batch)
    if operation == "UpdateExpirationForHIT":
        return batch, stop_batch
    visit = do_task(platform, batch)
    fetch_batch(batch)
    if operation == BONUS:
        pay_batch(batch)
        intend_bonus(visit, "careful", 40, by=User.objects.get(), reason="careful")
    return batch, pay_batch


def assert_done_once(platform: Any, batch: Batch, operation: str) -> None:
    (there,) = platform.client().list_hits()["HITs"]
    hit = batch.hits.get()
    assert (hit.hit_id, hit.error) == (there["HITId"], "")
    assert hit.state == ("closing" if operation == "UpdateExpirationForHIT" else "live")
    if operation in (APPROVE, BONUS):
        assert not Payment.objects.exclude(state="paid").exists()
        assert list_bonuses(hit.hit_id) == (["0.40"] if operation == BONUS else [])
        spent = 60 + (48 if operation == BONUS else 0)
        assert count_paid_here(batch) == count_spent_there(platform) == spent


@pytest.mark.parametrize(
    ("operation", "fault", "n_calls"),
    [
        *((operation, fault, TRIES) for operation in (CREATE, APPROVE, BONUS) for fault in FAULTS),
        # done at the client's first try; its own retry is refused
        *((operation, "done_then_cut", 1) for operation in METHODS),
        *((operation, "done_then_fail", TRIES) for operation in METHODS if operation not in READS),
    ],
)
def test_a_fault_leads_to_one(platform, operation, fault, n_calls):
    batch, act = prepare(platform, operation)
    platform.control.queue_fault(operation, fault, n_calls=n_calls)

    with suppress(GatewayDown):
        act(batch)
    act(batch)

    assert_done_once(platform, batch, operation)


@pytest.mark.parametrize("operation", METHODS)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_leads_to_one(platform, operation, after):
    batch, act = prepare(platform, operation)

    with pytest.raises(Crash), crashing(METHODS[operation], after=after):
        act(batch)
    act(batch)
    act(batch)

    assert_done_once(platform, batch, operation)


@pytest.mark.parametrize("operation", [CREATE, APPROVE, BONUS])
@pytest.mark.parametrize("fault", ["fail", "done_then_cut"])
def test_a_fault_and_a_read_that_fails_too_lead_to_one(platform, operation, fault):
    batch, act = prepare(platform, operation)
    platform.control.queue_fault(operation, fault, n_calls=TRIES)
    platform.control.queue_fault(READS[operation], "fail", n_calls=2 * TRIES)

    with pytest.raises(GatewayDown):
        act(batch)
    with suppress(GatewayDown):
        act(batch)
    platform.control.clear_faults()
    act(batch)

    assert_done_once(platform, batch, operation)


@pytest.mark.parametrize("operation", [CREATE, APPROVE, BONUS])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_is_settled_two_days_later(platform, operation, after):
    """The target has forgotten the token by then: its state decides, not our request."""
    batch, act = prepare(platform, operation)
    with pytest.raises(Crash), crashing(METHODS[operation], after=after):
        act(batch)
    platform.control.advance(2 * 86_400)
    long_ago = timezone.now() - timedelta(days=2)
    Hit.objects.filter(state="creating").update(first_attempt_at=long_ago)
    Payment.objects.filter(state="sending").update(sent_at=long_ago)
    tokens = list(Hit.objects.values_list("token", flat=True))

    act(batch)
    act(batch)

    assert_done_once(platform, batch, operation)
    is_new = list(Hit.objects.values_list("token", flat=True)) != tokens
    assert is_new == (operation == CREATE and not after)


def test_a_doubtful_token_near_its_end_is_not_sent(platform):
    batch, _act = prepare(platform, CREATE)
    with pytest.raises(Crash), crashing(METHODS[CREATE], after=False):
        publish_batch(batch)
    Hit.objects.update(first_attempt_at=timezone.now() - timedelta(hours=24))

    with pytest.raises(GatewayDown, match="requested again later"):
        publish_batch(batch)

    assert CREATE not in platform.control.counts()
    assert stored(batch.hits.get(), "state", "attempt") == ("unknown", 1)


@pytest.mark.parametrize("act", [fetch_batch, stop_batch])
def test_a_hit_whose_answer_was_lost_is_found_by_reading(platform, act):
    batch, _act = prepare(platform, CREATE)
    with pytest.raises(Crash), crashing(METHODS[CREATE], after=True):
        publish_batch(batch)

    act(batch)

    assert batch.hits.get().state == ("live" if act is fetch_batch else "closing")
    assert platform.control.counts()[CREATE] == 1


def test_stop_batch_closes_a_hit_that_is_not_listed_after_an_hour(platform):
    batch, _act = prepare(platform, CREATE)
    with pytest.raises(Crash), crashing(METHODS[CREATE], after=False):
        publish_batch(batch)

    assert stop_batch(batch).errors
    assert count_spent(batch).committed_cents == 120
    long_ago = timezone.now() - timedelta(hours=2)
    Hit.objects.update(first_attempt_at=long_ago)
    Batch.objects.update(stopped_at=long_ago)
    assert stop_batch(batch).counts == {"dropped": 1}

    assert (batch.hits.get().state, count_spent(batch).committed_cents) == ("closed", 0)


def test_a_bonus_whose_answer_was_lost_is_found_by_reading(platform):
    batch, act = prepare(platform, BONUS)
    platform.control.queue_fault(BONUS, "done_then_cut", n_calls=TRIES)
    platform.control.queue_fault("ListBonusPayments", "fail", n_calls=TRIES)
    with pytest.raises(GatewayDown):
        act(batch)
    Batch.objects.update(
        armed_by=None, armed_at=None, armed_until=None, ceiling_cents=None, total_cents=None
    )

    assert fetch_batch(batch).counts == {"settled": 1, "paid": 1}

    assert_done_once(platform, batch, BONUS)


def test_a_bonus_sent_with_other_values_is_left_to_a_researcher(platform):
    batch, act = prepare(platform, BONUS)
    bonus = Payment.objects.get(kind="bonus")
    with pytest.raises(Crash), crashing(METHODS[BONUS], after=False):
        act(batch)
    platform.client().send_bonus(
        WorkerId=bonus.visit.worker.worker_id, AssignmentId=bonus.submission, BonusAmount="0.10",
        Reason="careful [careful]",
    )  # fmt: skip

    (error,) = act(batch).errors

    assert "a researcher decides" in error
    assert stored(bonus, "state") == ("unknown",)
    assert list_bonuses(batch.hits.get().hit_id) == ["0.10"]


def test_a_bonus_refused_for_long_is_left_to_a_researcher(platform):
    batch, act = prepare(platform, BONUS)
    platform.control.set_balance("simulator", "0.60")
    assert "insufficient funds" in act(batch).errors[0]
    assert "insufficient funds" in act(batch).errors[0]
    bonus = Payment.objects.get(kind="bonus")
    assert stored(bonus, "state") == ("unknown",)
    Payment.objects.update(sent_at=timezone.now() - timedelta(days=2))

    act(batch)

    assert stored(bonus, "state") == ("refused",)
    assert "insufficient funds" in Payment.objects.get(kind="bonus").error


def test_work_rejected_by_hand_meanwhile_is_left_to_a_researcher(platform):
    batch, act = prepare(platform, APPROVE)
    submission = Visit.objects.get().submission
    platform.client().reject_assignment(AssignmentId=submission, RequesterFeedback="no")

    act(batch)
    fetch_batch(batch)

    payment = Payment.objects.get()
    assert (payment.state, "a researcher decides" in payment.error) == ("refused", True)
    assert stored(Visit.objects.get(), "standing", "provider_state") == ("settled", "rejected")
    assert act(batch).counts == {}


# Concurrency


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="threads on one database")
@pytest.mark.parametrize("operation", [CREATE, APPROVE, BONUS, "UpdateExpirationForHIT"])
def test_two_at_once_lead_to_one(platform, operation):
    batch, act = prepare(platform, operation)

    at_once(act, batch, 2)
    act(batch)

    assert_done_once(platform, batch, operation)


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="threads on one database")
@pytest.mark.parametrize("operation", [CREATE, APPROVE, BONUS])
def test_two_at_once_lead_to_one_even_if_no_lock_holds(platform, operation, monkeypatch):
    """The lock only avoids useless requests; the rows ensure that nothing is done twice."""
    for module in ("publish", "payments"):
        monkeypatch.setattr(f"surveys.crowd.mturk.{module}.exclusive_lock", no_lock)
    batch, act = prepare(platform, operation)

    at_once(act, batch, 3)
    act(batch)

    assert_done_once(platform, batch, operation)


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="threads on one database")
def test_no_interleaving_passes_the_ceiling(platform, monkeypatch):
    for module in ("publish", "payments"):
        monkeypatch.setattr(f"surveys.crowd.mturk.{module}.exclusive_lock", no_lock)
    batch = arm(plan(make_study(2, ratings_per_context=36), 36))
    Batch.objects.update(ceiling_cents=2 * 540, total_cents=2 * 540)

    at_once(publish_batch, batch, 3)

    assert sorted(batch.hits.values_list("state", flat=True)) == [
        "live", "live", "planned", "planned",
    ]  # fmt: skip
    assert count_spent(batch).committed_cents == 1080
    assert len(platform.client().list_hits()["HITs"]) == 2


def no_lock(*_: str) -> Any:
    return nullcontext()


def at_once(act: Callable[[Batch], Any], batch: Batch, n: int) -> None:
    def work(_: int) -> None:
        try:
            act(batch)
        except SurveyError:
            pass  # another thread does it
        finally:
            connection.close()

    with ThreadPoolExecutor(n) as people:
        list(people.map(work, range(n)))
