"""Plan the HITs that offer open places, and close them. Nothing here calls a target."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from surveys.access.audit_log import record
from surveys.crowd.budget import lock_batch, refuse_unapproved
from surveys.crowd.errors import BatchRefused, PaymentRefused
from surveys.crowd.fees import rates_of, round_reserved, round_shown, split_places
from surveys.crowd.ledger import list_unpaid_work
from surveys.crowd.models import HIGHEST_REWARD_CENTS, MOST_PLACES, Batch, Hit, HitState
from surveys.crowd.mturk.targets import refuse_disabled
from surveys.models import Entrance, Questionnaire, ReconciliationResult, Reservation, Study, Visit
from surveys.money import format_cents
from surveys.participation.assignments import lock_places
from surveys.results.numbering import number_next
from surveys.study.blocks.quota import close_reservation, reserve_places
from surveys.study.lifecycle import refuse_draft

# the Masters qualifications, which cost more
MASTERS = {"2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"}


@transaction.atomic
def plan_batch(
    study: Study, target: str, places: Mapping[Questionnaire, int], **terms: Any
) -> Batch:
    """Reserve places for HITs of up to nine; none is offered until the budget is approved.

    Terms are fields of the batch: title, description, reward_cents, assignment_seconds and so on.
    Raises BatchRefused for places that are not free, and TargetRefused.
    """
    refuse_disabled(target)
    study = lock_places(study.pk)
    refuse_draft(study)
    if study.block_size is None:
        raise BatchRefused(
            "All pairs are in one block, too much for a HIT. Duplicate the study with smaller ones."
        )
    if not any(places.values()) or min(places.values()) < 0:
        raise BatchRefused("Choose questionnaires, and how many places to offer.")
    if terms.get("reward_cents", 0) < 1:
        raise BatchRefused("A HIT pays one cent or more.")
    entrance, _new = Entrance.objects.get_or_create(study=study, provider=target)
    if terms["reward_cents"] > HIGHEST_REWARD_CENTS:
        raise BatchRefused(f"A reward is at most {format_cents(HIGHEST_REWARD_CENTS)}.")
    required = {rule["QualificationTypeId"] for rule in terms.get("requirements", [])}
    fee = rates_of(target).of_reward(terms["reward_cents"], for_masters=bool(required & MASTERS))
    batch = Batch.objects.create(
        study=study,
        number=number_next(study, Batch.objects.filter(study=study)),
        entrance=entrance,
        fee_cents=round_reserved(fee),
        billed_fee_cents=round_shown(fee),
        **terms,
    )
    for questionnaire, n_places in places.items():
        for n in split_places(n_places, MOST_PLACES):
            reserve_places(_create_hit(batch, questionnaire, n).reservation, n)
    record(
        "batch.planned", study, str(batch), target=target, places=sum(places.values()),
        reward_cents=batch.reward_cents, fee_cents=batch.fee_cents,
    )  # fmt: skip
    return batch


@transaction.atomic
def close_hit(hit: Hit, *, n_owed: int = 0) -> Hit:
    """Close a HIT that expects no more submissions and free its places. Idempotent.

    `n_owed` of its places were submitted and are paid or to be paid; the cost of the others is
    free again below the ceiling.
    """
    lock_places(hit.batch.entrance.study_id)
    hit = Hit.objects.with_batch().select_for_update(of=("self",), no_key=True).get(pk=hit.pk)
    if hit.state == HitState.CLOSED:
        return hit
    if not 0 <= n_owed <= hit.n_places:
        raise BatchRefused(f"{hit} has {hit.n_places} places; it cannot owe {n_owed}.")
    hit.state, hit.n_released = HitState.CLOSED, hit.n_places - n_owed
    hit.save(update_fields=["state", "n_released"])
    close_reservation(hit.reservation)
    return hit


@transaction.atomic
def drop_plan(batch: Batch) -> int:
    """Close the HITs of a batch that were never requested; return how many."""
    lock_places(batch.entrance.study_id)
    planned = list(batch.hits.filter(state=HitState.PLANNED))
    for hit in planned:
        close_hit(hit)
    if planned:
        record("batch.dropped", batch.study, str(batch), hits=len(planned))
    return len(planned)


def _create_hit(
    batch: Batch, questionnaire: Questionnaire, n_places: int, compensates: Visit | None = None
) -> Hit:
    pay = f"US$ {format_cents(batch.reward_cents)}"
    reservation = Reservation.objects.create(
        study=batch.study, questionnaire=questionnaire, pay=pay
    )
    return Hit.objects.create(
        batch=batch, reservation=reservation, provider=batch.provider, n_places=n_places,
        token=Hit.make_token(reservation.token, 1), compensates=compensates,
    )  # fmt: skip


@transaction.atomic
def plan_compensation(visit: Visit, *, by: User, reason: str) -> Hit:
    """Plan a HIT of one place that pays a worker for unpaid work; return it. Idempotent.

    Publishing creates it. The batch, even if stopped, needs an approved budget with room for it.
    Raises BatchRefused, PaymentRefused.
    """
    visit = Visit.objects.select_related("reservation__hit__batch__entrance", "worker").get(
        pk=visit.pk
    )
    if visit.reservation is None or visit.standing != ReconciliationResult.UNPAID:
        raise PaymentRefused(f"{visit} is not unpaid work of a HIT.")
    if visit.worker.is_digest:
        raise PaymentRefused("The id of this worker was deleted: pay them in another way.")
    if not by.pk or not reason.strip():
        raise PaymentRefused("A signed-in researcher must decide this and give a reason.")
    batch = lock_batch(visit.reservation.hit.batch)
    same_work = Hit.objects.filter(compensates__assignment=visit.assignment_id)
    if planned := same_work.exclude(state=HitState.CLOSED).first():
        return planned
    if visit not in list_unpaid_work(batch):
        raise PaymentRefused("This work has been paid in the meantime.")
    refuse_unapproved(batch)
    hit = _create_hit(batch, visit.reservation.questionnaire, 1, compensates=visit)
    record("compensation.planned", batch.study, str(visit), reason=reason)
    return hit
