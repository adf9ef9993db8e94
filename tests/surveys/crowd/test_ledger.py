"""The budget and the payment ledger: payments are made once, approved, below the ceiling."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from surveys.crowd.budget import (
    approve_budget,
    begin_creating,
    begin_recreating,
    count_spent,
    withdraw_approval,
)
from surveys.crowd.errors import BatchRefused, CeilingReached, PaymentRefused
from surveys.crowd.ledger import (
    begin_sending,
    intend_bonus,
    intend_reward,
    list_unpaid_work,
    mark_payment_unknown,
    record_outside_payment,
    refuse_payment,
    retry_payment,
    settle_payment,
)
from surveys.crowd.models import Batch, Hit, HitState, Payment, PaymentKind
from surveys.crowd.reconciliation import reconcile_silence
from surveys.models import Annotator, AuditEntry, ReconciliationResult, Visit
from tests.factories.batches import (
    OTHER,
    arm,
    come,
    do,
    hand_in,
    plan,
    publish,
)
from tests.factories.studies import stored

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.every_database,  # locks and constraints
    pytest.mark.study(ratings_per_context=12),
]
MASTERS_OF_SANDBOX = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"


@pytest.fixture
def payable(hit) -> Visit:
    return hand_in(do(hit))


# Approving the budget


def approve_with(batch: Batch, user: User, **changed: Any) -> Batch:
    wanted = {
        "typed_cents": 120, "ceiling_cents": 120, "until": timezone.now() + timedelta(hours=1),
    }  # fmt: skip
    return approve_budget(batch, user, **{**wanted, **changed})


def test_approve_budget_stores_user_and_amounts(study, ana):
    batch = approve_with(plan(study), ana, ceiling_cents=200)

    assert stored(batch, "armed_by", "total_cents", "ceiling_cents") == (ana.pk, 120, 200)
    assert batch.is_armed(timezone.now())
    entry = AuditEntry.objects.get(action="batch.armed")
    assert (entry.details["total_cents"], entry.details["target"]) == (120, "simulator")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"typed_cents": 119}, "Type the total, 1.20"),
        ({"ceiling_cents": 119}, "ceiling must be 1.20 or more"),
        ({"until": timezone.now() - timedelta(hours=1)}, "in the future"),
    ],
)
def test_approve_budget_refuses(study, ana, changed, message):
    batch = plan(study)

    with pytest.raises(BatchRefused, match=message):
        approve_with(batch, ana, **changed)

    assert stored(batch, "armed_by", "ceiling_cents") == (None, None)


def test_approve_budget_refuses_an_unknown_user(study):
    with pytest.raises(BatchRefused, match="Sign in"):
        approve_with(plan(study), User(username="nobody"))


def test_a_stopped_batch_pays_what_it_owes_and_offers_nothing(hit, payable, ana):
    planned = plan(hit.batch.study).hits.get()
    Hit.objects.filter(pk=planned.pk).update(batch=hit.batch)
    Batch.objects.update(stopped_at=timezone.now())
    approve_with(hit.batch, ana, typed_cents=240, ceiling_cents=240)

    planned.refresh_from_db()
    with pytest.raises(BatchRefused, match="was stopped"):
        begin_creating(planned)
    assert begin_sending(intend_reward(payable))


def test_the_database_refuses_half_an_approval(study, ana):
    batch = plan(study)
    with pytest.raises(IntegrityError), transaction.atomic():
        Batch.objects.filter(pk=batch.pk).update(armed_by=ana, armed_at=timezone.now())


# Committing HITs


def test_begin_creating_commits_the_cost_of_a_hit_once(study):
    batch = arm(plan(study))
    (hit,) = batch.hits.all()

    first = begin_creating(hit)
    again = begin_creating(hit)

    assert (first.state, first.first_attempt_at) == (again.state, again.first_attempt_at)
    assert count_spent(batch) == (120, 120)


@pytest.mark.parametrize("how", ["never", "disarmed", "expired"])
def test_begin_creating_refuses_a_batch_without_an_approved_budget(study, how):
    batch = plan(study)
    if how != "never":
        arm(batch)
    if how == "disarmed":
        withdraw_approval(withdraw_approval(batch))
    if how == "expired":
        past = timezone.now() - timedelta(days=2)
        Batch.objects.update(armed_at=past, armed_until=past + timedelta(days=1))

    with pytest.raises(BatchRefused, match="is not approved"):
        begin_creating(batch.hits.get())

    assert stored(batch.hits.get(), "state", "first_attempt_at") == ("planned", None)


def test_an_unknown_hit_is_requested_again_with_a_new_token(study):
    hit = begin_creating(arm(plan(study)).hits.get())
    assert begin_recreating(hit).attempt == 1
    Hit.objects.update(state=HitState.UNKNOWN)

    again = begin_recreating(hit)

    assert (again.attempt, again.state) == (2, "creating")
    assert again.token == Hit.make_token(hit.reservation.token, 2) != hit.token
    assert count_spent(hit.batch).committed_cents == 120


# Paying


def test_a_reward_is_paid_once_from_the_reserved_money(hit, payable):
    payment = intend_reward(payable)
    assert intend_reward(payable) == payment
    sending = begin_sending(payment)
    assert sending
    assert begin_sending(payment) is None

    settle_payment(settle_payment(payment))

    assert stored(payment, "state", "amount_cents", "fee_cents") == ("paid", 50, 10)
    assert count_spent(hit.batch) == (120, 120)
    assert stored(payable, "standing") == ("settled",)
    assert Annotator.objects.get().paid_at is not None


def test_a_fee_is_reserved_rounded_up_and_stored_as_billed(study):
    batch = arm(plan(study, reward_cents=12), more_cents=100)
    assert (batch.fee_cents, count_spent(batch).total_cents) == (3, 2 * 15)
    payment = intend_reward(hand_in(do(publish(batch)[0])))
    assert (payment.fee_cents, count_spent(batch).committed_cents) == (3, 30)

    settle_payment(begin_sending(payment) or payment)

    assert stored(payment, "amount_cents", "fee_cents") == (12, 2)
    assert count_spent(batch) == (14 + 15, 14 + 15)  # the other place keeps what was reserved


def test_a_bonus_is_stored_with_the_billed_fee(hit, payable, ana):
    bonus = intend_bonus(payable, "careful", 41, by=ana, reason="careful")
    assert bonus.fee_cents == 9

    settle_payment(begin_sending(bonus) or bonus)

    assert stored(bonus, "fee_cents") == (8,)


def test_unreported_work_is_not_payable(hit):
    visit = do(hit)

    with pytest.raises(PaymentRefused, match="does not report it"):
        intend_reward(visit)

    assert not Payment.objects.exists()


def test_held_work_is_paid_by_a_user_with_a_reason(hit, ana):
    come(hit)
    visit = hand_in(Visit.objects.get())
    assert (visit.standing, "before it was finished" in visit.held_because) == ("held", True)
    with pytest.raises(PaymentRefused, match="a researcher decides"):
        intend_reward(visit)

    payment = intend_reward(visit, by=ana, reason="a fault of ours")

    assert stored(payment, "by", "reason") == (ana.pk, "a fault of ours")


def test_two_rewards_for_one_submission_are_refused(hit, payable):
    intend_reward(payable)
    other = Visit.objects.create(
        entrance=payable.entrance, reservation=hit.reservation, provider_study=hit.hit_id,
        standing=ReconciliationResult.PAYABLE, submission=payable.submission,
        worker=do(hit, OTHER, "3ASSIGNMENT2").worker,
    )  # fmt: skip

    with pytest.raises(PaymentRefused, match="another worker"):
        intend_reward(other)
    with pytest.raises(PaymentRefused, match="another worker"):
        record_outside_payment(other, reason="by hand")
    with pytest.raises(IntegrityError), transaction.atomic():
        Payment.objects.create(
            batch=hit.batch, visit=other, provider="simulator", submission=other.submission,
            kind="reward", grant_key="another", amount_cents=50,
        )  # fmt: skip


def test_one_work_is_not_paid_by_two_submissions(hit, payable):
    intend_reward(payable)
    second = Visit.objects.create(
        entrance=payable.entrance, reservation=hit.reservation, provider_study=hit.hit_id,
        submission="3ASSIGNMENT9", worker=payable.worker, assignment=payable.assignment,
        standing=ReconciliationResult.PAYABLE,
    )  # fmt: skip

    with pytest.raises(PaymentRefused, match="already paid"):
        intend_reward(second)


def test_a_bonus_is_granted_once_for_a_key_and_counts_with_its_fee(hit, payable, ana):
    bonus = intend_bonus(payable, "thanks-1", 40, by=ana, reason="careful")
    assert intend_bonus(payable, "thanks-1", 40, by=ana, reason="careful") == bonus
    assert (bonus.fee_cents, count_spent(hit.batch).committed_cents) == (8, 168)

    with pytest.raises(PaymentRefused, match="This key"):
        intend_bonus(payable, "thanks-1", 41, by=ana, reason="careful")
    with pytest.raises(PaymentRefused, match="Give the amount"):
        intend_bonus(payable, "thanks-2", 40, by=ana, reason=" ")
    with pytest.raises(CeilingReached, match=r"would come to 2\.28, above its ceiling of 2\.20"):
        intend_bonus(payable, "thanks-2", 50, by=ana, reason="careful")
    assert Payment.objects.count() == 1


def test_nothing_is_intended_or_sent_after_approval_is_withdrawn(hit, payable, ana):
    payment = intend_reward(payable)
    withdraw_approval(hit.batch)

    with pytest.raises(BatchRefused, match="is not approved"):
        begin_sending(payment)
    with pytest.raises(BatchRefused, match="is not approved"):
        intend_bonus(payable, "thanks", 1, by=ana, reason="careful")
    assert stored(payment, "state", "sent_at") == ("intended", None)


def test_an_unknown_payment_counts_until_it_is_settled(hit, payable, ana):
    payment = intend_bonus(payable, "thanks", 10, by=ana, reason="careful")
    with pytest.raises(PaymentRefused, match="was not sent"):
        settle_payment(payment)
    begin_sending(payment)

    mark_payment_unknown(payment, "lost answer about worker A1PLANTEDWORKER")

    assert stored(payment, "state", "error") == ("unknown", "lost answer about worker …")
    assert count_spent(hit.batch).committed_cents == 132
    refuse_payment(payment, "it is not listed")
    assert count_spent(hit.batch).committed_cents == 120
    retry_payment(payment, by=ana, reason="once more")
    assert begin_sending(payment)
    settle_payment(payment)
    with pytest.raises(PaymentRefused, match="was made"):
        refuse_payment(payment, "no")


def test_an_outside_payment_is_recorded_and_counts(hit, payable):
    record_outside_payment(payable, reason="approved at the provider")
    record_outside_payment(payable, reason="approved at the provider")

    payment = Payment.objects.get()
    assert (payment.state, payment.amount_cents, payment.fee_cents) == ("outside", 50, 10)
    assert count_spent(hit.batch) == (120, 120)
    assert AuditEntry.objects.filter(action="payment.outside").count() == 1


def test_finished_work_that_was_never_handed_in_is_listed_until_it_is_paid(hit, ana):
    visit = do(hit)
    Visit.objects.update(deadline_at=timezone.now() - timedelta(minutes=30))
    assert not reconcile_silence(hit.reservation)
    Visit.objects.update(deadline_at=timezone.now() - timedelta(hours=2))

    assert reconcile_silence(hit.reservation) == {"unpaid": 1}
    assert reconcile_silence(hit.reservation) == {}

    assert list_unpaid_work(hit.batch) == [visit]
    record_outside_payment(
        visit, kind=PaymentKind.COMPENSATION, amount_cents=50, by=ana, reason="by bank"
    )
    assert list_unpaid_work(hit.batch) == []
