"""The change of each pair by the model: on the latent scale and in points, with intervals."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import expit, ndtri

from postprocess.statistics.effects.fitting import Fit
from postprocess.statistics.effects.laplace import effect_slopes
from postprocess.statistics.effects.parameters import COMPONENTS, thresholds_of
from postprocess.statistics.effects.shrinkage import (
    Estimates,
    Mixture,
    estimate_weights,
    posterior_changes,
)
from postprocess.types import Floats

N_NODES = 15  # over annotators and questionnaires
N_DISTANCES = 4001  # of places from thresholds, between which probabilities are interpolated
N_PLACES = 401  # of the latent scale, between which expected ratings are interpolated
CONTEXTS_AT_ONCE = 500
LEAST_INFORMATION = 1e-6  # of the ratings on a change; rounding could make it negative
LARGEST = 20.0  # latent change; only ratings at both ends of the scale have a larger one
N_RESAMPLES = 50  # for the uncertainty of the weights
Z = float(ndtri(0.975))


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


def estimate_changes(fit: Fit) -> Estimates:
    """Return the changes on the latent scale as they are without the model's normal distribution.

    The prior distribution of each change is divided out of its posterior distribution. The errors
    include the uncertainty of the parameters, to first order.

    References
    ----------
    Kass and Steffey (1989), Approximate Bayesian inference in conditionally independent
    hierarchical models, first-order approximation.
    """
    mode = fit.mode
    slopes = effect_slopes(mode)[: mode.design.n_contexts]
    of_change = slopes[1::2] - slopes[::2]
    added = ((of_change @ fit.covariance) * of_change).sum(axis=1)
    posterior = mode.precision.covariance.change
    information = 1 / posterior - 1 / prior_deviation(fit) ** 2
    variance = 1 / np.maximum(information, LEAST_INFORMATION)
    factor = variance / posterior
    changes = factor * np.diff(mode.contexts, axis=1)[:, 0]
    return Estimates(changes, np.sqrt(variance + factor**2 * added))


def prior_deviation(fit: Fit) -> float:
    """Return the standard deviation of the changes in the normal model."""
    return float(np.sqrt(2) * fit.deviations["context"])


def latent_changes(fit: Fit) -> Mixture:
    """Return the posterior distribution of the changes on the latent scale."""
    estimates, deviation = estimate_changes(fit), prior_deviation(fit)
    return posterior_changes(estimates, deviation, estimate_weights(estimates, deviation))


def point_changes(
    fit: Fit, values: Floats, limits: Sequence[float], *, n_draws: int, rng: np.random.Generator
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
    slopes, changes = effect_slopes(mode)[:n_contexts], latent_changes(fit)
    summaries = []
    for part, drawn in mode.precision.draw(n_draws, rng):
        for start in range(0, len(drawn), CONTEXTS_AT_ONCE):
            rows = slice(start, start + CONTEXTS_AT_ONCE)
            of_study = np.arange(part.contexts.start, part.contexts.stop)[rows]
            latent = mode.effects[of_study, None] + slopes[of_study] @ moves.T + drawn[rows]
            replace_changes(latent, Mixture(*(figures[of_study[::2] // 2] for figures in changes)))
            points = _interpolate(latent, places, curves)
            summaries.append(_summarise(points[1::2] - points[::2], limits))
    *by_pair, n_larger = zip(*summaries, strict=True)
    change, low, high, larger = (np.concatenate(parts) for parts in by_pair)
    return PointChanges(change, low, high, larger, np.sum(n_larger, axis=0) / len(change))


def replace_changes(latent: Floats, changes: Mixture) -> None:
    """Replace the drawn changes by quantiles of their distribution, in the same order.

    The level of each pair, and the order of the draws, stay the same. Since quantiles are not
    random, intervals and probabilities depend little on chance.

    Parameters
    ----------
    latent : array, shape (2 · n_pairs, n_draws)
        Draws of the effects of both contexts of each pair, which are changed.
    changes : Mixture
        The posterior distribution of the changes of these pairs.
    """
    level, drawn = (latent[1::2] + latent[::2]) / 2, latent[1::2] - latent[::2]
    n_draws = latent.shape[1]
    quantiles = changes.quantiles((np.arange(n_draws) + 0.5) / n_draws)
    order = drawn.argsort(axis=1).argsort(axis=1)
    half = np.take_along_axis(quantiles, order, axis=1) / 2
    latent[::2], latent[1::2] = level - half, level + half


def share_errors(
    fit: Fit, values: Floats, limits: Sequence[float], rng: np.random.Generator
) -> Floats:
    """Return the standard error that the weights add to the share above each limit.

    Pairs are drawn with replacement, and the weights are estimated again; the shares are those of
    the original pairs, each at its estimated level.
    """
    estimates, deviation = estimate_changes(fit), prior_deviation(fit)
    latent_limits = find_limits(fit, values, limits)
    n_pairs, shares = len(estimates.changes), []
    for _ in range(N_RESAMPLES):
        pairs = rng.integers(n_pairs, size=n_pairs)
        drawn = Estimates(*(figures[pairs] for figures in estimates))
        changes = posterior_changes(estimates, deviation, estimate_weights(drawn, deviation))
        shares.append([changes.exceed(of_pairs).mean() for of_pairs in latent_limits.T])
    return np.asarray(np.std(shares, axis=0, ddof=1))


def find_limits(fit: Fit, values: Floats, limits: Sequence[float]) -> Floats:
    """Return the latent change that corresponds to each limit in points, (n_pairs, n_limits).

    At the estimated level of the pair; infinite if the scale is too short for such a change.
    """
    level = fit.mode.contexts.mean(axis=1)[:, None]
    changes = np.linspace(0, LARGEST, N_PLACES)
    thresholds, spread = fit.mode.parameters.thresholds[None], rater_spread(fit)
    high, low = (
        expected_ratings((level + side * changes / 2).ravel(), thresholds, spread, values)
        for side in (1, -1)
    )
    points = (high - low).reshape(len(level), -1)
    return np.array([np.interp(limits, of_pair, changes, right=np.inf) for of_pair in points])


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
    larger = np.column_stack([of_draws.mean(axis=1) for of_draws in is_larger])
    return (
        changes.mean(axis=1),
        low,
        high,
        larger,
        np.column_stack([of_draws.sum(axis=0) for of_draws in is_larger]),
    )
