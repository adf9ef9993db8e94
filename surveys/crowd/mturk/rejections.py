"""Work that a person rejects, one by one and with a reason; and takes back within thirty days.

Nothing rejects by itself: leaving somebody out of the dataset never withholds pay.
"""

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.budget import lock_batch, refuse_unarmed
from surveys.crowd.ledger import intend_again, intend_reward, refuse_payment
from surveys.crowd.mturk.fetching import count_owed, read_report
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.locks import alone
from surveys.crowd.mturk.payments import PAYING, pay, read_assignment
from surveys.crowd.reconciliation import reconcile
from surveys.errors import GatewayDown, GatewayRefused, PaymentRefused
from surveys.models import (
    Hit,
    HitState,
    Payment,
    PaymentState,
    ProviderState,
    Standing,
    Visit,
)

OVERRIDE_FOR = timedelta(days=30)
LONGEST_FEEDBACK = 1024


def reject_visit(visit: Visit, *, by: User, feedback: str) -> Visit:
    """Reject what a visit has handed in; the worker reads the feedback. Twice does no harm.

    Raises PaymentRefused for what cannot be rejected, GatewayDown where it is not sure to be.
    """
    visit = _find(visit)
    _refuse_nameless(by, feedback)
    with alone(PAYING, visit.entrance.provider):
        if visit.provider_state != ProviderState.REJECTED:
            _give_up_reward(visit)
            _reject(open_gateway(visit.entrance.provider), visit, feedback)
    visit = _find(visit)
    if visit.provider_state != ProviderState.REJECTED:
        raise PaymentRefused(f"{visit} was approved already, and cannot be rejected.")
    record("submission.rejected", visit.entrance.study, str(visit), reason=feedback[:200], by=by.pk)
    return visit


def override_rejection(visit: Visit, *, by: User, reason: str) -> Payment:
    """Pay what was rejected, after all. Twice does no harm. Raises BatchRefused, PaymentRefused."""
    visit = _find(visit)
    _refuse_nameless(by, reason)
    paid = Payment.objects.rewards().settled().filter(visit=visit).first()
    if paid:
        return paid
    if visit.provider_state != ProviderState.REJECTED or visit.hit is None:
        raise PaymentRefused(f"{visit} was not rejected.")
    if visit.decided_at and timezone.now() - visit.decided_at > OVERRIDE_FOR:
        raise PaymentRefused("A rejection is taken back within 30 days. Pay them in another way.")
    refuse_unarmed(visit.hit.batch)
    with alone(PAYING, visit.entrance.provider):
        payment = intend_reward(visit, by=by, reason=reason)
        payment = intend_again(payment, by=by, reason=reason)
        pay(open_gateway(visit.entrance.provider), payment, is_override=True)
    payment.refresh_from_db()
    return payment


def _reject(gateway: Gateway, visit: Visit, feedback: str) -> None:
    """Reject at the target; what it says then is taken, whatever became of the request."""
    failed = None
    try:
        gateway.call(
            "reject_assignment", AssignmentId=visit.submission, RequesterFeedback=feedback.strip()
        )
    except (GatewayDown, GatewayRefused) as error:
        failed = error
    found = read_assignment(gateway, visit)
    if failed and found["AssignmentStatus"] == "Submitted":
        raise failed
    reconcile(visit.entrance, read_report(found), hit=visit.hit)
    if visit.hit:
        _release(visit.hit)


@transaction.atomic
def _release(hit: Hit) -> None:
    """Free the money that a closed HIT kept for what is rejected since."""
    lock_batch(hit.batch)
    closed = Hit.objects.filter(pk=hit.pk, state=HitState.CLOSED)
    closed.update(n_released=hit.n_places - count_owed(hit))


@transaction.atomic
def _give_up_reward(visit: Visit) -> None:
    if visit.standing not in (Standing.PAYABLE, Standing.HELD):
        raise PaymentRefused(f"{visit} was not handed in, or is settled: it cannot be rejected.")
    for payment in Payment.objects.rewards().filter(visit=visit):
        if payment.state in (PaymentState.SENDING, PaymentState.UNKNOWN):
            raise PaymentRefused(f"{payment} may have been made. Pay the batch again first.")
        if payment.state == PaymentState.INTENDED:
            refuse_payment(payment, "rejected by a person")


def _refuse_nameless(by: User, reason: str) -> None:
    if not by.pk or not by.is_active:
        raise PaymentRefused("Somebody who has signed in decides this.")
    if not 1 <= len(reason.strip()) <= LONGEST_FEEDBACK:
        raise PaymentRefused(
            f"Say why, in 1 to {LONGEST_FEEDBACK} characters: the worker reads it."
        )


def _find(visit: Visit) -> Visit:
    with_all = Visit.objects.select_related("entrance__study", "hit__batch__entrance", "worker")
    return with_all.get(pk=visit.pk)
