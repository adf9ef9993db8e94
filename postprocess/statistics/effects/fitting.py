"""Maximum likelihood estimates of the parameters, with a check that they are a maximum."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import Bounds, minimize
from scipy.special import logit

from postprocess.errors import UserError
from postprocess.statistics.effects.design import Design
from postprocess.statistics.effects.laplace import Mode, find_mode, gradient_of
from postprocess.statistics.effects.parameters import COMPONENTS, Parameters, parameters_of
from postprocess.types import Bools, Floats

START = {"pair": 1.0, "context": 0.7, "annotator": 0.6, "questionnaire": 0.3}
LEAST, MOST = float(np.log(1e-3)), float(np.log(20.0))  # log standard deviations
SMALL = float(np.log(0.1))  # below it, 0 is tried
SAME = 1e-3  # log likelihoods that differ by less are as high
MOST_STEPS = 200
STEP = 1e-4  # of a parameter, for second derivatives
CLOSE = 1e-7  # expected gain in log likelihood at which the maximum has been reached
MOST_CORRECTIONS = 8
FAILED = 1e10  # minus log likelihood where it cannot be computed

Progress = Callable[[str, int, int], None]


class EffectsError(UserError):
    """The model of effects cannot be estimated; the message says why and what to do."""


@dataclass(frozen=True)
class Fit:
    """The estimated model.

    `is_free`, shape (n_parameters,), is False for standard deviations that are 0; `covariance`,
    shape (n_parameters, n_parameters), is that of the estimates, and 0 for those that are not free.
    `with_questionnaires`: whether the standard deviation of questionnaires was estimated.
    """

    mode: Mode
    is_free: Bools
    covariance: Floats
    n_evaluations: int
    with_questionnaires: bool

    @property
    def deviations(self) -> dict[str, float]:
        """The standard deviation of each component."""
        variances = self.mode.parameters.variances.values()
        free = self.is_free[-len(COMPONENTS) :].tolist()
        return {
            name: float(np.sqrt(variance)) if is_free else 0.0
            for name, variance, is_free in zip(COMPONENTS, variances, free, strict=True)
        }


def fit_model(
    design: Design, *, with_questionnaires: bool = True, progress: Progress | None = None
) -> Fit:
    """Maximise the Laplace approximation of the likelihood.

    Parameters
    ----------
    design : Design
        As `design_study` returns it.
    with_questionnaires : bool
        Whether the standard deviation of questionnaires is estimated; otherwise it is 0.
    progress : callable, optional
        Called with a stage, and 0 and 0, since the number of steps is not known.

    Returns
    -------
    Fit
        A standard deviation is 0 if the likelihood is as high without the component.

    Raises
    ------
    EffectsError
        No maximum was found, a standard deviation grows without limit, or the contexts of pairs do
        not differ.
    """
    search = _Search(design, progress)
    vector = starting_point(design)
    is_free = np.ones(len(vector), dtype=bool)
    if not with_questionnaires:
        vector[-1], is_free[-1] = LEAST, False
    vector = search.climb(vector, is_free)
    while (zero := search.find_zeros(vector, is_free)).any():
        vector[zero], is_free[zero] = LEAST, False
        vector = search.climb(vector, is_free)
    refuse_limits(vector, is_free)
    vector, second = search.correct(vector, is_free)
    covariance = np.zeros((len(vector),) * 2)
    covariance[np.ix_(is_free, is_free)] = np.linalg.inv(second)
    mode = search.mode_at(vector)
    if mode is None:
        raise EffectsError(NOT_FOUND)
    return Fit(mode, is_free, covariance, search.n_evaluations, with_questionnaires)


def starting_point(design: Design) -> Floats:
    """Return the parameters at which the search starts.

    The thresholds are those of the frequencies of the points, moved apart by the variances of the
    effects, of which 3.3 is that of the logistic distribution.
    """
    shares = np.bincount(design.point).cumsum()[:-1] / len(design.point)
    wider = np.sqrt(1 + sum(deviation**2 for deviation in START.values()) / 3.3)
    return np.append(parameters_of(wider * logit(shares)), np.log(list(START.values())))


def refuse_limits(vector: Floats, is_free: Bools) -> None:
    """Raise EffectsError if a standard deviation is at its limit."""
    deviations = vector[-len(COMPONENTS) :]
    if not is_free[-len(COMPONENTS) + 1]:
        raise EffectsError(NO_CHANGES)
    for name, deviation in zip(COMPONENTS, deviations.tolist(), strict=True):
        if deviation >= MOST - 0.01:
            raise EffectsError(
                f"the standard deviation of the component {name} grows without limit: the ratings "
                "of each context (or of each annotator) are nearly all equal, so that the model "
                "has no noise to measure them by. Use the means and tests of `build` for these "
                "ratings"
            )


class _Search:
    """Log likelihoods and gradients, each computed from the last mode."""

    def __init__(self, design: Design, progress: Progress | None) -> None:
        self.design, self.progress, self.n_evaluations = design, progress, 0
        self.last: Mode | None = None

    def mode_at(self, vector: Floats) -> Mode | None:
        """Return the mode for parameters, or None if it cannot be computed."""
        self.n_evaluations += 1
        if self.progress:
            self.progress(f"estimating, step {self.n_evaluations}", 0, 0)
        mode = find_mode(self.design, Parameters(vector), self.last)
        if mode is not None:
            self.last = mode
        return mode

    def climb(self, vector: Floats, is_free: Bools) -> Floats:
        """Return the maximum in the free parameters, by a quasi-Newton method (L-BFGS-B)."""

        def negative(free: Floats) -> tuple[float, Floats]:
            mode = self.mode_at(_replace(vector, is_free, free))
            if mode is None:
                return FAILED, np.zeros_like(free)
            return -mode.log_likelihood, -gradient_of(mode)[is_free]

        n = len(COMPONENTS)
        low = np.append(np.full(len(vector) - n, -np.inf), np.full(n, LEAST))
        high = np.append(np.full(len(vector) - n, np.inf), np.full(n, MOST))
        optimum = minimize(
            negative, vector[is_free], jac=True, method="L-BFGS-B",
            bounds=Bounds(low[is_free], high[is_free]),
            options={"maxiter": MOST_STEPS, "ftol": 1e-11, "gtol": 1e-4},
        )  # fmt: skip
        return _replace(vector, is_free, np.asarray(optimum.x))

    def find_zeros(self, vector: Floats, is_free: Bools) -> Bools:
        """Return which standard deviations can be 0 while the likelihood is as high."""
        zero = np.zeros(len(vector), dtype=bool)
        here = self.mode_at(vector)
        for place in range(len(vector) - len(COMPONENTS), len(vector)):
            if here is None or not is_free[place] or vector[place] > SMALL:
                continue
            without = vector.copy()
            without[place] = LEAST
            there = self.mode_at(without)
            if there is not None:
                zero[place] = there.log_likelihood > here.log_likelihood - SAME
        return zero

    def correct(self, vector: Floats, is_free: Bools) -> tuple[Floats, Floats]:
        """Move to the maximum by Newton's method.

        Returns the parameters, and the second derivatives of minus the log likelihood there, which
        are positive definite. Raises EffectsError if there is no maximum nearby.
        """
        for _ in range(MOST_CORRECTIONS):
            second = self.second_derivatives(vector, is_free)
            mode = self.mode_at(vector)
            try:
                factor = cho_factor(second)
            except (np.linalg.LinAlgError, ValueError):
                break
            if mode is None:
                break
            gradient = gradient_of(mode)[is_free]
            step = cho_solve(factor, gradient)
            if gradient @ step / 2 < CLOSE:
                return vector, second
            vector = _replace(vector, is_free, vector[is_free] + step)
        raise EffectsError(NOT_FOUND)

    def second_derivatives(self, vector: Floats, is_free: Bools) -> Floats:
        """Return the second derivatives of minus the log likelihood by the free parameters."""
        rows = []
        for place in np.flatnonzero(is_free):
            ends = []
            for sign in (1, -1):
                moved = vector.copy()
                moved[place] += sign * STEP
                mode = self.mode_at(moved)
                if mode is None:
                    raise EffectsError(NOT_FOUND)
                ends.append(gradient_of(mode)[is_free])
            rows.append((ends[1] - ends[0]) / (2 * STEP))
        second = np.array(rows)
        return (second + second.T) / 2


def _replace(vector: Floats, is_free: Bools, free: Floats) -> Floats:
    whole = vector.copy()
    whole[is_free] = free
    return whole


NOT_FOUND = (
    "no maximum of the likelihood was found: these ratings do not determine the thresholds and "
    "variances of the model. Usual causes are too few ratings, contexts whose ratings are all "
    "equal, and a point of the scale that occurs once or twice; collect more ratings, or use the "
    "means and tests of `build`"
)
NO_CHANGES = (
    "the estimated variance between the two contexts of a pair is 0: the ratings do not show that "
    "any pair changes, and intervals would have no width. Collect more ratings of each context, or "
    "use the tests of `build` with the recipe raw"
)
