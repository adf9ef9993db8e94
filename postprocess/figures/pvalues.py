"""The p-values of the pairs, beside what they would be if no context changed anything."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from postprocess.figures.drawing import (
    DARK_BARS,
    INK,
    LIGHT_BARS,
    REFERENCE_LINE,
    Floats,
    count_along,
    in_style,
    new_figure,
    put_legend,
    write_instead,
)
from postprocess.phrases import SPACE, write_count, write_figure, write_share
from postprocess.steps import Outcome

TITLE = "p-values"
LARGEST = 0.5  # of a published p-value, being one-sided towards the side that was seen
N_BINS = 20
LEVELS = (0.05, 0.1)
DECIMALS = 9


@in_style
def draw_pvalues(outcome: Outcome) -> Figure:
    """The published p-values as a histogram with the uniform expectation."""
    counted = _counted(outcome)
    figure = new_figure()
    axes = figure.subplots()
    if not len(counted):
        write_instead(axes, "Every p-value is 1.")
        axes.set_xticks([])
        axes.set_yticks([])
        return figure
    edges = np.linspace(0, LARGEST, N_BINS + 1)
    heights = np.histogram(counted.round(DECIMALS), bins=edges)[0]
    is_low = edges[:-1] < LEVELS[0] - 10.0**-DECIMALS
    for chosen, style in ((is_low, DARK_BARS), (~is_low, LIGHT_BARS)):
        axes.bar(edges[:-1][chosen], heights[chosen], LARGEST / N_BINS, align="edge", **style)
    axes.hlines(_expected(outcome), 0, LARGEST, **_LINE)
    for level in LEVELS:
        axes.axvline(level, color=INK, linewidth=0.8, linestyle=":")
    axes.set_xlim(0, LARGEST)
    axes.set_ylim(0, 1.08 * max(heights.max(), _expected(outcome), 1))
    ticks = [0, *LEVELS, 0.2, 0.3, 0.4, LARGEST]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xlabel("published p-value")
    axes.set_ylabel("pairs")
    count_along(axes.yaxis)
    line = Line2D([], [], label="expected if nothing changed", **REFERENCE_LINE)
    put_legend(axes, [Patch(label="p < 0.05", **DARK_BARS), line])
    return figure


def caption_pvalues(outcome: Outcome) -> str:
    """What the figure shows, with its numbers."""
    pvalues = outcome.scores["pvalue"].to_numpy(dtype=float)
    n = len(pvalues)
    n_equal = n - len(_counted(outcome))
    if n_equal == n:
        return (
            f"The published p-values of {write_count(n, 'pair')} are all 1: within each pair all "
            "ratings are equal, and nothing speaks for a change."
        )
    without = f" {write_count(n_equal, 'pair')} with p = 1 not shown." if n_equal else ""
    n_below = [int((pvalues < level).sum()) for level in LEVELS]
    n_discovered = int((outcome.scores["qvalue"] < LEVELS[0]).sum())
    return (
        f"The published p-values of {write_count(n, 'pair')} for a change between the two "
        f"contexts, in bins of {LARGEST / N_BINS:g}.{without} They are one-sided towards the "
        "side on which the change was found, and so run from 0 to 0.5. Dashed: the "
        f"{write_figure(_expected(outcome), 1)} pairs a bin to be expected if no context changed "
        f"anything. Below 0.05 (dark): {write_count(n_below[0], 'pair')}, "
        f"{write_share(n_below[0], n)}, where chance gives 10{SPACE}%; below 0.1: "
        f"{write_count(n_below[1])}, {write_share(n_below[1], n)}, where chance gives "
        f"20{SPACE}%. With the rate of false discoveries held at 5{SPACE}%, a change is found "
        f"in {write_count(n_discovered, 'pair')}, {write_share(n_discovered, n)}."
    )


_LINE = {
    "colors": REFERENCE_LINE["color"],
    "linewidths": REFERENCE_LINE["linewidth"],
    "linestyles": [REFERENCE_LINE["linestyle"]],
}


def _counted(outcome: Outcome) -> Floats:
    """The p-values without those of pairs whose ratings are all equal, which are 1."""
    pvalues = outcome.scores["pvalue"].to_numpy(dtype=float)
    return pvalues[pvalues <= LARGEST]


def _expected(outcome: Outcome) -> float:
    return len(_counted(outcome)) / N_BINS
