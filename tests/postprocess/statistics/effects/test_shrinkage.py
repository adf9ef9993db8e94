import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from postprocess.statistics.effects.shrinkage import (
    WIDTHS,
    Estimates,
    Mixture,
    estimate_weights,
    posterior_changes,
)

NO_CHANGE = Mixture(np.array([[0.4, 0.6]]), np.array([[0.0, 1.0]]), np.array([[0.0, 0.5]]))


def test_posterior_changes_of_one_width_are_the_normal_ones():
    weights = np.where(WIDTHS == 1, 1.0, 0.0)
    estimates = Estimates(np.array([3.0, -1.0]), np.array([1.0, 2.0]))

    changes = posterior_changes(estimates, 2.0, weights)

    assert changes.mean.tolist() == pytest.approx([3 * 4 / 5, -1 / 2])
    low, high = changes.quantiles(np.array([0.025, 0.975])).T
    assert (high - low).tolist() == pytest.approx(
        [3.92 * np.sqrt(0.8), 3.92 * np.sqrt(2)], abs=5e-3
    )
    assert changes.sign_error.tolist() == pytest.approx(
        [norm.cdf(-2.4 / np.sqrt(0.8)), norm.cdf(-0.5 / np.sqrt(2))]
    )


def test_posterior_changes_are_those_of_bayes_theorem():
    weights = np.linspace(1, 2, len(WIDTHS))
    weights /= weights.sum()
    changes = posterior_changes(Estimates(np.array([1.5]), np.array([0.8])), 0.9, weights)

    def joint(x):
        prior = weights[1:] @ norm.pdf(x, scale=0.9 * WIDTHS[1:])
        return prior * norm.pdf(1.5, loc=x, scale=0.8)

    no_change = weights[0] * norm.pdf(1.5, scale=0.8)
    total = no_change + quad(joint, -20, 20, points=[0, 1], limit=500)[0]
    up = quad(joint, 0, 20, points=[0.1, 1], limit=500)[0]
    assert changes.shares[0, 0] == pytest.approx(no_change / total)
    assert changes.sign_error.item() == pytest.approx(1 - up / total, rel=1e-5)


def test_sign_error_counts_no_change_as_wrong():
    below = 0.6 * norm.cdf(-2)

    assert NO_CHANGE.sign_error.item() == pytest.approx(0.4 + below)
    opposite = NO_CHANGE._replace(means=-NO_CHANGE.means)
    assert opposite.sign_error.item() == pytest.approx(0.4 + below)


def test_quantiles_are_0_for_the_share_without_change():
    below = 0.6 * norm.cdf(-2)
    levels = np.array([below / 2, below + 0.01, below + 0.39, below + 0.41])

    found = NO_CHANGE.quantiles(levels)[0]

    assert found[1:3] == pytest.approx(0, abs=1e-8)
    assert found[0] < 0 < found[3]
    outer = NO_CHANGE.distribution(found[None, [0, 3]])[0]
    assert outer == pytest.approx(levels[[0, 3]], abs=1e-4)


def test_exceed_adds_both_directions():
    expected = 0.6 * (norm.sf(0.8, 1, 0.5) + norm.cdf(-0.8, 1, 0.5))

    assert NO_CHANGE.exceed(np.array([0.8])).item() == pytest.approx(expected)


def test_estimate_weights_finds_that_few_pairs_change():
    rng = np.random.default_rng(1)
    true = np.where(np.arange(400) < 60, rng.normal(0, 3, 400), 0)
    estimates = Estimates(true + rng.normal(0, 0.7, 400), np.full(400, 0.7))
    deviation = float(true.std())

    changes = posterior_changes(estimates, deviation, estimate_weights(estimates, deviation))

    limit = np.full(400, 1.0)
    assert changes.exceed(limit).mean() == pytest.approx((np.abs(true) > 1).mean(), abs=0.05)
    clear = changes.sign_error < 0.025
    assert clear.sum() > 15
    assert (np.sign(changes.mean) != np.sign(true))[clear].mean() <= 0.1


def test_estimate_weights_of_noise_alone_stay_near_the_normal_model():
    rng = np.random.default_rng(3)
    estimates = Estimates(rng.normal(0, 5, 20), np.full(20, 5.0))

    weights = estimate_weights(estimates, 0.5)

    assert weights[WIDTHS == 1].item() > 0.5


def test_estimate_weights_of_normal_changes_is_close_to_the_normal_model():
    rng = np.random.default_rng(2)
    true = rng.normal(0, 1.5, 300)
    estimates = Estimates(true + rng.normal(0, 0.8, 300), np.full(300, 0.8))

    changes = posterior_changes(estimates, 1.5, estimate_weights(estimates, 1.5))

    normal = estimates.changes * 1.5**2 / (1.5**2 + 0.8**2)
    assert changes.mean == pytest.approx(normal, abs=0.35)
