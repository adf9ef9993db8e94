"""The kits of a shared task, which everybody may download once a phase has begun."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from surveys.sharedtasks.kits.kit import name_kit, pack_kit
from surveys.sharedtasks.models import Phase, SharedTask
from surveys.web.kits import send_kit
from surveys.web.timing import began_at


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
