"""The distributions of the scores and of their standard deviations."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from postprocess.reporting.figures.drawing import (
    INK,
    MAX_POINTS,
    REFERENCE_LINE,
    SOFT,
    STRONG,
    count_along,
    draw_points,
    in_style,
    new_figure,
    write_instead,
)
from postprocess.reporting.phrases import write_count, write_figure, write_points
from postprocess.steps.post_process import Outcome
from postprocess.types import Floats

TITLE = "Scores and their deviations"
N_BINS = 20
DECIMALS = 9  # scores are rounded before they are binned


@in_style
def draw_scores(outcome: Outcome) -> Figure:
    """Draw a histogram of the scores and, below, each context's deviation against its score."""
    low, high = _ends(outcome)
    figure = new_figure(4.2)
    above, below = figure.subplots(2, 1, sharex=True)
    scores = stack_contexts(outcome.scores, "sim")
    above.hist(scores.round(DECIMALS), bins=list(np.linspace(low, high, N_BINS + 1)), **_BARS)
    above.axvline(scores.mean(), **REFERENCE_LINE)
    above.set_ylabel(f"{outcome.unit}s")
    count_along(above.yaxis)
    deviations = stack_contexts(outcome.scores, "stdev")
    defined = ~np.isnan(deviations)
    below.set_xlim(low, high)
    below.set_xlabel(f"score ({write_points(low)} to {write_points(high)})")
    below.set_ylabel("standard deviation")
    if not defined.any():
        write_instead(below, f"No {outcome.unit} has two ratings.")
        return figure
    means = np.linspace(low, high, 201)
    most = greatest_deviation(means, (low, high), _fewest(outcome.scores))
    below.plot(means, most, color=INK, linewidth=0.8)
    below.axhline(deviations[defined].mean(), **REFERENCE_LINE)
    below.set_ylim(0, 1.05 * most.max())
    span = (low, high, 0.0, float(1.05 * most.max()))
    draw_points(below, scores[defined], deviations[defined], span)
    return figure


def caption_scores(outcome: Outcome) -> str:
    """Return the caption of the figure, with its numbers."""
    low, high = _ends(outcome)
    scores = stack_contexts(outcome.scores, "sim")
    mean, unit = write_figure(float(scores.mean())), outcome.unit
    pairs = f" ({write_count(len(outcome.scores), 'pair')})" if outcome.n_contexts == 2 else ""
    return (
        f"The scores of {write_count(len(scores), unit)}{pairs} on the published scale from "
        f"{write_points(low)} to {write_points(high)}. Above: the number of {unit}s by score, "
        f"in bins of {write_points((high - low) / N_BINS)}; dashed: the mean, {mean}. Below: "
        f"{_describe_deviations(outcome.scores, unit)}"
    )


def _describe_deviations(scores: pd.DataFrame, unit: str) -> str:
    deviations = stack_contexts(scores, "stdev")
    defined = deviations[~np.isnan(deviations)]
    if not len(defined):
        return f"no {unit} has two ratings, so none has a standard deviation."
    n_single = len(deviations) - len(defined)
    left_out = f" ({write_count(n_single, unit)} with one rating left out)" if n_single else ""
    mean = write_figure(float(defined.mean()))
    shaded = f"; darker: more {unit}s" if len(defined) > MAX_POINTS else ""
    return (
        f"the sample standard deviation of each {unit}’s ratings against its score{left_out}"
        f"{shaded}; dashed: the mean deviation, {mean}. The curve is the "
        f"largest deviation that {write_count(_fewest(scores))} ratings with that mean can have: "
        "near it, the ratings are at the two ends of the scale."
    )


def greatest_deviation(means: Floats, scale: tuple[float, float], n: int) -> Floats:
    """Return the largest sample deviation of n ratings on a scale, for each mean.

    References
    ----------
    Bhatia and Davis (2000), A better bound on the variance.

    Examples
    --------
    >>> greatest_deviation(np.array([0.0, 5.0, 10.0]), (0, 10), 2).round(3).tolist()
    [0.0, 7.071, 0.0]
    """
    low, high = scale
    return np.sqrt(n / (n - 1) * (means - low) * (high - means))


def stack_contexts(scores: pd.DataFrame, figure: str) -> Floats:
    """Return one figure for all contexts: first every context 1, then every context 2.

    NaN for a figure that the scores do not have, such as the deviation of a majority.
    """
    names = [f"{figure}1", *([f"{figure}2"] if "n2" in scores else [])]
    return scores.reindex(columns=names).to_numpy(dtype=float).ravel(order="F")


_BARS = {
    "facecolor": SOFT,
    "edgecolor": STRONG,
    "linewidth": 0.8,
}  # light, so that the mean is visible


def _ends(outcome: Outcome) -> tuple[float, float]:
    return outcome.recipe.rescaling.minimum, outcome.recipe.rescaling.maximum


def _fewest(scores: pd.DataFrame) -> int:
    """Return the smallest number of ratings of a context with a deviation."""
    n = stack_contexts(scores, "n")
    return int(n[n > 1].min())
