"""The change of each pair against the evidence for it."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from postprocess.pipeline import Dataset
from postprocess.reporting.figures.drawing import (
    DOT,
    REFERENCE_LINE,
    RING,
    RULE,
    add_legend,
    in_style,
    new_figure,
)
from postprocess.reporting.phrases import write_count

TITLE = "Change against p"
SIGNIFICANT = 0.05


def tabulate_evidence(dataset: Dataset) -> pd.DataFrame:
    """Return a row for each pair: pair, words, change, p-value, q-value; note, if any has one."""
    columns = ["change", "pvalue_two_sided", "qvalue", "note"]
    figures = dataset.outcome.scores.filter(columns).reset_index()
    rows = [dataset.rows[pair - 1] for pair in figures["pair"]]
    figures.insert(1, "word1", [row[0] for row in rows])
    figures.insert(2, "word2", [row[1] for row in rows])
    return figures


@in_style
def draw_evidence(table: pd.DataFrame) -> Figure:
    """Draw −log10 of the two-sided p of each pair against its change."""
    figure = new_figure()
    axes = figure.subplots()
    evidence = -np.log10(table["pvalue_two_sided"].to_numpy(dtype=float))
    change = table["change"].to_numpy(dtype=float)
    is_found = (table["qvalue"] < SIGNIFICANT).to_numpy()
    axes.axvline(0, color=RULE, linewidth=0.8)
    axes.axhline(-np.log10(SIGNIFICANT), **REFERENCE_LINE)
    axes.plot(change[~is_found], evidence[~is_found], markersize=4, clip_on=False, **RING)
    axes.plot(change[is_found], evidence[is_found], markersize=4, clip_on=False, **DOT)
    for at in np.flatnonzero(table.get("note", "") != ""):
        axes.annotate("†", (change[at], evidence[at]), (3, 1), textcoords="offset points")
    reach = 1.05 * max(1.0, float(np.abs(change).max()))
    axes.set_xlim(-reach, reach)
    axes.set_ylim(0, 1.05 * max(2.0, float(evidence.max())))
    axes.set_xlabel("change: score in context 2 − score in context 1")
    axes.set_ylabel("−log10 of the two-sided p")
    handles = [
        Line2D([], [], label="q < 0.05", markersize=4, **DOT),
        Line2D([], [], label="q ≥ 0.05", markersize=4, **RING),
        Line2D([], [], label="p = 0.05", **REFERENCE_LINE),
    ]
    add_legend(axes, handles, columns=3)
    return figure


def caption_evidence(table: pd.DataFrame) -> str:
    """Return the caption of the plot, with its numbers."""
    n_found = int((table["qvalue"] < SIGNIFICANT).sum())
    n_low = int((table["pvalue_two_sided"] < SIGNIFICANT).sum())
    return (
        f"Each of the {write_count(len(table), 'pair')} by its change and the evidence for it: the "
        f"higher, the smaller the two-sided p of the Mann–Whitney test. {write_count(n_low)} are "
        f"above the dashed line, p = 0.05; filled: the {write_count(n_found)} that remain at a "
        "false discovery rate of 5\u00a0% (q below 0.05). Few ratings limit how high a pair can "
        "be. The numbers of the contexts are arbitrary, so left and right mean the same."
    )
