"""What the public pages are about, and the account that reads them."""

from django.http import Http404, HttpRequest

from surveys.models.sharedtasks import SharedTask
from surveys.sharedtasks.boards.visible import VisibleBoard, find_board, find_phase
from surveys.sharedtasks.tasks import may_organise
from surveys.sharedtasks.teams.members import find_membership
from surveys.sharedtasks.visibility import ANYBODY, Viewer


def find_viewer(request: HttpRequest, shared_task: SharedTask) -> Viewer:
    """Return what the account of a request is in a shared task."""
    if not request.user.is_authenticated:
        return ANYBODY
    member = find_membership(shared_task.slug, request.user)
    if member:
        return Viewer(team=member.team)
    return Viewer(is_organiser=may_organise(shared_task, request.user))


def find_visible(
    request: HttpRequest, slug: str, phase: str, subtask: int
) -> tuple[VisibleBoard, Viewer]:
    """Return a board, and its viewer. Raises Http404 if there is none that they may see."""
    found = find_phase(slug, phase)
    if found is None:
        raise Http404
    viewer = find_viewer(request, found.shared_task)
    visible = find_board(found, subtask, viewer)
    if visible is None:
        raise Http404
    return visible, viewer
