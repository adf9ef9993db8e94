"""Agreement overall, of blocks and of annotators, as a forest plot."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from postprocess.pipeline import Dataset
from postprocess.reporting.figures.drawing import (
    CROSS,
    DOT,
    INK,
    REFERENCE_LINE,
    STRONG,
    in_style,
    new_figure,
    write_instead,
)
from postprocess.reporting.phrases import shorten, write_count, write_figure
from postprocess.steps.core import LEFT_OUT

TITLE = "Agreement of blocks and annotators"
OVERALL, SLICE, ANNOTATOR = "overall", "block", "annotator"
MOST_NAMED = 60  # rows with names; more are drawn closer together, without
ROW = 0.17  # inches


def tabulate_forest(dataset: Dataset) -> pd.DataFrame:
    """Return a row for each estimate, the annotators of each group by their agreement.

    Columns: kind ("overall", "block" or, if blocks are not known, "group"; "annotator"), name,
    estimate (overall and of blocks: the mean correlation of an annotator with the mean of the
    others; of an annotator: the mean Spearman's ρ with every other of the group), low, high
    (95 % interval, NaN if it was not computed) and is_left_out (of the scores).
    """
    agreement = dataset.report["agreement"]
    estimates = [("overall", OVERALL, agreement["overall"])]
    by = SLICE if SLICE in agreement["by"] else "group"
    estimates += [(by, f"{by} {entry['name']}", entry) for entry in agreement["by"].get(by, [])]
    rows = [
        (kind, name, entry["human"], entry.get("human_low"), entry.get("human_high"), False)
        for kind, name, entry in estimates
    ]
    judged = dataset.outcome.annotators
    judged = judged[judged["rho"].notna()].sort_values("rho", ascending=False, kind="stable")
    rows += [
        (ANNOTATOR, f"{name} ({group})", rho, None, None, decision == LEFT_OUT)
        for name, group, rho, decision in judged[
            ["annotator", "group", "rho", "decision"]
        ].itertuples(index=False)
    ]
    columns = ["kind", "name", "estimate", "low", "high", "is_left_out"]
    table = pd.DataFrame(rows, columns=columns)
    return table.astype({"estimate": float, "low": float, "high": float})


@in_style
def draw_forest(table: pd.DataFrame) -> Figure:
    """Draw estimates with intervals on lines, groups above and annotators below."""
    parts = [table[table["kind"] != ANNOTATOR], table[table["kind"] == ANNOTATOR]]
    heights = [ROW * min(max(len(part), 1), MOST_NAMED) for part in parts]
    figure = new_figure(1.1 + sum(heights))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=heights)
    for axes, part in ((above, parts[0]), (below, parts[1])):
        _draw_rows(axes, part)
        overall = table["estimate"].iloc[0]
        if axes is above and not np.isnan(overall):
            axes.axvline(overall, **REFERENCE_LINE)
    lowest = np.nanmin([0.0, *table["estimate"], *table["low"]])
    below.set_xlim(float(np.floor((lowest - 0.02) * 10) / 10) if lowest < 0 else -0.02, 1.02)
    above.set_title("mean correlation with the mean of the others")
    below.set_title("annotators: mean Spearman’s ρ with each other")
    below.set_xlabel("agreement")
    return figure


def caption_forest(table: pd.DataFrame) -> str:
    """Return the caption of the plot, with its numbers."""
    overall = table.iloc[0]
    annotators = table[table["kind"] == ANNOTATOR]
    n_out = int(annotators["is_left_out"].sum())
    slices = table[~table["kind"].isin((OVERALL, ANNOTATOR))]
    noun = slices["kind"].iloc[0] if len(slices) else SLICE
    interval = (
        ""
        if np.isnan(overall["low"])
        else f" ({write_figure(overall['low'])} to {write_figure(overall['high'])})"
    )
    return (
        "Above: how far annotators agree, as the mean correlation of an annotator with the mean of "
        f"the others, overall {write_figure(overall['estimate'])}{interval} and in "
        f"{write_count(len(slices), noun)}, with 95\u00a0% bootstrap intervals. Below: "
        f"{write_count(len(annotators), 'annotator')}, counted in each of their groups, by the "
        "mean of Spearman’s ρ with every other annotator of the group, after calibration; crosses: "
        f"{write_count(n_out)} left out of the scores. The two measures differ, so compare rows "
        "within a part only."
    )


def _draw_rows(axes: Axes, rows: pd.DataFrame) -> None:
    if rows.empty:
        write_instead(axes, "No correlation is defined.")
        axes.set_yticks([])
        return
    place = np.arange(len(rows), dtype=float)
    low, high = rows["low"].to_numpy(), rows["high"].to_numpy()
    has_interval = ~np.isnan(low) & ~np.isnan(high)
    axes.hlines(
        place[has_interval], low[has_interval], high[has_interval], color=STRONG, linewidth=1.2
    )
    is_out, estimate = rows["is_left_out"].to_numpy(dtype=bool), rows["estimate"].to_numpy()
    axes.plot(estimate[~is_out], place[~is_out], markersize=4, **DOT)
    axes.plot(estimate[is_out], place[is_out], markersize=4.5, **CROSS)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    if len(rows) <= MOST_NAMED:
        axes.set_yticks(place, [shorten(name) for name in rows["name"]], fontsize=6.5)
    else:
        axes.set_yticks([])
        axes.set_ylabel(f"{len(rows):,}", color=INK)
