"""A batch that takes nobody new. Who has accepted may still hand in, and is paid."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.budget import lock_batch
from surveys.crowd.mturk.fetching import OVER
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.locks import alone
from surveys.crowd.mturk.planning import close_hit, drop_plan
from surveys.crowd.mturk.publishing import (
    PUBLISHING,
    UNSETTLED,
    find_hits,
    refuse_foreign,
    settle_creation,
)
from surveys.crowd.mturk.steps import Outcome, Tell, clear_error, go_through, keep_quiet
from surveys.errors import GatewayDown, GatewayRefused
from surveys.models import Batch, Hit, HitState

EARLIER = timedelta(hours=1)
NEVER_THERE_AFTER = timedelta(hours=1)  # by then what was created would be in every list


def stop_batch(batch: Batch, tell: Tell = keep_quiet) -> Outcome:
    """End a batch: what is planned is dropped, what is live takes nobody new. Twice does no harm.

    No batch must be armed for it. Raises TargetRefused, and GatewayDown to try again.
    """
    batch = Batch.objects.select_related("study", "entrance").get(pk=batch.pk)
    refuse_foreign(batch)
    with alone(PUBLISHING, batch.provider):
        batch = _note_stop(batch)
        drop_plan(batch)
        hits = list(find_hits(batch, *UNSETTLED, HitState.LIVE))
        if not hits:
            return Outcome()
        gateway = open_gateway(batch.provider)
        return go_through(hits, lambda hit: _stop(gateway, hit, batch), "ending HITs", tell)


@transaction.atomic
def _note_stop(batch: Batch) -> Batch:
    locked = lock_batch(batch)
    if locked.stopped_at is None:
        locked.stopped_at = timezone.now()
        locked.save(update_fields=["stopped_at"])
        record("batch.stopped", locked.study, str(locked))
    return locked


def _stop(gateway: Gateway, hit: Hit, batch: Batch) -> str:
    if hit.state in UNSETTLED:
        if not settle_creation(gateway, hit):
            return _close_never_there(hit, batch)
        hit.refresh_from_db()
    expire_at = timezone.now() - EARLIER
    try:
        gateway.call("update_expiration_for_hit", HITId=hit.hit_id, ExpireAt=expire_at)
    except (GatewayDown, GatewayRefused):
        if not _is_ended(gateway, hit):
            raise
    Hit.objects.filter(pk=hit.pk, state=HitState.LIVE).update(state=HitState.CLOSING)
    clear_error(hit)
    return "ended"


def _is_ended(gateway: Gateway, hit: Hit) -> bool:
    there: dict[str, Any] = gateway.call("get_hit", HITId=hit.hit_id)["HIT"]
    return there["HITStatus"] in OVER or there["Expiration"] <= timezone.now()


def _close_never_there(hit: Hit, batch: Batch) -> str:
    """Give up a HIT that was asked for and is in no list, some time after the last request."""
    last = max(instant for instant in (hit.first_attempt_at, batch.stopped_at) if instant)
    if timezone.now() - last < NEVER_THERE_AFTER:
        raise GatewayRefused(
            f"{hit} was asked for and is not to be seen. End the batch again in an hour."
        )
    close_hit(hit)
    return "dropped"
