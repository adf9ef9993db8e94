"""Decisions on one worker of a batch: pay, reject, compensate."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from surveys.access.roles import Right
from surveys.crowd.batch_summary import find_people, with_all
from surveys.crowd.ledger import intend_reward, record_compensation, retry_refused
from surveys.crowd.mturk.hits import plan_compensation
from surveys.crowd.mturk.rejections import override_rejection, reject_visit
from surveys.models import Batch, PaymentState, ProviderState, Standing, Study
from surveys.web.console.access import signed_in, study_page
from surveys.web.console.crowd.batches import find_batch
from surveys.web.console.crowd.forms import CompensationForm, FeedbackForm, ReasonForm
from surveys.web.console.crowd.work import Work, start_work
from surveys.web.console.forms import attempt, status_of

FORMS: dict[str, type[forms.Form]] = {
    "pay": ReasonForm,
    "reject": FeedbackForm,
    "retry": ReasonForm,
    "override": ReasonForm,
    "compensate": ReasonForm,
    "note": CompensationForm,
}


class Case(NamedTuple):
    """A worker of a batch, about whose work a decision is made."""

    study: Study
    batch: Batch
    visit: Any  # with its payments as `ledger`


@require_GET
@study_page(Right.WORK)
def visit(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Show the status of a worker and the decisions allowed."""
    return _show(request, _find_case(study, batch_id, visit_id), {})


@require_POST
@study_page(Right.WORK)
def pay(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Pay the reward, with a reason."""
    case, by = _find_case(study, batch_id, visit_id), signed_in(request)

    @transaction.atomic  # nothing is stored unless the job can start
    def act(sent: dict[str, Any]) -> None:
        intend_reward(case.visit, by=by, reason=sent["reason"])
        start_work(case.batch, Work.PAY, by)

    return _decide(request, case, "pay", act, "The reward is being paid.")


@require_POST
@study_page(Right.WORK)
def reject(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Reject the work, with a message to the worker."""
    case = _find_case(study, batch_id, visit_id)

    def act(sent: dict[str, Any]) -> None:
        reject_visit(case.visit, by=signed_in(request), feedback=sent["feedback"])

    return _decide(request, case, "reject", act, "The work is rejected.")


@require_POST
@study_page(Right.WORK)
def retry(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Retry payments that the provider refused."""
    case, by = _find_case(study, batch_id, visit_id), signed_in(request)

    @transaction.atomic  # nothing is stored unless the job can start
    def act(sent: dict[str, Any]) -> None:
        retry_refused(case.visit, by=by, reason=sent["reason"])
        start_work(case.batch, Work.PAY, by)

    return _decide(request, case, "retry", act, "The payment is being retried.")


@require_POST
@study_page(Right.WORK)
def compensate(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Pay for unpaid work by a HIT for its worker only."""
    case, by = _find_case(study, batch_id, visit_id), signed_in(request)

    @transaction.atomic  # nothing is stored unless the job can start
    def act(sent: dict[str, Any]) -> None:
        plan_compensation(case.visit, by=by, reason=sent["reason"])
        start_work(case.batch, Work.PUBLISH, by)

    return _decide(request, case, "compensate", act, "A HIT for this worker is being published.")


@require_POST
@study_page(Right.WORK)
def override(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Reverse a rejection, which pays the reward."""
    case = _find_case(study, batch_id, visit_id)

    def act(sent: dict[str, Any]) -> None:
        override_rejection(case.visit, by=signed_in(request), reason=sent["reason"])

    return _decide(request, case, "override", act, "The rejection is reversed.")


@require_POST
@study_page(Right.WORK)
def note(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Record that unpaid work was paid by hand."""
    case = _find_case(study, batch_id, visit_id)

    def act(sent: dict[str, Any]) -> None:
        record_compensation(case.visit, by=signed_in(request), **sent)

    return _decide(request, case, "note", act, "The payment is recorded in the ledger.")


def _find_case(study: Study, batch_id: int, visit_id: int) -> Case:
    batch = find_batch(study, batch_id)
    return Case(study, batch, get_object_or_404(with_all(find_people(batch)), pk=visit_id))


def _decide(
    request: HttpRequest, case: Case, name: str, act: Callable[[dict[str, Any]], None], done: str
) -> HttpResponse:
    """Carry out a decision and redirect, or render the page with the errors."""
    form = FORMS[name](request.POST, auto_id=f"{name}_%s")
    if attempt(form, lambda: act(form.cleaned_data)):
        messages.success(request, done)
        return redirect("console:visit", case.study.slug, case.batch.pk, case.visit.pk)
    return _show(request, _find_case(case.study, case.batch.pk, case.visit.pk), {name: form})


def _show(request: HttpRequest, case: Case, sent: dict[str, forms.Form]) -> HttpResponse:
    visit = case.visit
    is_paid = any(payment.state in PaymentState.spent() for payment in visit.ledger)
    is_open = visit.standing in (Standing.PAYABLE, Standing.HELD) and not is_paid
    may = {
        "pay": is_open,
        "reject": is_open and visit.provider_state == ProviderState.SUBMITTED,
        "retry": any(payment.state == PaymentState.REFUSED for payment in visit.ledger),
        "override": visit.provider_state == ProviderState.REJECTED and not is_paid,
        "compensate": visit.standing == Standing.UNPAID,
        "note": visit.standing == Standing.UNPAID,
    }
    empty = {name: kind(auto_id=f"{name}_%s") for name, kind in FORMS.items() if may[name]}
    page = {**case._asdict(), "forms": {**empty, **sent}}
    status = status_of(*sent.values())
    return render(request, "console/crowd/visit.html", page, status=status)
