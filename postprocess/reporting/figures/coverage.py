"""The numbers of ratings given and used for each context."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from postprocess.reporting.figures.drawing import (
    DARK_BARS,
    LIGHT_BARS,
    add_legend,
    count_along,
    in_style,
    new_figure,
)
from postprocess.reporting.figures.scores import stack_contexts
from postprocess.reporting.phrases import write_count
from postprocess.steps.post_process import Outcome
from postprocess.table.ratings import number_items
from postprocess.types import Codes, Floats

MAX_BARS = 30  # wider ranges are binned
MIN_BARS = 6  # so that a single bar does not fill the figure


@in_style
def draw_coverage(outcome: Outcome) -> Figure:
    """Draw contexts by their numbers of ratings given and used."""
    given, used = count_given(outcome), count_used(outcome)
    figure = new_figure()
    axes = figure.subplots()
    edges = _bin(given, used)
    width = np.diff(edges)
    for counts, shift, style in ((given, 0.08, LIGHT_BARS), (used, 0.5, DARK_BARS)):
        heights = np.histogram(counts, bins=edges)[0]
        axes.bar(edges[:-1] + shift * width, heights, 0.42 * width, align="edge", **style)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_xlabel(f"ratings per {outcome.unit}")
    axes.set_ylabel(f"{outcome.unit}s")
    count_along(axes.xaxis)
    count_along(axes.yaxis)
    add_legend(axes, [Patch(label="given", **LIGHT_BARS), Patch(label="used", **DARK_BARS)])
    return figure


def caption_coverage(outcome: Outcome) -> str:
    """Return the caption of the figure, with its numbers."""
    given, used = count_given(outcome), count_used(outcome)
    unit, step = outcome.unit, int(np.diff(_bin(given, used))[0])
    binned = f", in bins of {step}" if step > 1 else ""
    return (
        f"The {write_count(len(used), unit)} by number of ratings{binned}. Hatched: all "
        f"{write_count(int(given.sum()))} given ratings, {_range(given)} per {unit}; dark: the "
        f"{write_count(int(used.sum()))} ratings used in the scores, {_range(used)} per {unit}, "
        f"median {np.median(used):g}. The further the dark bars are to the left of the hatched "
        f"ones, the more ratings were left out; {unit}s far to the left have few ratings."
    )


def count_given(outcome: Outcome) -> Codes:
    """Return each context's number of ratings before all steps, in the order of pairs."""
    is_rating = outcome.ledger["rating"].notna().to_numpy()
    item = number_items(outcome.ledger, outcome.n_contexts)[is_rating]
    return np.bincount(item, minlength=outcome.n_used.size)


def count_used(outcome: Outcome) -> Codes:
    """Return the number of ratings of each score."""
    return stack_contexts(outcome.pairs, "n").astype(np.int64)


def _bin(given: Codes, used: Codes) -> Floats:
    """Return edges of bins between integers, one integer each if there are few."""
    low = int(min(given.min(), used.min()))
    high = int(max(given.max(), used.max()))
    missing = max(0, MIN_BARS - (high - low + 1))
    high += missing // 2
    low = max(0, low - (missing + 1) // 2)
    step = -(-(high - low + 1) // MAX_BARS)
    return np.arange(low - 0.5, high + step + 0.5, step)


def _range(counts: Codes) -> str:
    low, high = int(counts.min()), int(counts.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
