import numpy as np
import pytest
from scipy.stats import norm

from postprocess.statistics.effects.changes import (
    draw_parameters,
    estimate_changes,
    expected_ratings,
    find_limits,
    rater_spread,
    replace_changes,
)
from postprocess.statistics.effects.shrinkage import Mixture

VALUES = np.array([0.0, 5.0, 10.0])


def test_expected_ratings_by_hand():
    # odds of 3 and of 1/3 to be above the two thresholds: 5 · 3/4 + 5 · 1/4
    thresholds = np.array([[-np.log(3), np.log(3)]])

    assert expected_ratings(np.zeros(1), thresholds, 0.0, VALUES).item() == pytest.approx(5)
    assert expected_ratings(np.array([np.log(3)]), thresholds, 0.0, VALUES).item() == pytest.approx(
        5 * 9 / 10 + 5 / 2
    )


def test_expected_ratings_are_means_over_annotators():
    rng = np.random.default_rng(1)
    thresholds, people = np.array([[-1.0, 0.5]]), rng.normal(0.7, 0.9, 200_000)

    many = expected_ratings(people, thresholds, 0.0, VALUES).mean()
    assert expected_ratings(np.array([0.7]), thresholds, 0.9, VALUES).item() == pytest.approx(
        many, abs=0.02
    )


def test_estimate_changes_divides_the_normal_distribution_out(fit):
    """Multiplied by it again, estimates and errors give the mode and its uncertainty."""
    estimates, prior = estimate_changes(fit), 2 * fit.deviations["context"] ** 2
    conditional = fit.mode.precision.covariance.change
    only = 1 / (1 / conditional - 1 / prior)

    drawn = estimates.changes * prior / (prior + only)
    assert drawn == pytest.approx(np.diff(fit.mode.contexts, axis=1)[:, 0])
    ratio = estimates.errors / np.sqrt(only)
    assert (ratio > 1).all()  # the uncertainty of the parameters
    assert ratio.max() < 1.4


def test_replace_changes_keeps_levels_and_the_order_of_the_draws():
    latent = np.array([[0.0, 1.0, 4.0, 1.0], [4.0, 2.0, 0.0, 6.0]])  # changes 4 1 -4 5
    levels = latent.mean(axis=0)
    normal = Mixture(np.array([[0.0, 1.0]]), np.array([[0.0, 2.0]]), np.array([[0.0, 3.0]]))

    replace_changes(latent, normal)

    assert latent.mean(axis=0) == pytest.approx(levels)
    expected = 2 + 3 * norm.ppf([5 / 8, 3 / 8, 1 / 8, 7 / 8])
    assert latent[1] - latent[0] == pytest.approx(expected, abs=1e-3)


def test_find_limits_gives_the_points_back(fit):
    values = np.arange(7) * 10 / 6
    limits = find_limits(fit, values, [1.0, 2.0, 10.0])

    level, thresholds = fit.mode.contexts.mean(axis=1), fit.mode.parameters.thresholds[None]
    spread = rater_spread(fit)
    for column, points in ((0, 1.0), (1, 2.0)):
        low, high = (
            expected_ratings(level + side * limits[:, column] / 2, thresholds, spread, values)
            for side in (-1, 1)
        )
        assert high[0] - low[0] == pytest.approx(np.full(24, points), abs=2e-3)
    assert np.isinf(limits[:, 2]).all()


def test_draw_parameters_has_their_covariance_and_mean_0(fit):
    drawn = draw_parameters(fit, 20_000, np.random.default_rng(1))

    assert drawn.mean(axis=0) == pytest.approx(np.zeros(10), abs=1e-12)
    assert drawn.var(axis=0) == pytest.approx(fit.covariance.diagonal(), rel=0.05)
