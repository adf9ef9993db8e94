"""The workers of a batch: their status, bonuses and private tasks for several at once."""

import secrets

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.access.roles import Right
from surveys.crowd.batches.summary import find_people, narrow_people, with_all
from surveys.crowd.ledger import grant_bonuses
from surveys.crowd.models import Batch, BatchWork
from surveys.crowd.web.console.batch_forms import BonusForm, ChosenForm, PeopleFilter
from surveys.crowd.web.console.batches import ROWS_PER_PAGE, describe, find_batch
from surveys.crowd.web.console.work import open_private_tasks, start_work
from surveys.models import Study
from surveys.web.console.access import signed_in, study_page
from surveys.web.forms import attempt, status_of


@study_page(Right.WORK, "GET")
def people(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """List the workers of a batch by annotator code."""
    return _show_people(request, find_batch(study, batch_id), None)


@study_page(Right.WORK, "POST")
def bonus(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Pay a bonus to the selected workers."""
    batch, form = find_batch(study, batch_id), BonusForm(request.POST)

    @transaction.atomic  # nothing is stored unless the job can start
    def act() -> None:
        sent, by = form.cleaned_data, signed_in(request)
        made = grant_bonuses(
            batch, sent["chosen"], sent["key"], sent["amount_cents"], by=by, reason=sent["reason"]
        )
        start_work(batch, BatchWork.PAY, by)
        messages.success(request, f"Bonuses being paid: {len(made):,}.")

    if attempt(form, act):
        return redirect("console:batch_people", study.slug, batch_id)
    return _show_people(request, batch, form)


@study_page(Right.WORK, "POST")
def choose(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Allow the selected workers to do the study's private tasks."""
    batch, form = find_batch(study, batch_id), ChosenForm(request.POST)

    if attempt(form, lambda: open_private_tasks(batch, by=signed_in(request), **form.cleaned_data)):
        n_chosen = len(form.cleaned_data["chosen"])
        messages.success(
            request, f"Selected for private tasks: {n_chosen:,}. Now plan a batch for them only."
        )
        return redirect("console:batch_people", study.slug, batch_id)
    return _show_people(request, batch, form)


def _show_people(request: HttpRequest, batch: Batch, sent: ChosenForm | None) -> HttpResponse:
    """Render the workers that the filter selects, with the errors of the form."""
    narrowing = PeopleFilter(request.GET)
    standing = narrowing.cleaned_data["standing"] if narrowing.is_valid() else ""
    visits = with_all(narrow_people(find_people(batch), standing))
    initial = {"key": secrets.token_hex(16), "reason": sent.data.get("reason") if sent else ""}
    form = sent if isinstance(sent, BonusForm) else BonusForm(initial=initial)
    page = {
        **describe(batch),
        "narrowing": narrowing,
        "rows": Paginator(visits, ROWS_PER_PAGE).get_page(request.GET.get("page")),
        "sent": sent,
        "ticked": sent.ticked if sent else [],
        "form": form,
    }
    status = status_of(narrowing, sent or form)
    return render(request, "crowd/people.html", page, status=status)
