"""Background jobs at a target: the runs of a batch, and the periodic round of a timer."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from surveys.crowd.models import Batch, BatchWork, HitState, PaymentState
from surveys.crowd.mturk.collect import LATE_FOR, fetch_batch
from surveys.crowd.mturk.payments import pay_batch
from surveys.crowd.mturk.publish import publish_batch
from surveys.crowd.mturk.qualifications import send_grants
from surveys.crowd.mturk.steps import Outcome, Progress
from surveys.crowd.mturk.stop import stop_batch
from surveys.crowd.mturk.targets import list_enabled
from surveys.errors import GatewayDown, RunRefused, SurveyError
from surveys.models import ProviderState, Run
from surveys.models.results import RunQuerySet
from surveys.results.run_jobs import makes_run
from surveys.results.runs import is_broken_off, store_request

WORK: dict[BatchWork, Callable[[Batch, Progress], Outcome]] = {
    BatchWork.PUBLISH: publish_batch,
    BatchWork.FETCH: fetch_batch,
    BatchWork.PAY: pay_batch,
    BatchWork.STOP: stop_batch,
}


@transaction.atomic
def request_batch_work(batch: Batch, kind: BatchWork, by: User | None) -> Run:
    """Queue a run that publishes, fetches, pays or stops a batch.

    Raises RunRefused while the same is in progress.
    """
    earlier = _find_batch_work(batch).filter(kind=kind)
    if kind not in WORK or any(not is_broken_off(run) for run in earlier):
        raise RunRefused("This is already in progress. Wait until it ends.")
    return store_request(batch.study, kind, by, {"batch": batch.pk})


def is_batch_busy(batch: Batch) -> bool:
    """Return whether a job of a batch is waiting or in progress."""
    return _find_batch_work(batch).exists()


@makes_run
def perform_batch_work(run: Run, progress: Progress) -> dict[str, Any]:
    """Perform the run's action on its batch. Raises what the action does."""
    batch = Batch.objects.get(pk=run.request["batch"], study=run.study)
    return {"report": WORK[BatchWork(run.kind)](batch, progress).as_report()}


def run_round(*, pays: bool = False) -> list[str]:
    """Send grants, fetch all open batches and, if asked to, pay them; return the errors.

    An error at one target or batch does not stop the others.
    """
    errors: list[str] = []
    for target in list_enabled():
        _try(target.provider.label, partial(send_grants, target.provider), errors)
        for batch in _find_open(target.provider):
            _try(str(batch), partial(fetch_batch, batch), errors)
            if pays and batch.is_armed(timezone.now()):
                _try(str(batch), partial(pay_batch, batch), errors)
    return errors


def _find_batch_work(batch: Batch) -> RunQuerySet:
    jobs = Run.objects.filter(study=batch.study, kind__in=WORK)
    return jobs.filter(job__request__batch=batch.pk).under_way()


def _find_open(provider: str) -> list[Batch]:
    recently = timezone.now() - LATE_FOR
    is_open = Q(hits__state__in=HitState.reachable())
    is_open |= Q(hits__reservation__closed_at__gte=recently)
    is_open |= Q(hits__reservation__visits__provider_state=ProviderState.SUBMITTED)
    is_open |= Q(payments__state=PaymentState.UNKNOWN)
    batches = Batch.objects.filter(is_open, entrance__provider=provider)
    return list(batches.select_related("study", "entrance").distinct())


def _try(name: str, act: Callable[[], Outcome], errors: list[str]) -> None:
    try:
        errors += act().errors
    except GatewayDown as error:
        errors.append(f"{name}: {error} The next round tries again.")
    except SurveyError as error:
        errors.append(f"{name}: {error}")
