"""Two recipes on the same ratings: scores, changes and annotators."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from postprocess.reporting.figures.drawing import (
    CROSS,
    INK,
    PAPER,
    RULE,
    SOFT,
    draw_points,
    in_style,
    new_figure,
)
from postprocess.reporting.phrases import write_count, write_figure
from postprocess.steps.comparison import TESTS, Comparison, crosses_level
from postprocess.steps.core import LEFT_OUT
from postprocess.types import Floats

TITLE = "Two recipes on the same ratings"
MARKED = "qvalue"  # the test whose findings are marked
TREATMENTS = ("as given", "shifted", "left out")


@in_style
def draw_recipes(comparison: Comparison, first: str, second: str) -> Figure:
    """Draw scores and changes of one recipe against the other, and a table of annotators.

    `first` and `second` are the recipes' names.
    """
    figure = new_figure(4.6)
    axes = figure.subplot_mosaic([["scores", "changes"], ["who", "who"]], height_ratios=(1.35, 1))
    scores = comparison.scores.dropna(subset=["change_first", "change_second"])
    x, y = (_stack(scores, side) for side in ("first", "second"))
    _draw_against(axes["scores"], x, y, np.zeros(len(x), dtype=bool))
    axes["scores"].set_title("score")
    x, y = (scores[f"change_{side}"].to_numpy(dtype=float) for side in ("first", "second"))
    _draw_against(axes["changes"], x, y, crosses_level(scores, MARKED).to_numpy())
    axes["changes"].set_title("change")
    for name in ("scores", "changes"):
        axes[name].set_xlabel(first)
    axes["scores"].set_ylabel(second)
    _draw_table(axes["who"], count_treatments(comparison), first, second)
    return figure


def caption_recipes(comparison: Comparison, first: str, second: str) -> str:
    """Return the caption of the figure, with its numbers."""
    summary = comparison.summary
    n_crossing = int(crosses_level(comparison.scores, MARKED).sum())
    n_drawn = int(comparison.scores[["change_first", "change_second"]].notna().all(axis=1).sum())
    return (
        f"The same ratings post-processed by the recipes {first} (x axis) and {second} (y axis). "
        f"Above: {write_count(2 * n_drawn, 'score')} and {write_count(n_drawn, 'change')} of "
        f"{write_count(n_drawn, 'pair')}; on the diagonal they are equal. Scores "
        f"differ by {write_figure(summary['mean absolute difference of scores'])} on average and "
        f"by {write_figure(summary['largest difference of a score'])} at most; "
        f"{write_count(n_crossing, 'pair')} (crosses) "
        f"{'moves' if n_crossing == 1 else 'move'} to the other side of {TESTS[MARKED]} = 0.05. "
        "Below: annotators, counted in each of their groups, by treatment; "
        f"{write_count(int(summary['annotators treated differently']))} differently."
    )


def count_treatments(comparison: Comparison) -> pd.DataFrame:
    """Count annotators by treatment: rows by the second recipe, columns by the first."""
    annotators = comparison.annotators
    kinds = {}
    for side in ("first", "second"):
        is_moved = annotators[f"shift_{side}"].fillna(0) != 0
        kinds[side] = pd.Series(
            np.select(
                [annotators[f"decision_{side}"] == LEFT_OUT, is_moved],
                [TREATMENTS[2], TREATMENTS[1]],
                default=TREATMENTS[0],
            )
        )
    table = pd.crosstab(kinds["second"], kinds["first"])
    return table.reindex(index=TREATMENTS, columns=TREATMENTS, fill_value=0)


def _stack(scores: pd.DataFrame, side: str) -> Floats:
    return scores[[f"sim1_{side}", f"sim2_{side}"]].to_numpy(dtype=float).ravel()


def _draw_against(axes: Axes, x: Floats, y: Floats, is_marked: np.ndarray) -> None:
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    margin = 0.04 * (high - low) or 0.5
    low, high = low - margin, high + margin
    axes.plot([low, high], [low, high], color=RULE, linewidth=0.8, zorder=0)
    draw_points(axes, x[~is_marked], y[~is_marked], (low, high, low, high))
    axes.plot(x[is_marked], y[is_marked], markersize=4.5, **CROSS)
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))


def _draw_table(axes: Axes, counts: pd.DataFrame, first: str, second: str) -> None:
    """Draw the counts in squares, shaded if the two recipes differ."""
    n_kinds, cells = len(TREATMENTS), counts.to_numpy()
    for row, column in np.ndindex(n_kinds, n_kinds):
        n = int(cells[row, column])
        shade = SOFT if n and row != column else PAPER
        axes.fill_between(
            [column - 0.5, column + 0.5], row - 0.5, row + 0.5, color=shade, linewidth=0
        )
        axes.text(column, row, f"{n:,}", ha="center", va="center", weight="bold" if n else "normal")
    for edge in np.arange(n_kinds + 1) - 0.5:
        axes.axhline(edge, color=INK, linewidth=0.6)
        axes.axvline(edge, color=INK, linewidth=0.6)
    axes.set_xlim(-0.5, n_kinds - 0.5)
    axes.set_ylim(-0.5, n_kinds - 0.5)
    axes.set_xticks(range(n_kinds), TREATMENTS)
    axes.set_yticks(range(n_kinds), TREATMENTS)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title("annotators")
    axes.set_xlabel(first)
    axes.set_ylabel(second)
