import numpy as np
import pytest
from scipy.special import expit

from postprocess.statistics.effects.cumulative import evaluate_ratings, log_slopes_at_thresholds
from postprocess.statistics.effects.parameters import parameters_of, thresholds_of

THRESHOLDS = np.array([-1.0, 0.5, 2.0])
POINT, ETA = np.array([0, 1, 2, 3, 1]), np.array([0.3, -2.0, 1.0, 0.0, 4.0])


def test_evaluate_ratings_by_hand():
    ends = evaluate_ratings(np.array([1]), np.array([0.5]), np.array([0.5 - np.log(3), 0.5]))

    assert np.exp(ends.log).item() == pytest.approx(1 / 2 - 1 / 4)  # odds of 1 and of 1/3
    assert ends.slope.item() == pytest.approx(-1 / 4)
    assert ends.weight.item() == pytest.approx(1 / 4 + 3 / 16)


def test_evaluate_ratings_is_the_difference_of_two_distribution_functions():
    bounds = np.array([-np.inf, *THRESHOLDS, np.inf])
    expected = expit(bounds[POINT + 1] - ETA) - expit(bounds[POINT] - ETA)

    assert np.exp(evaluate_ratings(POINT, ETA, THRESHOLDS).log) == pytest.approx(expected)


def test_evaluate_ratings_is_exact_far_from_the_thresholds():
    far = evaluate_ratings(np.array([1, 1]), np.array([-800.0, 800.0]), np.array([0.0, 1.0]))

    between = np.log1p(-np.exp(-1))
    assert far.log.tolist() == pytest.approx([-800 + between, -799 + between])


@pytest.mark.parametrize(
    ("figure", "slope", "sign"), [("log", "slope", 1), ("slope", "weight", -1)]
)
def test_slopes_by_the_predictor_are_those_of_small_steps(figure, slope, sign):
    low, high = (evaluate_ratings(POINT, ETA + step, THRESHOLDS) for step in (-1e-5, 1e-5))
    found = getattr(evaluate_ratings(POINT, ETA, THRESHOLDS), slope)

    steps = (getattr(high, figure) - getattr(low, figure)) / 2e-5
    assert found == pytest.approx(sign * steps, abs=1e-8)


def test_slopes_by_a_threshold_are_those_of_small_steps():
    upper, _ = log_slopes_at_thresholds(evaluate_ratings(POINT, ETA, THRESHOLDS), POINT, THRESHOLDS)
    low, high = (
        evaluate_ratings(POINT, ETA, THRESHOLDS + np.array([0, step, 0])).log
        for step in (-1e-5, 1e-5)
    )

    assert upper[POINT == 1] == pytest.approx(((high - low) / 2e-5)[POINT == 1], abs=1e-8)


def test_parameters_of_thresholds_give_them_back():
    assert thresholds_of(parameters_of(THRESHOLDS)).tolist() == pytest.approx([-1.0, 0.5, 2.0])
