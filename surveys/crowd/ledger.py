"""The payment ledger: owed and made payments. No provider is called here.

Senders work through its rows: `begin_sending` commits that a payment is about to be sent, so that
after a crash it is looked up and nothing is paid twice.
"""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q, Sum
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.redaction import mask_text
from surveys.crowd.budget import lock_batch, refuse_above_ceiling, refuse_unapproved
from surveys.crowd.errors import PaymentRefused
from surveys.crowd.fees import rates_of, round_reserved, round_shown
from surveys.crowd.models import Batch, Payment, PaymentKind, PaymentState
from surveys.models import Annotator, Assignment, ProviderState, ReconciliationResult, Visit
from surveys.operations.gauges import Gauge

MAX_REASON_LENGTH = 200
MAX_ERROR_LENGTH = 500
HAS_WORKED = Q(
    provider_state__in=(ProviderState.SUBMITTED, ProviderState.APPROVED),
    assignment__submitted_at__isnull=False,
)


@transaction.atomic
def intend_reward(visit: Visit, *, by: User | None = None, reason: str = "") -> Payment:
    """Add the reward of a visit to the ledger, once per submission, and return it.

    Held or rejected work needs a user and a reason. Raises BatchRefused, CeilingReached, and
    PaymentRefused if it is not payable, or was paid to another worker or by another visit.
    """
    batch = _lock_batch_of(visit)
    visit = Visit.objects.select_related("entrance").get(pk=visit.pk)
    rewards = Payment.objects.rewards()
    provider = visit.entrance.provider
    if payment := rewards.filter(provider=provider, submission=visit.submission).first():
        if payment.visit_id != visit.pk:
            raise PaymentRefused("The reward of this submission belongs to another worker.")
        return payment
    _refuse_unpayable(visit, by, reason)
    if rewards.spent().filter(visit__assignment=visit.assignment_id or 0).exists():
        raise PaymentRefused("This work was already paid, by another visit of the same worker.")
    refuse_unapproved(batch)
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
    """Add a bonus to the ledger, once per grant key, and return it.

    Raises BatchRefused, CeilingReached, and PaymentRefused if the key belongs to another payment.
    """
    batch = _lock_batch_of(visit)
    if payment := Payment.objects.filter(grant_key=grant_key).first():
        if (payment.visit_id, payment.kind, payment.amount_cents) != (
            visit.pk, PaymentKind.BONUS, amount_cents,
        ):  # fmt: skip
            raise PaymentRefused("This key belongs to a different payment.")
        return payment
    if amount_cents < 1 or not reason.strip():
        raise PaymentRefused("Give the amount of the bonus and a reason.")
    refuse_unapproved(batch)
    rates = rates_of(visit.entrance.provider)
    payment = _make_payment(
        batch, visit, PaymentKind.BONUS, grant_key, amount_cents=amount_cents,
        fee_cents=round_reserved(rates.of_bonus(amount_cents)), by=by, reason=reason,
    )  # fmt: skip
    refuse_above_ceiling(batch, 0)
    return payment


@transaction.atomic(durable=True)
def begin_sending(payment: Payment) -> Payment | None:
    """Mark a payment as `sending` before it is sent and return it, or None if it must not be sent.

    Only one caller gets it. A payment left in `sending` by a crash is marked unknown
    (`mark_payment_unknown`) and looked up at the provider; only if it is not there is it sent
    again. Raises BatchRefused.
    """
    payment = _lock_payment(payment)
    if payment.state not in (PaymentState.INTENDED, PaymentState.UNKNOWN):
        return None
    if payment.batch is None:
        raise PaymentRefused("Only payments of a batch are sent.")
    refuse_unapproved(payment.batch)
    payment.state = PaymentState.SENDING
    payment.sent_at = payment.sent_at or timezone.now()
    payment.save(update_fields=["state", "sent_at"])
    return payment


@transaction.atomic
def settle_payment(payment: Payment) -> Payment:
    """Mark a sent payment as paid, with the fee as billed. Idempotent."""
    payment = _lock_payment(payment)
    if payment.state in PaymentState.settled():
        return payment
    if payment.state not in PaymentState.sent():
        raise PaymentRefused(f"{payment} was not sent.")
    payment.state, payment.settled_at, payment.error = PaymentState.PAID, timezone.now(), ""
    payment.fee_cents = _billed_fee(payment)
    payment.save(update_fields=["state", "settled_at", "error", "fee_cents"])
    _record_payment("payment.made", payment)
    _settle_visit(payment.visit)
    return payment


@transaction.atomic
def mark_payment_unknown(payment: Payment, error: str) -> Payment:
    """Mark a payment as unknown: it may have been made, and keeps counting."""
    payment = _lock_payment(payment)
    if payment.state == PaymentState.SENDING:
        payment.state, payment.error = PaymentState.UNKNOWN, mask_text(error)[:MAX_ERROR_LENGTH]
        payment.save(update_fields=["state", "error"])
    return payment


@transaction.atomic
def refuse_payment(payment: Payment, error: str) -> Payment:
    """Mark a payment as certainly not made; its money is free again below the ceiling."""
    payment = _lock_payment(payment)
    if payment.state in PaymentState.settled():
        raise PaymentRefused(f"{payment} was made.")
    if payment.state != PaymentState.REFUSED:
        payment.state, payment.error = PaymentState.REFUSED, mask_text(error)[:MAX_ERROR_LENGTH]
        payment.save(update_fields=["state", "error"])
        _record_payment("payment.refused", payment)
    return payment


@transaction.atomic
def retry_payment(payment: Payment, *, by: User, reason: str) -> Payment:
    """Let a refused payment be sent again. Raises BatchRefused, CeilingReached."""
    payment = _lock_payment(payment)
    if payment.state != PaymentState.REFUSED or payment.batch is None:
        return payment
    refuse_unapproved(payment.batch)
    payment.state, payment.by, payment.reason = PaymentState.INTENDED, by, _clean_reason(reason)
    payment.save(update_fields=["state", "by", "reason"])
    refuse_above_ceiling(payment.batch, 0)
    _record_payment("payment.intended", payment)
    return payment


@transaction.atomic
def record_outside_payment(
    visit: Visit, *, kind: PaymentKind = PaymentKind.REWARD, amount_cents: int | None = None,
    by: User | None = None, reason: str,
) -> Payment:  # fmt: skip
    """Record a payment made outside this site, by the provider or by hand; one of each kind.

    An intended reward is settled by it. It has been made, so no ceiling applies, and it counts.
    """
    batch = lock_batch(visit.reservation.hit.batch) if visit.reservation else None
    provider = visit.entrance.provider
    made = Payment.objects.select_for_update(of=("self",)).filter(kind=kind)
    if kind == PaymentKind.REWARD:
        made = made.filter(provider=provider, submission=visit.submission)
    payment = made.filter(visit=visit).first()
    if payment and payment.state in PaymentState.settled():
        return payment
    if payment is None:
        if made.exclude(visit=visit).exists() and kind == PaymentKind.REWARD:
            raise PaymentRefused("The reward of this submission belongs to another worker.")
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
    payment.by, payment.reason = by, _clean_reason(reason)
    payment.save()
    _record_payment("payment.outside", payment)
    _settle_visit(visit)
    return payment


def list_unpaid_work(batch: Batch) -> list[Visit]:
    """Return finished work of a batch that its HITs cannot pay and has not been paid otherwise."""
    visits = Visit.objects.filter(
        reservation__hit__batch=batch, standing=ReconciliationResult.UNPAID
    )
    paid = Payment.objects.settled().filter(visit__reservation__hit__batch=batch)
    paid_for = paid.exclude(kind=PaymentKind.BONUS).values("visit__assignment")
    return list(visits.exclude(assignment__in=paid_for).select_related("assignment__annotator"))


def read_gauges() -> list[Gauge]:
    """Return the money of payments that were not made, by their state, with fees."""
    unpaid = Payment.objects.exclude(state__in=PaymentState.settled()).order_by("state")
    sums = unpaid.values_list("state").annotate(cents=Sum(F("amount_cents") + F("fee_cents")))
    return [Gauge("unpaid_cents", "Payments that were not made", dict(sums), "state")]


def find_chosen(batch: Batch, chosen: Collection[int]) -> list[Visit]:
    """Return the chosen visits of a batch. Raises PaymentRefused unless all may have a bonus."""
    visits = Visit.objects.filter(HAS_WORKED, reservation__hit__batch=batch, pk__in=set(chosen))
    payable = list(visits.select_related("entrance", "assignment__annotator", "worker"))
    if not chosen or len(payable) < len(set(chosen)):
        raise PaymentRefused("Choose one or more people who have finished and handed in.")
    return payable


@transaction.atomic
def grant_bonuses(
    batch: Batch, chosen: Collection[int], key: str, amount_cents: int, *, by: User, reason: str
) -> list[Payment]:
    """Add the same bonus for all chosen visits, once per key, and return the payments.

    Raises BatchRefused, CeilingReached, PaymentRefused; then none is added.
    """
    lock_batch(batch)
    return [
        intend_bonus(visit, f"bonus:{key}:{visit.pk}", amount_cents, by=by, reason=reason)
        for visit in find_chosen(batch, chosen)
    ]


@transaction.atomic
def retry_refused(visit: Visit, *, by: User, reason: str) -> list[Payment]:
    """Let the refused payments of a visit be sent again, and return them.

    Raises BatchRefused, CeilingReached, and PaymentRefused if none was refused.
    """
    refused = visit.payments.filter(state=PaymentState.REFUSED).order_by("pk")
    tried = [retry_payment(payment, by=by, reason=reason) for payment in refused]
    if not tried:
        raise PaymentRefused("No payment of this visit was refused.")
    return tried


@transaction.atomic
def record_compensation(visit: Visit, amount_cents: int, *, by: User, reason: str) -> Payment:
    """Record that unpaid work was paid by hand, outside its HIT. Raises PaymentRefused."""
    visit = Visit.objects.select_for_update(of=("self",), no_key=True).get(pk=visit.pk)
    if visit.standing != ReconciliationResult.UNPAID:
        raise PaymentRefused("Only finished work that its HIT cannot pay can be compensated.")
    return record_outside_payment(
        visit, kind=PaymentKind.COMPENSATION, amount_cents=amount_cents, by=by, reason=reason
    )


def _make_payment(
    batch: Batch, visit: Visit, kind: PaymentKind, grant_key: str, *, amount_cents: int,
    fee_cents: int, by: User | None, reason: str,
) -> Payment:  # fmt: skip
    payment = Payment.objects.create(
        batch=batch, visit=visit, provider=visit.entrance.provider, submission=visit.submission,
        kind=kind, grant_key=grant_key, amount_cents=amount_cents, fee_cents=fee_cents, by=by,
        reason=_clean_reason(reason),
    )  # fmt: skip
    _record_payment("payment.intended", payment)
    return payment


def _lock_batch_of(visit: Visit) -> Batch:
    if visit.reservation is None:
        raise PaymentRefused("This visit is paid at the provider, not by this site.")
    return lock_batch(visit.reservation.hit.batch)


def _lock_payment(payment: Payment) -> Payment:
    """Return a payment as stored now, with its row locked; the batch is locked first."""
    if payment.batch:
        lock_batch(payment.batch)
    locked = Payment.objects.select_for_update(of=("self",), no_key=True)
    related = locked.select_related("batch__study", "batch__entrance", "visit__entrance__study")
    return related.get(pk=payment.pk)


def _refuse_unpayable(visit: Visit, by: User | None, reason: str) -> None:
    if visit.standing == ReconciliationResult.PAYABLE:
        return
    is_rejected = visit.provider_state == ProviderState.REJECTED
    if visit.standing != ReconciliationResult.HELD and not is_rejected:
        raise PaymentRefused(f"{visit} is not payable: the provider does not report it.")
    if by is None or not reason.strip():
        kind = "was rejected" if is_rejected else "is held"
        raise PaymentRefused(f"{visit} {kind}: a researcher decides and gives a reason.")


def _billed_fee(payment: Payment) -> int:
    """Return the fee that the provider bills: at most the reserved one."""
    if payment.kind == PaymentKind.REWARD and payment.batch:
        return payment.batch.billed_fee_cents
    return round_shown(rates_of(payment.provider).of_bonus(payment.amount_cents))


def _settle_visit(visit: Visit) -> None:
    """Mark the visit as settled, and the annotator as paid if nothing else is owed to them."""
    Visit.objects.filter(pk=visit.pk).update(standing=ReconciliationResult.SETTLED, held_because="")
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


def _clean_reason(reason: str) -> str:
    return mask_text(reason.strip())[:MAX_REASON_LENGTH]
