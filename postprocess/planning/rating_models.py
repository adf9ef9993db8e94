"""Distributions of ratings on a scale, estimated from a pilot or from published figures."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from postprocess.errors import UserError
from postprocess.steps.exclusion import COUNTED
from postprocess.table.ratings import Scale
from postprocess.types import Floats

DEVIATIONS = np.geomspace(0.1, 2.0, 12)  # of the bells, in halves of the scale
BOWLS = (0.0, 0.5, 1.0, 2.0, 4.0)  # curvatures of the even spread and of the bowls
MEANS = np.linspace(-0.98, 0.98, 33)  # where the scale runs from -1 to 1
EM_STEPS = 30  # few, for a smooth population; chosen with bench/planning.py
BISECTIONS, STEEPEST = 80, 300.0
ROUNDING = 0.02  # tolerance of a variance, in squared steps, for rounded figures
MARGIN = 0.02  # share of the scale between a shifted mean and the ends


class ModelError(UserError):
    """Figures that no distribution can have; the message says which."""


@dataclass(frozen=True)
class RatingModels:
    """Distributions of ratings, each with its share of the contexts.

    `probabilities`, shape (n_models, n_points), are above 0 and sum to 1 in each row; point 0
    is the low end of the scale. `width` is the distance of two points on the published scale.
    `shares`, shape (n_models,), sum to 1; None means equal shares.
    """

    probabilities: Floats
    width: float
    shares: Floats | None = None

    @property
    def means(self) -> Floats:
        """The mean of each distribution in steps of the scale, shape (n_models,)."""
        return self.probabilities @ np.arange(self.probabilities.shape[1], dtype=float)

    @property
    def weights(self) -> Floats:
        """The share of contexts that have each distribution, shape (n_models,)."""
        n_models = len(self.probabilities)
        return np.full(n_models, 1 / n_models) if self.shares is None else self.shares


def models_of_ratings(ratings: pd.DataFrame, scale: Scale, published: Scale) -> RatingModels:
    """Estimate the population of contexts behind the ratings of a pilot.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it, in points of `scale`. Ratings with a mark do not count.
    scale, published : Scale
        The scale of the ratings, and the one on which changes are reported.

    Returns
    -------
    RatingModels
        561 distributions, the same for every pilot, with their estimated shares. Each has the
        form exp(a·x + b·x²): a normal distribution restricted to the points of the scale or,
        for b above 0, a bowl. They have 33 means and 17 shapes.

    Raises
    ------
    ModelError
        All ratings have a mark.

    Notes
    -----
    The distribution of a single context is not estimated: ten ratings are too few.
    The shares of the distributions are estimated by maximum likelihood from all contexts
    together (the EM algorithm, from equal shares and stopped after 30 steps).

    References
    ----------
    Laird (1978), Nonparametric maximum likelihood estimation of a mixing distribution; Laird
    and Louis (1991), Smoothing the non-parametric estimate of a prior by roughening, for the
    early stop.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": 1, "context": 1, "rating": [2, 3, 3, 3, 4, 3, 4, 2]})
    >>> models = models_of_ratings(ratings, Scale(0, 6), Scale(0, 10))
    >>> (models.weights @ models.probabilities).round(2).tolist()
    [0.0, 0.01, 0.2, 0.59, 0.2, 0.01, 0.0]
    """
    if "mark" in ratings:
        ratings = ratings[(ratings["mark"] == COUNTED).to_numpy()]
    if ratings.empty:
        raise ModelError("no rating counts: every one has a mark")
    n_points = scale.n_points
    places = 2 * (ratings["rating"] - scale.minimum) / (scale.maximum - scale.minimum) - 1
    table = pd.DataFrame({"first": places, "second": places**2})
    by_context = table.groupby([ratings["pair"], ratings["context"]])
    moments = by_context.mean().to_numpy(dtype=float)
    sizes = np.asarray(by_context.size(), dtype=float)
    return _estimate_population(moments, sizes, n_points, published)


def models_of_scores(
    scores: pd.DataFrame, scale: Scale, published: Scale, *, n_ratings: int
) -> RatingModels:
    """Estimate the population of contexts behind published figures.

    Parameters
    ----------
    scores : DataFrame, shape (n_pairs, 4 or more)
        sim1, sim2, stdev1, stdev2 on the `published` scale, as `read_dataset` returns them; an
        empty deviation counts as 0.
    scale, published : Scale
        The scale of the ratings, and the published one.
    n_ratings : int
        The approximate number of ratings of a context.

    Returns
    -------
    RatingModels
        The same that `models_of_ratings` returns for ratings with these means and deviations,
        since the likelihood depends on nothing else.

    Raises
    ------
    ModelError
        Figures that no ratings can have, or a number of ratings below 1.

    Examples
    --------
    >>> scores = pd.DataFrame({"sim1": [5.0], "sim2": [5.0], "stdev1": [1.3], "stdev2": [1.3]})
    >>> models = models_of_scores(scores, Scale(), Scale(0, 10), n_ratings=8)
    >>> (models.weights @ models.probabilities).round(2).tolist()
    [0.0, 0.01, 0.2, 0.59, 0.2, 0.01, 0.0]
    """
    if n_ratings < 1:
        raise ModelError(f"a context rests on one rating or more, got {n_ratings}")
    n_points = scale.n_points
    width = _width(n_points, published)
    sims = scores[["sim1", "sim2"]].to_numpy(dtype=float).T.ravel()
    stdevs = scores[["stdev1", "stdev2"]].fillna(0.0).to_numpy(dtype=float).T.ravel()
    means = (sims - published.minimum) / width
    _refuse_impossible(means, stdevs / width, n_points, sims=sims, stdevs=stdevs)
    half = (published.maximum - published.minimum) / 2
    first = (sims - published.minimum) / half - 1
    second = first**2 + (stdevs / half) ** 2 * (n_ratings - 1) / n_ratings
    sizes = np.full(len(first), float(n_ratings))
    return _estimate_population(np.column_stack([first, second]), sizes, n_points, published)


def on_points(models: RatingModels, n_points: int) -> RatingModels:
    """Return an estimated population on a scale with the same ends and another number of points.

    Its distributions have the same means and deviations before they are restricted to the points.

    >>> scores = pd.DataFrame({"sim1": [5.0], "sim2": [5.0], "stdev1": [1.3], "stdev2": [1.3]})
    >>> seven = models_of_scores(scores, Scale(), Scale(0, 10), n_ratings=8)
    >>> five = on_points(seven, 5)
    >>> five.probabilities.shape, five.width
    ((561, 5), 2.5)
    """
    length = models.width * (models.probabilities.shape[1] - 1)
    return RatingModels(_grid(n_points)[1], length / (n_points - 1), models.shares)


def shift_models(models: RatingModels, change: float) -> tuple[RatingModels, NDArray[np.int64]]:
    """Shift the mean of every distribution up and down by a change, with minimal distortion.

    Returns the distributions whose shifted mean stays within the middle 96 % of the scale, and the
    original of each. `change` is in published points, not negative. Of all distributions with its
    mean, each is the nearest to its original in Kullback-Leibler divergence: p(x)·exp(t·x),
    rescaled (Cover and Thomas, 2006, chapter 11, on the distribution of least relative entropy).

    >>> shifted, origin = shift_models(RatingModels(np.full((1, 7), 1 / 7), 10 / 6), 3.0)
    >>> (shifted.means * 10 / 6).round(3).tolist(), origin.tolist()
    ([8.0, 2.0], [0, 0])
    """
    highest = models.probabilities.shape[1] - 1
    step = change / models.width
    targets = np.concatenate([models.means + step, models.means - step])
    origin = np.tile(np.arange(len(models.means)), 2)
    inside = (targets > MARGIN * highest) & (targets < (1 - MARGIN) * highest)
    wanted_places = 2 * targets[inside] / highest - 1
    logs = np.log(models.probabilities[origin[inside]])
    slopes = _find_slopes(logs, wanted_places)
    tilted = softmax(logs + slopes[:, None] * _places(logs.shape[1]), axis=1)
    return RatingModels(tilted, models.width), origin[inside]


def _refuse_impossible(
    means: Floats, deviations: Floats, n_points: int, *, sims: Floats, stdevs: Floats
) -> None:
    """Raise ModelError for a mean outside the scale or a deviation that is too large for it."""
    most = means * (n_points - 1 - means)
    bad = np.flatnonzero(~((most >= 0) & (deviations**2 / 2 <= most + ROUNDING)))
    if bad.size:
        context, row = divmod(int(bad[0]), len(means) // 2)
        raise ModelError(
            f"pair {row + 1} context {context + 1}: no ratings have the mean {sims[bad[0]]:g} and "
            f"the deviation {stdevs[bad[0]]:g}; is the scale another one?"
        )


def _estimate_population(
    moments: Floats, sizes: Floats, n_points: int, published: Scale
) -> RatingModels:
    """Estimate the shares of the distributions of the grid.

    `moments`, shape (n_contexts, 2), are the means of the ratings of a context and of their
    squares, on a scale from -1 to 1; `sizes` the numbers of its ratings.
    """
    theta, probabilities = _grid(n_points)
    x = _places(n_points)
    log_norm = logsumexp(theta @ np.stack([x, x**2]), axis=1)
    log_likelihood = sizes[:, None] * (moments @ theta.T - log_norm)
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    shares = np.full(len(theta), 1 / len(theta))
    for _ in range(EM_STEPS):
        weights = likelihood * shares
        shares = (weights / weights.sum(axis=1, keepdims=True)).mean(axis=0)
    return RatingModels(probabilities, _width(n_points, published), shares)


def _grid(n_points: int) -> tuple[Floats, Floats]:
    """Return the coefficients (a, b) of every distribution, and its probabilities."""
    bells = -1 / (2 * DEVIATIONS**2)
    shapes, means = np.meshgrid(np.concatenate([bells, BOWLS]), MEANS, indexing="ij")
    b, targets = shapes.ravel(), means.ravel()
    x = _places(n_points)
    a = _find_slopes(b[:, None] * x**2, targets)
    return np.column_stack([a, b]), softmax(a[:, None] * x + b[:, None] * x**2, axis=1)


def _find_slopes(logs: Floats, wanted: Floats) -> Floats:
    """Find by bisection the t at which exp(logs + t·x), rescaled, has the required mean."""
    x = _places(logs.shape[1])
    low, high = np.full(len(wanted), -STEEPEST), np.full(len(wanted), STEEPEST)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        too_low = softmax(logs + middle[:, None] * x, axis=1) @ x < wanted
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return low


def _places(n_points: int) -> Floats:
    return np.linspace(-1, 1, n_points)


def _width(n_points: int, published: Scale) -> float:
    return (published.maximum - published.minimum) / (n_points - 1)
