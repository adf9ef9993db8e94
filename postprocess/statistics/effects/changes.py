"""The change of each pair by the model: on the latent scale and in points, with intervals."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import expit, ndtr, ndtri

from postprocess.statistics.effects.fitting import Fit
from postprocess.statistics.effects.laplace import effect_slopes
from postprocess.statistics.effects.parameters import COMPONENTS, thresholds_of
from postprocess.types import Floats, Integers

N_NODES = 15  # over annotators and questionnaires
N_DISTANCES = 4001  # of places from thresholds, between which probabilities are interpolated
N_PLACES = 401  # of the latent scale, between which expected ratings are interpolated
CONTEXTS_AT_ONCE = 500
Z = float(ndtri(0.975))


class LatentChanges(NamedTuple):
    """Changes on the latent scale, shape (n_pairs,), with their posterior standard deviations."""

    change: Floats
    deviation: Floats

    @property
    def sign_error(self) -> Floats:
        """The posterior probability that the sign of each change is wrong, at most 0.5."""
        return np.asarray(ndtr(-np.abs(self.change) / self.deviation))


class PointChanges(NamedTuple):
    """Changes in points: posterior mean and 95 % interval of each pair, shape (n_pairs,).

    `larger`, shape (n_pairs, n_limits): the probability that the change, in either direction, is
    larger than each limit; `shares`, shape (n_draws, n_limits): the share of such pairs.
    """

    change: Floats
    low: Floats
    high: Floats
    larger: Floats
    shares: Floats


def latent_changes(fit: Fit) -> LatentChanges:
    """Return the changes on the latent scale.

    The variance is the posterior one for the estimated parameters, and that which the uncertainty
    of the parameters adds to the mode, to first order.

    References
    ----------
    Kass and Steffey (1989), Approximate Bayesian inference in conditionally independent
    hierarchical models, first-order approximation.
    """
    mode = fit.mode
    of_change = np.diff(
        effect_slopes(mode)[: mode.design.n_contexts].reshape(-1, 2, len(fit.is_free)), axis=1
    )[:, 0]
    added = ((of_change @ fit.covariance) * of_change).sum(axis=1)
    variance = mode.precision.covariance.change + added
    return LatentChanges(np.diff(mode.contexts, axis=1)[:, 0], np.sqrt(variance))


def point_changes(
    fit: Fit,
    values: Floats,
    limits: Sequence[float],
    *,
    n_draws: int,
    rng: np.random.Generator,
) -> PointChanges:
    """Draw the changes in points from their posterior distribution.

    The change is that of the expected rating, the mean over infinitely many annotators and
    questionnaires of the estimated population. Thresholds and effects are drawn together; the
    variances of annotators and questionnaires, over which the mean is taken, are held fixed.

    Parameters
    ----------
    fit : Fit
        The estimated model.
    values : array, shape (n_points,)
        Of the points that occur, on the published scale.
    limits : sequence of float
        Changes, in points of that scale.
    n_draws : int
        An even number.
    rng : Generator
        For the draws.
    """
    mode = fit.mode
    n_contexts = mode.design.n_contexts
    moves = draw_parameters(fit, n_draws, rng)
    n_thresholds = moves.shape[1] - len(COMPONENTS)
    vectors = mode.parameters.of_thresholds + moves[:, :n_thresholds]
    thresholds = np.array([thresholds_of(vector) for vector in vectors])
    reach = np.abs(mode.contexts).max() + 6 * np.sqrt(mode.precision.covariance.contexts.max())
    places = np.linspace(-reach, reach, N_PLACES)
    curves = expected_ratings(places, thresholds, rater_spread(fit), values)
    slopes, latent_change = effect_slopes(mode)[:n_contexts], latent_changes(fit)
    found = []
    for part, drawn in mode.precision.draw(n_draws, rng):
        for start in range(0, len(drawn), CONTEXTS_AT_ONCE):
            rows = slice(start, start + CONTEXTS_AT_ONCE)
            of_study = np.arange(part.contexts.start, part.contexts.stop)[rows]
            latent = mode.effects[of_study, None] + slopes[of_study] @ moves.T + drawn[rows]
            stratify_changes(latent, latent_change, of_study[::2] // 2)
            points = _interpolate(latent, places, curves)
            found.append(_summarise(points[1::2] - points[::2], limits))
    *by_pair, n_larger = zip(*found, strict=True)
    change, low, high, larger = (np.concatenate(one) for one in by_pair)
    return PointChanges(change, low, high, larger, np.sum(n_larger, axis=0) / len(change))


def stratify_changes(latent: Floats, changes: LatentChanges, pairs: Integers) -> None:
    """Replace the drawn changes by the quantiles of their distribution, in the same order.

    Their distribution on the latent scale is known, so that intervals and probabilities depend much
    less on chance. The level of each pair, and the order of the draws, stay the same.

    Parameters
    ----------
    latent : array, shape (2 · n_pairs, n_draws)
        Draws of the effects of both contexts of each pair, which are changed.
    changes : LatentChanges
        Of all pairs.
    pairs : array of int, shape (n_pairs,)
        The positions of these pairs.
    """
    level, drawn = (latent[1::2] + latent[::2]) / 2, latent[1::2] - latent[::2]
    n_draws = latent.shape[1]
    quantiles = ndtri((np.arange(n_draws) + 0.5) / n_draws)
    order = drawn.argsort(axis=1).argsort(axis=1)
    half = (changes.change[pairs, None] + changes.deviation[pairs, None] * quantiles[order]) / 2
    latent[::2], latent[1::2] = level - half, level + half


def draw_parameters(fit: Fit, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw deviations of the parameters from their estimates, shape (n_draws, n_parameters).

    The second half are the first half with the opposite sign. Fixed parameters do not deviate.
    """
    drawn = np.zeros((n_draws // 2, len(fit.is_free)))
    free = fit.is_free
    root = np.linalg.cholesky(fit.covariance[np.ix_(free, free)])
    drawn[:, free] = rng.standard_normal((len(drawn), int(free.sum()))) @ root.T
    return np.concatenate([drawn, -drawn])


def rater_spread(fit: Fit) -> float:
    """Return the standard deviation of annotators and questionnaires together."""
    return float(np.hypot(fit.deviations["annotator"], fit.deviations["questionnaire"]))


def expected_ratings(places: Floats, thresholds: Floats, spread: float, values: Floats) -> Floats:
    """Return the expected rating at places of the latent scale, shape (n_sets, n_places).

    Parameters
    ----------
    places : array, shape (n_places,)
        Of the latent scale.
    thresholds : array, shape (n_sets, n_points - 1)
        Some sets of thresholds.
    spread : float
        The standard deviation of a normal distribution around each place, over which the mean is
        taken by Gauss-Hermite quadrature.
    values : array, shape (n_points,)
        Of the points.

    Examples
    --------
    >>> values = np.array([0.0, 5.0, 10.0])
    >>> expected_ratings(np.zeros(1), np.array([[-2.0, 2.0]]), 1.0, values).round(3)
    array([[5.]])
    """
    nodes, weights = hermegauss(N_NODES)
    ends = places.min() - thresholds.max(), places.max() - thresholds.min()
    distances = np.linspace(*ends, N_DISTANCES)
    above = expit(distances[:, None] + spread * nodes) @ (weights / weights.sum())
    expected = np.full((len(thresholds), len(places)), float(values[0]))
    for threshold, step in zip(thresholds.T, np.diff(values), strict=True):
        expected += step * np.interp(places - threshold[:, None], distances, above)
    return expected


def _interpolate(latent: Floats, places: Floats, curves: Floats) -> Floats:
    """Return the value of each draw's curve at its column of `latent`."""
    at = (latent - places[0]) / (places[1] - places[0])
    at = at.clip(0, len(places) - 1.000001)
    left = at.astype(np.int64)
    draws = np.arange(latent.shape[1])
    below, above = curves[draws, left], curves[draws, left + 1]
    return np.asarray(below + (at - left) * (above - below))


def _summarise(changes: Floats, limits: Sequence[float]) -> tuple[Floats, ...]:
    """Return mean, both ends, and the shares of draws above the limits; and pairs by draw."""
    low, high = np.quantile(changes, [0.025, 0.975], axis=1)
    is_larger = [np.abs(changes) > limit for limit in limits]
    larger = np.column_stack([one.mean(axis=1) for one in is_larger])
    return (
        changes.mean(axis=1),
        low,
        high,
        larger,
        np.column_stack([one.sum(axis=0) for one in is_larger]),
    )
