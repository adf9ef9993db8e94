"""The workers of a batch: their status, bonuses and private tasks for several at once."""

import secrets
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from surveys.access.roles import Right
from surveys.crowd.batch_summary import find_people, narrow_people, with_all
from surveys.crowd.ledger import grant_bonuses
from surveys.models import Batch, Study
from surveys.web.console.access import signed_in, study_page
from surveys.web.console.crowd.batches import ROWS_PER_PAGE, find_batch
from surveys.web.console.crowd.forms import BonusForm, ChosenForm, PeopleFilter
from surveys.web.console.crowd.work import Work, open_private_tasks, start_work
from surveys.web.console.forms import attempt, status_of


@require_GET
@study_page(Right.WORK)
def people(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """List the workers of a batch by annotator code."""
    return _show_people(request, study, find_batch(study, batch_id), None)


@require_POST
@study_page(Right.WORK)
def bonus(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Pay a bonus to the selected workers."""
    found, form = find_batch(study, batch_id), BonusForm(request.POST)

    @transaction.atomic  # nothing is stored unless the job can start
    def act() -> None:
        sent, by = form.cleaned_data, signed_in(request)
        made = grant_bonuses(
            found, sent["chosen"], sent["key"], sent["amount_cents"], by=by, reason=sent["reason"]
        )
        start_work(found, Work.PAY, by)
        messages.success(request, f"Bonuses being paid: {len(made)}.")

    if attempt(form, act):
        return redirect("console:batch_people", study.slug, batch_id)
    return _show_people(request, study, found, form)


@require_POST
@study_page(Right.WORK)
def choose(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Allow the selected workers to do the study's private tasks."""
    found, form = find_batch(study, batch_id), ChosenForm(request.POST)

    def act() -> None:
        sent = form.cleaned_data
        open_private_tasks(found, sent["chosen"], signed_in(request), sent["reason"])
        n_chosen = len(sent["chosen"])
        messages.success(
            request, f"Selected for private tasks: {n_chosen}. Now plan a batch for them only."
        )

    if attempt(form, act):
        return redirect("console:batch_people", study.slug, batch_id)
    return _show_people(request, study, found, form)


def _show_people(
    request: HttpRequest, study: Study, batch: Batch, sent: ChosenForm | None
) -> HttpResponse:
    """Render the workers that the filter selects, with the errors of the form."""
    narrowing = PeopleFilter(request.GET)
    standing = narrowing.cleaned_data["standing"] if narrowing.is_valid() else ""
    found = with_all(narrow_people(find_people(batch), standing))
    initial = {"key": secrets.token_hex(16), "reason": sent.data.get("reason") if sent else ""}
    page: dict[str, Any] = {
        "study": study,
        "batch": batch,
        "narrowing": narrowing,
        "rows": Paginator(found, ROWS_PER_PAGE).get_page(request.GET.get("page")),
        "sent": sent,
        "ticked": sent.ticked if sent else [],
        "form": sent if isinstance(sent, BonusForm) else BonusForm(initial=initial),
    }
    status = status_of(narrowing, page["form"] if sent is None else sent)
    return render(request, "console/crowd/people.html", page, status=status)
