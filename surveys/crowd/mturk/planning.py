"""Open places of questionnaires → HITs that offer them, and back. Nothing here asks a target."""

from collections.abc import Collection, Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.fees import rates_of, round_reserved, round_shown, split_places, write_cents
from surveys.crowd.mturk.targets import refuse_disabled
from surveys.errors import BatchRefused
from surveys.models import Batch, Entrance, Hit, HitState, Questionnaire, Study
from surveys.models.batches import MOST_PLACES
from surveys.participation.assignments import lock_places
from surveys.results.numbering import number_batch
from surveys.study.layout.quota import release_places, reserve_places
from surveys.study.lifecycle import refuse_draft

MASTERS = {"2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"}  # cost more


@transaction.atomic
def plan_batch(
    study: Study, target: str, places: Mapping[Questionnaire, int], **terms: Any
) -> Batch:
    """Reserve places for HITs of up to nine; nothing is offered until the batch is armed.

    Terms are the fields of a batch that its offer is made of: title, description, reward_cents,
    assignment_seconds and so on. Raises BatchRefused for places that are not free, TargetRefused.
    """
    refuse_disabled(target)
    study = lock_places(study.pk)
    refuse_draft(study)
    if not any(places.values()) or min(places.values()) < 0:
        raise BatchRefused("Say how many places of which questionnaires are offered.")
    if terms.get("reward_cents", 0) < 1:
        raise BatchRefused("A HIT pays one cent or more.")
    entrance, _new = Entrance.objects.get_or_create(study=study, provider=target)
    refuse_high_reward(terms["reward_cents"])
    fee = rates_of(target, timezone.now().date()).of_reward(
        terms["reward_cents"], for_masters=_is_for_masters(terms.get("requirements", []))
    )
    batch = Batch.objects.create(
        study=study,
        number=number_batch(study),
        entrance=entrance,
        fee_cents=round_reserved(fee),
        billed_fee_cents=round_shown(fee),
        **terms,
    )
    for questionnaire, n_places in places.items():
        for n in split_places(n_places, MOST_PLACES):
            _plan_hit(batch, questionnaire, n)
    record(
        "batch.planned", study, str(batch), target=target, places=sum(places.values()),
        reward_cents=batch.reward_cents, fee_cents=batch.fee_cents,
    )  # fmt: skip
    return batch


@transaction.atomic
def close_hit(hit: Hit, *, n_owed: int = 0) -> Hit:
    """Let anybody have the places of a HIT that takes and owes nothing more; twice does no harm.

    `n_owed` of its places were handed in, to be paid or paid already: what the others would have
    cost is free again below the ceiling.
    """
    lock_places(hit.batch.entrance.study_id)
    hit = Hit.objects.with_batch().select_for_update(of=("self",), no_key=True).get(pk=hit.pk)
    if hit.state == HitState.CLOSED:
        return hit
    if not 0 <= n_owed <= hit.n_places:
        raise BatchRefused(f"{hit} has {hit.n_places} places; {n_owed} cannot be owed.")
    hit.state, hit.closed_at = HitState.CLOSED, timezone.now()
    hit.n_released = hit.n_places - n_owed
    hit.save(update_fields=["state", "closed_at", "n_released"])
    release_places(hit)
    return hit


@transaction.atomic
def drop_plan(batch: Batch) -> int:
    """Close the HITs of a batch that were never asked for; how many."""
    lock_places(batch.entrance.study_id)
    planned = list(batch.hits.filter(state=HitState.PLANNED))
    for hit in planned:
        close_hit(hit)
    if planned:
        record("batch.dropped", batch.study, str(batch), hits=len(planned))
    return len(planned)


def refuse_high_reward(reward_cents: int) -> None:
    """Raise BatchRefused for a reward above what the site allows."""
    most = settings.MTURK_HIGHEST_REWARD_CENTS
    if reward_cents > most:
        raise BatchRefused(f"A reward is at most {write_cents(most)} (MTURK_HIGHEST_REWARD_CENTS).")


def _is_for_masters(requirements: Collection[Mapping[str, Any]]) -> bool:
    return any(required["QualificationTypeId"] in MASTERS for required in requirements)


def _plan_hit(batch: Batch, questionnaire: Questionnaire, n_places: int) -> None:
    hit = Hit(batch=batch, questionnaire=questionnaire, provider=batch.provider, n_places=n_places)
    hit.token = Hit.make_token(hit.key, hit.attempt)
    hit.save()
    reserve_places(hit)
