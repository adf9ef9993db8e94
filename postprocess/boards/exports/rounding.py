"""Boards with three decimals, all that may be shown while the gold is not public."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from postprocess.boards.board import Board, Cell, Differences, Row
from postprocess.scoring.ranking import round_score

NEAR_TIE = 1e-6  # thousandths; nearer to a half, decimal arithmetic decides


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
        rows=tuple(_round_row(row) for row in board.rows),
        differences={name: _round_tests(one) for name, one in board.differences.items()},
        is_rounded=True,
    )


def round_figure(figure: float | None) -> float | None:
    """Return a figure with three decimals, halves away from zero.

    >>> round_figure(0.6125), round_figure(-0.0001), round_figure(None)
    (0.613, 0.0, None)
    """
    return None if figure is None else float(round_score(figure) + 0)


def round_all(figures: Sequence[float]) -> tuple[float, ...]:
    """Return many figures with three decimals, as `round_figure` does.

    >>> round_all([0.6125, -0.0001, 0.1234, -1.0])
    (0.613, 0.0, 0.123, -1.0)
    """
    given = np.asarray(figures, dtype=float)
    thousandths = np.abs(given) * 1000
    rounded = np.copysign(np.floor(thousandths + 0.5), given) / 1000 + 0
    is_tie = np.abs(thousandths % 1 - 0.5) < NEAR_TIE
    rounded[is_tie] = [float(round_score(x) + 0) for x in given[is_tie].tolist()]
    return tuple(rounded.tolist())


def _round_row(row: Row) -> Row:
    return replace(row, cells={name: _round_cell(cell) for name, cell in row.cells.items()})


def _round_cell(cell: Cell) -> Cell:
    return replace(
        cell,
        score=float(round_score(cell.score) + 0),
        low=round_figure(cell.low),
        high=round_figure(cell.high),
        pearson=None,
        spearman=None,
        p_distance=round_figure(cell.p_distance),
        p_baseline=round_figure(cell.p_baseline),
    )


def _round_tests(tests: Differences) -> Differences:
    rounded = (round_all(figures) for figures in (tests.d, tests.p, tests.holm))
    return Differences(tests.names, *rounded)
