"""The captions of a board's figures, without loading what draws them."""

from functools import partial

from postprocess.boards.board import Board, Differences
from postprocess.boards.entries import BoardError, Kind
from postprocess.boards.shown import describe_board, list_lines, write_score
from postprocess.reporting.phrases import write_count
from postprocess.scoring.metrics import Metric, Track
from postprocess.scoring.ranking import LEVEL

INTERVALS = ", with 95\u00a0% intervals (jackknife over pairs)"
BOUNDS = (Kind.CEILING, Kind.SECOND_CROWD)  # drawn as lines


def caption_scores(board: Board, column: str) -> str:
    """Return the caption of the figure, with its numbers."""
    lines = [line for line in list_lines(board, column) if line.cell]
    write = partial(write_score, is_percent=board.rules.track.is_percent)
    ranked = [line for line in lines if line.place]
    text = (
        f"{describe_board(board)}: the scores of {write_count(len(ranked), 'ranked system')}, "
        f"filled, and of references, open{INTERVALS if not board.is_rounded else ''}."
    )
    if ranked and ranked[0].cell:
        text += f" The best is {ranked[0].row.name} with {write(ranked[0].cell.score)}."
    if any(line.begins_group for line in lines):
        text += " Lines and shades separate groups whose order is proven."
    bounds = [
        f"{line.row.name} {write(line.cell.score)}"
        for line in lines
        if line.row.kind in BOUNDS and line.cell
    ]
    return f"{text} Vertical lines: {', '.join(bounds)}." if bounds else text


def caption_tests(board: Board, column: str) -> str:
    """Return the caption of the heat map, with its numbers."""
    tests = require_tests(board, column)
    n_proven = sum(p < LEVEL for p in tests.holm)
    return (
        f"{describe_board(board)}: p of the difference between each two ranked systems, after "
        f"Holm’s correction, rows and columns in the order of ranks. "
        f"{write_count(n_proven)} of {write_count(len(tests.holm), 'difference')} "
        f"{'is' if n_proven == 1 else 'are'} proven at 5\u00a0%."
    )


def caption_predictions(name: str, language: str, track: Track, n_pairs: int) -> str:
    """Return the caption of predictions against the gold."""
    of_contexts = "changes" if track.metric is Metric.CHANGE else "scores of both contexts"
    what = f"{of_contexts if track.is_of_contexts else track.title} of"
    return (
        f"{name}: predicted {what} {write_count(n_pairs, 'pair')} ({language}) against the gold. "
        "The scale of predictions has no influence on any score."
    )


def require_tests(board: Board, column: str) -> Differences:
    """Return the tests of a column. Raises BoardError if it has none."""
    if column not in board.differences:
        raise BoardError(f"the column {column} has no tests")
    return board.differences[column]
