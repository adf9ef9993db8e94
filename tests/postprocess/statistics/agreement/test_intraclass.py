import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from postprocess.statistics.agreement.group_arrays import stack_groups
from postprocess.statistics.agreement.intraclass import intraclass_correlation
from tests.postprocess.statistics.agreement.tables import icc_of

NAN = float("nan")
# Shrout and Fleiss (1979), table 2: six targets, four judges
PUBLISHED = pd.DataFrame(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)
# Variances of items, annotators and rest by lmer(rating ~ 1 + (1 | item) + (1 | annotator)) of the
# R package lme4 1.1-31; MixedLM of statsmodels 0.15 finds the same
LME4 = 2.28216, 0.09429, 1.17848
QUARTERS = st.integers(0, 24).map(lambda n: n / 4)
COLUMNS = st.lists(st.lists(QUARTERS, min_size=5, max_size=5), min_size=2, max_size=4)


def table(columns):
    return pd.DataFrame({f"A{i}": column for i, column in enumerate(columns)}, dtype=float)


def test_intraclass_correlation_equals_the_published_figures():
    assert icc_of(PUBLISHED) == pytest.approx((0.29, 0.62), abs=5e-3)


def test_intraclass_correlation_by_hand():
    # 0 2 | 3 3 | 6 4: item means 1 3 5, annotators 3 3. Sums of squares: items 2 · 8 = 16 with 2
    # degrees of freedom, annotators 0 with 1, rest (1² + 1²) · 2 = 4 with 2, so mean squares
    # 8, 0, 2. ICC(2,1) = (8 - 2)/(8 + 2 + 2 · (0 - 2)/3), ICC(2,2) = (8 - 2)/(8 + (0 - 2)/3)
    found = icc_of(pd.DataFrame({"A": [0, 3, 6], "B": [2, 3, 4]}))

    assert found == pytest.approx((6 / (10 - 4 / 3), 6 / (8 - 2 / 3)))


def test_intraclass_correlation_counts_a_constant_difference_as_error():
    same = icc_of(pd.DataFrame({"A": [0, 3, 6], "B": [0, 3, 6]}))
    higher = icc_of(pd.DataFrame({"A": [0, 3, 6], "B": [1, 4, 7]}))

    # mean squares: items 18, annotators 1.5, rest 0
    assert same == (1, 1)
    assert higher == pytest.approx((18 / (18 + 2 * 1.5 / 3), 18 / (18 + 1.5 / 3)))


def test_intraclass_correlation_with_a_gap_by_hand():
    # 0 2 | 3 3 | – 4 | 6 4. After fitting items, ratings deviate by -1 1 | 0 0 | 0 | 1 -1: by 0 on
    # average for each annotator. So annotators 0 with 1 degree of freedom, rest 4 with 2. About the
    # annotators' means 3 and 13/4 the sum of squares is 18 + 11/4, so that of items after fitting
    # annotators is 20.75 - 4 with 3. Rest: 4/2 = 2. Items: (16.75 - 3 · 2)/(7 - 2) = 2.15.
    # Annotators: (0 - 2)/(7 - 4) = -2/3. Over items 1/k is (3/2 + 1)/4 = 5/8.
    found = icc_of(pd.DataFrame({"A": [0, 3, NAN, 6], "B": [2, 3, 4, 4]}))

    assert found == pytest.approx((2.15 / (2.15 + 4 / 3), 2.15 / (2.15 + 4 / 3 * 5 / 8)))


def by_projection(table):
    """Return both coefficients by Henderson's method III, from the matrices of the model."""
    items, annotators = np.nonzero(table.notna().to_numpy())
    x = table.to_numpy()[items, annotators]
    of_items, of_annotators = np.eye(len(table))[items], np.eye(table.shape[1])[annotators]
    both = np.hstack([of_items, of_annotators])
    fit = {name: m @ np.linalg.pinv(m) for name, m in
           (("items", of_items), ("annotators", of_annotators), ("both", both))}  # fmt: skip
    rest = (x @ x - x @ fit["both"] @ x) / (len(x) - np.linalg.matrix_rank(both))

    def variance(other, incidence):
        extra = fit["both"] - fit[other]
        return (x @ extra @ x - rest * np.trace(extra)) / np.trace(incidence.T @ extra @ incidence)

    between = variance("annotators", of_items)
    error = variance("items", of_annotators) + rest
    one_over_k = (1 / table.notna().sum(axis=1)).mean()
    return between / (between + error), between / (between + error * one_over_k)


@pytest.mark.parametrize(
    ("n_items", "n_annotators", "share"), [(12, 5, 0.2), (5, 12, 0.4), (8, 8, 0.6)]
)
def test_intraclass_correlation_with_gaps_equals_the_matrices_of_the_model(
    n_items, n_annotators, share
):
    rng = np.random.default_rng(n_items)
    for _ in range(10):
        ratings = pd.DataFrame(rng.uniform(0, 6, n_items)[:, None]
                               + rng.normal(size=(n_items, n_annotators)))  # fmt: skip
        ratings = ratings.mask(rng.random(ratings.shape) < share)
        ratings = ratings.dropna(how="all").dropna(how="all", axis="columns")

        assert icc_of(ratings) == pytest.approx(by_projection(ratings), abs=1e-9)


def test_intraclass_correlation_of_annotators_without_common_items_equals_the_matrices():
    ratings = pd.DataFrame(
        [[0, 1, NAN, NAN], [5, 6, NAN, NAN], [2, 4, NAN, NAN], [NAN, NAN, 6, 4], [NAN, NAN, 1, 1]]
    )

    assert icc_of(ratings) == pytest.approx(by_projection(ratings), abs=1e-12)


def test_intraclass_correlation_with_gaps_is_close_to_restricted_maximum_likelihood():
    rng = np.random.default_rng(8)
    ratings = 3 + rng.normal(0, 1.5, (20, 1)) + rng.normal(0, 0.6, 8) + rng.normal(0, 1.2, (20, 8))
    ratings = pd.DataFrame(np.clip(np.rint(ratings), 0, 6)).mask(rng.random((20, 8)) < 0.2)

    found, _ = icc_of(ratings)

    items, annotators, rest = LME4
    assert found == pytest.approx(items / (items + annotators + rest), abs=0.01)


@pytest.mark.parametrize(
    "columns",
    [[[1, 2, 3]], [[1], [2]], [[25 / 3] * 3, [25 / 3] * 3], [[1, NAN, 2], [NAN, 2, NAN]], [[], []]],
)
def test_intraclass_correlation_is_undefined_for_too_few_or_equal_ratings(columns):
    assert np.isnan(icc_of(table(columns))).all()


def test_intraclass_correlation_is_undefined_for_a_negative_variance():
    # means of items and of annotators are all equal, so both variances are estimated below 0
    _, average = icc_of(pd.DataFrame({"A": [0, 6], "B": [6, 0]}))

    assert np.isnan(average)


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@settings(deadline=None)
@given(COLUMNS)
def test_intraclass_correlation_equals_pingouin(columns):
    ratings = table(columns)
    found = icc_of(ratings)
    assume(not np.isnan(found).any())
    long = ratings.reset_index(names="item").melt(id_vars="item", var_name="annotator")

    with np.errstate(all="ignore"):
        expected = pingouin.intraclass_corr(long, "item", "annotator", "value")

    single_and_average = expected["ICC"].to_numpy()[[1, 4]]
    assert found == pytest.approx(tuple(single_and_average), abs=1e-12, rel=1e-12)


@settings(deadline=None)
@given(COLUMNS, st.integers(-3, 3), st.sampled_from([0.25, 10 / 6, 100]))
def test_intraclass_correlation_does_not_depend_on_names_rows_constant_or_unit(
    columns, constant, unit
):
    ratings = table(columns)
    other = (ratings.iloc[::-1, ::-1].reset_index(drop=True) + constant) * unit

    assert icc_of(other) == pytest.approx(icc_of(ratings), nan_ok=True)


def test_intraclass_correlation_of_two_groups_by_hand(ratings_of):
    # The first group as above: sums of squares 16, 0, 4 with 2, 1, 2. The second, of three people,
    # 0 1 2 | 4 5 6: items 3 · 8 = 24 with 1, annotators 2 · 2 = 4 with 2, rest 0 with 2.
    # Rest: 4/4 = 1. Items: (40 - 3 · 1)/(2 · 2 + 1 · 3) = 37/7.
    # Annotators: (4 - 3 · 1)/(1 · 3 + 2 · 2) = 1/7. Over items 1/k is (3/2 + 2/3)/5 = 13/30.
    first = ratings_of(group="1", A=[0, 3, 6], B=[2, 3, 4])
    second = ratings_of(group="2", C=[0, 4], D=[1, 5], E=[2, 6])

    found = intraclass_correlation(stack_groups(pd.concat([first, second])), 1)

    expected = [37 / 45, 37 / 7 / (37 / 7 + 8 / 7 * 13 / 30)]
    assert found[0].tolist() == pytest.approx(expected)


def test_intraclass_correlation_leaves_out_groups_of_one(ratings_of):
    first = ratings_of(group="1", A=[0, 3, 6], B=[2, 3, 4])
    alone = ratings_of(group="2", C=[0, 4, 5])

    found = intraclass_correlation(stack_groups(pd.concat([first, alone])), 1)

    expected = icc_of(pd.DataFrame({"A": [0, 3, 6], "B": [2, 3, 4]}))
    assert found[0].tolist() == pytest.approx(expected)
