"""API views of shared tasks, which show what their public pages show."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.sharedtasks.boards.files import FORMATS, render_file
from surveys.sharedtasks.boards.phases import ShownPhase, list_phases
from surveys.sharedtasks.boards.visible import find_board, find_phase, find_viewer
from surveys.sharedtasks.models import SharedTask
from surveys.sharedtasks.web.api.serializers import (
    BoardSerializer,
    OneSharedTaskSerializer,
    SharedTaskSerializer,
)
from surveys.web.api.base import ApiView
from surveys.web.api.pagination import PAGE_PARAMETERS, describe_page, paginate, paginate_list
from surveys.web.timing import began_at


class SharedTasks(ApiView):
    """The shared tasks that are not drafts, for tokens of researchers and of participants."""

    tag, reads, writes = "shared tasks", "sharedtasks:read", "sharedtasks:read"
    is_for_limited = True

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(SharedTaskSerializer))
    def list_all(self, request: Request) -> Response:
        """List the shared tasks, oldest first."""
        tasks = SharedTask.objects.public().prefetch_related("parts")
        return Response(paginate(tasks, request, "pk").write(SharedTaskSerializer))

    @extend_schema(responses=OneSharedTaskSerializer)
    def show(self, request: Request, task: str) -> Response:
        """Show a shared task with its data and phases."""
        shared_task = find_task(task)
        context = {"phases": self._list_phases(request, shared_task)}
        return Response(OneSharedTaskSerializer(shared_task, context=context).data)

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(BoardSerializer))
    def list_boards(self, request: Request, task: str) -> Response:
        """List the boards that the token's user may see."""
        boards = list(_list_boards(self._list_phases(request, find_task(task))))
        return Response(paginate_list(boards, request).write(BoardSerializer))

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def show_board(self, request: Request, task: str, phase: str, subtask: int) -> HttpResponse:
        """Show a board: `board.json` of its page.

        Until the results are published, figures have three decimals.
        """
        shown = find_phase(task, phase)
        if shown is None:
            raise NotFound
        viewer = find_viewer(shown.shared_task, self.user)
        visible = find_board(shown, subtask, viewer, now=began_at(request))
        if visible is None:
            raise NotFound
        return HttpResponse(render_file(visible, "json"), content_type=FORMATS["json"].media_type)

    def _list_phases(self, request: Request, shared_task: SharedTask) -> list[ShownPhase]:
        viewer = find_viewer(shared_task, self.user)
        return list_phases(shared_task, viewer, began_at(request))


def find_task(slug: str) -> SharedTask:
    """Return a public shared task, or raise 404."""
    shared_task: SharedTask = get_object_or_404(SharedTask.objects.public(), slug=slug)
    return shared_task


def _list_boards(phases: list[ShownPhase]) -> Iterator[dict[str, Any]]:
    for shown in phases:
        if shown.has_boards:
            for subtask in shown.phase.subtasks:
                yield {"phase": shown.phase.name, "subtask": subtask, "is_final": shown.is_final}
