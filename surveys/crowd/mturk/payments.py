"""Send the rewards and bonuses of the ledger: each paid once, even if an answer is lost.

A payment is stored as being sent before it is sent. If its result is unknown, the target is read
first and decides; a conflict is left to a researcher.
"""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from surveys.crowd.budget import refuse_unapproved
from surveys.crowd.errors import PaymentRefused
from surveys.crowd.ledger import (
    begin_sending,
    intend_reward,
    mark_payment_unknown,
    refuse_payment,
    settle_payment,
)
from surveys.crowd.models import Batch, Payment, PaymentKind, PaymentState
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.publish import reload_batch
from surveys.crowd.mturk.steps import Outcome, Progress, exclusive_lock, process_rows
from surveys.errors import GatewayDown, GatewayRefused
from surveys.models import ReconciliationResult, Visit
from surveys.money import format_cents, read_cents

PAYING = "paying"  # the lock of paying and rejecting
UNSETTLED = (PaymentState.INTENDED, PaymentState.SENDING, PaymentState.UNKNOWN)
FORGOTTEN_AFTER = timedelta(hours=25)  # by then MTurk has forgotten the token, lists are complete
INTERRUPTED = "sending was interrupted"


def pay_batch(batch: Batch, progress: Progress | None = None) -> Outcome:
    """Pay what an approved batch owes: rewards of payable visits, and all intended payments.

    Resumable. Raises BatchRefused and TargetRefused before any request, GatewayDown for a retry.
    """
    batch = reload_batch(batch)
    refuse_unapproved(batch)
    with exclusive_lock(PAYING, batch.provider):
        intended = _intend_rewards(batch, progress)
        payments = list(_find_payments(batch, *UNSETTLED))
        if not payments:
            return intended
        gateway = open_gateway(batch.provider)
        paid = process_rows(payments, lambda row: pay(gateway, row), "paying", progress)
        return intended + paid


def has_unknown_payments(batch: Batch) -> bool:
    """Return whether it is unknown for some payment of a batch if it was made."""
    return bool(_find_payments(batch, PaymentState.UNKNOWN).exists())


def look_up_unknown_payments(gateway: Gateway, batch: Batch) -> Outcome:
    """Settle unknown payments that were made. Only reads are made: needs no approved budget."""
    unknown = list(_find_payments(batch, PaymentState.UNKNOWN))
    return process_rows(unknown, lambda row: "paid" if _look_up(gateway, row) else "")


def pay(gateway: Gateway, payment: Payment, *, is_override: bool = False) -> str:
    """Send a payment unless the target has made it already. The caller holds the PAYING lock."""
    if payment.visit.worker.is_digest:
        raise PaymentRefused("The id of this worker was deleted: pay them in another way.")
    if payment.sent_at:
        mark_payment_unknown(payment, INTERRUPTED)
        if _look_up(gateway, payment, is_override=is_override):
            return "found"
    sending = begin_sending(payment)
    if sending is None:
        return ""
    try:
        _send(gateway, sending, is_override=is_override)
    except (GatewayDown, GatewayRefused) as error:
        mark_payment_unknown(sending, str(error))
        if _look_up(gateway, sending, is_override=is_override):
            return "found"
        _refuse_old(sending, error)
        raise
    settle_payment(sending)
    return "paid"


def read_assignment(gateway: Gateway, visit: Visit) -> dict[str, Any]:
    """Return the MTurk assignment of a visit. Raises PaymentRefused if it is another worker's."""
    answer = gateway.call("get_assignment", AssignmentId=visit.submission)
    assignment: dict[str, Any] = answer["Assignment"]
    if assignment["WorkerId"] != visit.worker.worker_id:
        raise PaymentRefused(
            f"{visit} belongs to another worker at the provider: a researcher decides."
        )
    return assignment


def _intend_rewards(batch: Batch, progress: Progress | None) -> Outcome:
    owed = Visit.objects.filter(
        reservation__hit__batch=batch, standing=ReconciliationResult.PAYABLE
    )
    without = owed.exclude(payments__kind=PaymentKind.REWARD)

    def intend(visit: Visit) -> str:
        intend_reward(visit)
        return ""

    return process_rows(list(without), intend, "calculating", progress)


def _find_payments(batch: Batch, *states: PaymentState) -> Any:
    payments = batch.payments.filter(provider=batch.provider, state__in=states)
    return payments.select_related(
        "visit__worker", "visit__entrance__study", "batch__study", "batch__entrance"
    )


@sensitive_variables()
def _send(gateway: Gateway, payment: Payment, *, is_override: bool) -> None:
    if payment.kind == PaymentKind.REWARD:
        gateway.call(
            "approve_assignment", AssignmentId=payment.submission, OverrideRejection=is_override
        )
        return
    gateway.call(
        "send_bonus",
        WorkerId=payment.visit.worker.worker_id,
        AssignmentId=payment.submission,
        BonusAmount=format_cents(payment.amount_cents),
        Reason=f"{payment.reason} {_mark(payment)}",
        UniqueRequestToken=payment.token,
    )


def _look_up(gateway: Gateway, payment: Payment, *, is_override: bool = False) -> bool:
    """Return whether nothing is left to send: the payment was made, or the work rejected."""
    if payment.kind == PaymentKind.REWARD:
        return _look_up_reward(gateway, payment, is_override=is_override)
    return _look_up_bonus(gateway, payment)


def _look_up_reward(gateway: Gateway, payment: Payment, *, is_override: bool) -> bool:
    status = read_assignment(gateway, payment.visit)["AssignmentStatus"]
    if status == "Approved":
        settle_payment(payment)
        return True
    if status == "Rejected" and not is_override:
        refuse_payment(payment, "The work was rejected at the provider: a researcher decides.")
        return True
    return False


def _look_up_bonus(gateway: Gateway, payment: Payment) -> bool:
    """Find a bonus by its grant key, which ends the reason that was sent with it."""
    made = [
        row
        for row in gateway.read_all(
            "list_bonus_payments", "BonusPayments", AssignmentId=payment.submission
        )
        if row.get("Reason", "").endswith(_mark(payment))
    ]
    if not made:
        return False
    expected = (payment.visit.worker.worker_id, payment.amount_cents)
    if [(row["WorkerId"], read_cents(row["BonusAmount"])) for row in made] != [expected]:
        raise PaymentRefused(
            f"{payment} was made {len(made)} times or with other values: a researcher decides."
        )
    settle_payment(payment)
    return True


def _mark(payment: Payment) -> str:
    return f"[{payment.grant_key}]"


def _refuse_old(payment: Payment, error: GatewayDown | GatewayRefused) -> None:
    """Mark a payment as refused if the target still refuses it after its lists are complete."""
    is_old = payment.sent_at is not None and timezone.now() - payment.sent_at > FORGOTTEN_AFTER
    if isinstance(error, GatewayRefused) and is_old:
        refuse_payment(payment, str(error))
