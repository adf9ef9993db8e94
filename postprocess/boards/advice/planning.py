"""What a part of a given size can tell: errors of scores and differences before there are any.

The formulas are those of large samples of normal scores, of which simulations found errors within
7 %. With heavy tails (Student's t with 5 degrees of freedom) errors were up to 1.4 times as large.
`n_pairs` is for subtask 1; in subtask 2 each pair has two scores, and up to twice as many count.
"""

import math
from functools import lru_cache
from statistics import NormalDist

from postprocess.scoring.inference import TAIL, Interval
from postprocess.scoring.quantiles import student_quantile

TYPICAL = 0.65  # the score of a good system
TYPICAL_CORRELATION = 0.8  # the correlation of two good systems


def expect_error(score: float, n_pairs: int) -> float:
    """Return the standard error to expect of a score.

    >>> round(expect_error(0.65, 111), 4)
    0.0548
    """
    return (1 - score**2) / math.sqrt(n_pairs)


@lru_cache(maxsize=4_096)
def expect_interval(score: float, n_pairs: int) -> Interval:
    """Return the 95 % interval to expect of a score, as `score_interval` computes it.

    >>> [round(end, 2) for end in expect_interval(0.65, 24)]
    [0.34, 0.83]
    """
    reach = student_quantile(1 - TAIL, n_pairs - 1) / math.sqrt(n_pairs)
    middle = math.atanh(score)
    return Interval(math.tanh(middle - reach), math.tanh(middle + reach))


def expect_error_of_difference(score: float, correlation: float, n_pairs: int) -> float:
    """Return the expected standard error of the difference between two equally good systems.

    Parameters
    ----------
    score : float
        The score of both.
    correlation : float
        The correlation of their predictions.
    n_pairs : int
        The number of pairs.

    Returns
    -------
    float
        By the formula for two dependent correlations with a common variable.

    References
    ----------
    Steiger (1980), Tests for comparing elements of a correlation matrix.

    Examples
    --------
    >>> round(expect_error_of_difference(0.65, 0.8, 111), 4)
    0.0439
    """
    squared = score**2
    variance = (
        (1 - squared) ** 2
        - correlation * (1 - 2 * squared)
        + squared * (1 - 2 * squared - correlation**2) / 2
    )
    return math.sqrt(2 / n_pairs * max(variance, 0.0))


def smallest_difference(
    n_pairs: int, *, score: float = TYPICAL, correlation: float = TYPICAL_CORRELATION
) -> float:
    """Return how far two systems must be apart so that a test at 5 % proves it.

    >>> [round(smallest_difference(n), 3) for n in (24, 111, 340)]
    [0.185, 0.086, 0.049]
    """
    error = expect_error_of_difference(score, correlation, n_pairs)
    return NormalDist().inv_cdf(1 - TAIL) * error
