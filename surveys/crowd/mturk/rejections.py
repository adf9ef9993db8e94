"""Reject single submissions with a reason, and override a rejection within thirty days.

Nothing is rejected automatically: excluding an annotator from the dataset never withholds pay.
"""

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.budget import lock_batch, refuse_unapproved
from surveys.crowd.errors import PaymentRefused
from surveys.crowd.ledger import intend_reward, refuse_payment, retry_payment
from surveys.crowd.models import Hit, HitState, Payment, PaymentState
from surveys.crowd.mturk.collect import count_owed, read_report
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.payments import PAYING, pay, read_assignment
from surveys.crowd.mturk.steps import exclusive_lock
from surveys.crowd.reconciliation import reconcile
from surveys.errors import GatewayDown, GatewayRefused
from surveys.models import ProviderState, ReconciliationResult, Visit

OVERRIDE_FOR = timedelta(days=30)
MAX_FEEDBACK_LENGTH = 1024


def reject_visit(visit: Visit, *, by: User, feedback: str) -> Visit:
    """Reject the submission of a visit; the worker reads the feedback. Idempotent.

    Raises PaymentRefused if it cannot be rejected, GatewayDown if it may not have been.
    """
    visit = _find(visit)
    _check_decision(by, feedback)
    with exclusive_lock(PAYING, visit.entrance.provider):
        if visit.provider_state != ProviderState.REJECTED:
            _cancel_reward(visit)
            _reject(open_gateway(visit.entrance.provider), visit, feedback)
    visit = _find(visit)
    if visit.provider_state != ProviderState.REJECTED:
        raise PaymentRefused(f"{visit} was approved already, and cannot be rejected.")
    record("submission.rejected", visit.entrance.study, str(visit), reason=feedback[:200], by=by.pk)
    return visit


def override_rejection(visit: Visit, *, by: User, reason: str) -> Payment:
    """Pay a rejected submission after all. Idempotent. Raises BatchRefused, PaymentRefused."""
    visit = _find(visit)
    _check_decision(by, reason)
    paid = Payment.objects.rewards().settled().filter(visit=visit).first()
    if paid:
        return paid
    if visit.provider_state != ProviderState.REJECTED or visit.reservation is None:
        raise PaymentRefused(f"{visit} was not rejected.")
    if visit.decided_at and timezone.now() - visit.decided_at > OVERRIDE_FOR:
        raise PaymentRefused(
            "A rejection can be overridden for 30 days. Pay the worker in another way."
        )
    refuse_unapproved(visit.reservation.hit.batch)
    with exclusive_lock(PAYING, visit.entrance.provider):
        payment = intend_reward(visit, by=by, reason=reason)
        payment = retry_payment(payment, by=by, reason=reason)
        pay(open_gateway(visit.entrance.provider), payment, is_override=True)
    payment.refresh_from_db()
    return payment


def _reject(gateway: Gateway, visit: Visit, feedback: str) -> None:
    """Reject at the target, then store the state that it reports, even if the request failed."""
    failed = None
    try:
        gateway.call(
            "reject_assignment", AssignmentId=visit.submission, RequesterFeedback=feedback.strip()
        )
    except (GatewayDown, GatewayRefused) as error:
        failed = error
    assignment = read_assignment(gateway, visit)
    if failed and assignment["AssignmentStatus"] == "Submitted":
        raise failed
    reconcile(visit.entrance, read_report(assignment), visit.reservation)
    if visit.reservation:
        _release(visit.reservation.hit)


@transaction.atomic
def _release(hit: Hit) -> None:
    """Release the money that a closed HIT reserved for work that was rejected since."""
    lock_batch(hit.batch)
    closed = Hit.objects.filter(pk=hit.pk, state=HitState.CLOSED)
    closed.update(n_released=hit.n_places - count_owed(hit))


@transaction.atomic
def _cancel_reward(visit: Visit) -> None:
    if visit.standing not in (ReconciliationResult.PAYABLE, ReconciliationResult.HELD):
        raise PaymentRefused(f"{visit} was not submitted or is settled: it cannot be rejected.")
    for payment in Payment.objects.rewards().filter(visit=visit):
        if payment.state in (PaymentState.SENDING, PaymentState.UNKNOWN):
            raise PaymentRefused(f"{payment} may have been made. Pay the batch again first.")
        if payment.state == PaymentState.INTENDED:
            refuse_payment(payment, "rejected by a researcher")


def _check_decision(by: User, reason: str) -> None:
    if not by.pk or not by.is_active:
        raise PaymentRefused("Sign in to decide this.")
    if not 1 <= len(reason.strip()) <= MAX_FEEDBACK_LENGTH:
        raise PaymentRefused(
            f"Give a reason of 1 to {MAX_FEEDBACK_LENGTH} characters: the worker reads it."
        )


def _find(visit: Visit) -> Visit:
    visits = Visit.objects.select_related(
        "entrance__study", "reservation__hit__batch__entrance", "worker"
    )
    return visits.get(pk=visit.pk)
