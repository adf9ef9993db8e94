"""What may be shown of a board while the gold is not public: scores, with three decimals.

Full digits of a few scores are enough to compute the gold of a small part. So is an interval, p or
correlation beside each score, which tells as much again.
"""

from dataclasses import replace

from postprocess.boards.advice.planning import expect_interval
from postprocess.boards.board import Board, Cell, Place, Row
from postprocess.boards.entries import Kind
from postprocess.scoring.inference import FEWEST_PAIRS
from postprocess.scoring.metrics import METRICS, Metric
from postprocess.scoring.ranking import round_score


def round_board(board: Board) -> Board:
    """Return a board as files show it until the gold is public.

    Its scores have three decimals. It has no intervals, correlations, tests, bounds, human figure
    and digests of the gold. Ranks stay those of the full digits.
    """
    if board.is_rounded:
        return board
    return replace(
        board,
        rules=replace(board.rules, gold_sha256={}),
        rows=tuple(
            _round_row(row, board.rules.track.metric)
            for row in board.rows
            if row.kind in (Kind.TEAM, Kind.BASELINE)
        ),
        differences={},
        best_baseline={},
        is_rounded=True,
    )


def round_cell(cell: Cell, metric: Metric) -> Cell:
    """Return a cell as pages show it until the gold is public.

    Its interval is the one to expect of the score, with three decimals, and the number of pairs; of
    a metric that is no correlation there is none.
    """
    definition = METRICS[metric]
    score, low, high = float(round_score(cell.score) + 0), None, None
    is_expected = definition.is_correlation and abs(score) < 1 and not cell.reason
    if is_expected and (cell.n or 0) >= FEWEST_PAIRS:
        low, high = expect_interval(score, cell.n)
        low = max(low, definition.lowest)
    return Cell(score, low, high, cell.n, reason=cell.reason, file_sha256=cell.file_sha256)


def _round_row(row: Row, metric: Metric) -> Row:
    return replace(
        row,
        cells={
            column: round_cell(cell, metric)._replace(low=None, high=None)
            for column, cell in row.cells.items()
        },
        places={column: Place(place.rank, place.is_shared) for column, place in row.places.items()},
    )
