"""Recruitment: Prolific's export of submissions, compared with the study and then stored."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.access.roles import Right
from surveys.crowd.prolific_comparison import Comparison, compare_export
from surveys.crowd.prolific_export import read_export
from surveys.crowd.reconciliation import reconcile_all
from surveys.models import Entrance, Provider, Study
from surveys.web.console.access import is_owner, study_page
from surveys.web.console.recruitment.forms import ExportForm
from surveys.web.forms import attempt, posted, status_of


@study_page(Right.WORK)
def prolific_export(request: HttpRequest, study: Study) -> HttpResponse:
    """Compare Prolific's export with the study; store it once that is confirmed."""
    entrance = get_object_or_404(
        Entrance.objects.select_related("study"), study=study, provider=Provider.PROLIFIC
    )
    form = ExportForm(posted(request), request.FILES or None)
    found: list[Comparison] = []

    def act() -> None:
        reports = read_export(form.text)
        if form.is_confirmed:
            reconcile_all(entrance, reports)
        else:
            found.append(compare_export(entrance, reports))

    if attempt(form, act) and form.is_confirmed:
        messages.success(request, "The export is stored.")
        return redirect("console:prolific", study.slug)
    page = {
        "study": study,
        "form": form,
        "compared": found[0] if found else None,
        "counts": found[0].count() if found else {},
        "sees_ids": is_owner(request),
    }
    return render(request, "console/recruitment/prolific_export.html", page, status=status_of(form))
