"""A batch with a visit of each status, without calls to the MTurk simulator."""

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from surveys.crowd.models import Batch, Hit, HitState
from surveys.crowd.reconciliation import reconcile_silence
from surveys.models import Study, Visit
from tests.factories.batches import arm, come, do, hand_in, plan
from tests.factories.pages import page

WORKERS = [f"A{number}PLANTEDWORKER" for number in range(7)]
N_PLACES = 7


def send(client: Client, name: str, study: Study, *ids: int, **sent: Any) -> Any:
    return client.post(page(name, study, *ids), sent)


def text_of(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def make_crowd(study: Study) -> Batch:
    """Create seven visits, of all statuses; of two payable ones, one has a wrong code."""
    batch = arm(plan(study, n_places=N_PLACES), more_cents=1000)
    hit = offer(batch)
    visits = [do(hit, WORKERS[n], f"3SUBMISSION{n}") for n in range(4)]
    hand_in(visits[0])
    hand_in(visits[1], code="another")
    hand_in(visits[2], state="approved")
    come_late(hit, 4)
    for number in (5, 6):
        come(hit, WORKERS[number], f"3SUBMISSION{number}")
    hand_in(Visit.objects.get(submission="3SUBMISSION5"))
    Visit.objects.filter(submission="3SUBMISSION3").update(
        deadline_at=timezone.now() - timedelta(hours=2)
    )
    reconcile_silence(hit.reservation)
    return batch


def offer(batch: Batch) -> Hit:
    """Make the HIT of a batch live without a request, also within a transaction."""
    live = {"state": HitState.LIVE, "hit_id": f"3HIT{batch.pk}"}
    batch.hits.update(first_attempt_at=timezone.now(), **live)
    return Hit.objects.with_batch().get(batch=batch)


def come_late(hit: Hit, number: int) -> None:
    """Create the visit of a worker whose time has run out."""
    come(hit, WORKERS[number], f"3SUBMISSION{number}")
    late = timezone.now() - timedelta(minutes=5)
    Visit.objects.filter(submission=f"3SUBMISSION{number}").update(deadline_at=late)


def visit_of(batch: Batch, standing: str) -> Visit:
    return Visit.objects.filter(reservation__hit__batch=batch, standing=standing).order_by("pk")[0]
