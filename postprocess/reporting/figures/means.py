"""The annotators' mean ratings before and after calibration."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from postprocess.reporting.figures.drawing import (
    ACCENT,
    DOT,
    INK,
    PAPER,
    RING,
    SOFT,
    add_legend,
    in_style,
    new_figure,
    write_instead,
)
from postprocess.reporting.figures.lineups import (
    Lineup,
    count_annotators,
    draw_levels,
    draw_marks,
    line_up,
    mark_groups,
)
from postprocess.reporting.phrases import write_count, write_points
from postprocess.steps.post_process import Outcome
from postprocess.types import Floats

TITLE = "Annotators’ means before and after calibration"
MOVED = {**DOT, "marker": "D", "color": ACCENT}


@in_style
def draw_means(outcome: Outcome) -> Figure:
    """Draw each annotator's mean, the band of the group, and the mean after calibration."""
    annotators = with_means(outcome)
    figure = new_figure(3.3)
    axes = figure.subplots()
    scale = outcome.recipe.scale
    margin = 0.03 * (scale.maximum - scale.minimum)
    axes.set_ylim(scale.minimum - margin, scale.maximum + margin)
    ends = f"{write_points(scale.minimum)} to {write_points(scale.maximum)}"
    axes.set_ylabel(f"mean rating ({ends})")
    if annotators.empty:
        write_instead(axes, "There are no annotators to calibrate.")
        return figure
    lineup = line_up(annotators, "mean")
    centre = annotators.groupby("group")["group_mean"].first()
    level = centre.reindex(lineup.groups["group"]).to_numpy(dtype=float)
    if outcome.recipe.calibration.enabled:
        _draw_band(axes, lineup, level, outcome.recipe.calibration.threshold)
    draw_levels(axes, lineup, level)
    _draw_annotators(axes, lineup, annotators)
    mark_groups(axes, lineup, len(annotators))
    add_legend(axes, _legend(outcome, annotators), columns=2)
    return figure


def caption_means(outcome: Outcome) -> str:
    """Return the caption of the figure, with its numbers."""
    annotators = with_means(outcome)
    scale, calibration = outcome.recipe.scale, outcome.recipe.calibration
    text = (
        f"The mean rating of {count_annotators(annotators)}, on the rating scale from "
        f"{write_points(scale.minimum)} to {write_points(scale.maximum)}, ordered by group and "
        "mean. Lines: the mean of each group’s means. "
    )
    if not calibration.enabled:
        text += "Calibration was off, so no ratings were shifted."
    else:
        n_moved = int((annotators["shift"] != 0).sum())
        points = write_points(calibration.threshold)
        noun = "point" if calibration.threshold == 1 else "points"
        moved = (
            "No annotator is outside, so no ratings were shifted."
            if not n_moved
            else (
                f"{write_count(n_moved, 'annotator')} outside the band (open marks) had "
                f"{'their' if n_moved > 1 else 'the'} ratings shifted by "
                f"{write_points(calibration.step)} towards it (diamonds: the mean afterwards)."
            )
        )
        text += f"Band: within {points} {noun} of it, where ratings are not shifted. {moved}"
    before = len(outcome.annotators) - len(annotators)
    if before:
        text += f" {write_count(before, 'annotator')} left out before this step: not shown."
    return text


def with_means(outcome: Outcome) -> pd.DataFrame:
    """Return the annotators that reached calibration; column after: the mean after it."""
    keys = ["group", "annotator"]
    counted = outcome.ledger.loc[outcome.ledger["calibrated"].notna(), [*keys, "calibrated"]]
    after = counted.groupby(keys, observed=True)["calibrated"].mean().rename("after")
    table = after.reset_index().astype({"group": str, "annotator": str})
    reached = outcome.annotators[outcome.annotators["mean"].notna()]
    return reached.merge(table, how="left", on=keys)


def _draw_band(axes: Axes, lineup: Lineup, level: Floats, threshold: float) -> None:
    groups = lineup.groups
    places = groups[["left", "right"]].to_numpy().ravel()
    low, high = (np.repeat(level + side * threshold, 2) for side in (-1, 1))
    gaps = np.arange(1, len(groups)) * 2  # separate the bands of the groups
    places, low, high = (np.insert(values, gaps, np.nan) for values in (places, low, high))
    axes.fill_between(places, low, high, color=SOFT, linewidth=0)


def _draw_annotators(axes: Axes, lineup: Lineup, annotators: pd.DataFrame) -> None:
    is_moved = (annotators["shift"] != 0).to_numpy()
    mean, after = (annotators[c].to_numpy(dtype=float) for c in ("mean", "after"))
    moved, noted = lineup.place[is_moved], lineup.noted_size
    draw_marks(axes, lineup, mean, ~is_moved, size=lineup.mark_size, **DOT)
    axes.vlines(
        moved, mean[is_moved], after[is_moved], INK, linewidths=0.8, rasterized=lineup.is_crowded
    )
    ring = {**RING, "markerfacecolor": PAPER}
    draw_marks(axes, lineup, mean, is_moved, size=noted, **ring)
    draw_marks(axes, lineup, after, is_moved, size=noted, **MOVED)


def _legend(outcome: Outcome, annotators: pd.DataFrame) -> list[Line2D | Patch]:
    handles: list[Line2D | Patch] = [Line2D([], [], label="not shifted", markersize=5, **DOT)]
    if outcome.recipe.calibration.enabled:
        handles.append(Patch(label="not to shift", facecolor=SOFT))
    if (annotators["shift"] != 0).any():
        handles.append(Line2D([], [], label="shifted: before", markersize=5, **RING))
        handles.append(Line2D([], [], label="shifted: after", markersize=5, **MOVED))
    return handles
