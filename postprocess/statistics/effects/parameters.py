"""The parameters of the model: thresholds and standard deviations, as one vector."""

from typing import NamedTuple

import numpy as np

from postprocess.types import Floats

COMPONENTS = ("pair", "context", "annotator", "questionnaire")


class Parameters(NamedTuple):
    """The parameters of the model as one vector: thresholds, then log standard deviations."""

    vector: Floats

    @property
    def of_thresholds(self) -> Floats:
        """The free parameters of the thresholds."""
        return self.vector[: -len(COMPONENTS)]

    @property
    def thresholds(self) -> Floats:
        """The thresholds, in ascending order."""
        return thresholds_of(self.of_thresholds)

    @property
    def variances(self) -> dict[str, float]:
        """The variance of each component."""
        values = np.exp(2 * self.vector[-len(COMPONENTS) :])
        return dict(zip(COMPONENTS, values.tolist(), strict=True))

    @property
    def of_level(self) -> float:
        """The prior variance of (x₁ + x₂) / √2, for the effects of a pair's two contexts."""
        return 2 * self.variances["pair"] + self.variances["context"]

    @property
    def of_change(self) -> float:
        """The prior variance of (x₂ − x₁) / √2."""
        return self.variances["context"]


def thresholds_of(parameters: Floats) -> Floats:
    """Return the thresholds for free parameters: the first one, and the logs of the distances.

    >>> thresholds_of(np.array([-1.0, 0.0, 0.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    return np.cumsum(np.append(parameters[:1], np.exp(parameters[1:])))


def parameters_of(thresholds: Floats) -> Floats:
    """Return the free parameters of thresholds; the inverse of `thresholds_of`.

    >>> parameters_of(np.array([-1.0, 0.0, 1.0])).tolist()
    [-1.0, 0.0, 0.0]
    """
    return np.append(thresholds[:1], np.log(np.diff(thresholds)))


def threshold_slopes(parameters: Floats) -> Floats:
    """Return the derivatives of the thresholds (rows) by their parameters (columns).

    >>> threshold_slopes(np.array([-1.0, 0.0])).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    steps = np.append(1.0, np.exp(parameters[1:]))
    return np.asarray(np.tril(np.ones((len(steps), len(steps)))) * steps)
