import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from postprocess.statistics.correlations import correlate, mean_defined, rank, spearman

NAN = float("nan")
QUARTERS = st.lists(st.integers(0, 24).map(lambda n: n / 4), min_size=3, max_size=9)


def pearson(first, second):
    sides = (np.asarray(side, dtype=float) for side in (first, second))
    return float(correlate(*sides, method="pearson"))


def test_uncentered_correlation_by_hand():
    # 1 · 2 + 2 · 2 + 2 · 1 over 3 · 3
    first, second = np.array([1.0, 2, NAN, 2]), np.array([2.0, 2, 5, 1])

    assert float(correlate(first, second, method="uncentered")) == pytest.approx(8 / 9)
    assert np.isnan(correlate(first * 0, second, method="uncentered"))


def test_spearman_by_hand_with_ties_and_gaps():
    # ranks 1.5 1.5 3 and 1 2 3: covariance 1.5, variances 1.5 and 2
    assert spearman([0, 0, 5, NAN, 2], [1, 2, 3, 4, NAN]) == pytest.approx(1.5 / np.sqrt(3))


@pytest.mark.parametrize("second", [[1, 1, 1, 1], [1, 2, NAN, NAN], [NAN] * 4])
def test_spearman_is_undefined_for_constant_or_few_items(second):
    assert np.isnan(spearman([0, 1, 2, 3], second))


@given(
    st.lists(st.integers(0, 6), min_size=3, max_size=9).filter(lambda x: len(set(x)) > 1),
    st.randoms(use_true_random=False),
)
def test_spearman_equals_scipy(first, random):
    second = [random.randint(0, 6) for _ in first]
    second[0] = second[-1] + 1

    expected = stats.spearmanr(first, second).statistic

    assert spearman(first, second) == pytest.approx(expected, abs=1e-12)


def test_pearson_by_hand_with_gaps():
    # 0 1 5 against 1 3 2: deviations -2 -1 3 and -1 1 0, product 1, squares 14 and 2
    assert pearson([0, 1, NAN, 5], [1, 3, 9, 2]) == pytest.approx(1 / np.sqrt(28))


@pytest.mark.parametrize("second", [[0.1, 0.1, 0.1, 0.1], [1, 2, NAN, NAN], [NAN] * 4])
def test_pearson_is_undefined_for_constant_or_few_items(second):
    assert np.isnan(pearson([0, 1, 2, 3], second))
    assert np.isnan(pearson([], []))


@given(QUARTERS.filter(lambda x: len(set(x)) > 1), st.randoms(use_true_random=False))
def test_pearson_equals_scipy(first, random):
    second = [random.randint(0, 24) / 4 for _ in first]
    second[0] = second[-1] + 1

    expected = stats.pearsonr(first, second).statistic

    assert pearson(first, second) == pytest.approx(expected, abs=1e-12)


def test_mean_defined_leaves_out_nan():
    numbers = np.array([[1.0, NAN], [3.0, NAN]])

    np.testing.assert_array_equal(mean_defined(numbers, axis=0), [2, NAN])
    assert mean_defined(numbers) == 2
    assert np.isnan(mean_defined(np.empty(0)))


@given(st.lists(QUARTERS.map(lambda row: [*row, *[9.0] * (9 - len(row))]), min_size=1, max_size=4))
def test_ranks_equal_scipys(rows):
    numbers = np.array([rows, rows[::-1]], dtype=float)  # shape (2, n_rows, 9)

    assert rank(numbers).tolist() == stats.rankdata(numbers, axis=-1).tolist()


def test_no_numbers_have_no_ranks():
    assert rank(np.empty((2, 0))).shape == (2, 0)
