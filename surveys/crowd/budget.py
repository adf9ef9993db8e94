"""Approval of a batch's budget, and commitment of its money up to a ceiling.

Code that commits money locks the batch first, so that two commitments cannot pass its ceiling.
"""

from collections import Counter
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.errors import BatchRefused, CeilingReached
from surveys.crowd.models import Batch, Hit, HitState, PaymentKind
from surveys.money import format_cents

APPROVAL_FIELDS = ("armed_by", "armed_at", "armed_until", "total_cents", "ceiling_cents")


class Spent(NamedTuple):
    """Money of a batch: committed by offers and payments, and in total with the planned HITs."""

    committed_cents: int
    total_cents: int


def count_spent(batch: Batch) -> Spent:
    """Return the committed and the total money of a batch, fees included.

    All places of a HIT count from its request until it is closed, then only those that are owed.
    Each reward replaces one place; paid rewards count with the fee that was billed.
    """
    rewarded: Counter[int | None] = Counter()
    committed = planned = 0
    for payment in batch.payments.spent().select_related("visit"):
        committed += payment.amount_cents + payment.fee_cents
        if payment.kind == PaymentKind.REWARD:
            rewarded[payment.visit.reservation_id] += 1
    for hit in batch.hits.all():
        n_left = hit.n_places - hit.n_released - rewarded[hit.reservation_id]
        cents = max(0, n_left) * batch.cents_a_place
        if hit.state in HitState.committed():
            committed += cents
        else:
            planned += cents
    return Spent(committed, committed + planned)


@transaction.atomic
def approve_budget(
    batch: Batch, user: User, *, typed_cents: int, ceiling_cents: int, until: datetime
) -> Batch:
    """Approve the budget of a batch until an end date, by a user who typed its total.

    The ceiling may leave room for bonuses above the total. A second call changes ceiling and end.
    A stopped batch is approved to pay what it still owes. Raises BatchRefused.
    """
    batch = lock_batch(batch)
    total = count_spent(batch).total_cents
    if not user.pk or not user.is_active:
        raise BatchRefused("Sign in to approve the budget of a batch.")
    if not total or typed_cents != total:
        raise BatchRefused(
            f"Type the total, {format_cents(total)}, to approve this budget; "
            f"{format_cents(typed_cents)} was typed."
        )
    if ceiling_cents < total:
        raise BatchRefused(f"The ceiling must be {format_cents(total)} or more.")
    if until <= timezone.now():
        raise BatchRefused("The end must be in the future.")
    batch.armed_by, batch.armed_at, batch.armed_until = user, timezone.now(), until
    batch.total_cents, batch.ceiling_cents = total, ceiling_cents
    batch.save(update_fields=[*APPROVAL_FIELDS])
    record(
        "batch.armed", batch.study, str(batch), target=batch.provider, total_cents=total,
        ceiling_cents=ceiling_cents, until=until.isoformat(),
    )  # fmt: skip
    return batch


@transaction.atomic
def withdraw_approval(batch: Batch) -> Batch:
    """Withdraw the approval of a batch's budget. Idempotent."""
    batch = lock_batch(batch)
    if batch.armed_until is None:
        return batch
    for name in APPROVAL_FIELDS:
        setattr(batch, name, None)
    batch.save(update_fields=[*APPROVAL_FIELDS])
    record("batch.disarmed", batch.study, str(batch))
    return batch


def lock_batch(batch: Batch) -> Batch:
    """Lock the row of a batch until the transaction ends."""
    locked = Batch.objects.select_for_update(of=("self",), no_key=True)
    return locked.select_related("study", "entrance").get(pk=batch.pk)


def refuse_unapproved(batch: Batch) -> None:
    """Raise BatchRefused unless the budget of a batch is approved now."""
    if not batch.is_armed(timezone.now()):
        raise BatchRefused(
            f"The budget of {batch} is not approved: type its total, a ceiling and an end first."
        )


@transaction.atomic(durable=True)
def begin_creating(hit: Hit) -> Hit:
    """Commit the cost of a planned HIT before it is requested with its `token`.

    A HIT past `planned` is returned unchanged. Raises BatchRefused, CeilingReached.
    """
    batch = lock_batch(hit.batch)
    hit = Hit.objects.with_batch().get(pk=hit.pk)
    if hit.state != HitState.PLANNED:
        return hit
    refuse_unapproved(batch)
    refuse_stopped(batch, hit)
    refuse_above_ceiling(batch, hit.n_places * batch.cents_a_place)
    hit.state, hit.first_attempt_at = HitState.CREATING, timezone.now()
    hit.save(update_fields=["state", "first_attempt_at"])
    return hit


@transaction.atomic(durable=True)
def begin_recreating(hit: Hit) -> Hit:
    """Give a new token to an `unknown` HIT that the provider does not have.

    Its cost is already committed. Raises BatchRefused.
    """
    batch = lock_batch(hit.batch)
    hit = Hit.objects.with_batch().get(pk=hit.pk)
    if hit.state != HitState.UNKNOWN or hit.hit_id:
        return hit
    refuse_unapproved(batch)
    refuse_stopped(batch, hit)
    hit.attempt += 1
    hit.token = Hit.make_token(hit.reservation.token, hit.attempt)
    hit.state, hit.first_attempt_at = HitState.CREATING, timezone.now()
    hit.save(update_fields=["attempt", "token", "state", "first_attempt_at"])
    return hit


def refuse_stopped(batch: Batch, hit: Hit) -> None:
    """Raise BatchRefused for a HIT of a stopped batch, unless it is a compensation."""
    if batch.stopped_at and hit.compensates_id is None:
        raise BatchRefused(f"{batch} was stopped. Plan another batch.")


def refuse_above_ceiling(batch: Batch, more_cents: int) -> None:
    """Raise CeilingReached, which rolls the caller's changes back; the batch must be locked."""
    committed = count_spent(batch).committed_cents + more_cents
    if committed > (batch.ceiling_cents or 0):
        raise CeilingReached(
            f"{batch} would come to {format_cents(committed)}, above its ceiling of "
            f"{format_cents(batch.ceiling_cents or 0)}. Approve a higher ceiling first."
        )
