"""Plot one collection's changes against the other's."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from postprocess.reporting.figures.drawing import (
    CROSS,
    RING,
    RULE,
    add_legend,
    draw_points,
    in_style,
    new_figure,
)
from postprocess.reporting.phrases import shorten, write_count, write_figure, write_interval
from postprocess.two_collections.comparing import SIGNIFICANT, CollectionComparison

TITLE = "Changes against changes"


@in_style
def draw_changes(comparison: CollectionComparison) -> Figure:
    """Draw the change of each pair in both collections; crosses: those that differ."""
    first, second = comparison.sides
    pairs = comparison.tables["pairs"]
    figure = new_figure(4.9)
    axes = figure.subplots()
    x, y = (pairs[f"change_{side}"].to_numpy(dtype=float) for side in ("first", "second"))
    reach = 1.05 * float(np.abs([x, y]).max()) or 1.0
    for draw in (axes.axhline, axes.axvline):
        draw(0, color=RULE, linewidth=0.6)
    axes.plot([-reach, reach], [-reach, reach], color=RULE, linewidth=1)
    differs = (pairs["qvalue"] < SIGNIFICANT).to_numpy()
    draw_points(axes, x[~differs], y[~differs], (-reach, reach, -reach, reach))
    axes.plot(x[differs], y[differs], markersize=5, **CROSS)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    axes.set_aspect("equal")
    axes.set_xlabel(f"change: {shorten(first.name)}")
    axes.set_ylabel(f"change: {shorten(second.name)}")
    handles = [
        Line2D([], [], label=f"q < 0.05{' †' if 'note' in pairs else ''}", markersize=5, **CROSS),
        Line2D([], [], label="others", markersize=4, **RING),
    ]
    add_legend(axes, handles)
    return figure


def caption_changes(comparison: CollectionComparison) -> str:
    """Return the caption of the plot, with its numbers."""
    first, second = comparison.sides
    pairs = comparison.tables["pairs"]
    row = next(
        row
        for row in comparison.report["correlations"]
        if (row["of"], row["method"]) == ("change", "uncentered")
    )
    n_turned = int((pairs["change_first"] * pairs["change_second"] < 0).sum())
    n_differ = int((pairs["qvalue"] < SIGNIFICANT).sum())
    untested = (
        ""
        if pairs["qvalue"].notna().any()
        else " No pair was tested: that needs two ratings or more of each context by both."
    )
    return (
        f"The change of {write_count(len(pairs), 'pair')}, score in context 2 − score in context "
        f"1, by {first.name} and by {second.name}; on the diagonal they are equal. Their uncentred "
        f"correlation, the measure of subtask 1, is {write_figure(row['correlation'])} "
        f"({write_interval(row['low'], row['high'])}). {write_count(n_turned, 'pair')} "
        f"{'changes' if n_turned == 1 else 'change'} in opposite directions. Crosses: the "
        f"{write_count(n_differ)} whose two changes differ at a false discovery rate of "
        f"5\u00a0%.{untested}"
    )
