"""The two-sided p-values of the pairs, and their expectation if nothing changed."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from postprocess.reporting.figures.drawing import (
    DARK_BARS,
    INK,
    LIGHT_BARS,
    REFERENCE_LINE,
    add_legend,
    count_along,
    in_style,
    new_figure,
    write_instead,
)
from postprocess.reporting.phrases import SPACE, write_count, write_figure, write_share
from postprocess.steps.post_process import Outcome
from postprocess.types import Floats

TITLE = "p-values"
N_BINS = 20
LEVEL = 0.05
TICKS = (LEVEL, 0.2, 0.4, 0.6, 0.8, 1)
MAX_ONE_SIDED = 0.5  # of a published p-value; 1 if all ratings of a pair are equal
DECIMALS = 9


@in_style
def draw_pvalues(outcome: Outcome) -> Figure:
    """Draw the two-sided p-values as a histogram with the uniform expectation."""
    counted = _counted(outcome)
    figure = new_figure()
    axes = figure.subplots()
    if not len(counted):
        write_instead(axes, "Every p-value is 1.")
        axes.set_xticks([])
        axes.set_yticks([])
        return figure
    edges = np.linspace(0, 1, N_BINS + 1)
    heights = np.histogram(counted.round(DECIMALS), bins=edges)[0]
    is_low = edges[:-1] < LEVEL - 10.0**-DECIMALS
    for chosen, style in ((is_low, DARK_BARS), (~is_low, LIGHT_BARS)):
        axes.bar(edges[:-1][chosen], heights[chosen], 1 / N_BINS, align="edge", **style)
    axes.hlines(_expected(outcome), 0, 1, **_LINE)
    axes.axvline(LEVEL, color=INK, linewidth=0.8, linestyle=":")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.08 * max(heights.max(), _expected(outcome), 1))
    axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.set_xlabel("two-sided p-value")
    axes.set_ylabel("pairs")
    count_along(axes.yaxis)
    line = Line2D([], [], label="expected if nothing changed", **REFERENCE_LINE)
    add_legend(axes, [Patch(label="p < 0.05", **DARK_BARS), line])
    return figure


def caption_pvalues(outcome: Outcome) -> str:
    """Return the caption of the figure, with its numbers."""
    scores = outcome.scores
    n = len(scores)
    n_equal = n - len(_counted(outcome))
    if n_equal == n:
        return (
            f"The p-values of {write_count(n, 'pair')} are all 1: within each pair all ratings are "
            "equal, so there is no evidence of a change."
        )
    without = f" {write_count(n_equal, 'pair')} with equal ratings: not shown." if n_equal else ""
    return (
        f"The two-sided p-values of {write_count(n, 'pair')} for a change between the two "
        f"contexts, in bins of {1 / N_BINS:g}.{without} Dashed: the "
        f"{write_figure(_expected(outcome), 1)} pairs expected per bin if nothing changed. "
        f"Below 0.05 (dark): {_count_below(scores['pvalue_two_sided'])}; about 5{SPACE}% are "
        f"expected by chance. At a false discovery rate of 5{SPACE}% (q < 0.05), "
        f"{_count_below(scores['qvalue'])} change. The published p-values are one-sided in the "
        f"observed direction: {_count_below(scores['pvalue'])} are below 0.05; about "
        f"10{SPACE}% are expected by chance."
    )


_LINE = {
    "colors": REFERENCE_LINE["color"],
    "linewidths": REFERENCE_LINE["linewidth"],
    "linestyles": [REFERENCE_LINE["linestyle"]],
}


def _count_below(figures: "pd.Series[float]") -> str:
    n = int((figures < LEVEL).sum())
    return f"{write_count(n, 'pair')} ({write_share(n, len(figures))})"


def _counted(outcome: Outcome) -> Floats:
    """Return the two-sided p-values of all pairs but those whose ratings are all equal."""
    scores = outcome.scores
    has_evidence = scores["pvalue"] <= MAX_ONE_SIDED
    return scores.loc[has_evidence, "pvalue_two_sided"].to_numpy(dtype=float)


def _expected(outcome: Outcome) -> float:
    return len(_counted(outcome)) / N_BINS
