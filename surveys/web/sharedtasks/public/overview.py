"""The public pages of a shared task: the list of all, and the overview of one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from surveys.models.sharedtasks import SharedTask
from surveys.sharedtasks.teams.registration import takes_registrations
from surveys.web.rendering.markdown import render_markdown
from surveys.web.timing import began_at

MOST_SHOWN = 200


@require_safe
def tasks(request: HttpRequest) -> HttpResponse:
    """List the shared tasks that anybody may see."""
    found = SharedTask.objects.public().prefetch_related("parts")[:MOST_SHOWN]
    return render(request, "sharedtasks/public/tasks.html", {"tasks": found})


@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the text, data and dates of a shared task."""
    shared_task = get_object_or_404(SharedTask.objects.public(), slug=slug)
    page = {
        "shared_task": shared_task,
        "text": render_markdown(shared_task.text),
        "phases": shared_task.phases.all(),
        "parts": shared_task.parts.all(),
        "takes_registrations": takes_registrations(shared_task),
        "now": began_at(request),
    }
    return render(request, "sharedtasks/public/overview.html", page)
