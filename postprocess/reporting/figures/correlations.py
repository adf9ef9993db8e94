"""Each annotator's correlation with the rest of the group, and the bound for filtering."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from postprocess.reporting.figures.drawing import (
    CROSS,
    DOT,
    INK,
    REFERENCE_LINE,
    RULE,
    TRIANGLE,
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
from postprocess.reporting.phrases import write_count, write_figure, write_points
from postprocess.steps.core import LEFT_OUT
from postprocess.steps.post_process import Outcome

TITLE = "Correlation of annotators with their group"
MEAN_WIDTH = 1.8  # in points; thicker than the line of the bound


@in_style
def draw_correlations(outcome: Outcome) -> Figure:
    """Draw each annotator's mean Spearman correlation with the others of the group."""
    judged = judged_annotators(outcome)
    figure = new_figure(3.3)
    axes = figure.subplots()
    axes.set_ylabel("mean Spearman’s ρ with the others")
    low = _floor(judged)
    axes.set_ylim(low, 1.02)
    if judged["rho"].isna().all():
        write_instead(axes, "All correlations are undefined.")
        axes.set_xticks([])
        return figure
    if low < 0:
        axes.axhline(0, color=RULE, linewidth=0.8)
    lineup = line_up(judged, "rho")
    by_group = judged.groupby("group")[["rho", "bound"]]
    levels = by_group.agg({"rho": "mean", "bound": "first"}).reindex(lineup.groups["group"])
    draw_levels(axes, lineup, levels["rho"].to_numpy(dtype=float), linewidths=MEAN_WIDTH)
    if outcome.recipe.filtering.enabled:
        bound = levels["bound"].to_numpy(dtype=float)
        draw_levels(axes, lineup, bound, linestyles=[REFERENCE_LINE["linestyle"]])
    _draw_annotators(axes, lineup, judged, low)
    mark_groups(axes, lineup, len(judged))
    handles = _legend(outcome, judged)
    add_legend(axes, handles, columns=4 if len(handles) == 4 else 3)
    return figure


def caption_correlations(outcome: Outcome) -> str:
    """Return the caption of the figure, with its numbers."""
    return " ".join(_describe(outcome, judged_annotators(outcome)))


def judged_annotators(outcome: Outcome) -> pd.DataFrame:
    """Return the annotators that reached filtering."""
    reached = outcome.annotators[outcome.annotators["mean"].notna()]
    return reached.reset_index(drop=True)


def _floor(judged: pd.DataFrame) -> float:
    """Return the lower end of the axis: below all marks, and below 0."""
    lowest = np.nanmin([0.0, *judged["rho"], *judged["bound"]])
    return float(np.floor((lowest - 0.04) * 10) / 10) if lowest < 0 else -0.04


def _draw_annotators(axes: Axes, lineup: Lineup, judged: pd.DataFrame, low: float) -> None:
    is_out = (judged["decision"] == LEFT_OUT).to_numpy()
    is_undefined = judged["rho"].isna().to_numpy()
    rho, noted = judged["rho"].to_numpy(dtype=float), lineup.noted_size
    draw_marks(axes, lineup, rho, ~is_out & ~is_undefined, size=lineup.mark_size, **DOT)
    draw_marks(axes, lineup, rho, is_out & ~is_undefined, size=noted, **CROSS)
    edge = np.full(len(rho), low)
    draw_marks(axes, lineup, edge, is_undefined, size=noted, clip_on=False, **TRIANGLE)


def _legend(outcome: Outcome, judged: pd.DataFrame) -> list[Line2D]:
    handles = [Line2D([], [], label="kept", markersize=5, **DOT)]
    if (judged["decision"] == LEFT_OUT).any():
        handles.append(Line2D([], [], label="left out", markersize=6, **CROSS))
    if judged["rho"].isna().any():
        handles.append(Line2D([], [], label="undefined", markersize=5, **TRIANGLE))
    handles.append(Line2D([], [], label="group mean", color=INK, linewidth=MEAN_WIDTH))
    if outcome.recipe.filtering.enabled:
        handles.append(Line2D([], [], label="bound", **REFERENCE_LINE))
    return handles


def _describe(outcome: Outcome, judged: pd.DataFrame) -> Iterator[str]:
    yield (
        f"Agreement of {count_annotators(judged)}: the mean of Spearman’s ρ with every other "
        "annotator of the group, after calibration, ordered by group and ρ."
    )
    rho, is_out = judged["rho"], judged["decision"] == LEFT_OUT
    filtering = outcome.recipe.filtering
    if rho.notna().any():
        yield (
            f"ρ is {write_figure(rho.mean())} on average, from {write_figure(rho.min())} to "
            f"{write_figure(rho.max())}. Solid lines: the mean of each group."
        )
    if rho.notna().any() and filtering.enabled:
        n_out = int((is_out & rho.notna()).sum())
        yield (
            f"Dashed: {write_points(filtering.k)} SD of the group’s ρ below the mean, the bound of "
            f"filtering. Crosses: {write_count(n_out, 'annotator')} left out."
        )
    if not filtering.enabled:
        yield "Filtering was off, so no annotator was left out for a low ρ."
    if n_undefined := int(rho.isna().sum()):
        n_constant = int((is_out & rho.isna()).sum())
        yield (
            f"At the lower edge (triangles): {write_count(n_undefined, 'annotator')} without a "
            "defined ρ, because of constant ratings or too few common contexts"
            + (f"; {write_count(n_constant)} left out for constant ratings." if n_constant else ".")
        )
