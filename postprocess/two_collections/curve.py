"""The calibration curve: the expected score in the second collection by the score in the first."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.reporting.assessment import Chance
from postprocess.statistics.correlations import rank, ratio
from postprocess.statistics.intervals import basic_interval
from postprocess.two_collections.association import SCORE, draw_pairs, figures_of
from postprocess.two_collections.matching import Aligned
from postprocess.types import Floats, Integers

MOST_BINS, FEWEST_BINS = 10, 3
CONTEXTS_A_BIN = 10


class CalibrationCurve(NamedTuple):
    """The second collection's mean score as a function of the first collection's score.

    `bins`, a row for each bin of contexts by the score of the first: n, least and most (of the
    first's scores), first and second (mean scores), low and high (95 % interval of the latter).
    `line`, a row for each different score of the first, ascending: first, n, and second, fitted by
    isotonic regression.
    """

    bins: pd.DataFrame
    line: pd.DataFrame


def calibration_curve(aligned: Aligned, chance: Chance) -> CalibrationCurve:
    """Relate the second collection's scores to the first collection's.

    Returns
    -------
    CalibrationCurve
        Bins have nearly equal numbers of contexts, ten or more, at most 10 and at least 3 bins;
        equal scores of the first are in one bin. The intervals are bootstrap intervals over pairs,
        with the bins fixed; NaN if a bin is empty in more than 5 % of the resamples. The line has
        no interval: the bootstrap is not consistent for isotonic regression.

    References
    ----------
    Barlow, Bartholomew, Bremner and Brunk (1972), Statistical inference under order restrictions,
    for isotonic regression; Kosorok (2008), Bootstrapping the Grenander estimator, for its
    bootstrap.
    """
    first, second = (figures_of(scores)[SCORE] for scores in aligned.scores)
    number = _number_bins(first)
    drawn = draw_pairs(len(first), chance)
    rows = []
    for bin_number in np.unique(number):
        inside = number == bin_number
        figure = float(second[inside].mean())
        resampled = _resample_mean(second, inside, drawn)
        low, high = basic_interval(figure, resampled, within="difference")
        x = first[inside]
        rows.append((int(inside.sum()), x.min(), x.max(), x.mean(), figure, low, high))
    columns = ["n", "least", "most", "first", "second", "low", "high"]
    return CalibrationCurve(
        pd.DataFrame(rows, columns=columns), _fit_line(first.ravel(), second.ravel())
    )


def expect_second(line: pd.DataFrame, first: Floats) -> Floats:
    """Return the fitted score of the second collection for scores of the first that it has.

    >>> line = pd.DataFrame({"first": [1.0, 4.0], "second": [2.0, 3.0]})
    >>> expect_second(line, np.array([4.0, 1.0])).tolist()
    [3.0, 2.0]
    """
    place = np.searchsorted(line["first"].to_numpy(), first)
    return line["second"].to_numpy(dtype=float)[place]


def _number_bins(scores: Floats) -> Integers:
    """Return the bin of each score, from 0; equal scores have the same."""
    n_bins = min(MOST_BINS, max(FEWEST_BINS, scores.size // CONTEXTS_A_BIN))
    share = (rank(scores.reshape(1, -1)) - 0.5) / scores.size
    return np.floor(share * n_bins).astype(np.int64).reshape(scores.shape)


def _resample_mean(numbers: Floats, inside: np.ndarray, drawn: Integers) -> Floats:
    """Return the mean of the numbers that are inside, in each resample of pairs."""
    sums, counts = np.where(inside, numbers, 0).sum(axis=1), inside.sum(axis=1)
    return ratio(sums[drawn].sum(axis=1), counts[drawn].sum(axis=1))


def _fit_line(first: Floats, second: Floats) -> pd.DataFrame:
    """Fit a line that never falls, by pooling adjacent violators; equal scores are pooled first."""
    from scipy.optimize import isotonic_regression  # slow to import

    distinct, place = np.unique(first, return_inverse=True)
    n = np.bincount(place)
    means = np.bincount(place, weights=second) / n
    fitted = isotonic_regression(means, weights=n).x
    return pd.DataFrame({"first": distinct, "n": n, "second": fitted})
