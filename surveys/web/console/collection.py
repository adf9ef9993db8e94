"""Collection, live: every block, one block, and the same block once more."""

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from surveys.access.roles import Right
from surveys.models import Assignment, Round, Study
from surveys.monitoring.agreement import find_gauges, gauge_blocks, list_changed, list_worries
from surveys.monitoring.annotators import list_sittings
from surveys.monitoring.contexts import summarise_contexts
from surveys.monitoring.progress import (
    forecast,
    median_minutes,
    preview_repeat,
    watch_blocks,
    watch_study,
)
from surveys.study.layout.rounds import repeat_block
from surveys.web.console.access import study_page
from surveys.web.console.collection_forms import RepeatForm
from surveys.web.console.forms import attempt

BLOCKS_A_PAGE = 20
ASSIGNMENTS_A_PAGE = 25


@require_GET
@study_page(Right.READ)
def collection(request: HttpRequest, study: Study) -> HttpResponse:
    """Every block and questionnaire, and when all will be there."""
    rounds = _rounds_of_page(request, study)
    blocks = find_gauges(study, watch_blocks(study, list(rounds)))
    tally = watch_study(study)
    page = {
        "study": study,
        "rounds": rounds,
        "blocks": blocks,
        "worries": list_worries(study),
        "n_changed": len(list_changed(blocks)),
        "tally": tally,
        "forecast": forecast(tally),
        "minutes": median_minutes(study),
        "now": timezone.now(),
    }
    return render(request, "console/collection.html", page)


@require_POST
@study_page(Right.READ)
def gauge(request: HttpRequest, study: Study) -> HttpResponse:
    """Work out the agreement of the blocks of a page, as far as it has changed."""
    rounds = _rounds_of_page(request, study)
    gauge_blocks(study, watch_blocks(study, list(rounds)))
    address = reverse("console:collection", args=[study.slug])
    return redirect(f"{address}?page={rounds.number}")


@require_GET
@study_page(Right.READ)
def block(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """One block: how far it is, how well its annotators agree, who they are, its contexts."""
    round_ = _find_round(study, number)
    (gauged,) = find_gauges(study, watch_blocks(study, [round_]))
    assignments = Assignment.objects.filter(round=round_).order_by("-pk")
    rows = Paginator(
        assignments.select_related("annotator", "questionnaire__block"), ASSIGNMENTS_A_PAGE
    ).get_page(request.GET.get("page"))
    page = {
        "study": study,
        "round": round_,
        "rounds": round_.block.rounds.order_by("-number"),
        "gauged": gauged,
        "n_changed": len(list_changed([gauged])),
        "forecast": forecast(gauged.progress.tally),
        "rows": rows,
        "sittings": list_sittings(study, list(rows)),
        "contexts": summarise_contexts(round_),
        "now": timezone.now(),
    }
    return render(request, "console/block.html", page)


@require_POST
@study_page(Right.READ)
def gauge_block(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Work out the agreement of one block, if it has changed."""
    gauge_blocks(study, watch_blocks(study, [_find_round(study, number)]))
    return redirect("console:block", study.slug, number)


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def repeat(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """What it would take to collect a block again; and do it."""
    round_ = _find_round(study, number)
    sent = request.POST if request.method == "POST" else None  # even if there is nothing in it
    form = RepeatForm(sent, initial={"round_number": round_.number})
    author = request.user.get_username()

    def act() -> None:
        repeat_block(round_.block, author=author, **form.cleaned_data)

    if request.method == "POST" and attempt(form, act):
        return redirect("console:block", study.slug, number)
    page = {
        "study": study,
        "round": round_,
        "cost": preview_repeat(study, round_),
        "form": form,
    }
    return render(request, "console/repeat.html", page, status=422 if form.errors else 200)


def _current_rounds(study: Study) -> QuerySet[Round]:
    current = Round.objects.filter(block__study=study, is_current=True)
    return current.select_related("block").order_by("block__number")


def _rounds_of_page(request: HttpRequest, study: Study) -> "Page[Round]":
    return Paginator(_current_rounds(study), BLOCKS_A_PAGE).get_page(request.GET.get("page"))


def _find_round(study: Study, number: int) -> Round:
    return get_object_or_404(_current_rounds(study), block__number=number)
