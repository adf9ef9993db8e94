"""The Laplace approximation of the likelihood, and its derivatives.

The effects x of contexts, annotators and questionnaires have the prior precision Q and the
posterior precision H = Z'WZ + Q at the mode, where Z has the effects of each rating and W their
weights. With the log probabilities ℓ of the ratings at the mode,

    log likelihood ≈ Σ ℓ − x'Qx / 2 + log|Q| / 2 − log|H| / 2.

H has blocks of two rows for the contexts of a pair. They are eliminated first; the precision S that
remains for the crossed effects, annotators and questionnaires, is dense within a connected part
of the study, and zero between parts.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from postprocess.statistics.effects.cumulative import (
    Ends,
    density,
    density_slope,
    evaluate_ratings,
    log_slopes_at_thresholds,
    sum_by_threshold,
)
from postprocess.statistics.effects.design import Design, collect, predict
from postprocess.statistics.effects.parameters import Parameters, threshold_slopes
from postprocess.statistics.effects.precision import (
    Precision,
    apply_prior,
    factorise,
    log_determinant_of_prior,
    prior_precision,
)
from postprocess.types import Floats

MOST_STEPS = 100  # of Newton's method, to the mode
HALVINGS = 30
PRECISE = 1e-12  # expected gain of a step at which the mode has been reached
SLOW = 0.2  # ratio of two expected gains from which the precision is computed again
ROUNDING = 1e-13  # of the log posterior, relative


@dataclass(frozen=True)
class Mode:
    """The most probable effects for given parameters, shape (n_effects,), contexts first."""

    design: Design
    parameters: Parameters
    effects: Floats
    ends: Ends
    precision: Precision
    log_likelihood: float

    @property
    def contexts(self) -> Floats:
        """The effects of contexts, shape (n_pairs, 2)."""
        return self.effects[: self.design.n_contexts].reshape(-1, 2)

    @property
    def crossed(self) -> Floats:
        """The effects of annotators and questionnaires."""
        return self.effects[self.design.n_contexts :]


def find_mode(design: Design, parameters: Parameters, start: Mode | None = None) -> Mode | None:
    """Find the most probable effects by Newton's method with halved steps.

    The log posterior is concave, so that there is one mode. The precision of `start`, the mode for
    similar parameters, is used for the steps as long as they converge fast, since computing it
    takes longest. Returns None if the mode cannot be computed, for parameters that are too extreme.
    """
    posterior = _Posterior(design, parameters)
    effects = np.zeros(design.n_contexts + design.n_crossed) if start is None else start.effects
    precision = None if start is None else start.precision
    here, last_gain, is_new = posterior.at(effects), np.inf, False
    for _ in range(MOST_STEPS):
        if precision is None:
            precision, is_new = posterior.precision(here), True
        if precision is None or here is None:
            return None
        step = precision.solve(here.gradient)
        gain = float(here.gradient @ step)
        if gain < PRECISE and is_new:
            likelihood = here.value + (posterior.log_prior - precision.log_determinant) / 2
            return Mode(design, parameters, here.effects, here.ends, precision, likelihood)
        if gain < PRECISE or gain > SLOW * last_gain:
            precision, last_gain = None, np.inf
            continue
        here, last_gain, is_new = posterior.climb(here, step), gain, False
    return None


class _Place(NamedTuple):
    """The log posterior for some effects, without constants, and its gradient."""

    effects: Floats
    ends: Ends
    value: float
    gradient: Floats


class _Posterior:
    """The posterior distribution of the effects for given parameters."""

    def __init__(self, design: Design, parameters: Parameters) -> None:
        self.design, self.thresholds = design, parameters.thresholds
        self.prior = prior_precision(design, parameters)
        self.log_prior = log_determinant_of_prior(design, parameters)

    def at(self, effects: Floats) -> _Place | None:
        """Return the log posterior; None if it is not defined."""
        if not np.isfinite(self.thresholds).all() or (np.diff(self.thresholds) <= 0).any():
            return None
        ends = evaluate_ratings(self.design.point, predict(self.design, effects), self.thresholds)
        pulled = apply_prior(self.design, self.prior, effects)
        value = float(ends.log.sum() - effects @ pulled / 2)
        return _Place(effects, ends, value, collect(self.design, ends.slope) - pulled)

    def climb(self, here: _Place, step: Floats) -> _Place | None:
        """Go along a step, halved until it leads upwards; None if it never does."""
        least = here.value - ROUNDING * abs(here.value)
        for halving in range(HALVINGS):
            there = self.at(here.effects + step / 2**halving)
            if there is not None and there.value >= least:
                return there
        return None

    def precision(self, here: _Place | None) -> Precision | None:
        """Return the posterior precision, None if it is not positive definite."""
        return None if here is None else factorise(self.design, self.prior, here.ends.weight)


def gradient_of(mode: Mode) -> Floats:
    """Return the derivatives of the approximate log likelihood by the parameters.

    Through the mode the effects depend on the parameters, too: `pull`, H⁻¹ times the derivative of
    log|H| by the effects, accounts for that.
    """
    design, ends, covariance = mode.design, mode.ends, mode.precision.covariance
    leverage = covariance.predictor
    pull = mode.precision.solve(collect(design, leverage * ends.weight_slope))
    pull_of_rating = predict(design, pull)
    thresholds = mode.parameters.thresholds
    sides = log_slopes_at_thresholds(ends, design.point, thresholds)
    upper, lower = (
        side - leverage * density_slope(end) / 2 - pull_of_rating * density(end) / 2
        for side, end in zip(sides, (ends.upper, ends.lower), strict=True)
    )
    by_threshold = sum_by_threshold(upper, lower, design.point, len(design.points))
    return np.concatenate(
        [by_threshold @ threshold_slopes(mode.parameters.of_thresholds), _by_deviation(mode, pull)]
    )


def _by_deviation(mode: Mode, pull: Floats) -> Floats:
    """Return the derivatives by the log standard deviations."""
    design, parameters, covariance = mode.design, mode.parameters, mode.precision.covariance
    n = design.n_contexts
    x, pulled = mode.contexts, pull[:n].reshape(-1, 2)
    sums = covariance.contexts.sum(axis=1)
    slopes = []
    for sign, variance in ((1, parameters.of_level), (-1, parameters.of_change)):
        both, its_pull = x[:, 1] + sign * x[:, 0], pulled[:, 1] + sign * pulled[:, 0]
        square = (both * (both - its_pull) + sums + 2 * sign * covariance.both).sum() / 2
        slopes.append((square / variance - len(x)) / 2)  # by the log variance
    level, change = slopes
    variances = parameters.variances
    square = mode.crossed * (mode.crossed - pull[n:]) + covariance.crossed
    by_crossed = [
        square[kind].sum() / variances[name] - kind.sum()
        for name, kind in (
            ("annotator", design.is_annotator),
            ("questionnaire", ~design.is_annotator),
        )
    ]
    return np.array(
        [
            4 * variances["pair"] / parameters.of_level * level,
            2 * variances["context"] / parameters.of_level * level + 2 * change,
            *by_crossed,
        ]
    )


def effect_slopes(mode: Mode) -> Floats:
    """Return the derivatives of the modal effects by the parameters, (n_effects, n_parameters)."""
    design, parameters = mode.design, mode.parameters
    n_thresholds = len(parameters.of_thresholds)
    by_bound = np.zeros((len(design.point), n_thresholds + 2))
    rows = np.arange(len(design.point))
    by_bound[rows, design.point + 1] = density(mode.ends.upper)
    by_bound[rows, design.point] += density(mode.ends.lower)
    by_threshold = by_bound[:, 1:-1] @ threshold_slopes(parameters.of_thresholds)
    columns = [collect(design, column) for column in by_threshold.T]
    x = mode.contexts
    level, change = x.sum(axis=1, keepdims=True) / 2, np.diff(x, axis=1) / 2
    variances = parameters.variances
    shared = level / parameters.of_level**2
    none = np.zeros(design.n_crossed)
    of_pair = np.repeat(4 * variances["pair"] * shared, 2, axis=1)
    of_context = (
        2 * variances["context"] * (shared + change / parameters.of_change**2 * np.array([-1, 1]))
    )
    columns += [np.append(of_pair.ravel(), none), np.append(of_context.ravel(), none)]
    for name, kind in (("annotator", design.is_annotator), ("questionnaire", ~design.is_annotator)):
        of_kind = 2 * np.where(kind, mode.crossed, 0) / variances[name]
        columns.append(np.append(np.zeros(design.n_contexts), of_kind))
    return np.asarray(mode.precision.solve(np.column_stack(columns)))
