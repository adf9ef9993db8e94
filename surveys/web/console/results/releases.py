"""The step Release: releases, their downloads, and their drafts in repositories."""

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from surveys.access.roles import Right
from surveys.models import Release, Run, Study
from surveys.monitoring.checklist import find_missing_review
from surveys.results.deposit.deposit_jobs import find_deposit, list_requests, request_deposit
from surveys.results.deposit.repositories import find_repository
from surveys.results.entries.description import (
    count_released,
    count_written,
    list_progress,
    read_written,
)
from surveys.results.inspection.guards import find_embargoes, warn_of_embargo
from surveys.results.inspection.public_page import close_page, open_page, refuse_unpublishable
from surveys.results.inspection.verification import write_differences
from surveys.results.runs import request_release, request_verification
from surveys.review.translations import write_translations
from surveys.web.console.access import signed_in, study_page
from surveys.web.console.confirmation import ask_first
from surveys.web.console.results.release_forms import ReleaseForm, query_of_run
from surveys.web.forms import attempt, posted, status_of

MAX_SHOWN = 50
LARGE = ("release__report", "release__differences")  # columns that lists do not need


@study_page(Right.WORK, also=Right.LOOK)
def release(request: HttpRequest, study: Study) -> HttpResponse:
    """List the releases of a study, newest first; a POST creates one."""
    made = Run.objects.filter(study=study).releases().with_withdrawn_since()
    listed = made.select_related("release", "job__requested_by", "study").defer(*LARGE)
    runs = list(listed[:MAX_SHOWN])
    embargoes = find_embargoes([run.release_id for run in runs if run.release_id])
    without_run = Release.objects.filter(study=study, run=None).with_withdrawn_since()
    form = ReleaseForm(study, request.GET.get("run", ""), posted(request))
    written = read_written(study)

    def make() -> None:
        options = {**form.options(), "description": written}
        request_release(study, form.recipe_text, options, signed_in(request))

    if attempt(form, make):
        messages.success(request, "The release is being created; this page shows the progress.")
        return redirect("console:release", study.slug)
    progress = list_progress(study, written)
    page = {
        "study": study,
        "runs": [
            (run, count_released(run), embargoes.get(run.release_id or 0, [])) for run in runs
        ],
        "without_run": without_run[:MAX_SHOWN],
        "form": form,
        "of_run": query_of_run(request),
        "progress": progress,
        **count_written(progress),
        "missing_review": find_missing_review(study),
        "is_busy": any(run.is_under_way for run in runs),
    }
    return render(request, "console/results/release.html", page, status=status_of(form))


@study_page(Right.WORK)
def release_page(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Ask whether to open the public page of a release; a POST opens or closes it."""
    release = _find(study, number)
    if request.method != "POST":
        return _ask_to_publish(request, study, release)
    is_open = request.POST.get("is_open")
    if is_open not in {"yes", "no"}:
        raise BadRequest
    open_page(release) if is_open == "yes" else close_page(release)
    state = "open" if is_open == "yes" else "closed"
    messages.success(request, f"The public page of {release.name} is {state}.")
    return redirect("console:release", study.slug)


@study_page(Right.WORK, "GET")
def translations(request: HttpRequest, study: Study) -> HttpResponse:
    """Download the items of a study of translations in the other language."""
    name, text = write_translations(study)
    answer = HttpResponse(text, content_type="text/tab-separated-values; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@study_page(Right.WORK, "POST")
def verify(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Have all figures of a release computed again, in the background."""
    release = _find(study, number)
    request_verification(release, signed_in(request))
    messages.success(request, "All figures are being computed again; this page shows the result.")
    return redirect("console:run", study.slug, release.run.pk)


@study_page(Right.WORK, "GET")
def differences(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """Download where the files of a release differ from what its ratings give."""
    release = _find(study, number)
    answer = HttpResponse(
        write_differences(release), content_type="text/tab-separated-values; charset=utf-8"
    )
    name = f"differences_{study.slug}_{release.number}.tsv"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _ask_to_publish(request: HttpRequest, study: Study, release: Release) -> HttpResponse:
    """Show what everybody will be able to read, and what is not ready."""
    refuse_unpublishable(release)
    address = request.build_absolute_uri(
        reverse("public:release", args=[study.slug, release.number])
    )
    text = (
        f"Everybody can then read all its pairs and ratings, without signing in, at\n{address}\n\n"
    )
    written = count_released(release.run)
    if written["n_written"] < written["n_asked"]:
        text += "Description: {n_written} of {n_asked} entries are written.\n\n".format(**written)
    if release.reservations:
        text += f"{release.verification}\n\n"
    if warning := warn_of_embargo(release.pk):
        text += f"{warning}\n\n"
    if missing := find_missing_review(study):
        text += f"Review: {missing}\n\n"
    return ask_first(
        request,
        study,
        title=f"Publish {release.name} on a page of this site?",
        text=text + "You can close the page again, but readers may have kept a copy.",
        button="Publish the page",
        back=reverse("console:release", args=[study.slug]),
        fields={"is_open": "yes"},
    )


def _find(study: Study, number: int) -> Release:
    """Return a release with its run, which one made on the command line lacks, or answer 404."""
    releases = Release.objects.select_related("study", "run")
    return get_object_or_404(releases, study=study, number=number)


@study_page(Right.WORK)
def deposit(request: HttpRequest, study: Study, number: int, repository: str) -> HttpResponse:
    """Show all requests with which a release would be sent to a repository; a POST sends them."""
    releases = Release.objects.select_related("study", "run")
    release = get_object_or_404(releases, study=study, number=number)
    place = find_repository(repository)
    if request.method == "POST":
        request_deposit(release, repository, signed_in(request))
        messages.success(request, "The draft is being sent; this page shows the progress.")
        return redirect("console:run", study.slug, release.run.pk)
    steps = list_requests(release, repository)
    page = {
        "study": study,
        "release": release,
        "place": place,
        "embargo": warn_of_embargo(release.pk),
        "deposit": find_deposit(study, place),
        "steps": [(step, step.show_headers(place), step.show_body()) for step in steps],
    }
    return render(request, "console/results/deposit.html", page)
