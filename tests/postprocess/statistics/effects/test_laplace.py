"""The Laplace approximation against dense matrices, small steps and exact integration."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import logsumexp

from postprocess.statistics.effects.cumulative import evaluate_ratings
from postprocess.statistics.effects.design import predict
from postprocess.statistics.effects.laplace import effect_slopes, find_mode, gradient_of
from postprocess.statistics.effects.parameters import Parameters, parameters_of

THRESHOLDS = np.array([-2.5, -1.3, -0.2, 1.1, 2.2, 3.8])
DEVIATIONS = {"pair": 1.2, "context": 0.9, "annotator": 0.6, "questionnaire": 0.4}
NONE = 1e-5


def parameters(**deviations):
    chosen = list({**DEVIATIONS, **deviations}.values())
    return Parameters(np.append(parameters_of(THRESHOLDS), np.log(chosen)))


@pytest.fixture(scope="module")
def mode(design):
    return find_mode(design, parameters())


@pytest.fixture(scope="module")
def dense(design, mode):
    """Z, and Q with the covariances of the two contexts of a pair."""
    n = design.n_contexts
    effects = np.eye(n + design.n_crossed)
    z = np.array([predict(design, effect) for effect in effects]).T
    pair, context, annotator, questionnaire = (one**2 for one in DEVIATIONS.values())
    of_pair = np.linalg.inv(np.eye(2) * context + pair)
    crossed = np.where(design.is_annotator, 1 / annotator, 1 / questionnaire)
    q = np.diag(np.append(np.zeros(n), crossed))
    q[:n, :n] = np.kron(np.eye(n // 2), of_pair)
    return z, q


def test_the_mode_has_no_slope(mode, dense):
    z, q = dense

    assert z.T @ mode.ends.slope == pytest.approx(q @ mode.effects, abs=1e-5)


def test_the_likelihood_is_that_of_dense_matrices(mode, dense):
    z, q = dense
    h = z.T @ (mode.ends.weight[:, None] * z) + q
    logs = [np.linalg.slogdet(matrix)[1] for matrix in (q, h)]
    x = mode.effects

    expected = mode.ends.log.sum() - x @ q @ x / 2 + (logs[0] - logs[1]) / 2
    assert mode.log_likelihood == pytest.approx(expected, abs=1e-8)


def test_the_covariances_are_those_of_dense_matrices(design, mode, dense):
    z, q = dense
    inverse = np.linalg.inv(z.T @ (mode.ends.weight[:, None] * z) + q)
    found, n = mode.precision.covariance, design.n_contexts

    assert mode.precision.solve(np.eye(len(q))) == pytest.approx(inverse)
    assert found.contexts.ravel() == pytest.approx(inverse.diagonal()[:n])
    assert found.crossed == pytest.approx(inverse.diagonal()[n:])
    assert found.both == pytest.approx(inverse[range(0, n, 2), range(1, n, 2)])
    assert found.predictor == pytest.approx(((z @ inverse) * z).sum(axis=1))


def test_the_draws_have_the_covariance_of_the_effects(design, mode):
    rng = np.random.default_rng(1)
    drawn = np.concatenate([draws for _, draws in mode.precision.draw(20_000, rng)])

    found = mode.precision.covariance
    assert drawn.mean(axis=1) == pytest.approx(np.zeros(design.n_contexts), abs=1e-12)
    assert drawn.var(axis=1) == pytest.approx(found.contexts.ravel(), rel=0.06)
    assert (drawn[1::2] - drawn[::2]).var(axis=1) == pytest.approx(found.change, rel=0.06)


def test_the_gradients_are_those_of_small_steps(design, mode):
    gradient, slopes = gradient_of(mode), effect_slopes(mode)
    for place, step in enumerate(1e-4 * np.eye(len(gradient))):
        low, high = (
            find_mode(design, Parameters(mode.parameters.vector + sign * step), mode)
            for sign in (-1, 1)
        )
        by_steps = (high.log_likelihood - low.log_likelihood) / 2e-4
        assert gradient[place] == pytest.approx(by_steps, abs=1e-5)
        assert slopes[:, place] == pytest.approx((high.effects - low.effects) / 2e-4, abs=1e-5)


def test_the_likelihood_of_one_random_effect_is_close_to_the_exact_one(design):
    """Contexts alone, five ratings each; the integral over each of them by 60 nodes."""
    only = parameters(pair=NONE, annotator=NONE, questionnaire=NONE)
    nodes, weights = hermegauss(60)
    logs = [
        np.bincount(
            design.context,
            evaluate_ratings(
                design.point, np.full(len(design.point), DEVIATIONS["context"] * x), THRESHOLDS
            ).log,
        )
        for x in nodes
    ]
    exact = logsumexp(np.array(logs).T, axis=1, b=weights / weights.sum()).sum()

    assert find_mode(design, only).log_likelihood == pytest.approx(exact, rel=0.001)


def test_reversed_ratings_have_reversed_effects(design, mode):
    mirrored = Parameters(np.append(parameters_of(-THRESHOLDS[::-1]), mode.parameters.vector[-4:]))
    found = find_mode(replace(design, point=6 - design.point), mirrored)

    assert found.effects == pytest.approx(-mode.effects, abs=1e-6)
    assert found.log_likelihood == pytest.approx(mode.log_likelihood)


def test_swapped_contexts_have_swapped_effects(design, mode):
    found = find_mode(replace(design, context=design.context ^ 1), mode.parameters)

    assert found.contexts == pytest.approx(mode.contexts[:, ::-1], abs=1e-6)


def test_find_mode_of_impossible_parameters_is_none(design):
    equal = np.append([0.0, -800.0, 0, 0, 0, 0], np.log(list(DEVIATIONS.values())))

    assert find_mode(design, Parameters(equal)) is None
