"""Intervals of scores by a bootstrap over pairs, for comparison with the jackknife.

They depend on chance, and were too narrow in simulations: 88 to 95 % of those of 95 % held the true
score. Boards use the jackknife.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from postprocess.scoring.figures import score_drawn
from postprocess.scoring.inference import Interval
from postprocess.scoring.metrics import Metric
from postprocess.types import Floats, Integers

AT_ONCE = 2_000_000  # numbers: 16 MB
ENDS = (2.5, 97.5)  # percentiles


class Bootstrap(NamedTuple):
    """How often pairs are drawn again, and the seed."""

    n_samples: int
    seed: int


def bootstrap_interval(
    metric: Metric, predicted: ArrayLike, gold: ArrayLike, how: Bootstrap
) -> Interval | None:
    """Return the 95 % percentile interval of a score, for pairs that are drawn with replacement.

    Parameters
    ----------
    metric, predicted, gold
        As those of `score_predictions`.
    how : Bootstrap
        Pairs are drawn as `default_rng(seed).integers(n, size=(n_samples, n))`.

    Returns
    -------
    Interval or None
        A sample whose score is undefined counts as 0 where the metric says so, and is left out
        where there is none; None if no sample has a score.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    n = len(np.asarray(gold))
    rng = np.random.default_rng(how.seed)
    at_once = max(1, AT_ONCE // n)
    pieces = []
    for first in range(0, how.n_samples, at_once):
        drawn = rng.integers(n, size=(min(at_once, how.n_samples - first), n))
        pieces.append(score_drawn(metric, predicted, gold, _count(drawn)))
    scores = np.concatenate(pieces)
    scores = scores[~np.isnan(scores)]
    if not scores.size:
        return None
    low, high = np.percentile(scores, ENDS)
    return Interval(float(low), float(high))


def _count(drawn: Integers) -> Floats:
    """Return how often each sample has each pair, shape (n_samples, n_pairs)."""
    n_samples, n = drawn.shape
    places = drawn + n * np.arange(n_samples)[:, None]
    counts = np.bincount(places.ravel(), minlength=n_samples * n)
    return counts.reshape(n_samples, n).astype(float)
