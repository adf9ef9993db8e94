"""Drafts of a release in repositories: what would be sent, and the button that sends it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.access.roles import Right
from surveys.models import Release, Study
from surveys.results.deposit.jobs import find_deposit, list_requests, request_deposit
from surveys.results.deposit.repositories import find_repository
from surveys.tasks import start_run
from surveys.web.console.access import signed_in, study_page


@study_page(Right.WORK)
def deposit(request: HttpRequest, study: Study, number: int, repository: str) -> HttpResponse:
    """Show all requests with which a release would be sent to a repository; a POST sends them."""
    releases = Release.objects.select_related("study", "run")
    release = get_object_or_404(releases, study=study, number=number)
    place = find_repository(repository)
    if request.method == "POST":
        job = request_deposit(release, repository, signed_in(request))
        start_run(job.pk)
        messages.success(request, "The draft is being sent; this page shows the progress.")
        return redirect("console:run", study.slug, release.run.pk)
    steps = list_requests(release, repository)
    page = {
        "study": study,
        "release": release,
        "place": place,
        "deposit": find_deposit(study, place),
        "steps": [(step, step.show_headers(place), step.show_body()) for step in steps],
    }
    return render(request, "console/results/deposit.html", page)
