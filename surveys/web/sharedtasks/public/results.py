"""The page of a result: one submission, for ever at the same address."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from surveys.models.sharedtasks import SharedTask
from surveys.sharedtasks.boards.citing import cite_result
from surveys.sharedtasks.boards.results import find_result
from surveys.sharedtasks.boards.table import show_result
from surveys.sharedtasks.boards.visible import find_viewer
from surveys.web.rendering.markdown import render_foreign_markdown
from surveys.web.timing import began_at


@require_safe
def result(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Show the scores of a submission, and the description of its system."""
    shared_task = get_object_or_404(SharedTask.objects.public(), slug=slug)
    viewer = find_viewer(shared_task, request.user)
    found = find_result(shared_task, code, viewer, now=began_at(request))
    if found is None:
        raise Http404
    address = f"{settings.SITE_URL}{reverse('sharedtasks:result', args=[slug, code])}"
    page = {
        "shared_task": shared_task,
        "result": found,
        "submission": found.submission,
        "subtasks": [show_result(one) for one in found.subtasks],
        "summary": render_foreign_markdown(found.submission.team.summary),
        "bibtex": cite_result(found, address),
    }
    return render(request, "sharedtasks/public/result.html", page)
