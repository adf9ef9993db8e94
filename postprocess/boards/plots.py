"""The figures of a board: scores with intervals, p of all pairs, predictions against the gold."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from numpy.typing import ArrayLike

from postprocess.boards.board import Board, Differences
from postprocess.boards.captions import (
    BOUNDS,
    caption_predictions,
    caption_scores,
    caption_tests,
    require_tests,
)
from postprocess.boards.entries import AVERAGE, Kind
from postprocess.boards.exports.rounding import round_board
from postprocess.boards.shown import Line, list_lines
from postprocess.reporting.figures.drawing import (
    DOT,
    INK,
    PAPER,
    REFERENCE_LINE,
    RING,
    RULE,
    SOFT,
    STRONG,
    draw_points,
    in_style,
    new_figure,
    write_instead,
)
from postprocess.reporting.figures.gallery import Illustration
from postprocess.reporting.phrases import shorten, write_figure
from postprocess.scoring.metrics import Metric, Track
from postprocess.scoring.ranking import LEVEL
from postprocess.types import Floats

MOST_NAMED = 60  # rows with names; more are drawn closer together, without
ROW, NAME_SIZE = 0.22, 8  # inches, and points: names can be read on a phone
MOST_WRITTEN = 12  # systems whose p are written into the heat map
LEVELS = (0.001, 0.01, LEVEL)
# p below each level, and above all: colours of the reports, which dark pages replace, and opacity
SHADES = ((STRONG, 1.0), (STRONG, 0.6), (STRONG, 0.28), (RULE, 0.2))


def illustrate_board(board: Board, *, is_gold_public: bool = False) -> list[Illustration]:
    """Draw the figures of each column of a board that has any scores: scores, and p if tested.

    Unless the gold is public, scores with three decimals are drawn, without intervals and tests:
    the places of marks in an SVG file can be read.
    """
    board = board if is_gold_public else round_board(board)
    drawn = []
    for column in board.columns:
        if not any(column in row.cells for row in board.rows):
            continue
        title = f"Scores, {name_scores(board, column)}"
        drawn.append(
            Illustration(
                f"scores-{column}", title, caption_scores(board, column), draw_scores(board, column)
            )
        )
        if column in board.differences:
            title = f"Tests of all pairs, {name_scores(board, column)}"
            caption = caption_tests(board, column)
            drawn.append(Illustration(f"p-{column}", title, caption, draw_tests(board, column)))
    return drawn


def illustrate_predictions(
    name: str, slug: str, part: tuple[Track, str], predicted: ArrayLike, gold: ArrayLike
) -> Illustration:
    """Draw the predictions of a system for a track and language; only for public gold.

    `name` is for the caption, `slug` for the name of the file.
    """
    track, language = part
    return Illustration(
        f"predictions-{slug}-{track.number}-{language}",
        f"Predictions of {name}, {language}, subtask {track.number}",
        caption_predictions(name, language, track, len(np.asarray(gold))),
        draw_predictions(predicted, gold, track.metric),
    )


def name_scores(board: Board, column: str) -> str:
    """Return what is in a column, as part of a title."""
    what = "average" if column == AVERAGE else column
    return f"{what}, subtask {board.rules.track.number}"


@in_style
def draw_scores(board: Board, column: str) -> Figure:
    """Draw the scores of a column with their intervals, the best above; lines separate groups."""
    lines = [line for line in list_lines(board, column) if line.cell]
    rows = [line for line in lines if line.row.kind not in BOUNDS]
    figure = new_figure(1.1 + ROW * min(max(len(rows), 1), MOST_NAMED))
    axes = figure.subplots()
    axes.set_xlabel("score")
    if not rows:
        write_instead(axes, "No row has a score.")
        axes.set_yticks([])
        return figure
    _draw_intervals(axes, rows)
    for line in lines:
        if line.row.kind in BOUNDS and line.cell:
            axes.axvline(line.cell.score, **_style_bound(line))
    _name_rows(axes, rows)
    figure.legend(handles=_list_handles(lines), loc="outside upper left", ncols=3)
    return figure


@in_style
def draw_tests(board: Board, column: str) -> Figure:
    """Draw p of all pairs of ranked systems as shades; raises BoardError without tests."""
    tests = require_tests(board, column)
    n = len(tests.names)
    figure = new_figure(1.0 + max(1.6, ROW * min(n, MOST_NAMED)))
    axes = figure.subplots()
    table = _arrange(tests)
    classes = np.searchsorted(LEVELS, table, side="right").astype(float)
    classes[np.isnan(table)] = np.nan
    (_draw_cells if n <= MOST_NAMED else _draw_image)(axes, classes)
    if n <= MOST_WRITTEN:
        _write_p(axes, table)
    _name_systems(axes, tests.names)
    labels = [f"p < {level:g}" for level in LEVELS] + [f"p ≥ {LEVELS[-1]:g}"]
    handles = [
        Patch(label=label, facecolor=to_rgba(*shade), edgecolor=RULE)
        for label, shade in zip(labels, SHADES, strict=True)
    ]
    axes.legend(handles=handles, loc="upper right", fontsize=NAME_SIZE)  # where no cells are
    return figure


@in_style
def draw_predictions(predicted: ArrayLike, gold: ArrayLike, metric: Metric) -> Figure:
    """Draw predictions against the gold: changes, or the scores of all contexts."""
    x, y = (np.asarray(scores, dtype=float).ravel() for scores in (gold, predicted))
    figure = new_figure()
    axes = figure.subplots()
    what = "change" if metric is Metric.CHANGE else "score"
    axes.set_xlabel(f"{what} in the gold")
    axes.set_ylabel(f"predicted {what}")
    if metric is Metric.CHANGE:
        axes.axhline(0, color=RULE, linewidth=0.8)
        axes.axvline(0, color=RULE, linewidth=0.8)
    span = (*_bound(x), *_bound(y))
    axes.set_xlim(span[:2])
    axes.set_ylim(span[2:])
    draw_points(axes, x, y, span)
    return figure


def _draw_cells(axes: Axes, classes: Floats) -> None:
    """Draw a cell for each class, 0 to 3; none for NaN."""
    for row, column in zip(*np.nonzero(~np.isnan(classes)), strict=True):
        shade = to_rgba(*SHADES[int(classes[row, column])])
        corner = column - 0.5, row - 0.5
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=shade, edgecolor=PAPER, linewidth=0.8))
    axes.set_xlim(-0.5, len(classes) - 0.5)
    axes.set_ylim(len(classes) - 0.5, -0.5)


def _draw_image(axes: Axes, classes: Floats) -> None:
    """Draw the classes of very many cells as an image: a mark for each would make a huge file."""
    axes.imshow(
        classes,
        cmap=ListedColormap([to_rgba(*shade) for shade in SHADES]),
        vmin=-0.5,
        vmax=len(LEVELS) + 0.5,
        interpolation="nearest",
        aspect="auto",
    )


def _shade_groups(axes: Axes, rows: Sequence[Line]) -> None:
    """Draw a line above each group but the first, and shade every other one."""
    begins = [place for place, line in enumerate(rows) if line.begins_group]
    for place in begins:
        axes.axhline(place - 0.5, color=INK, linewidth=0.8)
    for begin, end in list(pairwise([*begins, len(rows)]))[::2]:
        axes.axhspan(begin - 0.5, end - 0.5, facecolor=to_rgba(SOFT, 0.4), zorder=0)


def _draw_intervals(axes: Axes, rows: Sequence[Line]) -> None:
    _shade_groups(axes, rows)
    for place, line in enumerate(rows):
        if not line.cell:
            continue
        if line.cell.low is not None and line.cell.high is not None:
            axes.hlines(place, line.cell.low, line.cell.high, color=STRONG, linewidth=1.2)
        style = RING | {"markerfacecolor": PAPER} if line.row.is_reference else DOT
        axes.plot([line.cell.score], [place], markersize=5, **style)
    ends = [
        end
        for line in rows
        if line.cell
        for end in (line.cell.score, line.cell.low)
        if end is not None
    ]
    lowest = min(0.0, *ends)
    axes.set_xlim(float(np.floor((lowest - 0.02) * 10) / 10) if lowest < 0 else -0.02, 1.02)
    axes.set_ylim(len(rows) - 0.4, -0.6)


def _name_rows(axes: Axes, rows: Sequence[Line]) -> None:
    if len(rows) > MOST_NAMED:
        axes.set_yticks([])
        axes.set_ylabel(f"{len(rows):,} systems", color=INK)
        return
    names = [shorten(line.row.name) for line in rows]
    axes.set_yticks(range(len(rows)), names, fontsize=NAME_SIZE)
    for label, line in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_fontstyle("italic" if line.row.is_reference else "normal")


def _style_bound(line: Line) -> dict[str, Any]:
    is_ceiling = line.row.kind is Kind.CEILING
    return REFERENCE_LINE if is_ceiling else REFERENCE_LINE | {"linestyle": (0, (1, 2))}


def _list_handles(lines: Sequence[Line]) -> list[Line2D]:
    handles = [Line2D([], [], label="ranked", markersize=5, **DOT)]
    if any(line.row.is_reference and line.row.kind not in BOUNDS for line in lines):
        handles.append(Line2D([], [], label="reference", markersize=5, **RING))
    return handles + [
        Line2D([], [], label=line.row.name, **_style_bound(line))
        for line in lines
        if line.row.kind in BOUNDS
    ]


def _arrange(tests: Differences) -> Floats:
    """Return p of each system (row) and each better one (column); NaN elsewhere."""
    n = len(tests.names)
    first, second = np.triu_indices(n, 1)
    table = np.full((n, n), np.nan)
    table[second, first] = tests.holm
    return table


def _write_p(axes: Axes, table: Floats) -> None:
    size = NAME_SIZE if len(table) <= MOST_WRITTEN / 2 else 6.5
    for row, column in zip(*np.nonzero(~np.isnan(table)), strict=True):
        p = float(table[row, column])
        if p < LEVELS[0]:  # the shade says so
            continue
        colour = PAPER if p < LEVELS[1] else INK
        text = write_figure(p, 3).removeprefix("0")
        axes.text(column, row, text, ha="center", va="center", fontsize=size, color=colour)


def _name_systems(axes: Axes, names: Sequence[str]) -> None:
    if len(names) > MOST_NAMED:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_ylabel(f"{len(names):,} systems", color=INK)
        return
    shown = [shorten(name, 20) for name in names]
    axes.set_yticks(range(len(names)), shown, fontsize=NAME_SIZE)
    axes.set_xticks(range(len(names)), shown, fontsize=NAME_SIZE, rotation=90)


def _bound(numbers: Floats) -> tuple[float, float]:
    """Return the ends of an axis a little beyond the numbers."""
    low, high = float(numbers.min()), float(numbers.max())
    margin = 0.04 * (high - low) or 0.5
    return low - margin, high + margin
