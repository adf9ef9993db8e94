"""Create planned HITs at their target: each once, even if a request or its answer is lost."""

import html
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.budget import (
    begin_creating,
    begin_recreating,
    lock_batch,
    refuse_stopped,
    refuse_unapproved,
)
from surveys.crowd.errors import BatchRefused
from surveys.crowd.models import Batch, Hit, HitState
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.qualifications import list_requirements
from surveys.crowd.mturk.steps import Outcome, Progress, clear_error, exclusive_lock, process_rows
from surveys.crowd.mturk.targets import refuse_disabled
from surveys.errors import GatewayDown, GatewayRefused
from surveys.models import Provider
from surveys.money import format_cents, read_cents

PUBLISHING = "publishing"  # the lock of publishing and stopping
UNSETTLED = (HitState.CREATING, HitState.UNKNOWN)
RESEND_FOR = timedelta(hours=23)  # MTurk remembers a token for a day; an hour of it is a margin
FORGOTTEN_AFTER = timedelta(hours=25)
IDENTIFIER = re.compile(r"\b[A-Z0-9]{20,64}\b")
QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/'
    '2006-07-14/ExternalQuestion.xsd"><ExternalURL>{url}</ExternalURL><FrameHeight>0</FrameHeight>'
    "</ExternalQuestion>"
)


def publish_batch(batch: Batch, progress: Progress | None = None) -> Outcome:
    """Create the planned HITs of an approved batch; resumable.

    Raises BatchRefused and TargetRefused before any request, GatewayDown for a retry.
    """
    batch = reload_batch(batch)
    refuse_unapproved(batch)
    with exclusive_lock(PUBLISHING, batch.provider):
        hits = list(find_hits(batch, HitState.PLANNED, *UNSETTLED))
        if not hits:
            return Outcome()
        gateway = open_gateway(batch.provider)
        if batch.provider != Provider.SIMULATOR:
            _refuse_low_balance(gateway, hits)
        return process_rows(hits, lambda hit: _publish(gateway, hit), "creating HITs", progress)


def reload_batch(batch: Batch) -> Batch:
    """Return a batch as it is stored now.

    Raises TargetRefused if its target is disabled, BatchRefused if a HIT is of another target.
    """
    batch = Batch.objects.select_related("study", "entrance").get(pk=batch.pk)
    refuse_disabled(batch.provider)
    if batch.hits.exclude(provider=batch.provider).exists():
        raise BatchRefused(f"{batch} has HITs of a target other than {batch.provider.label}.")
    return batch


def find_hits(batch: Batch, *states: HitState) -> Any:
    """Return the HITs of a batch in the given states, with related rows."""
    return Hit.objects.with_batch().of_target(batch.provider).filter(batch=batch, state__in=states)


def settle_creation(gateway: Gateway, hit: Hit, message: str = "") -> bool:
    """Mark a requested HIT as live if the target has it; return whether it does. Only reads.

    An error message may contain the HIT's id; only its annotation proves that the HIT is ours.
    """
    for hit_id in _list_candidates(gateway, hit, message):
        if remote := _read_own(gateway, hit, hit_id):
            _mark_live(hit, remote)
            return True
    return False


def _publish(gateway: Gateway, hit: Hit) -> str:
    if hit.state == HitState.PLANNED:
        hit_type_id = _create_type(gateway, hit)  # first: it commits no money
        hit = begin_creating(hit)
    else:
        if _is_past(hit, RESEND_FOR) and settle_creation(gateway, hit):
            return "found"
        hit = _refresh_token(hit)
        hit_type_id = _create_type(gateway, hit)
    refuse_uncommitted(hit)
    try:
        answer = gateway.call("create_hit_with_hit_type", **_describe(hit, hit_type_id))
    except (GatewayDown, GatewayRefused) as error:
        if settle_creation(gateway, hit, str(error)):
            return "found"
        raise
    _mark_live(hit, answer["HIT"])
    return "created"


def refuse_uncommitted(hit: Hit) -> None:
    """Raise BatchRefused unless a HIT may be requested now: its row may have waited for long."""
    batch = Batch.objects.select_related("study", "entrance").get(pk=hit.batch_id)
    refuse_unapproved(batch)
    refuse_stopped(batch, hit)


def _refresh_token(hit: Hit) -> Hit:
    """Return a HIT whose token may be sent: the old one, or a new one after MTurk forgot it."""
    if not _is_past(hit, RESEND_FOR):
        return hit
    Hit.objects.filter(pk=hit.pk, state=HitState.CREATING).update(state=HitState.UNKNOWN)
    if not _is_past(hit, FORGOTTEN_AFTER):
        raise GatewayDown(
            f"{hit} was requested a day ago and is not listed: it is requested again later."
        )
    return begin_recreating(hit)


def _is_past(hit: Hit, age: timedelta) -> bool:
    return hit.first_attempt_at is not None and timezone.now() - hit.first_attempt_at > age


def _create_type(gateway: Gateway, hit: Hit) -> str:
    """Return the id of the HIT type of a block and reward; the same values give the same id."""
    batch = hit.batch
    answer = gateway.call(
        "create_hit_type",
        Title=batch.title,
        Description=batch.description,
        Keywords=batch.keywords,
        Reward=format_cents(batch.reward_cents),
        AssignmentDurationInSeconds=batch.assignment_seconds,
        AutoApprovalDelayInSeconds=batch.auto_approval_seconds,
        QualificationRequirements=list_requirements(gateway, hit),
    )
    return str(answer["HITTypeId"])


def _describe(hit: Hit, hit_type_id: str) -> dict[str, Any]:
    url = settings.SITE_URL + reverse("annotate:enter", args=[hit.reservation.token])
    return {
        "HITTypeId": hit_type_id,
        "MaxAssignments": hit.n_places,
        "LifetimeInSeconds": hit.batch.lifetime_seconds,
        "Question": QUESTION.format(url=html.escape(url)),
        "RequesterAnnotation": str(hit.reservation.token),
        "UniqueRequestToken": hit.token,
    }


def _list_candidates(gateway: Gateway, hit: Hit, message: str) -> Iterator[str]:
    """Yield ids that may be the HIT's: first from an error message, then from MTurk's list."""
    yield from IDENTIFIER.findall(message)
    for listed in gateway.read_all("list_hits", "HITs"):
        if listed.get("RequesterAnnotation") == str(hit.reservation.token):
            yield listed["HITId"]


def _read_own(gateway: Gateway, hit: Hit, hit_id: str) -> dict[str, Any] | None:
    try:
        remote: dict[str, Any] = gateway.call("get_hit", HITId=hit_id)["HIT"]
    except GatewayRefused:  # not the id of a HIT
        return None
    return remote if remote.get("RequesterAnnotation") == str(hit.reservation.token) else None


@transaction.atomic
def _mark_live(hit: Hit, remote: dict[str, Any]) -> None:
    lock_batch(hit.batch)
    changed = Hit.objects.filter(pk=hit.pk, state__in=UNSETTLED).update(
        state=HitState.LIVE,
        hit_id=remote["HITId"],
        hit_type_id=remote["HITTypeId"],
        expires_at=remote["Expiration"],
    )
    clear_error(hit)
    if changed:
        record("hit.created", hit.batch.study, str(hit), target=hit.provider, places=hit.n_places)


def _refuse_low_balance(gateway: Gateway, hits: list[Hit]) -> None:
    # for HITs requested before, money may be on hold already
    planned = [hit for hit in hits if hit.state == HitState.PLANNED]
    needed = sum(hit.n_places * hit.batch.cents_a_place for hit in planned)
    available = read_cents(gateway.call("get_account_balance")["AvailableBalance"])
    if available < needed:
        raise BatchRefused(
            f"The account holds {format_cents(available)}; {format_cents(needed)} are needed."
        )
