"""Adaptive shrinkage: the distribution of all changes, and the posterior distribution of each.

The mixed model takes changes as normal. If few pairs change, and these much, it draws the changes
of the others too little towards 0. Here the changes come from a mixture of normal distributions
around 0, one of them of width 0, whose weights are estimated from all pairs together (Stephens,
2017).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from postprocess.types import Floats

WIDTHS = np.append(0.0, 2.0 ** np.arange(-4, 3.25, 0.5))  # in deviations of the normal model
START = np.where(WIDTHS == 1, 0.9, 0.1 / (len(WIDTHS) - 1))  # nearly the normal model
EM_STEPS = 30  # few enough that weights of which the ratings say little stay there
N_PLACES = 800  # of a change, between which its distribution function is interpolated
REACH = 6.0  # of these places, in standard deviations
TINY = 1e-9


class Estimates(NamedTuple):
    """Changes that are not drawn towards 0, with their standard errors, shape (n_pairs,)."""

    changes: Floats
    errors: Floats


class Mixture(NamedTuple):
    """The posterior distribution of each change: a mixture of normal distributions.

    All arrays have the shape (n_pairs, n_parts); `shares` sum to 1 for each pair. The first part is
    a change of exactly 0.
    """

    shares: Floats
    means: Floats
    deviations: Floats

    @property
    def mean(self) -> Floats:
        """The mean of each change, shape (n_pairs,)."""
        return np.asarray((self.shares * self.means).sum(axis=1))

    @property
    def sign_error(self) -> Floats:
        """The probability that each change is 0 or has the less probable sign, shape (n_pairs,)."""
        not_up = self.distribution(np.zeros((len(self.means), 1)))[:, 0]
        not_down = 1 - not_up + self.shares[:, 0]
        return np.minimum(not_up, not_down)

    def exceed(self, limits: Floats) -> Floats:
        """Return the probability that each change is larger than its limit, in either direction."""
        ends = self.distribution(np.column_stack([-limits, limits]))
        return np.asarray(1 - ends[:, 1] + ends[:, 0])

    def quantiles(self, levels: Floats) -> Floats:
        """Return quantiles of each change, shape (n_pairs, n_levels); `levels` ascend."""
        reach = REACH * self.deviations
        ends = (self.means - reach).min(axis=1), (self.means + reach).max(axis=1)
        places = np.linspace(*ends, N_PLACES, axis=1)
        around_0 = np.tile([-TINY, 0.0], (len(places), 1))
        places = np.sort(np.concatenate([places, around_0], axis=1), axis=1)
        below = self.distribution(places)
        return np.array([np.interp(levels, *curve) for curve in zip(below, places, strict=True)])

    def distribution(self, places: Floats) -> Floats:
        """Return the probability that each change is at most some places, (n_pairs, n_places)."""
        below = self.shares[:, :1] * (places >= 0)
        for share, mean, deviation in list(zip(*(figures.T for figures in self), strict=True))[1:]:
            below += share[:, None] * ndtr((places - mean[:, None]) / deviation[:, None])
        return below


def estimate_weights(estimates: Estimates, deviation: float) -> Floats:
    """Estimate the weights of the normal distributions of changes, by the EM algorithm.

    Parameters
    ----------
    estimates : Estimates
        Of the pairs, as independent.
    deviation : float
        The standard deviation of changes in the normal model; the widths are multiples of it.

    Returns
    -------
    array, shape (n_parts,)
        The weights after 30 steps from a start that is nearly the normal model. With few or noisy
        pairs they stay near it; those of the maximum of the likelihood would mostly be chance.

    References
    ----------
    Stephens (2017), False discovery rates: a new deal; Laird and Louis (1991), Smoothing the
    non-parametric estimate of a prior by roughening, for the early stop.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> true = np.append(np.zeros(900), rng.normal(0, 3, 100))
    >>> estimates = Estimates(true + rng.normal(0, 0.5, 1000), np.full(1000, 0.5))
    >>> weights = estimate_weights(estimates, float(true.std()))
    >>> weights[WIDTHS < 1 / 3].sum().round(1).item()  # the deviation of all is 0.9
    0.8
    """
    likelihood = _likelihood(estimates, deviation)
    weights = START
    for _ in range(EM_STEPS):
        parts = likelihood * weights
        weights = (parts / parts.sum(axis=1, keepdims=True)).mean(axis=0)
    return weights


def posterior_changes(estimates: Estimates, deviation: float, weights: Floats) -> Mixture:
    """Return the posterior distribution of each change for some weights.

    >>> normal = np.where(WIDTHS == 1, 1.0, 0.0)
    >>> changes = posterior_changes(Estimates(np.array([2.0]), np.array([1.0])), 1.0, normal)
    >>> changes.mean.tolist(), changes.sign_error.round(4).tolist()  # variance 1/2
    ([1.0], [0.0786])
    """
    parts = _likelihood(estimates, deviation) * weights
    variance, error = (deviation * WIDTHS) ** 2, estimates.errors[:, None] ** 2
    factor = variance / (variance + error)
    return Mixture(
        parts / parts.sum(axis=1, keepdims=True),
        factor * estimates.changes[:, None],
        np.sqrt(factor * error),
    )


def _likelihood(estimates: Estimates, deviation: float) -> Floats:
    """Return the density of each estimate for each width, shape (n_pairs, n_parts), rescaled."""
    variance = (deviation * WIDTHS) ** 2 + estimates.errors[:, None] ** 2
    logs = -(np.log(variance) + estimates.changes[:, None] ** 2 / variance) / 2
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))
