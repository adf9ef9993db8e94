"""The people of a batch, many at a time: how they stand, bonuses, private tasks."""

import secrets

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from surveys.access.roles import Right
from surveys.crowd.batch_summary import find_people, narrow_people, with_all
from surveys.crowd.rewards import grant_bonuses
from surveys.models import Batch, Study
from surveys.web.console import batch_work
from surveys.web.console.access import signed_in, study_page
from surveys.web.console.batch_forms import BonusForm, ChosenForm, PeopleFilter
from surveys.web.console.batches import ROWS_A_PAGE, find_batch
from surveys.web.console.forms import attempt


@require_GET
@study_page(Right.WORK)
def people(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Everybody who came to a batch, by the codes of annotators."""
    return _show_people(request, study, find_batch(study, batch_id), None)


@require_POST
@study_page(Right.WORK)
def bonus(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Pay those who are chosen a bonus."""
    found, form = find_batch(study, batch_id), BonusForm(request.POST)

    @transaction.atomic  # nothing is kept where it cannot be started
    def act() -> None:
        sent, by = form.cleaned_data, signed_in(request)
        made = grant_bonuses(
            found, sent["chosen"], sent["key"], sent["amount_cents"], by=by, reason=sent["reason"]
        )
        batch_work.start_work(found, batch_work.Work.PAY, by)
        messages.success(request, f"Bonuses on their way: {len(made)}.")

    if attempt(form, act):
        return redirect("console:batch_people", study.slug, batch_id)
    return _show_people(request, study, found, form)


@require_POST
@study_page(Right.WORK)
def choose(request: HttpRequest, study: Study, batch_id: int) -> HttpResponse:
    """Let those who are chosen do the study's private tasks."""
    found, form = find_batch(study, batch_id), ChosenForm(request.POST)

    def act() -> None:
        sent = form.cleaned_data
        batch_work.open_private_tasks(found, sent["chosen"], signed_in(request), sent["reason"])
        told = "Chosen for private tasks: {}. Plan a batch for them alone."
        messages.success(request, told.format(len(sent["chosen"])))

    if attempt(form, act):
        return redirect("console:batch_people", study.slug, batch_id)
    return _show_people(request, study, found, form)


def _show_people(
    request: HttpRequest, study: Study, batch: Batch, sent: ChosenForm | None
) -> HttpResponse:
    """The people who stand as is asked for, with what was wrong about those chosen."""
    narrowing = PeopleFilter(request.GET)
    standing = narrowing.cleaned_data["standing"] if narrowing.is_valid() else ""
    found = with_all(narrow_people(find_people(batch), standing))
    initial = {"key": secrets.token_hex(16), "reason": sent.data.get("reason") if sent else ""}
    page = {
        "study": study,
        "batch": batch,
        "narrowing": narrowing,
        "rows": Paginator(found, ROWS_A_PAGE).get_page(request.GET.get("page")),
        "sent": sent,
        "ticked": sent.ticked if sent else [],
        "form": sent if isinstance(sent, BonusForm) else BonusForm(initial=initial),
    }
    is_wrong = bool(narrowing.errors or (sent and sent.errors))
    return render(request, "console/batch_people.html", page, status=422 if is_wrong else 200)
