"""The board that a public page shows, the account that reads it, and what was taken back."""

from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from surveys.sharedtasks.boards.visible import VisibleBoard, find_board, find_phase, find_viewer
from surveys.sharedtasks.models import Phase, SharedTask
from surveys.sharedtasks.scoring.visibility import Viewer
from surveys.web.timing import began_at

GONE = 410


class FoundBoard(NamedTuple):
    """A phase, its board for a viewer, or None if they may not see it, and the viewer."""

    phase: Phase
    visible: VisibleBoard | None
    viewer: Viewer


def find_visible(request: HttpRequest, slug: str, phase: str, subtask: int) -> FoundBoard:
    """Return a board, and its viewer. Raises Http404 without such a phase."""
    shown = find_phase(slug, phase)
    if shown is None:
        raise Http404
    viewer = find_viewer(shown.shared_task, request.user)
    visible = find_board(shown, subtask, viewer, now=began_at(request))
    return FoundBoard(shown, visible, viewer)


def answer_absent(
    request: HttpRequest, shared_task: SharedTask, *, was_frozen: bool
) -> HttpResponse:
    """Say that what was published at an address was taken back. Raises Http404 if nothing was."""
    if not was_frozen or shared_task.is_published or shared_task.retracted_at is None:
        raise Http404
    page = {"shared_task": shared_task}
    return render(request, "sharedtasks/public/taken_back.html", page, status=GONE)
