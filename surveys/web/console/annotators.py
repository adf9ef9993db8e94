"""Who annotates, how each goes about it, and what a context was given."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from surveys.access.roles import Right
from surveys.models import Annotator, Assignment, Context, Study
from surveys.monitoring.annotators import appraise, list_sittings
from surveys.monitoring.contexts import gather_answers
from surveys.web.console.access import study_page
from surveys.web.console.collection_forms import AnnotatorFilter

ASSIGNMENTS_A_PAGE = 25


@require_GET
@study_page(Right.READ)
def annotators(request: HttpRequest, study: Study) -> HttpResponse:
    """Every assignment, the latest first, with whose it is and what is odd about it."""
    form = AnnotatorFilter(request.GET)
    wanted = form.cleaned_data if form.is_valid() else {}
    found = Assignment.objects.for_study(study).narrowed(**wanted)
    ids = found.order_by("-pk").values_list("pk", flat=True)  # those of an index, to page through
    rows = Paginator(ids, ASSIGNMENTS_A_PAGE).get_page(request.GET.get("page"))
    shown = Assignment.objects.filter(pk__in=list(rows)).order_by("-pk")
    page = {
        "study": study,
        "form": form,
        "rows": rows,
        "sittings": list_sittings(
            study, list(shown.select_related("annotator", "questionnaire__block"))
        ),
    }
    return render(request, "console/annotators.html", page, status=422 if form.errors else 200)


@require_GET
@study_page(Right.READ)
def annotator(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """How an annotator goes about it, and one of their assignments in detail."""
    who = get_object_or_404(Annotator.objects.select_related("invitation"), study=study, code=code)
    assignments = list(
        who.assignments.select_related("questionnaire__block", "round").order_by("-pk")
    )
    named = request.GET.get("assignment", "")
    shown = [a for a in assignments if named in ("", str(a.pk))]
    if not shown:
        raise Http404
    page = {
        "study": study,
        "annotator": who,
        "sittings": list_sittings(study, assignments),
        "assignment": shown[0],
        "appraisal": appraise(study, who, shown[0]),
    }
    return render(request, "console/annotator.html", page)


@require_GET
@study_page(Right.READ)
def context(request: HttpRequest, study: Study, position: int, number: int) -> HttpResponse:
    """What a context was given: its ratings, and the words that it inspired."""
    found = get_object_or_404(
        Context.objects.stimuli(study).select_related("pair", "item__questionnaire__block"),
        pair__position=position,
        number=number,
    )
    page = {"study": study, "context": found, "gathered": gather_answers(study, found)}
    return render(request, "console/context.html", page)
