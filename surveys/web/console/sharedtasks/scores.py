"""The pages with the scorings and boards of a shared task."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from surveys.models.sharedtasks import SharedTask
from surveys.web.console.sharedtasks.access import task_page


@task_page("GET")
def scores(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Show the scorings of a shared task, the latest first."""
    page = {"shared_task": shared_task, "scorings": shared_task.scorings.order_by("-number")}
    return render(request, "console/sharedtasks/scores.html", page)
