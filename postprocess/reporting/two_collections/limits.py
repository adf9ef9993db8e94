"""The differences of the scores against their means, with the limits of agreement."""

import numpy as np
from matplotlib.figure import Figure

from postprocess.reporting.figures.drawing import (
    INK,
    REFERENCE_LINE,
    RULE,
    SOFT,
    draw_points,
    in_style,
    new_figure,
)
from postprocess.reporting.phrases import (
    shorten,
    write_count,
    write_figure,
    write_interval,
    write_points,
    write_signed,
)
from postprocess.two_collections.comparing import CollectionComparison

TITLE = "Differences and limits of agreement"


@in_style
def draw_limits(comparison: CollectionComparison) -> Figure:
    """Draw differences against means, the mean difference and the limits with intervals."""
    first, second = comparison.sides
    contexts, row = comparison.tables["contexts"], comparison.report["differences"][0]
    low, high = first.published.minimum, first.published.maximum
    figure = new_figure(3.6)
    axes = figure.subplots()
    x = contexts[["score_first", "score_second"]].to_numpy(dtype=float).mean(axis=1)
    y = contexts["difference"].to_numpy(dtype=float)
    reach = 1.05 * float(np.abs([*y, row["limit_low"], row["limit_high"]]).max()) or 1.0
    for name in ("limit_low", "difference", "limit_high"):
        if row[f"{name}_low"] is not None:
            ends = row[f"{name}_low"], row[f"{name}_high"]
            axes.axhspan(*ends, color=SOFT, linewidth=0, zorder=0)
    axes.axhline(0, color=RULE, linewidth=0.8)
    draw_points(axes, x, y, (low, high, -reach, reach))
    axes.axhline(row["difference"], color=INK, linewidth=1.2)
    for name in ("limit_low", "limit_high"):
        axes.axhline(row[name], **REFERENCE_LINE)
    axes.set_aspect("auto")
    axes.set_xlim(low, high)
    axes.set_ylim(-reach, reach)
    axes.set_xlabel("mean of the two scores")
    axes.set_ylabel(f"{shorten(second.name, 16)} − {shorten(first.name, 16)}")
    return figure


def caption_limits(comparison: CollectionComparison) -> str:
    """Return the caption of the plot, with its numbers."""
    first, second = comparison.sides
    row = comparison.report["differences"][0]
    noise = row["sd_by_noise"]
    expected = (
        ""
        if noise is None
        else f" The standard deviation of the differences is {write_figure(row['sd'])}; the noise "
        f"of the ratings alone would give {write_figure(noise)}."
    )
    signed = write_signed(write_figure(row["difference"]))
    return (
        f"For {write_count(row['n'], 'context')}, the score in {second.name} less the score in "
        f"{first.name}, in points of the scale from {write_points(first.published.minimum)} to "
        f"{write_points(first.published.maximum)}, against their mean. Solid: the mean difference, "
        f"{signed} ({write_interval(row['difference_low'], row['difference_high'])}). Dashed: the "
        "limits of agreement, 1.96 standard deviations from it, between which 95\u00a0% of the "
        f"differences are expected: {write_interval(row['limit_low'], row['limit_high'])}. Shaded: "
        f"95\u00a0% bootstrap intervals over pairs.{expected}"
    )
