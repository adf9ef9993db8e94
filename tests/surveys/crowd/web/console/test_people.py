from contextlib import nullcontext

import pytest

from surveys.crowd.ledger import intend_reward, refuse_payment
from surveys.crowd.models import Grant, Hit, Payment, PaymentState
from surveys.crowd.mturk.payments import PAYING
from surveys.crowd.mturk.steps import exclusive_lock
from surveys.models import Job, JobState, ReconciliationResult, Run, Visit
from tests.factories.batch_states import (
    send,
    text_of,
    visit_of,
)
from tests.factories.batches import hand_in
from tests.factories.pages import page, read
from tests.factories.studies import stored

pytestmark = pytest.mark.study(of="crowd")

KEY = "0" * 32


def test_people_are_filtered_by_status(owner, study, batch):
    expected = {"": 7, "payable": 2, "flagged": 1, "held": 1, "unpaid": 1, "settled": 1, "none": 1}
    for standing, n in expected.items():
        found = owner.get(page("batch_people", study, batch.pk), {"standing": standing})
        assert text_of(found).count('<th scope="row" role="rowheader"') == n, standing
    wrong = owner.get(page("batch_people", study, batch.pk), {"standing": "odd"})
    assert wrong.status_code == 422


def test_a_held_person_is_paid_for_a_reason(owner, study, batch):
    visit = visit_of(batch, ReconciliationResult.HELD)
    where = (study, batch.pk, visit.pk)

    assert "before it was finished here" in read(owner, "visit", *where)
    assert send(owner, "pay_visit", *where, reason="").status_code == 422
    answer = send(owner, "pay_visit", *where, reason="they wrote to us")

    assert answer.status_code == 302
    payment = visit.payments.get()
    assert stored(payment, "state", "by__username", "reason", "amount_cents") == (
        "intended", "ana", "they wrote to us", 50,
    )  # fmt: skip
    assert [run.kind for run in Run.objects.all()] == ["pay"]


def test_a_person_is_not_paid_while_the_batch_is_being_paid(owner, study, batch):
    """Otherwise the payment would wait until a user starts another job."""
    send(owner, "work_batch", study, batch.pk, what="pay")
    visit = visit_of(batch, ReconciliationResult.PAYABLE)

    for name, *ids in (("pay_visit", visit.pk), ("batch_bonus",)):
        answer = send(owner, name, study, batch.pk, *ids, reason="careful", chosen=[visit.pk],
                      amount_cents="1", key=KEY)  # fmt: skip
        assert answer.status_code == 422
        assert "already in progress" in text_of(answer)
    assert not visit.payments.exists()


def test_a_person_who_is_not_payable_is_not_paid(owner, study, batch, platform):
    visit = visit_of(batch, ReconciliationResult.EXPIRED)

    answer = send(owner, "pay_visit", study, batch.pk, visit.pk, reason="why not")

    assert answer.status_code == 422
    assert "is not payable" in text_of(answer)
    assert not visit.payments.exists()
    assert not Run.objects.exists()
    assert platform.control.counts() == {}


def test_a_rejection_requires_a_reason_and_undecided_work(owner, study, batch, platform):
    held, expired = (
        visit_of(batch, one) for one in (ReconciliationResult.HELD, ReconciliationResult.EXPIRED)
    )

    refused = [
        send(owner, "reject_visit", study, batch.pk, visit.pk, feedback=feedback)
        for visit, feedback in ((held, " "), (expired, "nothing was answered"))
    ]

    assert [answer.status_code for answer in refused] == [422, 422]
    assert "cannot be rejected" in text_of(refused[1])
    assert platform.control.counts() == {}


def test_only_a_rejection_is_reversed(owner, study, batch, platform):
    visit = visit_of(batch, ReconciliationResult.HELD)

    answer = send(owner, "override_visit", study, batch.pk, visit.pk, reason="we were wrong")

    assert answer.status_code == 422
    assert "was not rejected" in text_of(answer)
    assert platform.control.counts() == {}


@pytest.mark.parametrize("is_busy", [False, True])
def test_an_unavailable_provider_is_reported(owner, study, batch, is_busy):
    said = "Another process is paying" if is_busy else "cannot be reached"
    held = visit_of(batch, ReconciliationResult.HELD)
    rejected = hand_in(visit_of(batch, ReconciliationResult.PAYABLE), state="rejected")
    where = (study, batch.pk)

    with exclusive_lock(PAYING, "simulator") if is_busy else nullcontext():
        answers = [
            send(owner, "reject_visit", *where, held.pk, feedback="nothing was answered"),
            send(owner, "override_visit", *where, rejected.pk, reason="we were wrong"),
        ]

    for answer in answers:
        assert answer.status_code == 422
        assert said in text_of(answer)
    assert stored(held, "provider_state", "standing") == ("submitted", "held")
    payments = rejected.payments.values_list("state", flat=True)
    assert list(payments) == ([] if is_busy else ["unknown"])


def test_nobody_is_selected_if_the_provider_does_not_answer(owner, study, batch):
    chosen = [visit_of(batch, ReconciliationResult.PAYABLE).pk]

    answer = send(owner, "batch_choose", study, batch.pk, chosen=chosen, reason="careful")

    assert answer.status_code == 422
    assert "cannot be reached" in text_of(answer)
    assert not Grant.objects.exists()


def test_a_refused_payment_is_retried(owner, study, batch):
    visit = visit_of(batch, ReconciliationResult.PAYABLE)
    payment = refuse_payment(intend_reward(visit), "no money left")

    assert "Retry the payment" in read(owner, "visit", study, batch.pk, visit.pk)
    send(owner, "retry_visit", study, batch.pk, visit.pk, reason="the account is filled")

    assert stored(payment, "state", "by__username") == (PaymentState.INTENDED, "ana")
    again = send(owner, "retry_visit", study, batch.pk, visit.pk, reason="once more")
    assert "No payment of this visit was refused" in text_of(again)
    assert Run.objects.get().kind == "pay"


def test_unpaid_work_is_recorded_as_paid_elsewhere(owner, study, batch):
    visit = visit_of(batch, ReconciliationResult.UNPAID)
    sent = {"reason": "by bank transfer", "amount_cents": "0.50"}

    send(owner, "note_visit", study, batch.pk, visit.pk, **sent)
    again = send(owner, "note_visit", study, batch.pk, visit.pk, **sent)

    assert again.status_code == 422
    assert stored(visit, "standing") == ("settled",)
    assert "by bank transfer" in read(owner, "batch_ledger", study, batch.pk)
    assert "cannot be paid by" not in read(owner, "batch", study, batch.pk)


def test_unpaid_work_is_paid_by_a_hit_for_one_person(
    owner, study, batch, platform, django_capture_on_commit_callbacks
):
    visit = visit_of(batch, ReconciliationResult.UNPAID)

    assert "Offer the HIT" in read(owner, "visit", study, batch.pk, visit.pk)
    worker = platform.worker(worker_id=visit.worker.worker_id)
    with django_capture_on_commit_callbacks(execute=True):
        send(owner, "compensate_visit", study, batch.pk, visit.pk, reason="their frame was closed")

    assert stored(Hit.objects.get(compensates=visit), "state", "n_places") == ("live", 1)
    (theirs,) = worker.list_groups()
    assert theirs.may_accept
    assert not any(group.may_accept for group in platform.worker().list_groups())


def test_granting_a_bonus_is_idempotent(owner, study, batch):
    chosen = list(Visit.objects.filter(provider_state="submitted").values_list("pk", flat=True)[:2])
    sent = {"chosen": chosen, "amount_cents": "1", "reason": "very careful", "key": KEY}

    for _ in range(2):
        assert send(owner, "batch_bonus", study, batch.pk, **sent).status_code == 302
        Job.objects.update(state=JobState.FAILED)  # the job has ended

    bonuses = Payment.objects.filter(kind="bonus").values_list(
        "amount_cents", "fee_cents", "reason"
    )
    assert list(bonuses) == [(100, 20, "very careful")] * 2


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"chosen": []}, "Select at least one person"),
        ({"amount_cents": ""}, "This field is required"),
        ({"amount_cents": "900"}, "above its ceiling"),
        ({"reason": ""}, "This field is required"),
        ({"chosen": ["1", "999999"]}, "Choose one or more people"),
    ],
)
def test_a_bonus_with_an_error_is_granted_to_nobody(owner, study, batch, wrong, said):
    chosen = [str(visit_of(batch, ReconciliationResult.PAYABLE).pk)]
    sent = {"chosen": chosen, "amount_cents": "1", "reason": "careful", "key": KEY, **wrong}

    answer = send(owner, "batch_bonus", study, batch.pk, **sent)

    assert answer.status_code == 422
    assert said in text_of(answer)
    assert not Payment.objects.filter(kind="bonus").exists()


def test_selected_workers_get_a_private_task(
    owner, study, batch, platform, django_capture_on_commit_callbacks
):
    visit = visit_of(batch, ReconciliationResult.PAYABLE)
    platform.worker(worker_id=visit.worker.worker_id)
    sent = {"chosen": [visit.pk], "reason": "agrees with the others"}

    with django_capture_on_commit_callbacks(execute=True):
        send(owner, "batch_choose", study, batch.pk, **sent)
    asked = platform.control.counts()
    refused = send(owner, "batch_choose", study, batch.pk, **{**sent, "chosen": []})

    grant = Grant.objects.get()
    assert stored(grant, "worker", "by__username", "reason") == (
        visit.worker_id, "ana", "agrees with the others",
    )  # fmt: skip
    assert grant.told_at
    assert asked == {"CreateQualificationType": 1, "AssociateQualificationWithWorker": 1}
    assert platform.control.counts() == asked
    assert refused.status_code == 422
    assert "agrees with the others" in text_of(refused)
