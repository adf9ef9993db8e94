"""`board.html`: a board as one file, to read on screens from 360 px, light and dark."""

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import jinja2

from postprocess.boards.board import Board
from postprocess.boards.shown import (
    Line,
    describe_board,
    explain_column,
    list_lines,
    list_notes,
    list_outside,
    write_ends,
    write_rank,
    write_rank_range,
    write_score,
)
from postprocess.reporting.figures.gallery import Plate
from postprocess.reporting.page import TEMPLATES, make_environment, show_plate
from postprocess.reporting.phrases import write_count, write_list, write_p
from postprocess.version import __version__

OWN_TEMPLATES = Path(__file__).parent / "templates"


class Table(NamedTuple):
    """Board rows sorted by one column, with the cells to display."""

    column: str
    lines: list[Line]
    is_tested: bool
    has_p: bool
    notes: list[str]


def render_page(
    board: Board, *, plates: Iterable[Plate] = (), links: Mapping[str, str] | None = None
) -> bytes:
    """Return the content of `board.html`, without scripts and external resources.

    Parameters
    ----------
    board : Board
        Figures are shown with three decimals.
    plates : iterable of Plate
        Figures of the board, rendered.
    links : mapping, optional
        The name of a row → the address of its result page, with https.

    Returns
    -------
    bytes
        HTML with a table for each column, in the order of its ranks.
    """
    page = _make_environment().get_template("board.html.jinja")
    text = page.render(
        board=board,
        title=describe_board(board),
        lead=_lead(board),
        tables=[_tabulate(board, column) for column in board.columns],
        outside=list_outside(board),
        notes=list_notes(board),
        has_attempts=any(row.attempts is not None for row in board.rows),
        figures=[show_plate(number, plate) for number, plate in enumerate(plates, 1)],
        links=links or {},
        version=__version__,
        write_score=functools.partial(write_score, is_percent=board.rules.track.is_percent),
        write_ends=functools.partial(write_ends, is_percent=board.rules.track.is_percent),
        write_rank=write_rank,
        write_rank_range=write_rank_range,
        write_p=write_p,
    )
    return text.encode()


@functools.cache
def _make_environment() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader([OWN_TEMPLATES, TEMPLATES])
    return make_environment().overlay(loader=loader)


def _tabulate(board: Board, column: str) -> Table:
    lines = list_lines(board, column)
    has_p = any(line.cell and line.cell.p_distance is not None for line in lines)
    return Table(column, lines, column in board.differences, has_p, explain_column(board, column))


def _lead(board: Board) -> str:
    n_ranked = sum(bool(row.places) for row in board.rows)
    sizes = [f"{write_count(n, 'pair')} of {language}" if n else language
             for language, n in board.rules.sizes.items()]  # fmt: skip
    return (
        f"Systems predicted {board.rules.track.what}. {write_count(n_ranked, 'team')} "
        f"{'is' if n_ranked == 1 else 'are'} ranked, on {write_list(sizes)}."
    )
