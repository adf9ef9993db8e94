"""Stop a batch: no new workers; accepted HITs can still be submitted and are paid."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.budget import lock_batch
from surveys.crowd.models import Batch, Hit, HitState
from surveys.crowd.mturk.collect import OVER
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.hits import close_hit, drop_plan
from surveys.crowd.mturk.publish import (
    PUBLISHING,
    UNSETTLED,
    find_hits,
    reload_batch,
    settle_creation,
)
from surveys.crowd.mturk.steps import Outcome, Progress, clear_error, exclusive_lock, process_rows
from surveys.errors import GatewayDown, GatewayRefused

PAST = timedelta(hours=1)
LISTED_WITHIN = timedelta(hours=1)  # a created HIT is in every list by then


def stop_batch(batch: Batch, progress: Progress | None = None) -> Outcome:
    """Stop a batch: drop its planned HITs and expire its live HITs. Idempotent.

    Needs no approved budget. Raises TargetRefused, and GatewayDown for a retry.
    """
    batch = reload_batch(batch)
    with exclusive_lock(PUBLISHING, batch.provider):
        batch = _mark_stopped(batch)
        drop_plan(batch)
        hits = list(find_hits(batch, *UNSETTLED, HitState.LIVE))
        if not hits:
            return Outcome()
        gateway = open_gateway(batch.provider)
        return process_rows(hits, lambda hit: _stop(gateway, hit, batch), "ending HITs", progress)


@transaction.atomic
def _mark_stopped(batch: Batch) -> Batch:
    locked = lock_batch(batch)
    if locked.stopped_at is None:
        locked.stopped_at = timezone.now()
        locked.save(update_fields=["stopped_at"])
        record("batch.stopped", locked.study, str(locked))
    return locked


def _stop(gateway: Gateway, hit: Hit, batch: Batch) -> str:
    if hit.state in UNSETTLED:
        if not settle_creation(gateway, hit):
            return _close_uncreated(hit, batch)
        hit.refresh_from_db()
    expire_at = timezone.now() - PAST
    try:
        gateway.call("update_expiration_for_hit", HITId=hit.hit_id, ExpireAt=expire_at)
    except (GatewayDown, GatewayRefused):
        if not _has_expired(gateway, hit):
            raise
    Hit.objects.filter(pk=hit.pk, state=HitState.LIVE).update(state=HitState.CLOSING)
    clear_error(hit)
    return "ended"


def _has_expired(gateway: Gateway, hit: Hit) -> bool:
    remote: dict[str, Any] = gateway.call("get_hit", HITId=hit.hit_id)["HIT"]
    return remote["HITStatus"] in OVER or remote["Expiration"] <= timezone.now()


def _close_uncreated(hit: Hit, batch: Batch) -> str:
    """Close a HIT that was requested but is not listed, some time after the last request."""
    last = max(instant for instant in (hit.first_attempt_at, batch.stopped_at) if instant)
    if timezone.now() - last < LISTED_WITHIN:
        raise GatewayRefused(
            f"{hit} was requested but is not listed. Stop the batch again in an hour."
        )
    close_hit(hit)
    return "dropped"
