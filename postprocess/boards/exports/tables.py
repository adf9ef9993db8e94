"""`board.csv` and `differences.csv`: the rows and the tests of a board for spreadsheets."""

import csv
import io
from collections.abc import Iterable, Sequence

from postprocess.boards.board import Board, Cell, Row
from postprocess.boards.exports.rounding import round_board
from postprocess.boards.shown import list_lines, list_outside, write_rank
from postprocess.formats.tabular import write_cell

Field = str | int | float | None


def render_csv(board: Board, *, is_gold_public: bool = False) -> bytes:
    """Return the content of `board.csv`, by RFC 4180, in the order of the page.

    It has for each column the score, the ends of its interval, rank, rank range and group. A text
    that a spreadsheet would take for a formula begins with an apostrophe. Unless the gold is
    public, figures have three decimals.
    """
    shown = board if is_gold_public else round_board(board)
    header = ["name", "kind", "system", "attempts", "result", "outside"]
    for column in shown.columns:
        header += [column, *(f"{column}_{name}" for name in _list_figures(shown, column))]
    rows = [line.row for line in list_lines(shown)] + list_outside(shown)
    return _render([header, *(_list_fields(shown, row) for row in rows)], shown.is_rounded)


def render_differences(board: Board, *, is_gold_public: bool = False) -> bytes:
    """Return the content of `differences.csv`: a row for each tested pair of each column."""
    shown = board if is_gold_public else round_board(board)
    rows: list[Sequence[Field]] = [("column", "first", "second", "d", "p", "p_holm")]
    for column in shown.columns:
        rows += [(column, *tested) for tested in shown.differences.get(column, ())]
    return _render(rows, shown.is_rounded)


def _list_figures(board: Board, column: str) -> list[str]:
    """Return the names of the figures of a column after its score."""
    correlations = ["pearson", "spearman"] if _has_correlations(board, column) else []
    places = ["rank", "rank_best", "rank_worst", "group", "p_distance", "p_best_baseline"]
    return ["low", "high", *correlations, *places]


def _has_correlations(board: Board, column: str) -> bool:
    return any(column in row.cells and row.cells[column].pearson is not None for row in board.rows)


def _list_fields(board: Board, row: Row) -> list[Field]:
    fields: list[Field] = [
        row.name, row.kind.value, row.system, row.attempts, row.result, row.outside
    ]  # fmt: skip
    for column in board.columns:
        cell, place = row.cells.get(column), row.places.get(column)
        fields += _list_scores(cell, with_correlations=_has_correlations(board, column))
        fields += [write_rank(place)] if place else [None]
        fields += [place.best, place.worst, place.group] if place else [None] * 3
        fields += [cell.p_distance, cell.p_baseline] if cell else [None] * 2
    return fields


def _list_scores(cell: Cell | None, *, with_correlations: bool) -> list[Field]:
    names = ["score", "low", "high", *(("pearson", "spearman") if with_correlations else ())]
    return [getattr(cell, name) if cell else None for name in names]


def _render(rows: Iterable[Sequence[Field]], is_rounded: bool) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([_write(field, is_rounded) for field in row] for row in rows)
    return out.getvalue().encode()


def _write(field: Field, is_rounded: bool) -> str:
    if field is None:
        return ""
    if isinstance(field, float):
        return f"{field:.3f}" if is_rounded else repr(field)
    return write_cell(field) if isinstance(field, str) else str(field)
