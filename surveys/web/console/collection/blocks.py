"""Progress and agreement of all blocks and of one, and its repetition."""

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from surveys.access.roles import Right
from surveys.models import Assignment, Round, Study
from surveys.monitoring.agreement import (
    compute_agreement,
    find_agreement,
    list_outdated,
    list_warnings,
)
from surveys.monitoring.annotators import summarise_assignments
from surveys.monitoring.contexts import summarise_contexts
from surveys.monitoring.progress import (
    count_block_progress,
    count_study_progress,
    forecast,
    median_minutes,
    preview_repeat,
)
from surveys.study.layout.blocks import repeat_block
from surveys.web.console.access import study_page
from surveys.web.console.collection.forms import RepeatForm
from surveys.web.console.forms import attempt, posted, status_of

BLOCKS_A_PAGE = 20
ASSIGNMENTS_A_PAGE = 25


@study_page(Right.READ, "GET")
def collection(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the progress of all blocks, and a forecast."""
    rounds = _rounds_of_page(request, study)
    blocks = find_agreement(study, count_block_progress(study, list(rounds)))
    tally = count_study_progress(study)
    page = {
        "study": study,
        "rounds": rounds,
        "blocks": blocks,
        "warnings": list_warnings(study),
        "n_changed": len(list_outdated(blocks)),
        "tally": tally,
        "forecast": forecast(tally),
        "minutes": median_minutes(study),
        "now": timezone.now(),
    }
    return render(request, "console/collection/collection.html", page)


@study_page(Right.READ, "POST")
def gauge(request: HttpRequest, study: Study) -> HttpResponse:
    """Compute the agreement of the blocks of a page that is outdated."""
    rounds = _rounds_of_page(request, study)
    compute_agreement(study, count_block_progress(study, list(rounds)))
    address = reverse("console:collection", args=[study.slug])
    return redirect(f"{address}?page={rounds.number}")


@study_page(Right.READ, "GET")
def block(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show the progress, the agreement, the annotators and the contexts of a block."""
    round_ = _find_round(study, number)
    (monitored,) = find_agreement(study, count_block_progress(study, [round_]))
    assignments = Assignment.objects.filter(round=round_).order_by("-pk")
    rows = Paginator(
        assignments.select_related("annotator", "questionnaire__block"), ASSIGNMENTS_A_PAGE
    ).get_page(request.GET.get("page"))
    page = {
        "study": study,
        "round": round_,
        "rounds": round_.block.rounds.order_by("-number"),
        "monitored": monitored,
        "n_changed": len(list_outdated([monitored])),
        "forecast": forecast(monitored.progress.tally),
        "rows": rows,
        "summaries": summarise_assignments(study, list(rows)),
        "contexts": summarise_contexts(round_),
        "now": timezone.now(),
    }
    return render(request, "console/collection/block.html", page)


@study_page(Right.READ, "POST")
def gauge_block(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Compute the agreement of a block if it is outdated."""
    compute_agreement(study, count_block_progress(study, [_find_round(study, number)]))
    return redirect("console:block", study.slug, number)


@study_page(Right.WORK)
def repeat(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show what repeating a block would cost; a POST repeats it."""
    round_ = _find_round(study, number)
    form = RepeatForm(posted(request), initial={"round_number": round_.number})
    author = request.user.get_username()
    if attempt(form, lambda: repeat_block(round_.block, author=author, **form.cleaned_data)):
        return redirect("console:block", study.slug, number)
    cost = preview_repeat(study, round_)
    page = {"study": study, "round": round_, "cost": cost, "form": form}
    return render(request, "console/collection/repeat.html", page, status=status_of(form))


def _current_rounds(study: Study) -> QuerySet[Round]:
    current = Round.objects.filter(block__study=study, is_current=True)
    return current.select_related("block").order_by("block__number")


def _rounds_of_page(request: HttpRequest, study: Study) -> "Page[Round]":
    return Paginator(_current_rounds(study), BLOCKS_A_PAGE).get_page(request.GET.get("page"))


def _find_round(study: Study, number: int) -> Round:
    return get_object_or_404(_current_rounds(study), block__number=number)
