import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from postprocess.agreement import (
    krippendorff_alpha,
    leave_one_out_agreement,
    pairwise_agreement,
    spearman,
)
from postprocess.ratings import RatingsError

NAN = float("nan")
# Krippendorff (2011), section C: four observers, twelve units
PUBLISHED = pd.DataFrame(
    {
        "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        "C": [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    }
)
COLUMNS = st.lists(st.lists(st.integers(0, 6), min_size=6, max_size=6), min_size=2, max_size=4)


def table(columns):
    return pd.DataFrame({f"A{i}": column for i, column in enumerate(columns)}, dtype=float)


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


def test_leave_one_out_agreement_by_hand():
    ratings = pd.DataFrame({"A": [0, 1, 2], "B": [0, 2, 1], "C": [0, 1, 5]})

    # A against means 0 1.5 3; B against 0 1 3.5; C against 0 1.5 1.5
    expected = {"A": 1.0, "B": 0.5, "C": 1.5 / np.sqrt(3)}
    assert leave_one_out_agreement(ratings).to_dict() == pytest.approx(expected)


def test_leave_one_out_agreement_takes_equal_means_as_ties():
    # the means of the others are 0.2 and 0.2, which floats make unequal
    ratings = pd.DataFrame(
        {"A": [1, 2, 3.0], "B": [0.1, 0.2, 0], "C": [0.2, 0.2, 0], "D": [0.3, 0.2, 0]}
    )

    assert leave_one_out_agreement(ratings)["A"] == pytest.approx(-1.5 / np.sqrt(3))


def test_agreement_of_one_annotator_is_refused():
    alone = pd.DataFrame({"A": [1, 2, 3]})

    for agreement in (leave_one_out_agreement, pairwise_agreement):
        with pytest.raises(RatingsError, match="two annotators or more, got 1"):
            agreement(alone)


def test_pairwise_agreement_is_symmetric_and_says_nothing_of_oneself():
    rho = pairwise_agreement(pd.DataFrame({"A": [0, 1, 2], "B": [0, 2, 1], "C": [2, 2, 2]}))

    assert rho.fillna(9).to_numpy().tolist() == [[9, 0.5, 9], [0.5, 9, 9], [9, 9, 9]]


def test_krippendorff_alpha_equals_the_published_figures():
    assert krippendorff_alpha(PUBLISHED) == pytest.approx(0.849, abs=5e-4)
    assert krippendorff_alpha(PUBLISHED, level="ordinal") == pytest.approx(0.815, abs=5e-4)


def test_krippendorff_alpha_by_hand():
    # observed: (1 + 1)/2 over two items = 0.5 · 1; expected over 0 1 1 2: 2 · SS 2 / 3 = 4/3
    ratings = pd.DataFrame({"A": [0, 1], "B": [1, 2]})

    assert krippendorff_alpha(ratings) == pytest.approx(1 - 1 / (4 / 3))


@pytest.mark.parametrize("level", ["interval", "ordinal"])
@pytest.mark.parametrize("columns", [[[1, 1], [1, 1]], [[1, NAN], [NAN, 2]], [[NAN], [NAN]]])
def test_krippendorff_alpha_is_undefined_without_difference_or_common_items(columns, level):
    assert np.isnan(krippendorff_alpha(table(columns), level=level))


@given(COLUMNS, st.integers(-3, 3))
def test_agreement_does_not_depend_on_names_rows_or_constant(columns, constant):
    ratings = table(columns)
    other = (ratings.iloc[::-1, ::-1] + constant).reset_index(drop=True)

    for level in ("interval", "ordinal"):
        first = krippendorff_alpha(ratings, level=level)
        assert krippendorff_alpha(other, level=level) == pytest.approx(first, nan_ok=True)
    for agreement in (leave_one_out_agreement, lambda x: pairwise_agreement(x).mean()):
        first, second = agreement(ratings), agreement(other)[ratings.columns]
        assert second.tolist() == pytest.approx(first.tolist(), nan_ok=True)
