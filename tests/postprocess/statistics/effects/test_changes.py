import numpy as np
import pytest
from scipy.stats import norm

from postprocess.statistics.effects.changes import (
    LatentChanges,
    draw_parameters,
    expected_ratings,
    latent_changes,
    stratify_changes,
)

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


def test_the_sign_error_is_half_for_no_change_and_small_for_a_clear_one():
    changes = LatentChanges(np.array([0.0, 1.96, -3.0]), np.array([1.0, 1.0, 1.5]))

    assert changes.sign_error.round(4).tolist() == [0.5, 0.025, 0.0228]


def test_stratify_changes_keeps_levels_and_the_order_of_the_draws():
    latent = np.array([[0.0, 1.0, 4.0, 1.0], [4.0, 2.0, 0.0, 6.0]])  # changes 4 1 -4 5
    levels = latent.mean(axis=0)

    stratify_changes(latent, LatentChanges(np.array([2.0]), np.array([3.0])), np.array([0]))

    assert latent.mean(axis=0) == pytest.approx(levels)
    expected = 2 + 3 * norm.ppf([5 / 8, 3 / 8, 1 / 8, 7 / 8])
    assert latent[1] - latent[0] == pytest.approx(expected)


def test_latent_changes_include_the_uncertainty_of_the_parameters(fit):
    conditional = np.sqrt(fit.mode.precision.covariance.change)

    ratio = latent_changes(fit).deviation / conditional
    assert (ratio > 1).all()
    assert ratio.max() < 1.3


def test_draw_parameters_has_their_covariance_and_mean_0(fit):
    drawn = draw_parameters(fit, 20_000, np.random.default_rng(1))

    assert drawn.mean(axis=0) == pytest.approx(np.zeros(10), abs=1e-12)
    assert drawn.var(axis=0) == pytest.approx(fit.covariance.diagonal(), rel=0.05)
