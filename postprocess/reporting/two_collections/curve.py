"""The scores of one collection against those of the other, and the calibration curve."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from postprocess.reporting.figures.drawing import (
    ACCENT,
    INK,
    REFERENCE_LINE,
    RULE,
    add_legend,
    draw_points,
    in_style,
    new_figure,
)
from postprocess.reporting.phrases import shorten, write_count, write_figure, write_interval
from postprocess.two_collections.comparing import CollectionComparison

TITLE = "Scores against scores, and the calibration curve"
MEANS: dict[str, Any] = {
    "color": ACCENT, "linestyle": "none", "marker": "D", "markersize": 4.5, "linewidth": 1.4,
}  # fmt: skip
LINE: dict[str, Any] = {"color": INK, "linewidth": 1.2}
EQUAL: dict[str, Any] = {"color": RULE, "linewidth": 1}


@in_style
def draw_curve(comparison: CollectionComparison) -> Figure:
    """Draw the scores, the means of bins with intervals, the fitted line and the expected one."""
    first, second = comparison.sides
    contexts, bins, line = (comparison.tables[name] for name in ("contexts", "curve", "line"))
    ends = first.published.minimum, first.published.maximum
    figure = new_figure(4.9)
    axes = figure.subplots()
    axes.plot(ends, ends, zorder=0, **EQUAL)
    x, y = (contexts[f"score_{side}"].to_numpy(dtype=float) for side in ("first", "second"))
    draw_points(axes, x, y, (*ends, *ends))
    handles = [Line2D([], [], label="equal", **EQUAL)]
    axes.plot(line["first"], line["second"], drawstyle="steps-mid", **LINE)
    handles.append(Line2D([], [], label="fitted line", **LINE))
    middle, low, high = (bins[name].to_numpy(dtype=float) for name in ("second", "low", "high"))
    axes.vlines(bins["first"], low, high, color=ACCENT, linewidth=1.4)
    axes.plot(bins["first"], middle, **MEANS)
    handles.append(Line2D([], [], label="mean of a bin, 95 %", **{**MEANS, "linestyle": "-"}))
    reliability = _reliability(comparison)
    if not np.isnan(reliability):
        mean = float(x.mean())
        expected = [mean + reliability * (end - mean) for end in ends]
        axes.plot(ends, expected, **REFERENCE_LINE)
        handles.append(Line2D([], [], label="equal annotators", **REFERENCE_LINE))
    axes.set_xlim(ends)
    axes.set_ylim(ends)
    axes.set_aspect("equal")
    axes.set_xlabel(f"score: {shorten(first.name)}")
    axes.set_ylabel(f"score: {shorten(second.name)}")
    add_legend(axes, handles)
    return figure


def caption_curve(comparison: CollectionComparison) -> str:
    """Return the caption of the plot, with its numbers."""
    first, second = comparison.sides
    bins = comparison.tables["curve"]
    rho = comparison.report["correlations"][0]
    reliability = _reliability(comparison)
    expected = (
        ""
        if np.isnan(reliability)
        else f" Dashed: the scores to expect from other annotators like those of {first.name}: "
        "because of the noise in its scores, even they would be nearer to the mean, by the "
        f"reliability {write_figure(reliability)}. A curve along that line means equal scores."
    )
    return (
        f"The scores of {write_count(rho['n'], 'context')} by {first.name} and by {second.name}; "
        f"Pearson’s r is {write_figure(rho['correlation'])} "
        f"({write_interval(rho['low'], rho['high'])}). Diamonds: the mean scores in "
        f"{write_count(len(bins), 'bin')} of nearly equal size by the score of {first.name}, with "
        "95\u00a0% bootstrap intervals over pairs: the calibration curve to read off. Steps: the "
        f"same as a line that never falls (isotonic regression), without an interval.{expected}"
    )


def _reliability(comparison: CollectionComparison) -> float:
    """Return the reliability of the scores of the first collection, by Pearson's r."""
    return float(comparison.tables["correlations"]["reliability_first"].iloc[0])
