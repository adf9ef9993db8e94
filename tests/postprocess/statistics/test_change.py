import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, mannwhitneyu

from postprocess.statistics.change import (
    change_pvalues_between,
    change_tests,
    cliffs_delta,
    false_discovery_rates,
    paired_pvalues,
    two_sided_pvalues,
)

RATINGS = st.lists(st.integers(0, 6), min_size=1, max_size=12)
EQUALLY_MANY = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 6), min_size=n, max_size=n), min_size=1, max_size=4)
)


def counts_of(ratings, n_values=7):
    return np.bincount(ratings, minlength=n_values)


def counts(ratings, n_values=7):
    return counts_of(ratings, n_values)[None, :]


def scipy_p(first, second, method):
    return mannwhitneyu(first, second, alternative="two-sided", method=method).pvalue


# --- the published test ---------------------------------------------------------------------


@given(RATINGS, RATINGS)
def test_change_tests_are_half_of_scipys(first, second):
    if len(set(first + second)) == 1:
        return
    expected = scipy_p(first, second, "asymptotic") / 2

    assert change_tests(counts(first), counts(second)).pvalues[0] == pytest.approx(
        expected, abs=1e-12
    )


def test_change_tests_without_ties_by_hand():
    # ranks 1 2 | 3 4: U = 4, its mean 2, deviation sqrt(4 / 12 * 5) = 1.290994,
    # z = (4 - 2 - 0.5) / 1.290994 = 1.161895, and the upper tail of that is 0.122639
    p = change_tests(counts([0, 1]), counts([5, 6])).pvalues

    assert p[0] == pytest.approx(0.122639, abs=1e-6)


def test_change_tests_with_ties_by_hand():
    # ratings 0 0 | 0 1: ranks 2 2 2 4, U = 2 + 4 - 3 = 3, mean 2; ties: 3^3 - 3 = 24
    # deviation sqrt(4 / 12 * (5 - 24 / 12)) = 1; z = (3 - 2 - 0.5) / 1; tail 0.308538
    p = change_tests(counts([0, 0]), counts([0, 1])).pvalues

    assert p[0] == pytest.approx(0.308538, abs=1e-6)


def test_change_tests_are_1_where_all_ratings_are_equal():
    assert change_tests(counts([3, 3]), counts([3])).pvalues.tolist() == [1]
    assert two_sided_pvalues(counts([3, 3]), counts([3])).tolist() == [1]


def test_change_tests_are_a_half_at_most_without_a_difference():
    assert change_tests(counts([2, 4]), counts([2, 4])).pvalues.tolist() == [0.5]
    assert change_tests(counts([2]), counts([4])).pvalues.tolist() == [0.5]


@given(RATINGS, RATINGS)
def test_change_tests_do_not_depend_on_the_order_of_contexts(first, second):
    forth = change_tests(counts(first), counts(second)).pvalues
    back = change_tests(counts(second), counts(first)).pvalues

    assert forth == pytest.approx(back, abs=1e-12)


def test_change_tests_by_hand():
    # 0 0 3 against 5 6: U = 0, mean 3, variance 6/12 · (6 - 6/20) = 2.85, z = 2.5/√2.85
    tests = change_tests(counts_of([0, 0, 3]), counts_of([5, 6]))

    z = 2.5 / math.sqrt(2.85)
    assert tests.pvalues == pytest.approx(math.erfc(z / math.sqrt(2)) / 2, rel=1e-14)
    assert tests.directions == 1


@given(RATINGS, RATINGS)
def test_change_tests_mirror_swapped_contexts(first, second):
    there = change_tests(counts_of(first), counts_of(second))
    back = change_tests(counts_of(second), counts_of(first))

    assert there.pvalues == pytest.approx(back.pvalues, rel=1e-12)
    assert there.directions == -back.directions


def test_change_tests_broadcast_all_against_all():
    first = np.array([counts_of([0, 1, 2]), counts_of([6, 6])])
    second = np.array([counts_of([3]), counts_of([6, 6]), counts_of([0, 6])])

    tests = change_tests(first[:, None], second[None])

    assert tests.pvalues.shape == (2, 3)
    assert tests.directions.tolist() == [[1, 1, 1], [-1, 0, -1]]
    for i, j in np.ndindex(2, 3):
        assert tests.pvalues[i, j] == change_tests(first[i], second[j]).pvalues


def test_change_tests_of_equal_ratings_have_p_1():
    many = np.array([0, 0, 1_000_000, 0])

    tests = change_tests(many, many)

    assert (tests.pvalues.item(), tests.directions.item()) == (1.0, 0)
    assert change_tests(many, many + np.array([1, 0, 0, 0])).pvalues <= 0.5


@given(EQUALLY_MANY, EQUALLY_MANY)
def test_change_pvalues_between_are_those_of_change_tests(first, second):
    one, other = (np.array([counts_of(side) for side in sides]) for sides in (first, second))

    expected = change_tests(one[:, None], other[None]).pvalues

    assert change_pvalues_between(one, other) == pytest.approx(expected, rel=1e-12)


def test_change_pvalues_between_equal_ratings_are_one():
    fours, sixes = np.array([[0, 0, 0, 0, 3, 0, 0]]), np.array([[0, 0, 0, 0, 0, 0, 5]])

    assert change_pvalues_between(fours, fours).tolist() == [[1.0]]
    assert change_pvalues_between(fours, sixes).item() < 0.5


# --- the two-sided test ---------------------------------------------------------------------


@given(RATINGS, RATINGS)
def test_two_sided_pvalues_are_scipys(first, second):
    if len(set(first + second)) == 1:
        return
    untied = len(set(first + second)) == len(first) + len(second)
    expected = scipy_p(first, second, "exact" if untied else "asymptotic")

    assert two_sided_pvalues(counts(first), counts(second))[0] == pytest.approx(expected, abs=1e-12)


def test_two_sided_pvalues_are_exact_where_small_and_untied():
    # of the 6 ways to choose 2 of 4 ranks, 2 are as far apart as 1 2 | 3 4
    assert two_sided_pvalues(counts([0, 1]), counts([5, 6])).tolist() == [pytest.approx(2 / 6)]


def test_two_sided_pvalues_are_asymptotic_where_large():
    first, second = range(0, 18, 2), range(1, 19, 2)  # 9 in each, no ties

    p = two_sided_pvalues(counts(first, 19), counts(second, 19))

    assert p[0] == pytest.approx(scipy_p(first, second, "asymptotic"), abs=1e-12)


def test_false_discovery_rates_by_hand():
    # sorted 0.01 0.02 0.04 0.5 times 4/1 4/2 4/3 4/4: 0.04 0.04 0.0533 0.5
    q = false_discovery_rates(np.array([0.5, 0.01, 0.04, 0.02]))

    assert q == pytest.approx([0.5, 0.04, 4 / 75, 0.04])


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.02, 0.5]), min_size=1))
def test_false_discovery_rates_are_those_of_scipy(pvalues):
    q = false_discovery_rates(np.array(pvalues))

    assert q == pytest.approx(false_discovery_control(pvalues, method="bh"), abs=1e-12)


# --- the effect size ------------------------------------------------------------------------


def delta_of(first, second):
    return {name: one.item() for name, one in cliffs_delta(counts(first), counts(second)).items()}


def dominance(first, second):
    return np.sign(np.subtract.outer(np.asarray(second), np.asarray(first)))


@given(RATINGS, RATINGS)
def test_cliffs_delta_is_the_mean_of_all_comparisons(first, second):
    delta = delta_of(first, second)["delta"]

    assert delta == pytest.approx(dominance(first, second).mean(), abs=1e-12)


@given(RATINGS, RATINGS)
def test_cliffs_delta_changes_sign_with_swapped_contexts(first, second):
    forth = delta_of(first, second)
    back = delta_of(second, first)

    assert forth["delta"] == pytest.approx(-back["delta"], abs=1e-12)
    assert forth["delta_low"] == pytest.approx(-back["delta_high"], abs=1e-9, nan_ok=True)


@given(st.lists(st.integers(0, 6), min_size=2, max_size=12), RATINGS.filter(lambda r: len(r) > 1))
def test_cliffs_delta_lies_in_its_interval(first, second):
    delta, low, high = delta_of(first, second).values()

    assert -1 <= low <= delta + 1e-12
    assert delta - 1e-12 <= high <= 1


def test_cliffs_delta_interval_by_the_formulas():
    first, second = [0, 1, 1, 2, 4], [1, 3, 3, 5]
    d = dominance(first, second)  # rows: context 2
    n2, n1 = d.shape
    delta = d.mean()
    rows, columns = d.mean(axis=1) - delta, d.mean(axis=0) - delta
    variance = (n1**2 * (rows**2).sum() + n2**2 * (columns**2).sum() - ((d - delta) ** 2).sum()) / (
        n1 * n2 * (n1 - 1) * (n2 - 1)
    )
    z = 1.959963984540054
    spread = z * np.sqrt(variance) * np.sqrt((1 - delta**2) ** 2 + z**2 * variance)
    expected = [
        (delta - delta**3 + side * spread) / (1 - delta**2 + z**2 * variance) for side in (-1, 1)
    ]

    found = delta_of(first, second)

    assert variance > (1 - delta**2) / (n1 * n2 - 1)
    assert [found["delta_low"], found["delta_high"]] == pytest.approx(expected, abs=1e-12)


def test_cliffs_delta_of_contexts_that_do_not_overlap():
    # 10 ratings each: the nearer bound is (10 - 1.96^2) / (10 + 1.96^2) = 0.4449
    found = delta_of([0] * 10, [6] * 10)

    assert [round(end, 4) for end in found.values()] == [1, 0.4449, 1]


def test_cliffs_delta_of_single_ratings_has_no_interval():
    found = delta_of([0], [6, 6])

    assert found["delta"] == 1
    assert np.isnan([found["delta_low"], found["delta_high"]]).all()


# --- the same annotators in both contexts --------------------------------------------------------


def paired(first, second):
    people = [f"A{n}" for n in range(len(first))]
    return pd.DataFrame(
        {
            "pair": 1,
            "context": [1] * len(first) + [2] * len(second),
            "annotator": people * 2,
            "rating": [*first, *second],
        }
    )


def test_paired_pvalues_by_hand():
    # all five rise, by different amounts: 2 of the 2^5 ways to sign them are as extreme
    found = paired_pvalues(paired([0, 0, 0, 0, 0], [1, 2, 3, 4, 5]))

    assert found.to_dict("index") == {1: {"n_both": 5, "p": 2 / 32}}


def test_paired_pvalues_are_1_without_differences():
    assert paired_pvalues(paired([1, 2], [1, 2]))["p"].tolist() == [1]


def test_paired_pvalues_leave_out_annotators_of_one_context():
    ratings = paired([0, 0, 0, 0, 0], [1, 2, 3, 4, 5])
    alone = pd.DataFrame({"pair": [2], "context": [1], "annotator": ["B"], "rating": [3]})

    found = paired_pvalues(pd.concat([ratings, alone], ignore_index=True))

    assert found.index.tolist() == [1]
