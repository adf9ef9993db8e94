"""Progress and agreement of all blocks and of one, and its repetition."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from surveys.access.roles import Right
from surveys.errors import RepeatRefused
from surveys.models import Assignment, Round, Study
from surveys.monitoring.agreement import (
    StoredAgreement,
    compute_agreement,
    list_outdated,
    list_warnings,
    measure_doubled,
    read_stored,
    with_agreement,
)
from surveys.monitoring.checklist import is_collecting
from surveys.monitoring.collected import count_answers, count_collected
from surveys.monitoring.contexts import summarise_contexts
from surveys.monitoring.listing import (
    BLOCK_HEADINGS,
    HEADINGS,
    count_looks,
    list_assignments,
    list_blocks,
    show_assignments,
)
from surveys.monitoring.progress import (
    Tally,
    count_block_progress,
    count_round_progress,
    forecast,
    median_minutes,
    preview_repeat,
    sum_tallies,
)
from surveys.query_params import read_number
from surveys.results.inspection.pairs import list_headings
from surveys.review.replacements import find_replaceable, request_replacements
from surveys.study.blocks.allocation import repeat_block, undo_repeat
from surveys.web.console.access import study_page
from surveys.web.console.collection.block_forms import AnnotatorFilter, BlockFilter, RepeatForm
from surveys.web.console.confirmation import ask_first
from surveys.web.forms import attempt, posted, status_of

BLOCKS_A_PAGE = 20
MAX_WARNINGS = 20  # that are shown; the list of blocks has a filter for all
ASSIGNMENTS_A_PAGE = 25


@study_page(Right.READ, "GET", also=Right.LOOK)
def collection(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the progress of all blocks, a forecast, and the answers by time and rating."""
    form, now = BlockFilter(request.GET), timezone.now()
    stored, tallies = read_stored(study), count_round_progress(study)
    rounds = _find_page(request, stored, tallies)
    blocks = with_agreement(count_block_progress(study, list(rounds)), stored)
    collected = count_collected(study, tallies, now)
    tally, warnings = sum_tallies(tallies.values()), list_warnings(stored)
    page = {
        "study": study,
        "form": form,
        "n_blocks": len(tallies),
        "rounds": rounds,
        "blocks": blocks,
        "headings": list_headings(form.listed()["order"], BLOCK_HEADINGS),
        "looks": count_looks(stored, tallies),
        "is_collecting": is_collecting(study),
        "warnings": warnings[:MAX_WARNINGS],
        "n_more_warnings": len(warnings[MAX_WARNINGS:]),
        "n_changed": len(list_outdated(blocks)),
        "tally": tally,
        "forecast": forecast(tally, now),
        "minutes": median_minutes(study),
        "collected": collected,
        "doubled": measure_doubled(study),
        "counts": count_answers(study, collected),
        "now": now,
    }
    return render(request, "console/collection/collection.html", page, status=status_of(form))


@study_page(Right.READ, "POST")
def gauge(request: HttpRequest, study: Study) -> HttpResponse:
    """Compute the agreement of the blocks of a page that is outdated."""
    rounds = _find_page(request, read_stored(study), count_round_progress(study))
    compute_agreement(study, count_block_progress(study, list(rounds)))
    query = request.GET.copy()
    query["page"] = str(rounds.number)
    return redirect(f"{reverse('console:collection', args=[study.slug])}?{query.urlencode()}")


@study_page(Right.READ, "GET", also=Right.LOOK)
def block(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Show the progress, the agreement, the annotators and the contexts of a round of a block."""
    round_ = _find_round(study, number, request.GET.get("round", ""))
    current = [round_] if round_.is_current else []  # the figures of earlier rounds are in reports
    monitored = with_agreement(count_block_progress(study, current), read_stored(study))
    form = AnnotatorFilter(request.GET)
    assignments = Assignment.objects.filter(round=round_)
    ids = list_assignments(study, assignments.narrowed(**form.narrowed()), **form.listed())
    rows = Paginator(ids, ASSIGNMENTS_A_PAGE).get_page(request.GET.get("page"))
    page = {
        "study": study,
        "round": round_,
        "rounds": round_.block.rounds.order_by("-number"),
        "n_begun": assignments.count(),
        "monitored": monitored[0] if monitored else None,
        "n_changed": len(list_outdated(monitored)),
        "is_collecting": round_.is_current and is_collecting(study),
        "forecast": forecast(monitored[0].progress.tally) if monitored else None,
        "form": form,
        "rows": rows,
        "summaries": show_assignments(study, list(rows)),
        "headings": list_headings(form.listed()["order"], HEADINGS),
        "contexts": summarise_contexts(round_),
        "now": timezone.now(),
    }
    return render(request, "console/collection/block.html", page, status=status_of(form))


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


@study_page(Right.WORK, "POST")
def undo(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """End a repeat in which nobody has begun."""
    try:
        undo_repeat(_find_round(study, number).block)
    except RepeatRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The repeat is undone; the round before continues.")
    return redirect("console:block", study.slug, number)


@study_page(Right.WORK)
def replace(request: HttpRequest, study: Study) -> HttpResponse:
    """Confirm (GET) or open (POST) one more place for each assignment that is set aside."""
    back = reverse("console:collection", args=[study.slug])
    if request.method == "GET":
        n = find_replaceable(study).count()
        return ask_first(
            request,
            study,
            title="Ask for replacements",
            text=f"Assignments set aside and not replaced yet: {n:,}. Each gets one more place in "
            "its questionnaire, for an annotator who has not seen the block.\n\n"
            "The answers that were set aside stay stored, and out of the dataset. New annotators "
            "come by the same links as before, and are paid like the others.",
            button="Ask for replacements",
            back=back,
        )
    n = request_replacements(study)
    messages.success(request, f"Places opened for replacements: {n:,}.")
    return redirect(back)


def _find_page(
    request: HttpRequest, stored: Mapping[int, StoredAgreement], tallies: Mapping[int, Tally]
) -> "Page[Any]":
    """Return the page of current rounds that a request asks for, in the order it asks for."""
    ids = list_blocks(stored, tallies, **BlockFilter(request.GET).listed())
    page: Page[Any] = Paginator(ids, BLOCKS_A_PAGE).get_page(request.GET.get("page"))
    rounds = Round.objects.select_related("block").in_bulk(page.object_list)
    page.object_list = [rounds[pk] for pk in page.object_list if pk in rounds]
    return page


def _find_round(study: Study, number: int, requested: str = "") -> Round:
    """Return the current round of a block, or an earlier one by its number."""
    rounds = Round.objects.filter(block__study=study).select_related("block")
    chosen = {"number": read_number(requested)} if requested else {"is_current": True}
    return get_object_or_404(rounds, block__number=number, **chosen)
