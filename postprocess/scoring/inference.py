"""Intervals of scores and tests of their differences, by a jackknife over pairs.

Source of the method: Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 11;
degrees of freedom of averages: Welch (1947) and Satterthwaite (1946).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from postprocess.scoring.figures import MOST_GROUPS, Figures
from postprocess.scoring.metrics import METRICS, Metric
from postprocess.scoring.quantiles import student_quantile
from postprocess.types import Floats

FEWEST_PAIRS = 10  # for an interval
TAIL = 0.025


class Interval(NamedTuple):
    """The ends of a 95 % interval."""

    low: float
    high: float


class Measured(NamedTuple):
    """A score, its standard error, and the number of pairs."""

    score: float
    error: float
    n: int


class Average(NamedTuple):
    """The mean of the scores of several parts, with its interval, if it has one."""

    score: float
    interval: Interval | None
    error: float
    freedom: float


class Difference(NamedTuple):
    """How much higher one score is than another, and the two-sided p of no difference."""

    d: float
    error: float
    p: float


def standard_error(left_out: Floats) -> float:
    """Return the jackknife's standard error of a figure, given those without each group.

    It is NaN if one of these is undefined: the figure hangs on a single group then.

    >>> round(standard_error(np.array([1.0, 2.0, 3.0])), 4)
    1.1547
    """
    n = len(left_out)
    return float(np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()))


def score_interval(figures: Figures, metric: Metric) -> Interval | None:
    """Return the 95 % interval of a score, by its artanh; None if it is undefined.

    It is undefined for fewer than 10 pairs, for a score of 1 or -1, for one that is the same
    without any of the pairs, as that of predictions that are all 0, or that is undefined without
    one of them, and where no score is below 0 if the score is 0, with all pairs or without one of
    them. There the low end is at least 0.
    """
    every, lowest = np.append(figures.left_out, figures.score), METRICS[metric].lowest
    if figures.n < FEWEST_PAIRS or (np.abs(every) >= 1).any():
        return None
    if lowest == 0 and (every == 0).any():
        return None
    error = standard_error(np.arctanh(figures.left_out))
    if not error > 0:
        return None
    reach = student_quantile(1 - TAIL, len(figures.left_out) - 1) * error
    middle = np.arctanh(figures.score)
    low, high = (float(np.tanh(end)) for end in (middle - reach, middle + reach))
    return Interval(max(low, lowest), high)


def average_scores(parts: Sequence[Figures], metric: Metric) -> Average:
    """Return the mean of the scores of several parts, with a 95 % interval.

    Its low end is at least the metric's lowest score.
    """
    return average_measured(
        [Measured(part.score, standard_error(part.left_out), part.n) for part in parts], metric
    )


def average_measured(parts: Sequence[Measured], metric: Metric) -> Average:
    """Return the mean of scores whose standard errors are known, as `average_scores`.

    >>> parts = [Measured(0.7, 0.05, 111), Measured(0.6, 0.1, 24)]
    >>> round(average_measured(parts, Metric.CHANGE).error, 4)
    0.0559
    """
    mean = float(np.mean([part.score for part in parts]))
    freedoms = [min(part.n, MOST_GROUPS) - 1 for part in parts]
    error, freedom = _combine([part.error for part in parts], freedoms)
    is_bounded = abs(mean) < 1 and all(part.n >= FEWEST_PAIRS for part in parts)
    if not is_bounded or not error > 0:
        return Average(mean, None, error, freedom)
    reach = student_quantile(1 - TAIL, freedom) * error / (1 - mean**2)
    low, high = (float(np.tanh(np.arctanh(mean) + sign * reach)) for sign in (-1, 1))
    return Average(mean, Interval(max(low, METRICS[metric].lowest), high), error, freedom)


def compare_scores(first: Figures, second: Figures) -> Difference:
    """Test whether two scores of the same pairs differ."""
    return compare_averages([first], [second])


def compare_averages(first: Sequence[Figures], second: Sequence[Figures]) -> Difference:
    """Test whether two averages over the same parts differ; p is 1 if an error is undefined."""
    d = float(np.mean([a.score - b.score for a, b in zip(first, second, strict=True)]))
    apart = [a.left_out - b.left_out for a, b in zip(first, second, strict=True)]
    errors = [standard_error(part) for part in apart]
    error, freedom = _combine(errors, [len(part) - 1 for part in apart])
    if d == 0 or np.isnan(error):
        return Difference(d, error, 1.0)
    from scipy.stats import t as student  # slow to import

    with np.errstate(divide="ignore"):
        p = 2 * student.sf(np.float64(abs(d)) / error, freedom)
    return Difference(d, error, float(p))


def _combine(errors: Sequence[float], freedoms: Sequence[int]) -> tuple[float, float]:
    """Return the standard error and degrees of freedom for the mean of independent figures."""
    variances = np.array(errors) ** 2 / len(errors) ** 2
    total = variances.sum()
    if not total > 0:
        return float(total), float(sum(freedoms))
    return float(np.sqrt(total)), float(total**2 / (variances**2 / np.array(freedoms)).sum())
