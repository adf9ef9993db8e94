"""The ledger → rewards and bonuses at a target: each paid once, whatever is lost on the way.

A payment is noted as being sent before it is. After any doubt the target is read first, and what
it says decides; what went wrong there is left to a person.
"""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from surveys.crowd.budget import refuse_unarmed
from surveys.crowd.fees import read_cents, write_cents
from surveys.crowd.ledger import (
    begin_sending,
    doubt_payment,
    intend_reward,
    refuse_payment,
    settle_payment,
)
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.locks import alone
from surveys.crowd.mturk.publishing import refuse_foreign
from surveys.crowd.mturk.steps import Outcome, Tell, go_through, keep_quiet
from surveys.errors import GatewayDown, GatewayRefused, PaymentRefused
from surveys.models import Batch, Payment, PaymentKind, PaymentState, Standing, Visit

PAYING = "paying"  # what one does at a time at a target, with rejecting
UNSETTLED = (PaymentState.INTENDED, PaymentState.SENDING, PaymentState.UNKNOWN)
FORGOTTEN_AFTER = timedelta(hours=25)  # by then a token is of no use, and a list is complete
BROKEN_OFF = "whoever sent it was broken off"


def pay_batch(batch: Batch, tell: Tell = keep_quiet) -> Outcome:
    """Pay what an armed batch owes: rewards of what is payable, and all that was intended.

    Again, it goes on where it was broken off. Raises BatchRefused and TargetRefused before anything
    is asked, GatewayDown to try again.
    """
    batch = Batch.objects.select_related("study", "entrance").get(pk=batch.pk)
    refuse_foreign(batch)
    refuse_unarmed(batch)
    with alone(PAYING, batch.provider):
        intended = _intend_rewards(batch, tell)
        payments = list(_find_payments(batch, *UNSETTLED))
        if not payments:
            return intended
        gateway = open_gateway(batch.provider)
        paid = go_through(payments, lambda row: pay(gateway, row), "paying", tell)
        return intended + paid


def has_doubtful(batch: Batch) -> bool:
    """Whether there are payments of which nobody knows whether they were made."""
    return bool(_find_payments(batch, PaymentState.UNKNOWN).exists())


def look_up_doubtful(gateway: Gateway, batch: Batch) -> Outcome:
    """Settle what was sent and made after all. Only reads are made, so no batch must be armed."""
    doubtful = list(_find_payments(batch, PaymentState.UNKNOWN))
    return go_through(
        doubtful, lambda row: "paid" if _look_up(gateway, row) else "", "looking up", keep_quiet
    )


def pay(gateway: Gateway, payment: Payment, *, is_override: bool = False) -> str:
    """Send a payment, unless the target has made it already. For who alone does so at a target."""
    if payment.visit.worker.is_digest:
        raise PaymentRefused("The id of this worker was dropped: pay them in another way.")
    if payment.sent_at:
        doubt_payment(payment, BROKEN_OFF)
        if _look_up(gateway, payment, is_override=is_override):
            return "found"
    sending = begin_sending(payment)
    if sending is None:
        return ""
    try:
        _send(gateway, sending, is_override=is_override)
    except (GatewayDown, GatewayRefused) as error:
        doubt_payment(sending, str(error))
        if _look_up(gateway, sending, is_override=is_override):
            return "found"
        _give_up_old(sending, error)
        raise
    settle_payment(sending)
    return "paid"


def read_assignment(gateway: Gateway, visit: Visit) -> dict[str, Any]:
    """What a target says of a visit's MTurk assignment. Raises PaymentRefused if not theirs."""
    answer = gateway.call("get_assignment", AssignmentId=visit.submission)
    found: dict[str, Any] = answer["Assignment"]
    if found["WorkerId"] != visit.worker.worker_id:
        raise PaymentRefused(f"{visit} is another person's at the provider: a person decides.")
    return found


def _intend_rewards(batch: Batch, tell: Tell) -> Outcome:
    owed = Visit.objects.filter(hit__batch=batch, standing=Standing.PAYABLE)
    without = owed.exclude(payments__kind=PaymentKind.REWARD)

    def intend(visit: Visit) -> str:
        intend_reward(visit)
        return ""

    return go_through(list(without), intend, "reckoning", tell)


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
        BonusAmount=write_cents(payment.amount_cents),
        Reason=f"{payment.reason} {_mark(payment)}",
        UniqueRequestToken=payment.token,
    )


def _look_up(gateway: Gateway, payment: Payment, *, is_override: bool = False) -> bool:
    """Whether nothing is left to send: the target has made the payment, or it was rejected."""
    if payment.kind == PaymentKind.REWARD:
        return _look_up_reward(gateway, payment, is_override=is_override)
    return _look_up_bonus(gateway, payment)


def _look_up_reward(gateway: Gateway, payment: Payment, *, is_override: bool) -> bool:
    status = read_assignment(gateway, payment.visit)["AssignmentStatus"]
    if status == "Approved":
        settle_payment(payment)
        return True
    if status == "Rejected" and not is_override:
        refuse_payment(payment, "It was rejected at the provider: a person decides.")
        return True
    return False


def _look_up_bonus(gateway: Gateway, payment: Payment) -> bool:
    """By its grant key, which stands in the reason of what was paid."""
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
            f"{payment} was made {len(made)} times, or otherwise than here: a person decides."
        )
    settle_payment(payment)
    return True


def _mark(payment: Payment) -> str:
    return f"[{payment.grant_key}]"


def _give_up_old(payment: Payment, error: GatewayDown | GatewayRefused) -> None:
    """Leave to a person what a target has refused for longer than it takes to show in its lists."""
    is_old = payment.sent_at is not None and timezone.now() - payment.sent_at > FORGOTTEN_AFTER
    if isinstance(error, GatewayRefused) and is_old:
        refuse_payment(payment, str(error))
