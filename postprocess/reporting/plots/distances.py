"""The score of each context against the distance of its two words."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from postprocess.pipeline import Dataset
from postprocess.reporting.figures.drawing import (
    ACCENT,
    draw_points,
    in_style,
    new_figure,
    write_instead,
)
from postprocess.reporting.phrases import write_count, write_figure
from postprocess.statistics.confounds import measure_contexts
from postprocess.statistics.correlations import spearman

TITLE = "Score against distance"
N_PARTS = 5  # of the contexts, by distance, whose means are drawn


def tabulate_distances(dataset: Dataset) -> pd.DataFrame:
    """Return a row for each context with a distance: pair, context, distance (words), score."""
    measures = measure_contexts(dataset.rows)[["pair", "context", "distance"]]
    scores = dataset.outcome.pairs[["sim1", "sim2"]].to_numpy(dtype=float).ravel()
    return measures.assign(score=scores).dropna().reset_index(drop=True)


@in_style
def draw_distances(table: pd.DataFrame, low: float, high: float) -> Figure:
    """Draw scores against distances, and the mean of each fifth of the contexts."""
    figure = new_figure()
    axes = figure.subplots()
    axes.set_xlabel("distance of the two words in words")
    axes.set_ylabel("score")
    axes.set_ylim(low, high)
    if table.empty:
        write_instead(axes, "No distance is known.")
        return figure
    x, y = (table[name].to_numpy(dtype=float) for name in ("distance", "score"))
    end = 1.05 * float(x.max())
    draw_points(axes, x, y, (0.0, end, low, high))
    axes.set_aspect("auto")
    axes.set_xlim(0, end)
    order = np.argsort(x, kind="stable")
    parts = [part for part in np.array_split(order, N_PARTS) if len(part)]
    axes.plot(
        [x[part].mean() for part in parts], [y[part].mean() for part in parts],
        color=ACCENT, linewidth=1.4, marker="D", markersize=4,
    )  # fmt: skip
    return figure


def caption_distances(table: pd.DataFrame) -> str:
    """Return the caption of the plot, with its numbers."""
    if table.empty:
        return "The marks of no context can be read, so no distance is known."
    rho = spearman(table["distance"].to_numpy(dtype=float), table["score"].to_numpy(dtype=float))
    return (
        f"The scores of {write_count(len(table), 'context')} against the distance of the two "
        "words, in words (1: side by side). Diamonds: the mean of each fifth of the contexts, by "
        f"distance. Spearman’s ρ is {write_figure(rho)}. Words that stand close together may seem "
        "more similar; the table of confounds in the report has its interval, and other measures."
    )
