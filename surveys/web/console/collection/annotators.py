"""Pages about annotators and about one context."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from surveys.access.roles import Right
from surveys.models import Assignment, Context, Round, Study
from surveys.monitoring.agreement import compute_agreement
from surveys.monitoring.annotators import describe_annotator
from surveys.monitoring.assignments import summarise_assignments
from surveys.monitoring.checklist import is_collecting
from surveys.monitoring.contexts import summarise_answers
from surveys.monitoring.listing import (
    HEADINGS,
    find_outdated_rounds,
    list_assignments,
    recall,
    show_assignments,
)
from surveys.monitoring.progress import count_block_progress
from surveys.results.inspection.pairs import list_headings
from surveys.web.console.access import study_page
from surveys.web.console.collection.block_forms import AnnotatorFilter
from surveys.web.forms import status_of

ASSIGNMENTS_A_PAGE = 25
ROUNDS_AT_ONCE = 20


@study_page(Right.READ, "GET", also=Right.LOOK)
def annotators(request: HttpRequest, study: Study) -> HttpResponse:
    """List all assignments with their annotators and warnings: filtered and sorted."""
    form = AnnotatorFilter(request.GET)
    assignments = Assignment.objects.for_study(study).narrowed(**form.narrowed())
    ids = list_assignments(study, assignments, **form.listed())
    rows = Paginator(ids, ASSIGNMENTS_A_PAGE).get_page(request.GET.get("page"))
    page = {
        "study": study,
        "form": form,
        "rows": rows,
        "summaries": show_assignments(study, list(rows)),
        "headings": list_headings(form.listed()["order"], HEADINGS),
        "n_changed": len(find_outdated_rounds(study)),
        "is_collecting": is_collecting(study),
    }
    return render(request, "console/collection/annotators.html", page, status=status_of(form))


@study_page(Right.READ, "POST")
def gauge_annotators(request: HttpRequest, study: Study) -> HttpResponse:
    """Compute the figures of some blocks whose figures are outdated."""
    rounds = find_outdated_rounds(study)[:ROUNDS_AT_ONCE]
    outdated = Round.objects.filter(pk__in=rounds).select_related("block")
    compute_agreement(study, count_block_progress(study, list(outdated)))
    address = reverse("console:annotators", args=[study.slug])
    return redirect(f"{address}?{request.GET.urlencode()}")


@study_page(Right.READ, "GET", also=Right.LOOK)
def annotator(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """Show statistics of an annotator, and one assignment in detail."""
    of_annotator = Assignment.objects.for_study(study).filter(annotator__code=code)
    related = of_annotator.select_related("annotator__invitation", "questionnaire__block", "round")
    assignments = list(related.order_by("-pk"))
    ids = [assignment.pk for assignment in assignments]
    named = request.GET.get("assignment", "")
    shown = [a for a in assignments if named in ("", str(a.pk))]
    if not shown:
        raise Http404
    annotator = shown[0].annotator
    summaries = summarise_assignments(study, assignments, recall(study, ids))
    page = {
        "study": study,
        "annotator": annotator,
        "summaries": summaries,
        "verdict": all(summary.verdict for summary in summaries),
        "headings": list_headings("", HEADINGS),
        "assignment": shown[0],
        "details": describe_annotator(study, annotator, shown[0]),
    }
    return render(request, "console/collection/annotator.html", page)


@study_page(Right.READ, "GET", also=Right.LOOK)
def context(request: HttpRequest, study: Study, position: int, number: int) -> HttpResponse:
    """Show the ratings of a context and the words that annotators wrote."""
    context = get_object_or_404(
        Context.objects.stimuli(study).select_related("pair", "item__questionnaire__block"),
        pair__position=position,
        number=number,
    )
    page = {
        "study": study,
        "context": context,
        "name": str(context if study.kind.n_contexts == 2 else context.pair),
        "sides": context.sides(study),
        "answers": summarise_answers(study, context),
    }
    return render(request, "console/collection/context.html", page)
