"""The shares of the ratings at the points of both scales."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, PercentFormatter

from postprocess.reporting.figures.drawing import (
    DARK_BARS,
    LIGHT_BARS,
    add_legend,
    in_style,
    new_figure,
)
from postprocess.reporting.phrases import shorten, write_count, write_list, write_range, write_share
from postprocess.two_collections.collection import Collection
from postprocess.two_collections.comparing import CollectionComparison
from postprocess.two_collections.crossing import SIDES

TITLE = "Distribution of the ratings"
BARS: dict[str, dict[str, Any]] = {"first": DARK_BARS, "second": LIGHT_BARS}
GAP = 0.15  # of the space of a point


@in_style
def draw_distribution(comparison: CollectionComparison) -> Figure:
    """Draw bars for the share of each point, side by side or, for unlike scales, below each other.

    For comparisons in which the ratings of a collection are known.
    """
    table = comparison.tables["distribution"]
    parts = {side: table[table["side"] == side] for side in SIDES if (table["side"] == side).any()}
    points = [part["point"].tolist() for part in parts.values()]
    is_alike = all(part == points[0] for part in points)
    figure = new_figure(3.0 if is_alike else 4.2)
    rows = 1 if is_alike else len(parts)
    grid = figure.subplots(rows, 1, squeeze=False)[:, 0]
    width = (points[0][1] - points[0][0]) * (1 - GAP) / (len(parts) if is_alike else 1)
    for number, (side, part) in enumerate(parts.items()):
        axes = grid[0] if is_alike else grid[number]
        step = part["point"].iloc[1] - part["point"].iloc[0]
        across = width if is_alike else step * (1 - GAP)
        shift = (number - (len(parts) - 1) / 2) * width if is_alike else 0.0
        _draw_bars(axes, part, across, shift, BARS[side])
    grid[-1].set_xlabel("rating")
    names = dict(zip(SIDES, comparison.sides, strict=True))
    handles = [Patch(label=shorten(names[side].name), **BARS[side]) for side in parts]
    add_legend(grid[0], handles)
    return figure


def caption_distribution(comparison: CollectionComparison) -> str:
    """Return the caption of the plot, with its numbers."""
    table = comparison.tables["distribution"]
    parts = [
        _describe(collection, table[table["side"] == side])
        for side, collection in zip(SIDES, comparison.sides, strict=True)
        if (table["side"] == side).any()
    ]
    return (
        "The share of the compared ratings at each point of the scale: "
        f"{write_list(parts)}. Calibrated ratings count at the nearest point."
    )


def _draw_bars(
    axes: Axes, part: pd.DataFrame, width: float, shift: float, style: dict[str, Any]
) -> None:
    axes.bar(part["point"] + shift, part["share"], width=width, **style)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylabel("share")


def _describe(collection: Collection, part: pd.DataFrame) -> str:
    counts = part["n"].to_numpy()
    points = part["point"]
    scale = write_range(points.iloc[0], points.iloc[-1])
    ends = write_share(int(counts[0] + counts[-1]), int(counts.sum()))
    return (
        f"{write_count(int(counts.sum()), 'rating')} of {collection.name} on {scale}, {ends} "
        "at the two ends"
    )
