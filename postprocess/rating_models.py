"""Distributions of ratings on the points of a scale, from a pilot or from published figures."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.ratings import Scale

PSEUDO_RATINGS = 0.5  # spread evenly over the scale and added to those of each context
NEWTON_STEPS, HALVINGS, TOLERANCE = 200, 40, 1e-10
BISECTIONS, STEEPEST = 80, 60.0
ROUNDING = 0.02  # of a variance, in squared steps, that written figures may be off
MARGIN = 0.02  # of the scale, that a shifted mean keeps from its ends

Floats = NDArray[np.float64]


class ModelError(ValueError):
    """Figures from which no distribution can be made; the message says which."""


@dataclass(frozen=True)
class RatingModels:
    """A distribution of ratings for each context.

    `probabilities`, shape (n_contexts, n_points), are above 0 and sum to 1 in each row; point 0
    is the low end of the scale. `width` is the distance of two points on the published scale.
    """

    probabilities: Floats
    width: float

    @property
    def means(self) -> Floats:
        """The mean of each context in steps of the scale, shape (n_contexts,)."""
        return self.probabilities @ np.arange(self.probabilities.shape[1], dtype=float)


def models_of_ratings(ratings: pd.DataFrame, scale: Scale, published: Scale) -> RatingModels:
    """The distributions of a pilot's ratings, smoothed a little.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it, in points of `scale`.
    scale, published : Scale
        The scale of the ratings, and the one on which changes are told.

    Returns
    -------
    RatingModels
        Of every context, in the order of pair and context: the shares of its ratings, after
        half a rating more was spread evenly over all points, so that no point is impossible.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": 1, "context": 1, "rating": [0, 0, 2]})
    >>> models_of_ratings(ratings, Scale(0, 2), Scale(0, 10)).probabilities.round(3).tolist()
    [[0.619, 0.048, 0.333]]
    """
    n_points = _count_points(scale)
    points = ((ratings["rating"] - scale.minimum) / scale.step).round().astype(int)
    counts = pd.crosstab([ratings["pair"], ratings["context"]], points)
    full = counts.reindex(columns=range(n_points), fill_value=0).to_numpy(dtype=float)
    smoothed = full + PSEUDO_RATINGS / n_points
    return RatingModels(_normalise(smoothed), _width(n_points, published))


def models_of_scores(
    scores: pd.DataFrame, scale: Scale, published: Scale, *, n_ratings: int
) -> RatingModels:
    """The distributions that assume least, given published means and deviations.

    Parameters
    ----------
    scores : DataFrame, shape (n_pairs, 4 or more)
        sim1, sim2, stdev1, stdev2 on the `published` scale, as `read_dataset` returns them; an
        empty deviation counts as 0.
    scale, published : Scale
        The scale that people rated on, and the published one.
    n_ratings : int
        How many ratings a context rests on, roughly.

    Returns
    -------
    RatingModels
        Of every context, first those of context 1: of all distributions on the points of the
        scale with the mean and the deviation of the context's ratings (and half a rating more,
        spread evenly over all points), that of the greatest entropy. It has the form
        exp(a·x + b·x²): a discretised normal distribution cut off at the ends of the scale or,
        for deviations beyond the uniform one's, a bowl.

    Raises
    ------
    ModelError
        Figures that no ratings can have, or no number of ratings.

    References
    ----------
    Cover and Thomas (2006), Elements of Information Theory, chapter 12.

    Examples
    --------
    >>> scores = pd.DataFrame({"sim1": [5.0], "sim2": [10.0], "stdev1": [2.5], "stdev2": [0.0]})
    >>> models = models_of_scores(scores, Scale(), Scale(0, 10), n_ratings=10)
    >>> models.probabilities.round(2).tolist()[0]
    [0.04, 0.12, 0.21, 0.26, 0.21, 0.12, 0.04]
    >>> models.means.round(3).tolist()
    [3.0, 5.857]
    """
    if n_ratings < 1:
        raise ModelError(f"a context rests on one rating or more, got {n_ratings}")
    n_points = _count_points(scale)
    width = _width(n_points, published)
    sims = scores[["sim1", "sim2"]].to_numpy(dtype=float).T.ravel()
    stdevs = scores[["stdev1", "stdev2"]].fillna(0.0).to_numpy(dtype=float).T.ravel()
    means = (sims - published.minimum) / width
    _refuse_impossible(means, stdevs / width, n_points, sims=sims, stdevs=stdevs)
    least, most = means % 1 * (1 - means % 1), means * (n_points - 1 - means)
    variances = (stdevs / width) ** 2 * (n_ratings - 1) / n_ratings
    moments = np.column_stack([means, means**2 + np.clip(variances, least, most)])
    x = np.arange(n_points, dtype=float)
    uniform = np.array([x.mean(), (x**2).mean()])
    smoothed = (n_ratings * moments + PSEUDO_RATINGS * uniform) / (n_ratings + PSEUDO_RATINGS)
    return RatingModels(_most_entropy(smoothed, n_points), width)


def shift_models(models: RatingModels, change: float) -> tuple[RatingModels, NDArray[np.int64]]:
    """Move the mean of every context up and down by a change, changing little else.

    Parameters
    ----------
    models : RatingModels
        Of n contexts.
    change : float
        In points of the published scale, not negative.

    Returns
    -------
    RatingModels
        The shifted distributions, up and down, of every context whose mean stays within the
        middle 96 % of the scale. Of all distributions with that mean, each is the nearest to
        its original one in Kullback-Leibler divergence: p(x)·exp(t·x), rescaled.
    array of int, shape (n_shifted,)
        The context that each comes from.

    References
    ----------
    Cover and Thomas (2006), chapter 11, on the distribution of least relative entropy.

    Examples
    --------
    >>> shifted, origin = shift_models(RatingModels(np.full((1, 7), 1 / 7), 10 / 6), 3.0)
    >>> (shifted.means * 10 / 6).round(3).tolist(), origin.tolist()
    ([8.0, 2.0], [0, 0])
    """
    highest = models.probabilities.shape[1] - 1
    step = change / models.width
    wanted = np.concatenate([models.means + step, models.means - step])
    origin = np.tile(np.arange(len(models.means)), 2)
    inside = (wanted > MARGIN * highest) & (wanted < (1 - MARGIN) * highest)
    tilted = _tilt(models.probabilities[origin[inside]], wanted[inside])
    return RatingModels(tilted, models.width), origin[inside]


def _refuse_impossible(
    means: Floats, deviations: Floats, n_points: int, *, sims: Floats, stdevs: Floats
) -> None:
    """Raise ModelError for a mean off the scale, or a deviation too great for any two ratings."""
    most = means * (n_points - 1 - means)
    bad = np.flatnonzero(~((most >= 0) & (deviations**2 / 2 <= most + ROUNDING)))
    if bad.size:
        context, row = divmod(int(bad[0]), len(means) // 2)
        raise ModelError(
            f"pair {row + 1} context {context + 1}: no ratings have the mean {sims[bad[0]]:g} and "
            f"the deviation {stdevs[bad[0]]:g}; is the scale another one?"
        )


def _most_entropy(moments: Floats, n_points: int) -> Floats:
    """The distributions of greatest entropy with given first and second moments.

    Newton's method, halving steps, on the convex dual: log of the sum of exp(θ·f(x)), less
    θ·moments. Points are scaled to -1 … 1 for the sake of the numbers.
    """
    x = np.linspace(-1, 1, n_points)
    features = np.column_stack([x, x**2])
    middle = (n_points - 1) / 2
    first, second = moments.T
    wanted = np.column_stack(
        [first / middle - 1, (second - 2 * middle * first + middle**2) / middle**2]
    )
    theta = np.zeros_like(wanted)
    for _ in range(NEWTON_STEPS):
        p = _softmax(theta @ features.T)
        gradient = p @ features - wanted
        if np.abs(gradient).max(initial=0) < TOLERANCE:
            return p
        spread = features[None] - (p @ features)[:, None]
        hessian = np.einsum("mk,mki,mkj->mij", p, spread, spread) + 1e-12 * np.eye(2)
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        theta = _descend(theta, step, gradient, features, wanted)
    raise ModelError("means and deviations too near to what no ratings can have")


def _descend(
    theta: Floats, step: Floats, gradient: Floats, features: Floats, wanted: Floats
) -> Floats:
    """Take the Newton step of each context, halved until its dual falls."""
    before = _dual(theta, features, wanted)
    slope = (gradient * step).sum(axis=1)
    length = np.ones(len(theta))
    for _ in range(HALVINGS):
        after = _dual(theta - length[:, None] * step, features, wanted)
        too_far = after > before - 1e-4 * length * slope + 1e-14
        if not too_far.any():
            break
        length[too_far] /= 2
    return theta - length[:, None] * step


def _dual(theta: Floats, features: Floats, wanted: Floats) -> Floats:
    logits = theta @ features.T
    top = logits.max(axis=1)
    log_sum = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
    return np.asarray(log_sum - (theta * wanted).sum(axis=1))


def _tilt(probabilities: Floats, wanted: Floats) -> Floats:
    """Distributions p(x)·exp(t·x) with given means, by bisection of t."""
    x = np.arange(probabilities.shape[1], dtype=float)
    low, high = np.full(len(wanted), -STEEPEST), np.full(len(wanted), STEEPEST)
    logs = np.log(probabilities)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        too_low = _softmax(logs + middle[:, None] * x) @ x < wanted
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return _softmax(logs + low[:, None] * x)


def _softmax(logits: Floats) -> Floats:
    return _normalise(np.exp(logits - logits.max(axis=1, keepdims=True)))


def _normalise(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _count_points(scale: Scale) -> int:
    return round((scale.maximum - scale.minimum) / scale.step) + 1


def _width(n_points: int, published: Scale) -> float:
    return (published.maximum - published.minimum) / (n_points - 1)
