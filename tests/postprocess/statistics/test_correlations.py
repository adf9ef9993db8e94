import numpy as np
import pytest
from scipy import stats

from postprocess.statistics.correlations import (
    correlate,
    correlate_left_out,
    correlate_pairs,
    mean_defined,
)

NAN = float("nan")
METHODS = ("spearman", "pearson", "uncentered")


def tables(shape, *, gaps=0.0, seed=0):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, 7, size=shape).astype(float)
    ratings[0, 0] = 25 / 3  # constant
    ratings[rng.random(shape) < gaps] = NAN
    return ratings


def test_uncentered_correlation_by_hand():
    # 1 · 2 + 2 · 2 + 2 · 1 over 3 · 3
    first, second = np.array([1.0, 2, NAN, 2]), np.array([2.0, 2, 5, 1])

    assert float(correlate(first, second, method="uncentered")) == pytest.approx(8 / 9)
    assert np.isnan(correlate(first * 0, second, method="uncentered"))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_correlate_pairs_equals_two_at_a_time(method, gaps):
    ratings = tables((3, 4, 6), gaps=gaps)
    all_at_once = correlate_pairs(ratings, method=method)

    for i in range(4):
        for j in range(4):
            expected = correlate(ratings[:, i], ratings[:, j], method=method)
            expected = np.full(3, NAN) if i == j else expected
            np.testing.assert_allclose(all_at_once[:, i, j], expected, rtol=0, atol=1e-12)


def test_correlate_pairs_takes_tables_with_and_without_gaps_together():
    ratings = tables((4, 3, 8))
    ratings[1] = tables((1, 3, 8), gaps=0.3, seed=1)[0]

    together = correlate_pairs(ratings, method="spearman")

    alone = [correlate_pairs(table[None], method="spearman")[0] for table in ratings]
    np.testing.assert_array_equal(together, alone)


def test_correlate_pairs_needs_three_items():
    assert np.isnan(correlate_pairs(tables((2, 3, 2)), method="pearson")).all()


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_correlate_left_out_equals_scipy(gaps):
    ratings = tables((3, 4, 9), gaps=gaps)
    found = correlate_left_out(ratings)

    for table, rho in zip(ratings, found, strict=True):
        for annotator, own in enumerate(table):
            others = np.delete(table, annotator, axis=0)
            both = ~np.isnan(own) & ~np.isnan(others).all(axis=0)
            if both.sum() < 3 or np.ptp(own[both]) == 0:
                assert np.isnan(rho[annotator])
                continue
            means = np.nanmean(others[:, both], axis=0).round(9)
            expected = stats.spearmanr(own[both], means).statistic
            assert rho[annotator] == pytest.approx(expected, abs=1e-12)


def test_correlate_left_out_of_one_annotator_is_undefined():
    assert np.isnan(correlate_left_out(tables((2, 1, 5)))).all()


def test_mean_defined_leaves_out_what_is_not():
    numbers = np.array([[1.0, NAN], [3.0, NAN]])

    np.testing.assert_array_equal(mean_defined(numbers, axis=0), [2, NAN])
    assert mean_defined(numbers) == 2
    assert np.isnan(mean_defined(np.empty(0)))
