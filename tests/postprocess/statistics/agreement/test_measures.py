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
)
from postprocess.statistics.correlations import correlate
from tests.postprocess.statistics.agreement.tables import leave_one_out_of, pairwise_of

NAN = float("nan")
METHODS = ("spearman", "pearson", "uncentered")
COLUMNS = st.lists(st.lists(st.integers(0, 6), min_size=6, max_size=6), min_size=2, max_size=4)
GAPPED = st.lists(
    st.lists(st.none() | st.integers(0, 6), min_size=7, max_size=7), min_size=2, max_size=4
)


def table(columns):
    return pd.DataFrame({f"A{i}": column for i, column in enumerate(columns)}, dtype=float)


def test_leave_one_out_agreement_by_hand():
    ratings = pd.DataFrame({"A": [0, 1, 2], "B": [0, 2, 1], "C": [0, 1, 5]})

    # A against means 0 1.5 3; B against 0 1 3.5; C against 0 1.5 1.5
    expected = {"A": 1.0, "B": 0.5, "C": 1.5 / np.sqrt(3)}
    assert leave_one_out_of(ratings).to_dict() == pytest.approx(expected)


def test_leave_one_out_agreement_treats_equal_means_as_ties():
    # the means of the others are 0.2 and 0.2, but not equal as floats
    ratings = pd.DataFrame(
        {"A": [1, 2, 3.0], "B": [0.1, 0.2, 0], "C": [0.2, 0.2, 0], "D": [0.3, 0.2, 0]}
    )

    assert leave_one_out_of(ratings)["A"] == pytest.approx(-1.5 / np.sqrt(3))


def test_pairwise_agreement_is_symmetric_and_undefined_on_the_diagonal():
    rho = pairwise_of(pd.DataFrame({"A": [0, 1, 2], "B": [0, 2, 1], "C": [2, 2, 2]}))

    assert rho.fillna(9).to_numpy().tolist() == [[9, 0.5, 9], [0.5, 9, 9], [9, 9, 9]]


@settings(deadline=None)
@given(COLUMNS, st.integers(-3, 3))
def test_agreement_does_not_depend_on_names_rows_or_constant(columns, constant):
    ratings = table(columns)
    other = (ratings.iloc[::-1, ::-1] + constant).reset_index(drop=True)

    for agreement in (
        leave_one_out_of,
        lambda x: pairwise_of(x).mean(),
        lambda x: pairwise_of(x, method="pearson").mean(),
    ):
        first, second = agreement(ratings), agreement(other)[ratings.columns]
        assert second.tolist() == pytest.approx(first.tolist(), nan_ok=True)


@settings(deadline=None)
@given(GAPPED)
def test_agreement_with_gaps_equals_scipy_pair_by_pair(columns):
    ratings = table(columns)
    left_out = leave_one_out_of(ratings)
    by = {m: pairwise_of(ratings, method=m) for m in ("spearman", "pearson")}

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


@settings(deadline=None)
@given(COLUMNS, st.integers(1, 3), st.sampled_from([0.25, 1, 10 / 6]))
def test_agreement_does_not_depend_on_repeated_items_or_on_the_scale(columns, times, unit):
    ratings = table(columns)
    other = pd.concat([ratings] * times, ignore_index=True) * unit

    for agreement in (leave_one_out_of, lambda x: pairwise_of(x).stack()):
        expected = agreement(ratings).tolist()
        assert agreement(other).tolist() == pytest.approx(expected, nan_ok=True)


@settings(deadline=None)
@given(COLUMNS)
def test_pairwise_agreement_with_a_copy_of_an_annotator_is_one(columns):
    ratings = table(columns)
    copied = ratings.assign(copy=ratings["A0"])
    is_constant = ratings["A0"].nunique() == 1

    for method in ("spearman", "pearson"):
        rho = pairwise_of(copied, method=method)
        expected = NAN if is_constant else 1.0
        assert rho.loc["A0", "copy"] == pytest.approx(expected, nan_ok=True)
        same = rho["copy"].drop(["A0", "copy"]).tolist()
        assert rho["A0"].drop(["A0", "copy"]).tolist() == pytest.approx(same, nan_ok=True)


def test_agreement_with_means_is_that_of_leaving_one_out():
    ratings = table([[0, 1, 2, 6, 5, 3, 4, 0], [0, 2, 5, 6, 1, 3, 2, 4], [1, 1, 3, 0, 6, 2, 5, 3]])
    means = ratings.drop(columns="A0").mean(axis=1)

    rho, low, high = agreement_with_means(ratings["A0"], means)

    assert rho == leave_one_out_of(ratings)["A0"]
    assert low < rho < high <= 1


def test_agreement_with_means_ignores_items_without_both():
    own, means = [0, 1, 2, 6, 5, 3, 4, 0, 2], [0, 2, 1, 6, 1, 5, 3, 4, 0]

    longer = agreement_with_means([*own, NAN, 3], [*means, 2, NAN])

    assert longer == agreement_with_means(own, means)
    assert longer != agreement_with_means(own, means, seed=1)


@pytest.mark.parametrize(("own", "means"), [([], []), ([1, 2], [1, 2]), ([3] * 5, [1, 2, 3, 4, 5])])
def test_agreement_with_means_is_undefined_for_few_or_constant_ratings(own, means):
    assert np.isnan(agreement_with_means(own, means)).all()


def test_agreement_with_means_has_no_interval_if_resamples_often_agree_perfectly():
    """Leaving out one of the two items that are swapped is frequent among five."""
    rho, low, high = agreement_with_means([0, 1, 2, 4, 3], [0, 1, 2, 3, 4])

    assert rho == pytest.approx(0.9)
    assert np.isnan([low, high]).all()
    assert agreement_with_means([0, 1, 2, 3, 4], [0, 1, 2, 3, 4]) == pytest.approx((1, 1, 1))


def random_tables(shape, *, gaps=0.0, seed=0):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, 7, size=shape).astype(float)
    ratings[0, 0] = 25 / 3  # constant
    ratings[rng.random(shape) < gaps] = NAN
    return ratings


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_pairwise_agreement_equals_two_at_a_time(method, gaps):
    ratings = random_tables((3, 4, 6), gaps=gaps)
    all_at_once = pairwise_agreement(ratings, method=method)

    for i in range(4):
        for j in range(4):
            expected = correlate(ratings[:, i], ratings[:, j], method=method)
            expected = np.full(3, NAN) if i == j else expected
            np.testing.assert_allclose(all_at_once[:, i, j], expected, rtol=0, atol=1e-12)


def test_pairwise_agreement_accepts_tables_with_and_without_gaps():
    ratings = random_tables((4, 3, 8))
    ratings[1] = random_tables((1, 3, 8), gaps=0.3, seed=1)[0]

    together = pairwise_agreement(ratings, method="spearman")

    alone = [pairwise_agreement(table[None], method="spearman")[0] for table in ratings]
    np.testing.assert_array_equal(together, alone)


def test_pairwise_agreement_needs_three_items():
    assert np.isnan(pairwise_agreement(random_tables((2, 3, 2)), method="pearson")).all()


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_leave_one_out_agreement_equals_scipy(gaps):
    ratings = random_tables((3, 4, 9), gaps=gaps)
    found = leave_one_out_agreement(ratings)

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


def test_leave_one_out_agreement_of_one_annotator_is_undefined():
    assert np.isnan(leave_one_out_agreement(random_tables((2, 1, 5)))).all()
