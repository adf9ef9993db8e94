"""The cumulative logit model of one rating: log probability and its derivatives.

P(rating ≤ point k) = F(θ_k − η) for the logistic distribution function F, thresholds θ in ascending
order, and the linear predictor η of the rating: a rating is higher, the higher η is. With the upper
threshold a and the lower threshold b of the point that was chosen, both less η,

    log(F(a) − F(b)) = log F(a) + log F(−b) + log(1 − exp(b − a)),

where the last part does not depend on η (McCullagh, 1980, for the model).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit

from postprocess.types import Floats, Integers


class Ends(NamedTuple):
    """The distribution function F, shape (n_ratings,), at both thresholds of each rating.

    `log` is the log probability of each rating, shape (n_ratings,).
    """

    upper: Floats
    lower: Floats
    log: Floats

    @property
    def slope(self) -> Floats:
        """The first derivative of the log probability by η."""
        return self.upper + self.lower - 1

    @property
    def weight(self) -> Floats:
        """The second derivative of the log probability by η, times −1; above 0."""
        return density(self.upper) + density(self.lower)

    @property
    def weight_slope(self) -> Floats:
        """The derivative of `weight` by η."""
        return -density_slope(self.upper) - density_slope(self.lower)


def density(distribution: Floats) -> Floats:
    """Return the logistic density where the distribution function has these values.

    >>> density(np.array([0.5, 1.0])).tolist()
    [0.25, 0.0]
    """
    return distribution * (1 - distribution)


def density_slope(distribution: Floats) -> Floats:
    """Return the derivative of the density where the distribution function has these values.

    >>> density_slope(np.array([0.5, 0.75])).tolist()
    [0.0, -0.09375]
    """
    return density(distribution) * (1 - 2 * distribution)


def evaluate_ratings(point: Integers, eta: Floats, thresholds: Floats) -> Ends:
    """Return the distribution function at the thresholds of each rating, and its log probability.

    Parameters
    ----------
    point : array of int, shape (n_ratings,)
        The point of each rating, from 0.
    eta : array, shape (n_ratings,)
        Its linear predictor.
    thresholds : array, shape (n_points - 1,)
        In ascending order.

    References
    ----------
    McCullagh (1980), Regression models for ordinal data.

    Examples
    --------
    >>> ends = evaluate_ratings(np.array([0, 1]), np.zeros(2), np.array([0.0]))
    >>> np.exp(ends.log).round(3).tolist(), ends.slope.tolist()
    ([0.5, 0.5], [-0.5, 0.5])
    """
    bounds = np.concatenate([[-np.inf], thresholds, [np.inf]])
    upper, lower = bounds[point + 1] - eta, bounds[point] - eta
    distances = np.log(-np.expm1(-np.diff(bounds)))
    log = log_expit(upper) + log_expit(-lower) + distances[point]
    return Ends(expit(upper), expit(lower), log)


def log_slopes_at_thresholds(ends: Ends, point: Integers, thresholds: Floats) -> tuple[Floats, ...]:
    """Return the derivatives of each log probability by its upper and its lower threshold."""
    bounds = np.concatenate([[-np.inf], thresholds, [np.inf]])
    both = (1 / np.expm1(np.diff(bounds)))[point]
    return 1 - ends.upper + both, -ends.lower - both


def sum_by_threshold(upper: Floats, lower: Floats, point: Integers, n_points: int) -> Floats:
    """Add up figures of the ratings for each threshold, the upper or the lower one of a rating.

    >>> sum_by_threshold(np.array([1.0, 5.0]), np.array([7.0, 2.0]), np.array([0, 1]), 2).tolist()
    [3.0]
    """
    of_upper = np.bincount(point, upper, minlength=n_points)[:-1]
    return np.asarray(of_upper + np.bincount(point, lower, minlength=n_points)[1:])
