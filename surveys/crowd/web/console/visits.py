"""Decisions on one worker of a batch: pay, reject, compensate."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.access.roles import Right
from surveys.crowd.batches.summary import find_people, with_all
from surveys.crowd.ledger import intend_reward, record_compensation, retry_refused
from surveys.crowd.models import Batch, BatchWork, PaymentState
from surveys.crowd.mturk.hits import plan_compensation
from surveys.crowd.mturk.rejections import override_rejection, reject_visit
from surveys.crowd.web.console.batch_forms import CompensationForm, FeedbackForm, ReasonForm
from surveys.crowd.web.console.batches import describe, find_batch
from surveys.crowd.web.console.work import start_work
from surveys.models import ProviderState, ReconciliationResult, Study
from surveys.web.console.access import Page, signed_in, study_page
from surveys.web.forms import attempt, status_of


class Decision(NamedTuple):
    """A decision on a worker's work; `act` takes the fields of the form."""

    form: type[forms.Form]
    act: Callable[..., object]
    done: str
    work: BatchWork | None = None  # of the provider, started with it


DECISIONS = {
    "pay": Decision(ReasonForm, intend_reward, "The reward is being paid.", BatchWork.PAY),
    "reject": Decision(FeedbackForm, reject_visit, "The work is rejected."),
    "retry": Decision(ReasonForm, retry_refused, "The payment is being retried.", BatchWork.PAY),
    "override": Decision(ReasonForm, override_rejection, "The rejection is reversed."),
    "compensate": Decision(
        ReasonForm,
        plan_compensation,
        "A HIT for this worker is being published.",
        BatchWork.PUBLISH,
    ),
    "note": Decision(
        CompensationForm, record_compensation, "The payment is recorded in the ledger."
    ),
}


@study_page(Right.WORK, "GET")
def visit(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Show the status of a worker and the decisions allowed."""
    batch = find_batch(study, batch_id)
    return _show(request, batch, _find_visit(batch, visit_id), {})


def decision_page(name: str) -> Page:
    """Return the page that carries out a decision, or shows the errors of its form."""
    decision = DECISIONS[name]

    @study_page(Right.WORK, "POST")
    def decide(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
        batch, by = find_batch(study, batch_id), signed_in(request)
        visit = _find_visit(batch, visit_id)
        form = decision.form(request.POST, auto_id=f"{name}_%s")

        def act() -> None:
            if decision.work is None:
                decision.act(visit, by=by, **form.cleaned_data)
                return
            with transaction.atomic():  # nothing is stored unless the job can start
                decision.act(visit, by=by, **form.cleaned_data)
                start_work(batch, decision.work, by)

        if attempt(form, act):
            messages.success(request, decision.done)
            return redirect("console:visit", study.slug, batch_id, visit_id)
        return _show(request, batch, _find_visit(batch, visit_id), {name: form})

    return decide


def _find_visit(batch: Batch, visit_id: int) -> Any:
    """Return a worker's visit with its payments as `ledger`, or answer 404."""
    return get_object_or_404(with_all(find_people(batch)), pk=visit_id)


def _show(
    request: HttpRequest, batch: Batch, visit: Any, sent: dict[str, forms.Form]
) -> HttpResponse:
    is_paid = any(payment.state in PaymentState.spent() for payment in visit.ledger)
    is_open = (
        visit.standing in (ReconciliationResult.PAYABLE, ReconciliationResult.HELD) and not is_paid
    )
    may = {
        "pay": is_open,
        "reject": is_open and visit.provider_state == ProviderState.SUBMITTED,
        "retry": any(payment.state == PaymentState.REFUSED for payment in visit.ledger),
        "override": visit.provider_state == ProviderState.REJECTED and not is_paid,
        "compensate": visit.standing == ReconciliationResult.UNPAID,
        "note": visit.standing == ReconciliationResult.UNPAID,
    }
    empty = {
        name: decision.form(auto_id=f"{name}_%s")
        for name, decision in DECISIONS.items()
        if may[name]
    }
    page = {**describe(batch), "visit": visit, "forms": {**empty, **sent}}
    status = status_of(*sent.values())
    return render(request, "crowd/visit.html", page, status=status)
