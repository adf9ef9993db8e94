"""One person of a batch: paid, rejected, compensated, or noted as paid elsewhere."""

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
from surveys.crowd.ledger import intend_reward
from surveys.crowd.rewards import note_compensation, retry_refused
from surveys.models import Batch, PaymentState, ProviderState, Standing, Study
from surveys.web.console import batch_work
from surveys.web.console.access import signed_in, study_page
from surveys.web.console.batch_forms import CompensationForm, FeedbackForm, ReasonForm
from surveys.web.console.batches import find_batch
from surveys.web.console.forms import attempt

FORMS: dict[str, type[forms.Form]] = {
    "pay": ReasonForm,
    "reject": FeedbackForm,
    "retry": ReasonForm,
    "override": ReasonForm,
    "compensate": ReasonForm,
    "note": CompensationForm,
}


class Case(NamedTuple):
    """Somebody in a batch, of whom something is to be decided."""

    study: Study
    batch: Batch
    visit: Any  # with its payments as `ledger`


@require_GET
@study_page(Right.WORK)
def visit(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """How somebody stands, and what may be decided."""
    return _show(request, _find_case(study, batch_id, visit_id), {})


@require_POST
@study_page(Right.WORK)
def pay(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Pay the reward, for a reason."""
    case, by = _find_case(study, batch_id, visit_id), signed_in(request)

    @transaction.atomic  # nothing is kept where it cannot be started
    def act(sent: dict[str, Any]) -> None:
        intend_reward(case.visit, by=by, reason=sent["reason"])
        batch_work.start_work(case.batch, batch_work.Work.PAY, by)

    return _decide(request, case, "pay", act, "The reward is on its way.")


@require_POST
@study_page(Right.WORK)
def reject(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Reject the work; its author is told why."""
    case = _find_case(study, batch_id, visit_id)

    def act(sent: dict[str, Any]) -> None:
        batch_work.reject(case.visit, signed_in(request), sent["feedback"])

    return _decide(request, case, "reject", act, "The work is rejected.")


@require_POST
@study_page(Right.WORK)
def retry(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Have what the provider refused to pay tried again."""
    case, by = _find_case(study, batch_id, visit_id), signed_in(request)

    @transaction.atomic  # nothing is kept where it cannot be started
    def act(sent: dict[str, Any]) -> None:
        retry_refused(case.visit, by=by, reason=sent["reason"])
        batch_work.start_work(case.batch, batch_work.Work.PAY, by)

    return _decide(request, case, "retry", act, "It is tried again.")


@require_POST
@study_page(Right.WORK)
def compensate(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Pay unpaid work by a HIT for its author alone."""
    case, by = _find_case(study, batch_id, visit_id), signed_in(request)

    @transaction.atomic  # nothing is kept where it cannot be started
    def act(sent: dict[str, Any]) -> None:
        batch_work.compensate(case.visit, by, sent["reason"])
        batch_work.start_work(case.batch, batch_work.Work.PUBLISH, by)

    return _decide(request, case, "compensate", act, "A HIT for them alone is being published.")


@require_POST
@study_page(Right.WORK)
def override(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Pay what was rejected, after all."""
    case = _find_case(study, batch_id, visit_id)

    def act(sent: dict[str, Any]) -> None:
        batch_work.override(case.visit, signed_in(request), sent["reason"])

    return _decide(request, case, "override", act, "They are paid after all.")


@require_POST
@study_page(Right.WORK)
def note(request: HttpRequest, study: Study, batch_id: int, visit_id: int) -> HttpResponse:
    """Note that unpaid work was paid by hand."""
    case = _find_case(study, batch_id, visit_id)

    def act(sent: dict[str, Any]) -> None:
        note_compensation(case.visit, by=signed_in(request), **sent)

    return _decide(request, case, "note", act, "It stands in the ledger.")


def _find_case(study: Study, batch_id: int, visit_id: int) -> Case:
    batch = find_batch(study, batch_id)
    return Case(study, batch, get_object_or_404(with_all(find_people(batch)), pk=visit_id))


def _decide(
    request: HttpRequest, case: Case, name: str, act: Callable[[dict[str, Any]], None], told: str
) -> HttpResponse:
    """Do what was decided; or the page again, with what was wrong."""
    form = FORMS[name](request.POST, auto_id=f"{name}_%s")
    if attempt(form, lambda: act(form.cleaned_data)):
        messages.success(request, told)
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
    status = 422 if any(form.errors for form in sent.values()) else 200
    return render(request, "console/visit.html", page, status=status)
