"""The board that a public page shows, and the account that reads it."""

from django.http import Http404, HttpRequest

from surveys.sharedtasks.boards.visible import (
    VisibleBoard,
    find_board,
    find_phase,
    find_viewer,
)
from surveys.sharedtasks.visibility import Viewer
from surveys.web.timing import began_at


def find_visible(
    request: HttpRequest, slug: str, phase: str, subtask: int
) -> tuple[VisibleBoard, Viewer]:
    """Return a board, and its viewer. Raises Http404 if there is none that they may see."""
    found = find_phase(slug, phase)
    if found is None:
        raise Http404
    viewer = find_viewer(found.shared_task, request.user)
    visible = find_board(found, subtask, viewer, now=began_at(request))
    if visible is None:
        raise Http404
    return visible, viewer
