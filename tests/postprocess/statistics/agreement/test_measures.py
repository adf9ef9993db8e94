import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from postprocess.statistics.agreement.measures import (
    agreement_with_means,
    leave_one_out_agreement,
    pairwise_agreement,
    pearson,
    spearman,
)
from postprocess.table.ratings import RatingsError

NAN = float("nan")
COLUMNS = st.lists(st.lists(st.integers(0, 6), min_size=6, max_size=6), min_size=2, max_size=4)
GAPPED = st.lists(
    st.lists(st.none() | st.integers(0, 6), min_size=7, max_size=7), min_size=2, max_size=4
)
QUARTERS = st.lists(st.integers(0, 24).map(lambda n: n / 4), min_size=3, max_size=9)


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


@settings(deadline=None)  # a busy machine is no failure
@given(COLUMNS, st.integers(-3, 3))
def test_agreement_does_not_depend_on_names_rows_or_constant(columns, constant):
    ratings = table(columns)
    other = (ratings.iloc[::-1, ::-1] + constant).reset_index(drop=True)

    for agreement in (
        leave_one_out_agreement,
        lambda x: pairwise_agreement(x).mean(),
        lambda x: pairwise_agreement(x, method="pearson").mean(),
    ):
        first, second = agreement(ratings), agreement(other)[ratings.columns]
        assert second.tolist() == pytest.approx(first.tolist(), nan_ok=True)


@settings(deadline=None)  # a busy machine is no failure
@given(GAPPED)
def test_agreement_with_gaps_equals_scipy_two_by_two(columns):
    ratings = table(columns)
    left_out = leave_one_out_agreement(ratings)
    by = {m: pairwise_agreement(ratings, method=m) for m in ("spearman", "pearson")}

    for a in ratings:
        others = ratings.drop(columns=a)
        means = others.mean(axis="columns").round(9)
        assert left_out[a] == pytest.approx(scipy_rho(ratings[a], means), abs=1e-12, nan_ok=True)
        for b in others:
            for method, rho in by.items():
                expected = scipy_rho(ratings[a], ratings[b], method=method)
                assert rho.loc[a, b] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def scipy_rho(first, second, *, method="spearman"):
    both = pd.concat([first, second], axis="columns").dropna().to_numpy()
    if len(both) < 3 or (np.ptp(both, axis=0) == 0).any():
        return NAN
    function = stats.spearmanr if method == "spearman" else stats.pearsonr
    return function(*both.T).statistic


@settings(deadline=None)  # a busy machine is no failure
@given(COLUMNS, st.integers(1, 3), st.sampled_from([0.25, 1, 10 / 6]))
def test_agreement_does_not_depend_on_how_often_items_stand_or_on_the_scale(columns, times, unit):
    ratings = table(columns)
    other = pd.concat([ratings] * times, ignore_index=True) * unit

    for agreement in (leave_one_out_agreement, lambda x: pairwise_agreement(x).stack()):
        expected = agreement(ratings).tolist()
        assert agreement(other).tolist() == pytest.approx(expected, nan_ok=True)


@settings(deadline=None)  # a busy machine is no failure
@given(COLUMNS)
def test_pairwise_agreement_with_a_copy_of_an_annotator_is_one(columns):
    ratings = table(columns)
    copied = ratings.assign(copy=ratings["A0"])
    is_constant = ratings["A0"].nunique() == 1

    for method in ("spearman", "pearson"):
        rho = pairwise_agreement(copied, method=method)
        expected = NAN if is_constant else 1.0
        assert rho.loc["A0", "copy"] == pytest.approx(expected, nan_ok=True)
        same = rho["copy"].drop(["A0", "copy"]).tolist()
        assert rho["A0"].drop(["A0", "copy"]).tolist() == pytest.approx(same, nan_ok=True)


def test_agreement_with_means_is_that_of_leaving_one_out():
    ratings = table([[0, 1, 2, 6, 5, 3], [0, 2, 5, 6, 1, 3], [1, 1, 3, 0, 6, 2]])
    means = ratings.drop(columns="A0").mean(axis=1)

    rho, low, high = agreement_with_means(ratings["A0"], means)

    assert rho == leave_one_out_agreement(ratings)["A0"]
    assert low < rho < high <= 1


def test_agreement_with_means_does_not_depend_on_what_is_missing():
    own, means = [0, 1, 2, 6, 5, 3, 4], [0, 2, 1, 6, 1, 5, 3]

    longer = agreement_with_means([*own, NAN, 3], [*means, 2, NAN])

    assert longer == agreement_with_means(own, means)
    assert longer != agreement_with_means(own, means, seed=1)


@pytest.mark.parametrize(("own", "means"), [([], []), ([1, 2], [1, 2]), ([3] * 5, [1, 2, 3, 4, 5])])
def test_agreement_with_means_is_undefined_for_few_or_constant_ratings(own, means):
    assert np.isnan(agreement_with_means(own, means)).all()
