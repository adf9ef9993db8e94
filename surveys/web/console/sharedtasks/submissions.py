"""The pages with the submissions of a shared task."""

from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from surveys.models.sharedtasks import RefusedUpload, SharedTask, Submission
from surveys.web.console.sharedtasks.access import task_page

SUBMISSIONS_PER_PAGE = 50


@task_page("GET")
def submissions(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """List the submissions, the latest first, of one team or phase if the address names it."""
    found = Submission.objects.filter(phase__shared_task=shared_task)
    chosen = {name: request.GET.get(name, "") for name in ("team", "phase")}
    if chosen["team"].isascii() and chosen["team"].isdecimal():
        found = found.filter(team=int(chosen["team"][:12]))
    if chosen["phase"]:
        found = found.filter(phase__name=chosen["phase"][:40].replace("\0", ""))
    found = found.select_related("team", "phase")
    rows = Paginator(found, SUBMISSIONS_PER_PAGE).get_page(request.GET.get("page"))
    page = {
        "shared_task": shared_task,
        "rows": rows,
        "chosen": chosen,
        "phases": shared_task.phases.annotate(n=Count("submissions")),
        "n_refused": RefusedUpload.objects.filter(phase__shared_task=shared_task).count(),
    }
    return render(request, "console/sharedtasks/submissions.html", page)
