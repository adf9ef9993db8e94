"""Pages about annotators and about one context."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from surveys.access.roles import Right
from surveys.models import Annotator, Assignment, Context, Study
from surveys.monitoring.annotators import describe_annotator, summarise_assignments
from surveys.monitoring.contexts import summarise_answers
from surveys.web.console.access import study_page
from surveys.web.console.collection.forms import AnnotatorFilter
from surveys.web.console.forms import status_of

ASSIGNMENTS_A_PAGE = 25


@study_page(Right.READ, "GET", also=Right.LOOK)
def annotators(request: HttpRequest, study: Study) -> HttpResponse:
    """List all assignments, the latest first, with their annotators and warnings."""
    form = AnnotatorFilter(request.GET)
    filters = form.cleaned_data if form.is_valid() else {}
    found = Assignment.objects.for_study(study).narrowed(**filters)
    ids = found.order_by("-pk").values_list("pk", flat=True)  # an index is enough for paging
    rows = Paginator(ids, ASSIGNMENTS_A_PAGE).get_page(request.GET.get("page"))
    shown = Assignment.objects.filter(pk__in=list(rows)).order_by("-pk")
    page = {
        "study": study,
        "form": form,
        "rows": rows,
        "summaries": summarise_assignments(
            study, list(shown.select_related("annotator", "questionnaire__block"))
        ),
    }
    return render(request, "console/collection/annotators.html", page, status=status_of(form))


@study_page(Right.READ, "GET", also=Right.LOOK)
def annotator(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """Show statistics of an annotator, and one assignment in detail."""
    annotators = Annotator.objects.select_related("invitation")
    found = get_object_or_404(annotators, study=study, code=code)
    assignments = list(
        found.assignments.select_related("questionnaire__block", "round").order_by("-pk")
    )
    named = request.GET.get("assignment", "")
    shown = [a for a in assignments if named in ("", str(a.pk))]
    if not shown:
        raise Http404
    page = {
        "study": study,
        "annotator": found,
        "summaries": summarise_assignments(study, assignments),
        "assignment": shown[0],
        "details": describe_annotator(study, found, shown[0]),
    }
    return render(request, "console/collection/annotator.html", page)


@study_page(Right.READ, "GET", also=Right.LOOK)
def context(request: HttpRequest, study: Study, position: int, number: int) -> HttpResponse:
    """Show the ratings of a context and the words that it inspired."""
    found = get_object_or_404(
        Context.objects.stimuli(study).select_related("pair", "item__questionnaire__block"),
        pair__position=position,
        number=number,
    )
    page = {"study": study, "context": found, "answers": summarise_answers(study, found)}
    return render(request, "console/collection/context.html", page)
