import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.statistics.ranksum import change_pvalues_between, change_tests

SIDE = st.lists(st.integers(0, 6), min_size=1, max_size=30)
SIDES = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 6), min_size=n, max_size=n), min_size=1, max_size=4)
)


def counts_of(ratings):
    return np.bincount(ratings, minlength=7)


def test_change_tests_by_hand():
    # 0 0 3 against 5 6: U = 0, mean 3, variance 6/12 · (6 - 6/20) = 2.85, z = 2.5/√2.85
    tests = change_tests(counts_of([0, 0, 3]), counts_of([5, 6]))

    z = 2.5 / math.sqrt(2.85)
    assert tests.pvalues == pytest.approx(math.erfc(z / math.sqrt(2)) / 2, rel=1e-14)
    assert tests.directions == 1


@given(SIDE, SIDE)
def test_change_tests_mirror_swapped_contexts(first, second):
    there = change_tests(counts_of(first), counts_of(second))
    back = change_tests(counts_of(second), counts_of(first))

    assert there.pvalues == pytest.approx(back.pvalues, rel=1e-12)
    assert there.directions == -back.directions


def test_change_tests_take_all_against_all():
    first = np.array([counts_of([0, 1, 2]), counts_of([6, 6])])
    second = np.array([counts_of([3]), counts_of([6, 6]), counts_of([0, 6])])

    tests = change_tests(first[:, None], second[None])

    assert tests.pvalues.shape == (2, 3)
    assert tests.directions.tolist() == [[1, 1, 1], [-1, 0, -1]]
    for i, j in np.ndindex(2, 3):
        assert tests.pvalues[i, j] == change_tests(first[i], second[j]).pvalues


def test_change_tests_of_equal_ratings_are_no_evidence():
    many = np.array([0, 0, 1_000_000, 0])

    tests = change_tests(many, many)

    assert (tests.pvalues.item(), tests.directions.item()) == (1.0, 0)
    assert change_tests(many, many + np.array([1, 0, 0, 0])).pvalues <= 0.5


@given(SIDES, SIDES)
def test_change_pvalues_between_are_those_of_change_tests(first, second):
    one, other = (np.array([counts_of(side) for side in sides]) for sides in (first, second))

    expected = change_tests(one[:, None], other[None]).pvalues

    assert change_pvalues_between(one, other) == pytest.approx(expected, rel=1e-12)


def test_change_pvalues_between_equal_ratings_are_one():
    fours, sixes = np.array([[0, 0, 0, 0, 3, 0, 0]]), np.array([[0, 0, 0, 0, 0, 0, 5]])

    assert change_pvalues_between(fours, fours).tolist() == [[1.0]]
    assert change_pvalues_between(fours, sixes).item() < 0.5
