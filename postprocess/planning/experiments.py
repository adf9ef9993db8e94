"""Simulated experiments: a context before and after a change, and ratings of both."""

from dataclasses import dataclass

import numpy as np

from postprocess.planning.rating_models import RatingModels, shift_models
from postprocess.statistics.change import change_tests
from postprocess.types import Counts, Floats


@dataclass(frozen=True)
class Experiments:
    """Distributions of ratings in simulated experiments, and the direction of the change.

    `before` and `after`, shape (n_experiments, n_points), are the distributions of the two
    contexts; `upwards`, shape (n_experiments,), is 1 if the second mean is higher, else -1.
    """

    before: Floats
    after: Floats
    upwards: Counts

    def share_found(self, first: Counts, second: Counts, alpha: float) -> float:
        """Return the share of experiments with p < alpha and the right direction."""
        tests = change_tests(first, second)
        return float(((tests.pvalues < alpha) & (tests.directions == self.upwards)).mean())


def draw_experiments(
    models: RatingModels, change: float, n_experiments: int, *, rng: np.random.Generator
) -> Experiments | None:
    """Draw contexts at random and shift each up or down by a change, in published points.

    Contexts are drawn with replacement from those with room for the change; if a context has room
    in both directions, both are equally likely. Returns None if no context has room on the scale.
    """
    shifted, origin = shift_models(models, change)
    n_ways = np.bincount(origin)[origin] if len(origin) else origin
    weights = models.weights[origin] / n_ways
    if not weights.sum() > 0:
        return None
    chosen = rng.choice(len(origin), size=n_experiments, p=weights / weights.sum())
    directions = np.sign(shifted.means - models.means[origin]).astype(np.int64)
    return Experiments(
        models.probabilities[origin[chosen]], shifted.probabilities[chosen], directions[chosen]
    )


class Sample:
    """Counts of ratings, drawn one by one in each experiment from its distribution."""

    def __init__(self, probabilities: Floats) -> None:
        self.counts: Counts = np.zeros(probabilities.shape, dtype=np.int64)
        self._bounds = probabilities.cumsum(axis=1)[:, :-1]
        self._rows = np.arange(len(probabilities))

    def add_rating(self, rng: np.random.Generator) -> None:
        """Draw one more rating in every experiment."""
        points = (rng.random(len(self._rows))[:, None] >= self._bounds).sum(axis=1)
        self.counts[self._rows, points] += 1
