"""The distribution of the scores and, under it, of the deviations."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from postprocess.figures.drawing import (
    DARK_BARS,
    INK,
    PAPER,
    REFERENCE_LINE,
    Floats,
    count_along,
    draw_points,
    in_style,
    new_figure,
    write_instead,
)
from postprocess.phrases import write_count, write_figure, write_points
from postprocess.steps import Outcome

TITLE = "Scores and their deviations"
N_BINS = 20
DECIMALS = 9  # a score nearer to the edge of a bin than this is on it


@in_style
def draw_scores(outcome: Outcome) -> Figure:
    """All scores as a histogram; below, the deviation of each context against its score."""
    low, high = _ends(outcome)
    figure = new_figure(4.2)
    above, below = figure.subplots(2, 1, sharex=True)
    scores = stack_contexts(outcome.scores, "sim")
    above.hist(scores.round(DECIMALS), bins=list(np.linspace(low, high, N_BINS + 1)), **_BARS)
    above.axvline(scores.mean(), **REFERENCE_LINE)
    above.set_ylabel("contexts")
    count_along(above.yaxis)
    deviations = stack_contexts(outcome.scores, "stdev")
    defined = ~np.isnan(deviations)
    below.set_xlim(low, high)
    below.set_xlabel(f"score ({write_points(low)}–{write_points(high)})")
    below.set_ylabel("standard deviation")
    if not defined.any():
        write_instead(below, "No context has two ratings.")
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
    """What the figure shows, with its numbers."""
    low, high = _ends(outcome)
    scores = stack_contexts(outcome.scores, "sim")
    deviations = stack_contexts(outcome.scores, "stdev")
    n_defined = int((~np.isnan(deviations)).sum())
    ends = f"{write_points(low)} to {write_points(high)}"
    text = (
        f"The scores of {write_count(len(scores), 'context')} "
        f"({write_count(len(outcome.scores), 'pair')}) on the published scale from {ends}. "
        f"Above: how many contexts have which score, in bins of "
        f"{write_points((high - low) / N_BINS)}; dashed: the mean, {write_figure(float(scores.mean()))}. "
    )
    if not n_defined:
        return f"{text}Below: no context has two ratings, and so none has a standard deviation."
    single = len(deviations) - n_defined
    without = f" ({write_count(single, 'context')} with one rating left out)" if single else ""
    return (
        f"{text}Below: the sample standard deviation of each context’s ratings against its score"
        f"{without}; dashed: the mean deviation, {write_figure(float(np.nanmean(deviations)))}. The curve "
        f"is the largest deviation that {write_count(_fewest(outcome.scores))} ratings with that "
        "mean can have: near it, annotators were split between the two ends of the scale."
    )


def greatest_deviation(means: Floats, scale: tuple[float, float], n: int) -> Floats:
    """The largest sample deviation of n ratings on a scale, for each mean they can have.

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
    """A figure of all contexts: those of context 1, then those of context 2."""
    return scores[[f"{figure}1", f"{figure}2"]].to_numpy(dtype=float).ravel(order="F")


_BARS = {**DARK_BARS, "edgecolor": PAPER, "linewidth": 0.5}


def _ends(outcome: Outcome) -> tuple[float, float]:
    return outcome.recipe.rescaling.minimum, outcome.recipe.rescaling.maximum


def _fewest(scores: pd.DataFrame) -> int:
    """The smallest number of ratings with which a context has a deviation."""
    n = stack_contexts(scores, "n")
    return int(n[n > 1].min())
