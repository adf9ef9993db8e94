"""The step Release: releases and their downloads."""

from collections.abc import Sequence

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.access.roles import Right
from surveys.models import Release, Run, RunState, Study
from surveys.query_params import read_number
from surveys.results.inspection.public_page import close_page, open_page
from surveys.results.release import begin_form
from surveys.results.run_inspection import write_presets
from surveys.results.runs import request_release
from surveys.tasks import start_run
from surveys.web.console.access import signed_in, study_page
from surveys.web.console.forms import attempt, posted, status_of
from surveys.web.console.results.forms import ReleaseForm

MAX_SHOWN = 50


@study_page(Right.WORK, also=Right.LOOK)
def release(request: HttpRequest, study: Study) -> HttpResponse:
    """List the releases of a study, newest first; a POST creates one."""
    made = Run.objects.filter(study=study).releases().with_withdrawn_since()
    runs = list(made.select_related("release", "requested_by")[:MAX_SHOWN])
    elsewhere = Release.objects.filter(study=study, run=None).with_withdrawn_since()
    form = ReleaseForm(study, posted(request), initial=_initial(request, study, runs))

    def make() -> None:
        recipe = form.cleaned_data["recipe"]
        run = request_release(study, recipe, form.options(), signed_in(request))
        start_run(run.pk)

    if attempt(form, make):
        messages.success(request, "The release is being created; this page shows the progress.")
        return redirect("console:release", study.slug)
    page = {
        "study": study,
        "runs": runs,
        "elsewhere": elsewhere[:MAX_SHOWN],
        "form": form,
        "is_busy": any(run.state in (RunState.WAITING, RunState.RUNNING) for run in runs),
    }
    return render(request, "console/results/release.html", page, status=status_of(form))


@study_page(Right.WORK, "POST")
def release_page(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Open the public page of a release, or close it."""
    found = get_object_or_404(
        Release.objects.select_related("study", "run"), study=study, number=number
    )
    is_open = request.POST.get("is_open")
    if is_open not in {"yes", "no"}:
        raise BadRequest
    open_page(found) if is_open == "yes" else close_page(found)
    state = "open" if is_open == "yes" else "closed"
    messages.success(request, f"The public page of {found.name} is {state}.")
    return redirect("console:release", study.slug)


def _initial(request: HttpRequest, study: Study, runs: Sequence[Run]) -> dict[str, str]:
    """Return the recipe of a chosen run or the last release, and the last description."""
    if request.method == "POST":
        return {}
    asked = read_number(request.GET.get("run", ""))
    run = None if asked is None else Run.objects.filter(study=study, pk=asked).first()
    last = runs[0] if runs else None
    recipe = run.recipe if run else last.recipe if last else write_presets()["cosimlex"]
    description = last.wishes.get("description", "") if last else ""
    return {"recipe": recipe, "description": description or begin_form(study)}
