"""Boards with three decimals, all that may be shown while the gold is not public."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from postprocess.boards.board import Board, Cell, Differences, Row
from postprocess.scoring.ranking import round_all

ROUNDED = ("score", "low", "high", "p_distance", "p_baseline")  # of a cell


def round_board(board: Board) -> Board:
    """Return a board whose figures have three decimals, without what would help to find the gold.

    Full digits of a few scores are enough to compute the gold; so are its digest and those of
    single correlations for a small part. Places stay those of the full digits.
    """
    if board.is_rounded:
        return board
    return replace(
        board,
        rules=replace(board.rules, gold_sha256={}),
        rows=tuple(_round_rows(board.rows)),
        differences={name: _round_tests(one) for name, one in board.differences.items()},
        is_rounded=True,
    )


def _round_rows(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield rows with rounded cells. Each figure is rounded for all cells at once, to be fast."""
    rounded = _round_cells([cell for row in rows for cell in row.cells.values()])
    for row in rows:
        yield replace(row, cells={column: next(rounded) for column in row.cells})


def _round_cells(cells: Sequence[Cell]) -> Iterator[Cell]:
    figures = [_round_known([getattr(cell, name) for cell in cells]) for name in ROUNDED]
    for cell, *rounded in zip(cells, *figures, strict=True):
        changed = dict(zip(ROUNDED, rounded, strict=True))
        yield cell._replace(pearson=None, spearman=None, **changed)


def _round_known(figures: Sequence[float | None]) -> list[float | None]:
    """Return many figures with three decimals, and None where there is none."""
    rounded = iter(round_all([one for one in figures if one is not None]))
    return [None if one is None else next(rounded) for one in figures]


def _round_tests(tests: Differences) -> Differences:
    rounded = (round_all(figures) for figures in (tests.d, tests.p, tests.holm))
    return Differences(tests.names, *rounded)
