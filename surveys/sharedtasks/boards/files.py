"""Files of a board: exports, and the figures in the archive."""

from typing import TYPE_CHECKING, NamedTuple

from surveys.operations.job_process import in_job_process
from surveys.sharedtasks.boards.visible import VisibleBoard
from surveys.sharedtasks.final_results.archive import read_archived

if TYPE_CHECKING:
    from postprocess.boards.board import Board


class Format(NamedTuple):
    """A file format for boards: its media type and purpose."""

    media_type: str
    what: str


class Plot(NamedTuple):
    """A figure in the archive of a shared task."""

    path: str
    title: str
    caption: str


FORMATS = {
    "csv": Format("text/csv; charset=utf-8", "for spreadsheets"),
    "json": Format("application/json", "for programs, with all tests"),
    "tex": Format("text/x-tex; charset=utf-8", "a table for papers"),
    "html": Format("text/html; charset=utf-8", "one file to keep"),
}


def render_file(visible: VisibleBoard, ending: str) -> bytes:
    """Return a board as a file; a published one as it was frozen."""
    from postprocess.boards.exports.freezing import render_board
    from postprocess.boards.exports.latex import render_latex
    from postprocess.boards.exports.rounding import round_board
    from postprocess.boards.exports.tables import render_csv

    is_public = visible.is_gold_public
    board = visible.board if is_public else round_board(visible.board)
    if ending == "html" and visible.frozen and is_public and (page := _read_page(visible)):
        return page
    if ending == "csv":
        return render_csv(board, is_gold_public=is_public)
    if ending == "json" and visible.frozen and is_public:
        return visible.frozen.body.encode()
    if ending == "json":
        return render_board(board, is_gold_public=is_public)
    return render_latex(board) if ending == "tex" else _render_page(board)


@in_job_process
def _render_page(board: "Board") -> bytes:
    from postprocess.boards.exports.page import render_page

    return render_page(board)


def _read_page(visible: VisibleBoard) -> bytes | None:
    """Return the page of a final board as it is archived, with its figures."""
    shared_task = visible.phase.shared_task
    path = f"{visible.phase.name}-{visible.subtask}/board.html"
    return read_archived(shared_task, path) if shared_task.archive else None


def list_plots(visible: VisibleBoard, column: str) -> list[Plot]:
    """Return the figures of a column of a final board, which are published with it."""
    if not (visible.is_final and visible.is_public) or not visible.phase.shared_task.archive:
        return []
    from postprocess.boards.captions import caption_scores, caption_tests

    board, folder = visible.board, f"{visible.phase.name}-{visible.subtask}/figures"
    if not any(column in row.cells for row in board.rows):
        return []
    plots = [Plot(f"{folder}/scores-{column}.svg", "Scores", caption_scores(board, column))]
    if column in board.differences:
        captioned = caption_tests(board, column)
        plots.append(Plot(f"{folder}/p-{column}.svg", "Tests of all pairs", captioned))
    return plots
