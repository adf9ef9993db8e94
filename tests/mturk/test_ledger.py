"""What may be spent and what was paid: once, under an armed batch, up to its ceiling."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from surveys.crowd.budget import (
    arm_batch,
    begin_creating,
    begin_creating_anew,
    count_spent,
    disarm_batch,
)
from surveys.crowd.ledger import (
    begin_sending,
    doubt_payment,
    intend_again,
    intend_bonus,
    intend_reward,
    list_unpaid_work,
    record_outside,
    refuse_payment,
    settle_payment,
)
from surveys.crowd.mturk.planning import close_hit, drop_plan, plan_batch
from surveys.crowd.reconciliation import reconcile_silence
from surveys.errors import (
    BatchRefused,
    CeilingReached,
    PaymentRefused,
    TargetRefused,
)
from surveys.models import (
    Annotator,
    AuditEntry,
    Batch,
    Hit,
    HitState,
    Payment,
    PaymentKind,
    Place,
    Standing,
    Study,
    Visit,
)
from surveys.participation.assignments import count_places_left
from tests.factories import make_study, stored
from tests.mturk.offered import OTHER, TERMS, arm, come, do, hand_in, plan, publish, questionnaires

pytestmark = pytest.mark.django_db
MASTERS_OF_SANDBOX = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"


@pytest.fixture
def study() -> Study:
    return make_study(2, ratings_per_context=12)


@pytest.fixture
def ana() -> User:
    return User.objects.get_or_create(username="ana")[0]


@pytest.fixture
def hit(study) -> Hit:
    """A live one of two places, under a batch with a dollar for bonuses."""
    return publish(arm(plan(study), more_cents=100))[0]


@pytest.fixture
def payable(hit) -> Visit:
    return hand_in(do(hit))


# Planning


def test_plan_batch_splits_places_into_hits_of_nine_and_reserves_them(study):
    batch = plan(study, 12, 2)

    assert [hit.n_places for hit in batch.hits.all()] == [9, 3, 9, 3]
    assert (batch.fee_cents, count_spent(batch)) == (10, (0, 24 * 60))
    assert [hit.places.count() for hit in batch.hits.all()] == [9, 3, 9, 3]
    assert count_places_left(study) == 0
    assert len({hit.token for hit in batch.hits.all()}) == 4


def test_plan_batch_refuses_places_that_are_not_free_and_changes_nothing(study):
    plan(study, 10)

    with pytest.raises(BatchRefused, match="has 2 places to give, not 3"):
        plan(study, 3)

    assert (Batch.objects.count(), Place.objects.filter(hit=None).count()) == (1, 14)


@pytest.mark.parametrize("target", ["sandbox", "production"])
def test_plan_batch_refuses_a_live_target_unless_the_site_allows_it(study, target, settings):
    places = {questionnaires(study)[0]: 1}
    with pytest.raises(TargetRefused, match="MTURK_ALLOW_LIVE=1"):
        plan_batch(study, target, places, **TERMS)
    with pytest.raises(TargetRefused, match="prolific is no target"):
        plan_batch(study, "prolific", places, **TERMS)

    settings.MTURK_IS_LIVE = True
    assert plan_batch(study, target, places, **TERMS).provider == target


def test_plan_batch_refuses_no_places_and_no_pay(study):
    with pytest.raises(BatchRefused, match="Say how many"):
        plan_batch(study, "simulator", {}, **TERMS)
    with pytest.raises(BatchRefused, match="one cent"):
        plan(study, reward_cents=0)
    with pytest.raises(BatchRefused, match=r"at most 20\.00"):
        plan(study, reward_cents=2001)


def test_places_for_masters_cost_more(study):
    masters = {"QualificationTypeId": MASTERS_OF_SANDBOX, "Comparator": "Exists"}

    assert plan(study, reward_cents=100, requirements=[masters]).fee_cents == 25


def test_closing_gives_places_back_but_those_that_are_held(hit):
    held = come(hit)

    close_hit(hit, n_owed=1)
    close_hit(hit)

    assert stored(hit, "state", "n_released") == ("closed", 1)
    assert not Place.objects.filter(hit=hit).exists()
    assert Place.objects.get(assignment=held).hit is None
    assert count_places_left(hit.batch.study) == 23
    assert count_spent(hit.batch).committed_cents == 60
    with pytest.raises(BatchRefused, match="cannot be owed"):
        close_hit(publish(arm(plan(hit.batch.study, 1)))[0], n_owed=2)


def test_drop_plan_closes_what_was_never_asked_for(study):
    batch = arm(plan(study, 12))
    begin_creating(batch.hits.first())

    assert (drop_plan(batch), drop_plan(batch)) == (1, 0)

    assert list(batch.hits.values_list("state", flat=True)) == ["creating", "closed"]


def test_places_of_a_hit_are_closed_when_given_back_to_a_study_that_wants_fewer(study):
    batch = plan(study, 12)
    Study.objects.filter(pk=study.pk).update(ratings_per_context=10)

    for hit in batch.hits.all():
        close_hit(hit)

    questionnaire = questionnaires(study)[0]
    assert Place.objects.filter(questionnaire=questionnaire, is_open=True).count() == 10


# Arming


def arm_with(batch: Batch, user: User, **changed: Any) -> Batch:
    wanted = {
        "typed_cents": 120, "ceiling_cents": 120, "until": timezone.now() + timedelta(hours=1),
    }  # fmt: skip
    return arm_batch(batch, user, **{**wanted, **changed})


def test_arm_batch_stores_who_typed_what(study, ana):
    batch = arm_with(plan(study), ana, ceiling_cents=200)

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
def test_arm_batch_refuses(study, ana, changed, message):
    batch = plan(study)

    with pytest.raises(BatchRefused, match=message):
        arm_with(batch, ana, **changed)

    assert stored(batch, "armed_by", "ceiling_cents") == (None, None)


def test_arm_batch_refuses_nobody(study):
    with pytest.raises(BatchRefused, match="a person"):
        arm_with(plan(study), User(username="nobody"))


def test_a_stopped_batch_pays_what_it_owes_and_offers_nothing(hit, payable, ana):
    planned = plan(hit.batch.study).hits.get()
    Hit.objects.filter(pk=planned.pk).update(batch=hit.batch)
    Batch.objects.update(stopped_at=timezone.now())
    arm_with(hit.batch, ana, typed_cents=240, ceiling_cents=240)

    planned.refresh_from_db()
    with pytest.raises(BatchRefused, match="was stopped"):
        begin_creating(planned)
    assert begin_sending(intend_reward(payable))


def test_the_database_refuses_a_batch_armed_by_half(study, ana):
    batch = plan(study)
    with pytest.raises(IntegrityError), transaction.atomic():
        Batch.objects.filter(pk=batch.pk).update(armed_by=ana, armed_at=timezone.now())


# Committing HITs


def test_begin_creating_commits_what_a_hit_costs_once(study):
    batch = arm(plan(study))
    (hit,) = batch.hits.all()

    first = begin_creating(hit)
    again = begin_creating(hit)

    assert (first.state, first.first_attempt_at) == (again.state, again.first_attempt_at)
    assert count_spent(batch) == (120, 120)


@pytest.mark.parametrize("how", ["never", "disarmed", "expired"])
def test_begin_creating_refuses_a_batch_that_is_not_armed(study, how):
    batch = plan(study)
    if how != "never":
        arm(batch)
    if how == "disarmed":
        disarm_batch(disarm_batch(batch))
    if how == "expired":
        past = timezone.now() - timedelta(days=2)
        Batch.objects.update(armed_at=past, armed_until=past + timedelta(days=1))

    with pytest.raises(BatchRefused, match="is not armed"):
        begin_creating(batch.hits.get())

    assert stored(batch.hits.get(), "state", "first_attempt_at") == ("planned", None)


def test_an_unknown_hit_is_asked_for_anew_by_another_token(study):
    hit = begin_creating(arm(plan(study)).hits.get())
    assert begin_creating_anew(hit).attempt == 1
    Hit.objects.update(state=HitState.UNKNOWN)

    anew = begin_creating_anew(hit)

    assert (anew.attempt, anew.state) == (2, "creating")
    assert anew.token == Hit.make_token(hit.key, 2) != hit.token
    assert count_spent(hit.batch).committed_cents == 120


# Paying


def test_a_reward_is_paid_once_out_of_what_was_reserved(hit, payable):
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


def test_a_fee_is_reserved_rounded_up_and_noted_as_it_is_billed(study):
    batch = arm(plan(study, reward_cents=12), more_cents=100)
    assert (batch.fee_cents, count_spent(batch).total_cents) == (3, 2 * 15)
    payment = intend_reward(hand_in(do(publish(batch)[0])))
    assert (payment.fee_cents, count_spent(batch).committed_cents) == (3, 30)

    settle_payment(begin_sending(payment) or payment)

    assert stored(payment, "amount_cents", "fee_cents") == (12, 2)
    assert count_spent(batch) == (14 + 15, 14 + 15)  # the other place keeps what was reserved


def test_a_bonus_is_noted_with_the_fee_that_is_billed(hit, payable, ana):
    bonus = intend_bonus(payable, "careful", 41, by=ana, reason="careful")
    assert bonus.fee_cents == 9

    settle_payment(begin_sending(bonus) or bonus)

    assert stored(bonus, "fee_cents") == (8,)


def test_what_the_provider_does_not_report_is_not_payable(hit):
    visit = do(hit)

    with pytest.raises(PaymentRefused, match="does not report it"):
        intend_reward(visit)

    assert not Payment.objects.exists()


def test_what_is_held_is_paid_by_a_person_who_says_why(hit, ana):
    come(hit)
    visit = hand_in(Visit.objects.get())
    assert (visit.standing, "before it was finished" in visit.held_because) == ("held", True)
    with pytest.raises(PaymentRefused, match="a person decides"):
        intend_reward(visit)

    payment = intend_reward(visit, by=ana, reason="a fault of ours")

    assert stored(payment, "by", "reason") == (ana.pk, "a fault of ours")


def test_two_rewards_for_one_submission_are_refused(hit, payable):
    intend_reward(payable)
    other = Visit.objects.create(
        entrance=payable.entrance, hit=hit, provider_study=hit.hit_id, standing=Standing.PAYABLE,
        submission=payable.submission, worker=do(hit, OTHER, "3ASSIGNMENT2").worker,
    )  # fmt: skip

    with pytest.raises(PaymentRefused, match="another person"):
        intend_reward(other)
    with pytest.raises(PaymentRefused, match="another person"):
        record_outside(other, reason="by hand")
    with pytest.raises(IntegrityError), transaction.atomic():
        Payment.objects.create(
            batch=hit.batch, visit=other, provider="simulator", submission=other.submission,
            kind="reward", grant_key="another", amount_cents=50,
        )  # fmt: skip


def test_one_work_is_not_paid_by_two_submissions(hit, payable):
    intend_reward(payable)
    second = Visit.objects.create(
        entrance=payable.entrance, hit=hit, provider_study=hit.hit_id, submission="3ASSIGNMENT9",
        worker=payable.worker, assignment=payable.assignment, standing=Standing.PAYABLE,
    )  # fmt: skip

    with pytest.raises(PaymentRefused, match="paid already"):
        intend_reward(second)


def test_a_bonus_is_granted_once_for_a_key_and_counts_with_its_fee(hit, payable, ana):
    bonus = intend_bonus(payable, "thanks-1", 40, by=ana, reason="careful")
    assert intend_bonus(payable, "thanks-1", 40, by=ana, reason="careful") == bonus
    assert (bonus.fee_cents, count_spent(hit.batch).committed_cents) == (8, 168)

    with pytest.raises(PaymentRefused, match="by this key"):
        intend_bonus(payable, "thanks-1", 41, by=ana, reason="careful")
    with pytest.raises(PaymentRefused, match="what it is for"):
        intend_bonus(payable, "thanks-2", 40, by=ana, reason=" ")
    with pytest.raises(CeilingReached, match=r"would come to 2\.28, above its ceiling of 2\.20"):
        intend_bonus(payable, "thanks-2", 50, by=ana, reason="careful")
    assert Payment.objects.count() == 1


def test_nothing_is_intended_or_sent_once_a_batch_is_disarmed(hit, payable, ana):
    payment = intend_reward(payable)
    disarm_batch(hit.batch)

    with pytest.raises(BatchRefused, match="is not armed"):
        begin_sending(payment)
    with pytest.raises(BatchRefused, match="is not armed"):
        intend_bonus(payable, "thanks", 1, by=ana, reason="careful")
    assert stored(payment, "state", "sent_at") == ("intended", None)


def test_a_doubtful_payment_counts_until_it_is_known(hit, payable, ana):
    payment = intend_bonus(payable, "thanks", 10, by=ana, reason="careful")
    with pytest.raises(PaymentRefused, match="was not sent"):
        settle_payment(payment)
    begin_sending(payment)

    doubt_payment(payment, "lost answer about worker A1PLANTEDWORKER")

    assert stored(payment, "state", "error") == ("unknown", "lost answer about worker …")
    assert count_spent(hit.batch).committed_cents == 132
    refuse_payment(payment, "it is not there")
    assert count_spent(hit.batch).committed_cents == 120
    intend_again(payment, by=ana, reason="once more")
    assert begin_sending(payment)
    settle_payment(payment)
    with pytest.raises(PaymentRefused, match="was made"):
        refuse_payment(payment, "no")


def test_what_was_paid_outside_is_noted_and_counts(hit, payable):
    record_outside(payable, reason="approved at the provider")
    record_outside(payable, reason="approved at the provider")

    payment = Payment.objects.get()
    assert (payment.state, payment.amount_cents, payment.fee_cents) == ("outside", 50, 10)
    assert count_spent(hit.batch) == (120, 120)
    assert AuditEntry.objects.filter(action="payment.outside").count() == 1


def test_finished_work_that_was_never_handed_in_is_listed_until_it_is_paid(hit, ana):
    visit = do(hit)
    Visit.objects.update(deadline_at=timezone.now() - timedelta(minutes=30))
    assert not reconcile_silence(hit)
    Visit.objects.update(deadline_at=timezone.now() - timedelta(hours=2))

    assert reconcile_silence(hit) == {"unpaid": 1}
    assert reconcile_silence(hit) == {}

    assert list_unpaid_work(hit.batch) == [visit]
    record_outside(visit, kind=PaymentKind.COMPENSATION, amount_cents=50, by=ana, reason="by bank")
    assert list_unpaid_work(hit.batch) == []
