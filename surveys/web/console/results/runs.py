"""The step Results: runs of recipes, their reports, plots, ledgers and comparison."""

from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.gzip import gzip_page

from surveys.access.roles import Right
from surveys.models import JobState, Release, Run, RunKind, Study
from surveys.models.results import OF_SEVERAL_STUDIES
from surveys.results.deposit.contents import find_obstacle
from surveys.results.deposit.deposit_jobs import find_deposit, find_job
from surveys.results.deposit.repositories import list_repositories
from surveys.results.entries.description import count_written, list_gaps
from surveys.results.inspection.guards import warn_of_embargo
from surveys.results.inspection.pairs import list_headings, load_pairs
from surveys.results.inspection.plots import FORMS, list_plots, read_plot
from surveys.results.inspection.verification import find_verification, name_archive
from surveys.results.run_inspection import compare_runs, find_codes, find_in_ledger, read_member
from surveys.results.runs import is_broken_off, retry_run
from surveys.web.console.access import is_visitor, mark_in_menu, study_page
from surveys.web.console.results.release_forms import CompareForm, LedgerForm
from surveys.web.forms import attempt, status_of
from surveys.web.rendering.sandboxed import add_way_back, answer_sandboxed

LARGEST = 10  # changes on the page of a run
MOST_DIFFERENCES = 20  # on the page of a release
LARGE = ("release__report", "release__differences")  # columns that a download does not need


@study_page(Right.WORK, "GET", also=Right.LOOK)
def run(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Show the progress and figures of a run."""
    run = _find(study, run_id)
    if not run.recipe:  # it is listed under Background jobs
        raise Http404
    if run.kind == RunKind.RELEASE:
        mark_in_menu(request, study, "release_page")
    gaps = list_gaps(run)
    page: dict[str, Any] = {
        "study": study,
        "run": run,
        "is_broken_off": is_broken_off(run),
        "gaps": gaps,
        "written": count_written(gaps),
        "of_run": f"?run={run.pk}",
    }
    if run.release:
        page["embargo"] = warn_of_embargo(run.release.pk)
        page |= _describe_verification(run.release) | _describe_deposits(request, run.release)
    if run.state == JobState.DONE and run.ledger:
        table = load_pairs(run)
        order = "-size" if table.n_contexts == 2 else "-score1"
        numbers = table.select({"order": order}, 0)[:LARGEST]
        headings = list_headings(order, table.headings)
        page |= {"table": table, "pairs": table.show(numbers), "headings": headings}
    return render(request, "console/results/run.html", page)


@study_page(Right.WORK, "POST")
def retry(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Retry a failed run."""
    again = retry_run(_find(study, run_id))
    if not again.recipe:
        return redirect("console:jobs", study.slug)
    return redirect("console:run", study.slug, run_id)


@study_page(Right.WORK, "GET", also=Right.LOOK)
def report(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Return the report of a run as the library wrote it, with a way back, sandboxed."""
    run = _find_done(study, run_id)
    page = read_member(run, "report.html")
    if page is None:
        raise Http404
    address = reverse("console:run", args=[study.slug, run_id])
    return answer_sandboxed(add_way_back(page, address, run.name))


@study_page(Right.WORK, "GET", also=Right.LOOK)
def download(request: HttpRequest, study: Study, run_id: int) -> HttpResponseBase:
    """Download the archive of a run or release, or exported answers."""
    runs = Run.objects.with_file().exclude(kind__in=OF_SEVERAL_STUDIES)  # not all may see those
    runs = runs.select_related("release").defer(*LARGE)
    if is_visitor(request):  # exported answers are no part of what they may look at
        runs = runs.with_recipe()
    run = get_object_or_404(runs, study=study, pk=run_id)
    return FileResponse(run.archive.open("rb"), as_attachment=True, filename=name_archive(run))


@study_page(Right.WORK, "GET", also=Right.LOOK)
def ledger(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Search the ratings ledger of a run."""
    run = find_with_ledger(request, study, run_id)
    form = LedgerForm(request.GET, n_contexts=study.kind.n_contexts)
    rows = None

    def search() -> None:
        nonlocal rows
        page = form.cleaned_data.pop("page") or 1
        rows = find_in_ledger(run, form.cleaned_data, page)

    attempt(form, search)
    ratings = rows.rows if rows else []
    page = {
        "study": study,
        "run": run,
        "form": form,
        "rows": rows,
        "ratings": load_pairs(run).name(ratings),
        "known": find_codes(study, ratings),
    }
    return render(request, "console/results/ledger.html", page, status=status_of(form))


@study_page(Right.WORK, "GET")
def compare(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the differences between two runs of the same ratings."""
    form = CompareForm(study, request.GET)
    apart = None

    def look() -> None:
        nonlocal apart
        apart = compare_runs(form.cleaned_data["first"], form.cleaned_data["second"])

    attempt(form, look)
    page = {
        "study": study,
        "form": form,
        "apart": apart,
        "pairs": apart and load_pairs(form.cleaned_data["second"]).name(apart.pairs),
        "known": find_codes(study, apart.annotators if apart else []),
    }
    return render(request, "console/results/compare.html", page, status=status_of(form))


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


def find_with_ledger(request: HttpRequest, study: Study, run_id: int) -> Run:
    """Return a finished run of a recipe or a release, or answer 404; marks its step in the menu."""
    run = _find_done(study, run_id)
    if not run.ledger:
        raise Http404
    if run.kind == RunKind.RELEASE:
        mark_in_menu(request, study, "release_page")
    return run


def _describe_verification(release: Release) -> dict[str, Any]:
    job = find_verification(release)
    return {
        "release": release,
        "verification": job,
        "is_verifying": job is not None and job.is_under_way,
        "differences": release.differences[:MOST_DIFFERENCES],
    }


def _describe_deposits(request: HttpRequest, release: Release) -> dict[str, Any]:
    """Return what the page of a release shows of its drafts in repositories; nothing if off."""
    repositories = list_repositories() if not is_visitor(request) else []
    if not repositories:
        return {}
    job = find_job(release)
    return {
        "places": [
            (repository, find_deposit(release.study, repository)) for repository in repositories
        ],
        "obstacle": find_obstacle(release),
        "deposit_job": job,
        "is_sending": job is not None and job.is_under_way,
    }


def _find(study: Study, run_id: int) -> Run:
    runs = Run.objects.with_withdrawn_since().exclude(kind__in=OF_SEVERAL_STUDIES)
    runs = runs.select_related("job__requested_by", "study", "release").defer("release__report")
    return get_object_or_404(runs, study=study, pk=run_id)


def _find_done(study: Study, run_id: int) -> Run:
    runs = Run.objects.done().with_withdrawn_since().without_report().select_related("study")
    return get_object_or_404(runs, study=study, pk=run_id)
