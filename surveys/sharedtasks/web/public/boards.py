"""The boards of a shared task, as pages and as files."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from surveys.sharedtasks.boards.files import FORMATS, list_plots, render_file
from surveys.sharedtasks.boards.results import list_withdrawn
from surveys.sharedtasks.boards.table import (
    Lines,
    choose_column,
    describe_table,
    find_viewers_name,
    list_outside_rows,
)
from surveys.sharedtasks.boards.visible import is_frozen
from surveys.sharedtasks.web.public.finding import answer_absent, find_visible

ROWS_A_PAGE = 100


@require_safe
def board(request: HttpRequest, slug: str, phase: str, subtask: int) -> HttpResponse:
    """Show a board, ranked by its average or by a language, or say that it was taken back."""
    shown_phase, visible, viewer = find_visible(request, slug, phase, subtask)
    if visible is None:
        was_frozen = is_frozen(shown_phase, subtask)
        return answer_absent(request, shown_phase.shared_task, was_frozen=was_frozen)
    column = choose_column(visible.board, request.GET.get("by"))
    rows = Paginator(Lines(visible, column), ROWS_A_PAGE).get_page(request.GET.get("page"))
    outside = [] if rows.has_next() else list_outside_rows(visible, column)
    shown = [*rows.object_list, *outside]
    page = {
        "shared_task": visible.phase.shared_task,
        "visible": visible,
        "table": describe_table(visible, column, shown),
        "rows": rows,
        "outside": outside,
        "withdrawn": list_withdrawn([row.result for row in shown]) if visible.is_final else set(),
        "published": visible.phase.shared_task.published_boards.defer("table", "order"),
        "own": find_viewers_name(visible, viewer),
        "formats": FORMATS,
        "plots": list_plots(visible, column),
        "only_organisers": viewer.is_organiser and not visible.is_public,
    }
    return render(request, "sharedtasks/public/board.html", page)


@require_safe
def board_file(
    request: HttpRequest, slug: str, phase: str, subtask: int, ending: str
) -> HttpResponse:
    """Send a board as a file, equal to the page."""
    visible = find_visible(request, slug, phase, subtask).visible
    if visible is None or ending not in FORMATS:
        raise Http404
    name = f"{slug}_{phase}_{subtask}.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    kind = FORMATS[ending].media_type
    return HttpResponse(render_file(visible, ending), content_type=kind, headers=headers)
