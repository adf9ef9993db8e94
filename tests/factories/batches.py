"""Batches offered in the simulator, and the workers who come to their HITs."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from surveys.crowd.budget import approve_budget, begin_creating, count_spent
from surveys.crowd.models import Batch, Hit, HitState
from surveys.crowd.mturk.arrival import start_in_hit
from surveys.crowd.mturk.hits import plan_batch
from surveys.crowd.reconciliation import Report, reconcile
from surveys.models import Assignment, ProviderState, Study, Visit
from surveys.participation.assignments import begin_assignment
from surveys.recruitment.providers import Claims, read_claims
from tests.factories.studies import finish

TERMS = {
    "title": "Words in short texts",
    "description": "Read short texts and answer two questions about each.",
    "reward_cents": 50,
    "assignment_seconds": 3600,
}
WORKER, OTHER = "A1PLANTEDWORKER", "A2ANOTHERWORKER"


def questionnaires(study: Study) -> list[Any]:
    return [one for block in study.blocks.all() for one in block.questionnaires.all()]


def plan(
    study: Study, n_places: int = 2, n_questionnaires: int = 1, *, target: str = "simulator",
    **terms: Any,
) -> Batch:  # fmt: skip
    """Plan a batch of places of the first questionnaires."""
    places = dict.fromkeys(questionnaires(study)[:n_questionnaires], n_places)
    return plan_batch(study, target, places, **{**TERMS, **terms})


def arm(batch: Batch, *, more_cents: int = 0) -> Batch:
    """Approve the budget of a batch for a day, with room above its total."""
    user, _new = User.objects.get_or_create(username="ana")
    total = count_spent(batch).total_cents
    return approve_budget(
        batch, user, typed_cents=total, ceiling_cents=total + more_cents,
        until=timezone.now() + timedelta(days=1),
    )  # fmt: skip


def publish(batch: Batch) -> list[Hit]:
    """Return the HITs of a batch, made live without a request to the simulator."""
    for hit in batch.hits.all():
        begin_creating(hit)
        Hit.objects.filter(pk=hit.pk).update(state=HitState.LIVE, hit_id=f"3HIT{hit.pk}")
    return list(Hit.objects.with_batch().filter(batch=batch))


def claims_of(hit: Hit, worker_id: str = WORKER, submission: str = "3ASSIGNMENT1") -> Claims:
    hit_id = hit.hit_id or "3UNKNOWNYET"
    claims = read_claims(
        hit.provider, {"hitId": hit_id, "assignmentId": submission, "workerId": worker_id}
    )
    assert claims is not None
    return claims


def come(
    hit: Hit, worker_id: str = WORKER, submission: str = "3ASSIGNMENT1", own_link: str = ""
) -> Assignment:
    return start_in_hit(hit, claims_of(hit, worker_id, submission), own_link=own_link)


def do(hit: Hit, worker_id: str = WORKER, submission: str = "3ASSIGNMENT1") -> Visit:
    """Return the visit of a worker who has answered everything."""
    finish(begin_assignment(come(hit, worker_id, submission)))
    return Visit.objects.get(worker__worker_id=worker_id, submission=submission)


def report(visit: Visit, state: str = "submitted", **changed: Any) -> Report:
    """Return the provider's report of a visit, with its completion code."""
    return Report(**{
        "submission": visit.submission, "worker_id": visit.worker.worker_id,
        "code": visit.completion_code, "state": ProviderState(state), **changed,
    })  # fmt: skip


def hand_in(visit: Visit, **changed: Any) -> Visit:
    """Reconcile a visit with a report of the provider and return it."""
    found = reconcile(visit.entrance, report(visit, **changed), visit.reservation)
    assert found is not None
    return found
