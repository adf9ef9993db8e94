import numpy as np
import pandas as pd
import pytest
from scipy.optimize import isotonic_regression

from postprocess.reporting.assessment import Chance
from postprocess.two_collections.curve import calibration_curve
from postprocess.two_collections.matching import align, match_pairs
from tests.factories.collections import scores_of

BRIEF = Chance(40, 5, 0, "items")


def curve_of(first, second):
    sides = scores_of(first), scores_of(second, "B")
    return calibration_curve(align(*sides, match_pairs(*sides)), BRIEF)


def test_line_of_a_worked_case_pools_what_falls():
    # by the first's score: 1 → 2, 3 → 6 and 2 (mean 4), 5 → 3, 7 → 9, 9 → 9
    found = curve_of([(1, 3), (3, 5), (7, 9)], [(2, 6), (2, 3), (9, 9)]).line

    assert found["first"].tolist() == [1, 3, 5, 7, 9]
    assert found["n"].tolist() == [1, 2, 1, 1, 1]
    pooled = (2 * 4 + 3) / 3
    assert found["second"].tolist() == pytest.approx([2, pooled, pooled, 9, 9])


def test_line_is_that_of_scipy_without_ties():
    rng = np.random.default_rng(2)
    first, second = rng.random((15, 2)), rng.random((15, 2))

    found = curve_of(first.tolist(), second.tolist()).line

    expected = isotonic_regression(second.ravel()[np.argsort(first.ravel())]).x
    assert found["second"].tolist() == pytest.approx(expected.tolist())


def test_bins_have_equal_scores_together_and_their_means():
    rng = np.random.default_rng(3)
    first = rng.integers(0, 7, (60, 2)).astype(float)
    second = first + rng.normal(0, 1, first.shape)

    bins = curve_of(first.tolist(), second.tolist()).bins

    assert bins["n"].sum() == 120
    assert (bins["least"].to_numpy()[1:] > bins["most"].to_numpy()[:-1]).all()
    for row in bins.itertuples():
        inside = (first >= row.least) & (first <= row.most)
        assert row.n == inside.sum()
        assert row.second == pytest.approx(second[inside].mean())
        assert row.low < row.second < row.high


def test_bins_of_continuous_scores_are_of_equal_size():
    scores = np.random.default_rng(4).random((100, 2)).tolist()

    assert curve_of(scores, scores).bins["n"].tolist() == [20] * 10


def test_curve_does_not_depend_on_the_order_of_the_pairs():
    rng = np.random.default_rng(5)
    first, second = rng.random((30, 2)).tolist(), rng.random((30, 2)).tolist()

    one, other = curve_of(first, second), curve_of(first[::-1], second[::-1])

    assert one.line["second"].tolist() == pytest.approx(other.line["second"].tolist())
    figures = ["n", "first", "second"]
    pd.testing.assert_frame_equal(one.bins[figures], other.bins[figures])
