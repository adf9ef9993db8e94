"""Background jobs other than runs and releases, such as links and exports."""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.access.roles import Right
from surveys.jobs.kinds import list_kinds
from surveys.models import JobState, Run, Study
from surveys.results.export_jobs import EXPORT_FORMATS
from surveys.results.runs import is_broken_off, request_export
from surveys.web.console.access import signed_in, study_page
from surveys.web.forms import attempt, posted, status_of

JOBS_PER_PAGE = 25
LABELS = {"csv": "CSV, for a spreadsheet", "parquet": "Parquet, with types"}


class ExportForm(forms.Form):
    """The format of exported answers."""

    form = forms.ChoiceField(
        choices=[(form, LABELS[form]) for form in EXPORT_FORMATS],
        widget=forms.RadioSelect, initial="csv", label="Format",
    )  # fmt: skip


@study_page(Right.WORK)
def jobs(request: HttpRequest, study: Study) -> HttpResponse:
    """List the background jobs, newest first; a POST exports the answers."""
    form = ExportForm(posted(request))

    def export() -> None:
        request_export(study, form.cleaned_data["form"], signed_in(request))

    if attempt(form, export):
        messages.success(request, "The file is being written; this page shows the progress.")
        return redirect("console:jobs", study.slug)
    listed = Run.objects.filter(study=study).jobs().select_related("job__requested_by")
    runs = Paginator(listed, JOBS_PER_PAGE).get_page(request.GET.get("page"))
    kinds = {kind.name: kind for kind in list_kinds()}
    page = {
        "study": study,
        "runs": runs,
        "rows": [(run, kinds.get(run.kind), _may_retry(run)) for run in runs],
        "form": form,
        "is_busy": any(run.is_under_way for run in runs),
    }
    return render(request, "console/results/jobs.html", page, status=status_of(form))


def _may_retry(run: Run) -> bool:
    is_over = run.state == JobState.FAILED or is_broken_off(run)
    return is_over and not run.has_lost_list
