"""How many ratings each context was given, and how many of them are in its score."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from postprocess.reporting.figures.drawing import (
    DARK_BARS,
    LIGHT_BARS,
    Floats,
    count_along,
    in_style,
    new_figure,
    put_legend,
)
from postprocess.reporting.figures.scores import stack_contexts
from postprocess.reporting.phrases import write_count
from postprocess.steps.post_process import Outcome
from postprocess.table.numbering import Codes, number_items

TITLE = "Ratings per context"
MOST_BARS = 30  # numbers of ratings shown each by itself; wider ranges are binned
FEWEST_BARS = 6  # room for as many, so that a single bar does not fill the figure


@in_style
def draw_coverage(outcome: Outcome) -> Figure:
    """Contexts by their number of ratings, those given and those used side by side."""
    given, used = count_given(outcome), count_used(outcome)
    figure = new_figure()
    axes = figure.subplots()
    edges = _bin(given, used)
    width = np.diff(edges)
    for counts, shift, style in ((given, 0.08, LIGHT_BARS), (used, 0.5, DARK_BARS)):
        heights = np.histogram(counts, bins=edges)[0]
        axes.bar(edges[:-1] + shift * width, heights, 0.42 * width, align="edge", **style)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_xlabel("ratings of a context")
    axes.set_ylabel("contexts")
    count_along(axes.xaxis)
    count_along(axes.yaxis)
    put_legend(axes, [Patch(label="given", **LIGHT_BARS), Patch(label="used", **DARK_BARS)])
    return figure


def caption_coverage(outcome: Outcome) -> str:
    """What the figure shows, with its numbers."""
    given, used = count_given(outcome), count_used(outcome)
    step = int(np.diff(_bin(given, used))[0])
    binned = f", in bins of {step}" if step > 1 else ""
    return (
        f"How many of the {write_count(len(used), 'context')} were given how many ratings"
        f"{binned}. Hatched: all {write_count(int(given.sum()))} ratings that were given, "
        f"{_range(given)} a context; dark: the {write_count(int(used.sum()))} that are in the "
        f"scores, {_range(used)} a context, median {np.median(used):g}. The further the dark bars "
        "lie to the left of the hatched ones, the more was left out; a context far to the left "
        "rests on few people."
    )


def count_given(outcome: Outcome) -> Codes:
    """The number of ratings of each context, before any step; contexts in the order of pairs."""
    is_rating = outcome.ledger["rating"].notna().to_numpy()
    item = number_items(outcome.ledger)[is_rating]
    return np.bincount(item, minlength=2 * len(outcome.scores))


def count_used(outcome: Outcome) -> Codes:
    """The number of ratings in each score."""
    return stack_contexts(outcome.scores, "n").astype(np.int64)


def _bin(given: Codes, used: Codes) -> Floats:
    """Edges of bins between whole numbers, of one number each while they are few."""
    low = int(min(given.min(), used.min()))
    high = int(max(given.max(), used.max()))
    missing = max(0, FEWEST_BARS - (high - low + 1))
    high += missing // 2
    low = max(0, low - (missing + 1) // 2)
    step = -(-(high - low + 1) // MOST_BARS)
    return np.arange(low - 0.5, high + step + 0.5, step)


def _range(counts: Codes) -> str:
    low, high = int(counts.min()), int(counts.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
