"""Boards as papers printed them: their pages, public when the shared task is, and their files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from surveys.sharedtasks.boards.published import show_board
from surveys.sharedtasks.models import PublishedBoard, SharedTaskState
from surveys.sharedtasks.tasks import may_organise

FILES = ("table", "order")


@require_safe
def published(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show a published board."""
    board = _find(request, slug, name)
    page = {"shared_task": board.shared_task, "shown": show_board(board)}
    return render(request, "sharedtasks/public/published.html", page)


@require_safe
def published_file(request: HttpRequest, slug: str, name: str, file: str) -> HttpResponse:
    """Send a file of a published board."""
    content = getattr(_find(request, slug, name), file) if file in FILES else ""
    if not content:
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{slug}_{name}_{file}.tsv"'}
    media_type = "text/tab-separated-values; charset=utf-8"
    return HttpResponse(content, content_type=media_type, headers=headers)


def _find(request: HttpRequest, slug: str, name: str) -> PublishedBoard:
    """Return a board; of a draft, only for its organisers. Raises Http404."""
    boards = PublishedBoard.objects.select_related("shared_task")
    board = get_object_or_404(boards, shared_task__slug=slug, name=name)
    is_draft = board.shared_task.state == SharedTaskState.DRAFT
    if is_draft and not may_organise(board.shared_task, request.user):
        raise Http404
    return board
