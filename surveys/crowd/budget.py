"""A batch is armed, and its money is committed: up to a ceiling, and nothing without.

Whoever commits money locks the batch first, so that no two of them pass its ceiling together.
"""

from collections import Counter
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.fees import write_cents
from surveys.errors import BatchRefused, CeilingReached
from surveys.models import Batch, Hit, HitState, PaymentKind

ARMED = ("armed_by", "armed_at", "armed_until", "total_cents", "ceiling_cents")


class Spent(NamedTuple):
    """The money of a batch: committed by what was offered or paid, and all that it would cost."""

    committed_cents: int
    total_cents: int


def count_spent(batch: Batch) -> Spent:
    """What a batch has committed, fees included, and with what it still plans.

    The places of a HIT count from when it is asked for until it is closed, then those that are
    owed. Each reward takes one of them; what was paid counts with the fee that was billed.
    """
    rewarded: Counter[int | None] = Counter()
    committed = planned = 0
    for payment in batch.payments.spent().select_related("visit"):
        committed += payment.amount_cents + payment.fee_cents
        if payment.kind == PaymentKind.REWARD:
            rewarded[payment.visit.hit_id] += 1
    for hit in batch.hits.all():
        n_left = hit.n_places - hit.n_released - rewarded[hit.pk]
        cents = max(0, n_left) * batch.cents_a_place
        if hit.state in HitState.committed():
            committed += cents
        else:
            planned += cents
    return Spent(committed, committed + planned)


@transaction.atomic
def arm_batch(
    batch: Batch, user: User, *, typed_cents: int, ceiling_cents: int, until: datetime
) -> Batch:
    """Let money be committed under a batch: by a named person who typed its total, until an end.

    The ceiling may leave room for bonuses above the total. Again, it gives another ceiling or
    another end. One that was stopped is armed to pay what it still owes. Raises BatchRefused.
    """
    batch = lock_batch(batch)
    total = count_spent(batch).total_cents
    if not user.pk or not user.is_active:
        raise BatchRefused("A batch is armed by a person who has signed in.")
    if not total or typed_cents != total:
        raise BatchRefused(
            f"Type the total, {write_cents(total)}, to arm this batch; "
            f"{write_cents(typed_cents)} was typed."
        )
    if ceiling_cents < total:
        raise BatchRefused(f"The ceiling must be {write_cents(total)} or more.")
    if until <= timezone.now():
        raise BatchRefused("The end must lie in the future.")
    batch.armed_by, batch.armed_at, batch.armed_until = user, timezone.now(), until
    batch.total_cents, batch.ceiling_cents = total, ceiling_cents
    batch.save(update_fields=[*ARMED])
    record(
        "batch.armed", batch.study, str(batch), target=batch.provider, total_cents=total,
        ceiling_cents=ceiling_cents, until=until.isoformat(),
    )  # fmt: skip
    return batch


@transaction.atomic
def disarm_batch(batch: Batch) -> Batch:
    """Let nothing more be committed under a batch until it is armed again; twice does no harm."""
    batch = lock_batch(batch)
    if batch.armed_until is None:
        return batch
    for name in ARMED:
        setattr(batch, name, None)
    batch.save(update_fields=[*ARMED])
    record("batch.disarmed", batch.study, str(batch))
    return batch


def lock_batch(batch: Batch) -> Batch:
    """Let nobody else commit money of a batch until the transaction ends."""
    locked = Batch.objects.select_for_update(of=("self",), no_key=True)
    return locked.select_related("study", "entrance").get(pk=batch.pk)


def refuse_unarmed(batch: Batch) -> None:
    """Raise BatchRefused unless money may be committed under a batch now."""
    if not batch.is_armed(timezone.now()):
        raise BatchRefused(
            f"{batch} is not armed: somebody must type its total, a ceiling and an end first."
        )


@transaction.atomic(durable=True)
def begin_creating(hit: Hit) -> Hit:
    """Commit what a planned HIT costs, before it is asked for; then send its `token`.

    One that is `creating` or later is given as it is. Raises BatchRefused, CeilingReached.
    """
    batch = lock_batch(hit.batch)
    hit = Hit.objects.with_batch().get(pk=hit.pk)
    if hit.state != HitState.PLANNED:
        return hit
    refuse_unarmed(batch)
    refuse_stopped(batch, hit)
    refuse_above_ceiling(batch, hit.n_places * batch.cents_a_place)
    hit.state, hit.first_attempt_at = HitState.CREATING, timezone.now()
    hit.save(update_fields=["state", "first_attempt_at"])
    return hit


@transaction.atomic(durable=True)
def begin_creating_anew(hit: Hit) -> Hit:
    """A new token for a HIT that is `unknown` and was looked up: the provider does not have it.

    Its cost is committed already. Raises BatchRefused.
    """
    batch = lock_batch(hit.batch)
    hit = Hit.objects.with_batch().get(pk=hit.pk)
    if hit.state != HitState.UNKNOWN or hit.hit_id:
        return hit
    refuse_unarmed(batch)
    refuse_stopped(batch, hit)
    hit.attempt += 1
    hit.token = Hit.make_token(hit.key, hit.attempt)
    hit.state, hit.first_attempt_at = HitState.CREATING, timezone.now()
    hit.save(update_fields=["attempt", "token", "state", "first_attempt_at"])
    return hit


def refuse_stopped(batch: Batch, hit: Hit) -> None:
    """Raise BatchRefused for places that a stopped batch would offer to anybody."""
    if batch.stopped_at and hit.compensates_id is None:
        raise BatchRefused(f"{batch} was stopped. Plan another one.")


def refuse_above_ceiling(batch: Batch, more_cents: int) -> None:
    """Raise CeilingReached, while the batch is locked; what was stored is undone by that."""
    committed = count_spent(batch).committed_cents + more_cents
    if committed > (batch.ceiling_cents or 0):
        raise CeilingReached(
            f"{batch} would come to {write_cents(committed)}, above its ceiling of "
            f"{write_cents(batch.ceiling_cents or 0)}. Arm it with another ceiling first."
        )
