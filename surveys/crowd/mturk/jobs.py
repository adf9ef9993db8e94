"""What is asked of a target in the background: by runs, and round by round by a timer."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db.models import Q
from django.utils import timezone

from surveys.crowd.mturk.fetching import AFTERWARDS, fetch_batch
from surveys.crowd.mturk.payments import pay_batch
from surveys.crowd.mturk.publishing import publish_batch
from surveys.crowd.mturk.qualifications import tell_grants
from surveys.crowd.mturk.steps import Outcome, Tell
from surveys.crowd.mturk.stopping import stop_batch
from surveys.crowd.mturk.targets import list_enabled
from surveys.errors import GatewayDown, SurveyError
from surveys.models import Batch, HitState, PaymentState, ProviderState, Run, RunKind

WORK: dict[RunKind, Callable[[Batch, Tell], Outcome]] = {
    RunKind.PUBLISH: publish_batch,
    RunKind.FETCH: fetch_batch,
    RunKind.PAY: pay_batch,
    RunKind.STOP: stop_batch,
}


def perform_batch_work(run: Run, tell: Tell) -> dict[str, Any]:
    """Do what a run asks of a batch. Raises what the action does."""
    batch = Batch.objects.get(pk=run.wishes["batch"], study=run.study)
    return {"report": WORK[RunKind(run.kind)](batch, tell).as_report()}


def run_round(*, pays: bool = False) -> list[str]:
    """Fetch what every batch may have to tell, tell of grants and perhaps pay; what went wrong.

    A target or a batch that fails does not stop the others.
    """
    told: list[str] = []
    for target in list_enabled():
        _try(target.provider.label, partial(tell_grants, target.provider), told)
        for batch in _find_open(target.provider):
            _try(str(batch), partial(fetch_batch, batch), told)
            if pays and batch.is_armed(timezone.now()):
                _try(str(batch), partial(pay_batch, batch), told)
    return told


def _find_open(provider: str) -> list[Batch]:
    recently = timezone.now() - AFTERWARDS
    is_open = Q(hits__state__in=HitState.reachable()) | Q(hits__closed_at__gte=recently)
    is_open |= Q(hits__visits__provider_state=ProviderState.SUBMITTED)
    is_open |= Q(payments__state=PaymentState.UNKNOWN)
    batches = Batch.objects.filter(is_open, entrance__provider=provider)
    return list(batches.select_related("study", "entrance").distinct())


def _try(name: str, act: Callable[[], Outcome], told: list[str]) -> None:
    try:
        told += act().errors
    except GatewayDown as error:
        told.append(f"{name}: {error} The next round tries again.")
    except SurveyError as error:
        told.append(f"{name}: {error}")
