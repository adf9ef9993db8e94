"""The plots of a run, and their files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page

from surveys.access.roles import Right
from surveys.models import Study
from surveys.results.inspection.plots import FORMS, list_plots, read_plot
from surveys.web.console.access import study_page
from surveys.web.console.results.runs import find_with_ledger


@study_page(Right.WORK, "GET", also=Right.LOOK)
def plots(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Show the plots of a run with their captions."""
    run = find_with_ledger(request, study, run_id)
    page = {"study": study, "run": run, "plots": list_plots(run)}
    return render(request, "console/results/plots.html", page)


@gzip_page  # an image repeats nothing of the request and holds no secret
@study_page(Right.WORK, "GET", also=Right.LOOK)
def plot(request: HttpRequest, study: Study, run_id: int, plot: str, form: str) -> HttpResponse:
    """Return a plot as an image, or its data."""
    run = find_with_ledger(request, study, run_id)
    content = read_plot(run, plot, form)
    if content is None:
        raise Http404
    name = f"{study.slug}-run-{run.number}-{plot}.{form}"
    answer = HttpResponse(content, content_type=FORMS[form])
    answer["Content-Disposition"] = f'inline; filename="{name}"'
    return answer
