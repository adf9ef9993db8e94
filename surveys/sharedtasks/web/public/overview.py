"""Public pages: the list of shared tasks, the overview of each task, and its kits."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from surveys.sharedtasks.boards.citing import cite_task
from surveys.sharedtasks.boards.phases import find_timeline, list_phases
from surveys.sharedtasks.boards.visible import find_viewer
from surveys.sharedtasks.kits.kit import name_kit, pack_kit
from surveys.sharedtasks.models import Phase, SharedTask
from surveys.sharedtasks.scoring.corrections import find_breaches, write_correction
from surveys.sharedtasks.teams.registration import takes_registrations
from surveys.web.kits import send_kit
from surveys.web.rendering.markdown import render_markdown
from surveys.web.timing import began_at

MOST_SHOWN = 200


@require_safe
def tasks(request: HttpRequest) -> HttpResponse:
    """List the shared tasks that anybody may see."""
    public = SharedTask.objects.public().prefetch_related("parts", "phases")[:MOST_SHOWN]
    shown = [(task, find_timeline(task, began_at(request))) for task in public]
    return render(request, "sharedtasks/public/tasks.html", {"tasks": shown})


@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the text, dates, data and boards of a shared task, and how to take part."""
    shared_task = get_object_or_404(SharedTask.objects.public(), slug=slug)
    viewer = find_viewer(shared_task, request.user)
    address = f"{settings.SITE_URL}{reverse('sharedtasks:overview', args=[slug])}"
    page = {
        "shared_task": shared_task,
        "text": render_markdown(shared_task.text),
        "terms": render_markdown(shared_task.terms),
        "phases": list_phases(shared_task, viewer, began_at(request)),
        "timeline": find_timeline(shared_task, began_at(request)),
        "parts": shared_task.parts.all(),
        "published": shared_task.published_boards.defer("table", "order"),
        "breaches": [(breach, write_correction(breach)) for breach in find_breaches(shared_task)],
        "viewer": viewer,
        "takes_registrations": takes_registrations(shared_task),
        "bibtex": cite_task(shared_task, address),
    }
    return render(request, "sharedtasks/public/overview.html", page)


@require_safe
def kit(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Send the kit of a phase; 404 before it begins."""
    phases = Phase.objects.filter(shared_task__in=SharedTask.objects.public())
    phase = get_object_or_404(
        phases.select_related("shared_task"), shared_task__slug=slug, name=name
    )
    now = began_at(request)
    if not phase.has_begun(now):
        raise Http404
    return send_kit(pack_kit(phase, now=now), name_kit(phase.shared_task, name))
