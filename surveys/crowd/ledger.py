"""The ledger: what is owed and what was paid. No provider is asked here.

Whoever asks one goes by the rows: `begin_sending` commits what is about to be done before it is
done, so that whatever crashes is found again and nothing is paid twice.
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.redaction import mask_text
from surveys.crowd.budget import lock_batch, refuse_above_ceiling, refuse_unarmed
from surveys.crowd.fees import rates_of, round_reserved, round_shown
from surveys.errors import PaymentRefused
from surveys.models import (
    Annotator,
    Assignment,
    Batch,
    Payment,
    PaymentKind,
    PaymentState,
    ProviderState,
    Standing,
    Visit,
)

LONGEST_REASON = 200
LONGEST_ERROR = 500


@transaction.atomic
def intend_reward(visit: Visit, *, by: User | None = None, reason: str = "") -> Payment:
    """The line of the ledger for what a visit has earned; once for a submission.

    What is held, or was rejected, is paid by a person alone, who says why. Raises BatchRefused,
    CeilingReached, and PaymentRefused for what is not payable, or was paid to somebody or by
    another visit.
    """
    batch = _lock_batch_of(visit)
    visit = Visit.objects.select_related("hit", "entrance").get(pk=visit.pk)
    rewards = Payment.objects.rewards()
    provider = visit.entrance.provider
    if payment := rewards.filter(provider=provider, submission=visit.submission).first():
        if payment.visit_id != visit.pk:
            raise PaymentRefused("The reward of this submission is another person's.")
        return payment
    _refuse_unpayable(visit, by, reason)
    if rewards.spent().filter(visit__assignment=visit.assignment_id or 0).exists():
        raise PaymentRefused("This work was paid already, by another visit of the same person.")
    refuse_unarmed(batch)
    payment = _make_payment(
        batch, visit, PaymentKind.REWARD, f"reward:{visit.pk}",
        amount_cents=batch.reward_cents, fee_cents=batch.fee_cents, by=by, reason=reason,
    )  # fmt: skip
    refuse_above_ceiling(batch, 0)
    return payment


@transaction.atomic
def intend_bonus(
    visit: Visit, grant_key: str, amount_cents: int, *, by: User, reason: str
) -> Payment:
    """The line of the ledger for a bonus; once for a grant key, which says what it is for.

    Raises BatchRefused, CeilingReached, and PaymentRefused for a key of another bonus.
    """
    batch = _lock_batch_of(visit)
    if payment := Payment.objects.filter(grant_key=grant_key).first():
        if (payment.visit_id, payment.kind, payment.amount_cents) != (
            visit.pk, PaymentKind.BONUS, amount_cents,
        ):  # fmt: skip
            raise PaymentRefused("Something else was paid by this key.")
        return payment
    if amount_cents < 1 or not reason.strip():
        raise PaymentRefused("Say how much the bonus is and what it is for.")
    refuse_unarmed(batch)
    rates = rates_of(visit.entrance.provider, timezone.now().date())
    payment = _make_payment(
        batch, visit, PaymentKind.BONUS, grant_key, amount_cents=amount_cents,
        fee_cents=round_reserved(rates.of_bonus(amount_cents)), by=by, reason=reason,
    )  # fmt: skip
    refuse_above_ceiling(batch, 0)
    return payment


@transaction.atomic(durable=True)
def begin_sending(payment: Payment) -> Payment | None:
    """Note that a payment is about to be sent, before it is; None where it is not to be sent now.

    It is given to one caller alone. One that stays `sending`, since its sender crashed, is doubted
    (`doubt_payment`) and looked up at the provider; only if it is not there it begins anew.
    Raises BatchRefused.
    """
    payment = _lock_payment(payment)
    if payment.state not in (PaymentState.INTENDED, PaymentState.UNKNOWN):
        return None
    if payment.batch is None:
        raise PaymentRefused("Only what is paid under a batch is sent.")
    refuse_unarmed(payment.batch)
    payment.state = PaymentState.SENDING
    payment.sent_at = payment.sent_at or timezone.now()
    payment.save(update_fields=["state", "sent_at"])
    return payment


@transaction.atomic
def settle_payment(payment: Payment) -> Payment:
    """Note that a payment which was sent has been made, with the fee as it is billed.

    Twice does no harm.
    """
    payment = _lock_payment(payment)
    if payment.state in PaymentState.settled():
        return payment
    if payment.state not in PaymentState.sent():
        raise PaymentRefused(f"{payment} was not sent.")
    payment.state, payment.settled_at, payment.error = PaymentState.PAID, timezone.now(), ""
    payment.fee_cents = _billed_fee(payment)
    payment.save(update_fields=["state", "settled_at", "error", "fee_cents"])
    _record_payment("payment.made", payment)
    _close_account(payment.visit)
    return payment


@transaction.atomic
def doubt_payment(payment: Payment, error: str) -> Payment:
    """Note that nobody knows whether a payment was made; it keeps counting."""
    payment = _lock_payment(payment)
    if payment.state == PaymentState.SENDING:
        payment.state, payment.error = PaymentState.UNKNOWN, mask_text(error)[:LONGEST_ERROR]
        payment.save(update_fields=["state", "error"])
    return payment


@transaction.atomic
def refuse_payment(payment: Payment, error: str) -> Payment:
    """Note that a payment was surely not made; its money is free again below the ceiling."""
    payment = _lock_payment(payment)
    if payment.state in PaymentState.settled():
        raise PaymentRefused(f"{payment} was made.")
    if payment.state != PaymentState.REFUSED:
        payment.state, payment.error = PaymentState.REFUSED, mask_text(error)[:LONGEST_ERROR]
        payment.save(update_fields=["state", "error"])
        _record_payment("payment.refused", payment)
    return payment


@transaction.atomic
def intend_again(payment: Payment, *, by: User, reason: str) -> Payment:
    """Let a person have a refused payment tried again. Raises BatchRefused, CeilingReached."""
    payment = _lock_payment(payment)
    if payment.state != PaymentState.REFUSED or payment.batch is None:
        return payment
    refuse_unarmed(payment.batch)
    payment.state, payment.by, payment.reason = PaymentState.INTENDED, by, _read_reason(reason)
    payment.save(update_fields=["state", "by", "reason"])
    refuse_above_ceiling(payment.batch, 0)
    _record_payment("payment.intended", payment)
    return payment


@transaction.atomic
def record_outside(
    visit: Visit, *, kind: PaymentKind = PaymentKind.REWARD, amount_cents: int | None = None,
    by: User | None = None, reason: str,
) -> Payment:  # fmt: skip
    """Note what was paid without us: by the provider itself, or by hand; once of each kind.

    A reward that we meant to pay is settled by it. It is past: no ceiling keeps it from being
    noted, and all of it counts.
    """
    batch = lock_batch(visit.hit.batch) if visit.hit else None
    provider = visit.entrance.provider
    made = Payment.objects.select_for_update(of=("self",)).filter(kind=kind)
    if kind == PaymentKind.REWARD:
        made = made.filter(provider=provider, submission=visit.submission)
    payment = made.filter(visit=visit).first()
    if payment and payment.state in PaymentState.settled():
        return payment
    if payment is None:
        if made.exclude(visit=visit).exists() and kind == PaymentKind.REWARD:
            raise PaymentRefused("The reward of this submission is another person's.")
        payment = Payment(
            batch=batch, visit=visit, provider=provider, submission=visit.submission, kind=kind,
            grant_key=f"{kind}:{visit.pk}", amount_cents=0,
        )  # fmt: skip
        if batch and kind == PaymentKind.REWARD:
            payment.amount_cents = batch.reward_cents
    if batch and kind == PaymentKind.REWARD:
        payment.fee_cents = batch.billed_fee_cents
    if amount_cents is not None:
        payment.amount_cents = amount_cents
    payment.state, payment.settled_at = PaymentState.OUTSIDE, timezone.now()
    payment.by, payment.reason = by, _read_reason(reason)
    payment.save()
    _record_payment("payment.outside", payment)
    _close_account(visit)
    return payment


def list_unpaid_work(batch: Batch) -> list[Visit]:
    """The finished work of a batch that its HITs cannot pay, and that nobody has paid since."""
    visits = Visit.objects.filter(hit__batch=batch, standing=Standing.UNPAID)
    paid = Payment.objects.settled().filter(visit__hit__batch=batch)
    paid_for = paid.exclude(kind=PaymentKind.BONUS).values("visit__assignment")
    return list(visits.exclude(assignment__in=paid_for).select_related("assignment__annotator"))


def _make_payment(
    batch: Batch, visit: Visit, kind: PaymentKind, grant_key: str, *, amount_cents: int,
    fee_cents: int, by: User | None, reason: str,
) -> Payment:  # fmt: skip
    payment = Payment.objects.create(
        batch=batch, visit=visit, provider=visit.entrance.provider, submission=visit.submission,
        kind=kind, grant_key=grant_key, amount_cents=amount_cents, fee_cents=fee_cents, by=by,
        reason=_read_reason(reason),
    )  # fmt: skip
    _record_payment("payment.intended", payment)
    return payment


def _lock_batch_of(visit: Visit) -> Batch:
    if visit.hit is None:
        raise PaymentRefused("This visit is paid at the provider, not from here.")
    return lock_batch(visit.hit.batch)


def _lock_payment(payment: Payment) -> Payment:
    """As it is now. Its batch is locked first, as everywhere."""
    if payment.batch:
        lock_batch(payment.batch)
    locked = Payment.objects.select_for_update(of=("self",), no_key=True)
    with_all = locked.select_related("batch__study", "batch__entrance", "visit__entrance__study")
    return with_all.get(pk=payment.pk)


def _refuse_unpayable(visit: Visit, by: User | None, reason: str) -> None:
    if visit.standing == Standing.PAYABLE:
        return
    is_rejected = visit.provider_state == ProviderState.REJECTED
    if visit.standing != Standing.HELD and not is_rejected:
        raise PaymentRefused(f"{visit} is not payable: the provider does not report it.")
    if by is None or not reason.strip():
        kind = "was rejected" if is_rejected else "is held"
        raise PaymentRefused(f"{visit} {kind}: a person decides, and says why.")


def _billed_fee(payment: Payment) -> int:
    """What its provider bills for it: at most what was reserved."""
    if payment.kind == PaymentKind.REWARD and payment.batch:
        return payment.batch.billed_fee_cents
    rates = rates_of(payment.provider, payment.created_at.date())
    return round_shown(rates.of_bonus(payment.amount_cents))


def _close_account(visit: Visit) -> None:
    """Note what follows from a payment: the visit is settled, and perhaps all of a person's."""
    Visit.objects.filter(pk=visit.pk).update(standing=Standing.SETTLED, held_because="")
    assignment = visit.assignment
    if assignment is None:
        return
    finished = Assignment.objects.filter(
        annotator=assignment.annotator_id, submitted_at__isnull=False
    )
    paid = Payment.objects.settled().exclude(kind=PaymentKind.BONUS)
    if not finished.exclude(visits__payments__in=paid).exists():
        Annotator.objects.filter(pk=assignment.annotator_id).update(paid_at=timezone.now())


def _record_payment(action: str, payment: Payment) -> None:
    record(
        action, payment.visit.entrance.study, str(payment.visit), kind=payment.kind,
        amount_cents=payment.amount_cents, fee_cents=payment.fee_cents, reason=payment.reason,
    )  # fmt: skip


def _read_reason(reason: str) -> str:
    return mask_text(reason.strip())[:LONGEST_REASON]
