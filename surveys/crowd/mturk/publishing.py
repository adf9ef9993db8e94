"""Planned HITs → HITs at their target: each once, whatever is lost or cut on the way."""

import html
import re
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.budget import (
    begin_creating,
    begin_creating_anew,
    lock_batch,
    refuse_stopped,
    refuse_unarmed,
)
from surveys.crowd.fees import read_cents, write_cents
from surveys.crowd.mturk.gateway import Gateway, open_gateway
from surveys.crowd.mturk.locks import alone
from surveys.crowd.mturk.qualifications import require_for
from surveys.crowd.mturk.steps import Outcome, Tell, clear_error, go_through, keep_quiet
from surveys.crowd.mturk.targets import refuse_disabled
from surveys.errors import BatchRefused, GatewayDown, GatewayRefused
from surveys.models import Batch, Hit, HitState, Provider

PUBLISHING = "publishing"  # what one does at a time at a target, with stopping
UNSETTLED = (HitState.CREATING, HitState.UNKNOWN)
RESEND_FOR = timedelta(hours=23)  # a token is remembered for a day; the last hour is not relied on
FORGOTTEN_AFTER = timedelta(hours=25)
IDENTIFIER = re.compile(r"\b[A-Z0-9]{20,64}\b")
QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/'
    '2006-07-14/ExternalQuestion.xsd"><ExternalURL>{url}</ExternalURL><FrameHeight>0</FrameHeight>'
    "</ExternalQuestion>"
)


def publish_batch(batch: Batch, tell: Tell = keep_quiet) -> Outcome:
    """Have what is planned of an armed batch created; again, it goes on where it was broken off.

    Raises BatchRefused and TargetRefused before anything is asked, GatewayDown to try again.
    """
    batch = Batch.objects.select_related("study", "entrance").get(pk=batch.pk)
    refuse_foreign(batch)
    refuse_unarmed(batch)
    with alone(PUBLISHING, batch.provider):
        hits = list(find_hits(batch, HitState.PLANNED, *UNSETTLED))
        if not hits:
            return Outcome()
        gateway = open_gateway(batch.provider)
        if batch.provider != Provider.SIMULATOR:
            _refuse_low_balance(gateway, hits)
        return go_through(hits, lambda hit: _publish(gateway, hit), "creating HITs", tell)


def refuse_foreign(batch: Batch) -> None:
    """Raise BatchRefused, or TargetRefused, where a batch cannot be asked about at its target."""
    refuse_disabled(batch.provider)
    if batch.hits.exclude(provider=batch.provider).exists():
        raise BatchRefused(f"{batch} has HITs of another target than {batch.provider.label}.")


def find_hits(batch: Batch, *states: HitState) -> Any:
    """The HITs of a batch in some states, with all that is asked of them."""
    return Hit.objects.with_batch().of_target(batch.provider).filter(batch=batch, state__in=states)


def settle_creation(gateway: Gateway, hit: Hit, said: str = "") -> bool:
    """Whether the target has a HIT that was asked for, which is live then. Only reads are made.

    What was said instead of an answer may name it; only its own annotation shows that it is ours.
    """
    found = _find_named(gateway, hit, said) or _find_listed(gateway, hit)
    if found:
        _note_live(hit, found)
    return found is not None


def _publish(gateway: Gateway, hit: Hit) -> str:
    if hit.state == HitState.PLANNED:
        hit_type_id = _create_type(gateway, hit)  # first: nothing is committed by it
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
    _note_live(hit, answer["HIT"])
    return "created"


def refuse_uncommitted(hit: Hit) -> None:
    """Raise BatchRefused unless a HIT may be asked for now: the row may have waited for long."""
    batch = Batch.objects.select_related("study", "entrance").get(pk=hit.batch_id)
    refuse_unarmed(batch)
    refuse_stopped(batch, hit)


def _refresh_token(hit: Hit) -> Hit:
    """A HIT that may be asked for by its token: the old one, or another once it is forgotten."""
    if not _is_past(hit, RESEND_FOR):
        return hit
    Hit.objects.filter(pk=hit.pk, state=HitState.CREATING).update(state=HitState.UNKNOWN)
    if not _is_past(hit, FORGOTTEN_AFTER):
        raise GatewayDown(f"{hit} was asked for a day ago and is not there: it is tried later.")
    return begin_creating_anew(hit)


def _is_past(hit: Hit, age: timedelta) -> bool:
    return hit.first_attempt_at is not None and timezone.now() - hit.first_attempt_at > age


def _create_type(gateway: Gateway, hit: Hit) -> str:
    """The HIT type of a block and a reward: the same values give the same one again."""
    batch = hit.batch
    answer = gateway.call(
        "create_hit_type",
        Title=batch.title,
        Description=batch.description,
        Keywords=batch.keywords,
        Reward=write_cents(batch.reward_cents),
        AssignmentDurationInSeconds=batch.assignment_seconds,
        AutoApprovalDelayInSeconds=batch.auto_approval_seconds,
        QualificationRequirements=require_for(gateway, hit),
    )
    return str(answer["HITTypeId"])


def _describe(hit: Hit, hit_type_id: str) -> dict[str, Any]:
    url = settings.SITE_URL + reverse("annotate:enter", args=[hit.key])
    return {
        "HITTypeId": hit_type_id,
        "MaxAssignments": hit.n_places,
        "LifetimeInSeconds": hit.batch.lifetime_seconds,
        "Question": QUESTION.format(url=html.escape(url)),
        "RequesterAnnotation": str(hit.key),
        "UniqueRequestToken": hit.token,
    }


def _find_named(gateway: Gateway, hit: Hit, said: str) -> dict[str, Any] | None:
    for identifier in IDENTIFIER.findall(said):
        if found := _read_own(gateway, hit, identifier):
            return found
    return None


def _find_listed(gateway: Gateway, hit: Hit) -> dict[str, Any] | None:
    for listed in gateway.read_all("list_hits", "HITs"):
        if listed.get("RequesterAnnotation") == str(hit.key):
            return _read_own(gateway, hit, listed["HITId"])
    return None


def _read_own(gateway: Gateway, hit: Hit, hit_id: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = gateway.call("get_hit", HITId=hit_id)["HIT"]
    except GatewayRefused:  # it was no id of a HIT
        return None
    return found if found.get("RequesterAnnotation") == str(hit.key) else None


@transaction.atomic
def _note_live(hit: Hit, found: dict[str, Any]) -> None:
    lock_batch(hit.batch)
    changed = Hit.objects.filter(pk=hit.pk, state__in=UNSETTLED).update(
        state=HitState.LIVE,
        hit_id=found["HITId"],
        hit_type_id=found["HITTypeId"],
        expires_at=found["Expiration"],
    )
    clear_error(hit)
    if changed:
        record("hit.created", hit.batch.study, str(hit), target=hit.provider, places=hit.n_places)


def _refuse_low_balance(gateway: Gateway, hits: list[Hit]) -> None:
    # for what was asked for before, money may be on hold already
    planned = [hit for hit in hits if hit.state == HitState.PLANNED]
    needed = sum(hit.n_places * hit.batch.cents_a_place for hit in planned)
    there = read_cents(gateway.call("get_account_balance")["AvailableBalance"])
    if there < needed:
        raise BatchRefused(
            f"The account holds {write_cents(there)}, and {write_cents(needed)} are needed."
        )
