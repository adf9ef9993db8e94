from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy

from postprocess.statistics.disagreement import find_disagreements, measure_disagreement
from postprocess.statistics.polarisation import scale_agreement

COUNTS = st.lists(st.integers(0, 9), min_size=7, max_size=7).filter(any)


def measure(counts):
    return measure_disagreement(np.array([counts])).iloc[0]


def test_disagreement_by_hand():
    # 0 0 0 2 4 4 6 6 on 0 to 6: shares 3/8, 1/8, 2/8, 2/8. Half the ratings are up to 2 and half
    # from 4 on, so distances from the median 3 are 3 3 3 1 1 1 3 3, at most 3 each: 18/24
    found = measure([3, 0, 1, 0, 2, 0, 2])

    bits = 3 / 8 * np.log2(8 / 3) + 1 / 8 * 3 + 2 * 2 / 8 * 2
    assert found[["entropy", "polarisation"]].tolist() == pytest.approx([bits, 18 / 24])


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([0, 0, 9, 0, 0, 0, 0], (0, 0, 1)),
        ([5, 0, 0, 0, 0, 0, 5], (1, 1, -1)),
        ([2, 2, 2, 2, 2, 2, 2], (np.log2(7), 4 / 7, 0)),
        ([0, 0, 5, 5, 0, 0, 0], (1, 1 / 6, 5 / 6)),
    ],
)
def test_disagreement_of_one_mind_two_camps_an_even_spread_and_neighbours(counts, expected):
    assert measure(counts).tolist() == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(COUNTS)
def test_disagreement_equals_scipy_and_distances_from_the_median(counts):
    found = measure(counts)

    ratings = np.repeat(np.arange(7), counts)
    assert found["entropy"] == pytest.approx(entropy(counts, base=2), abs=1e-12)
    assert found["polarisation"] == pytest.approx(np.abs(ratings - np.median(ratings)).mean() / 3)
    assert found["agreement"] == scale_agreement(np.array([counts])).item()
    assert measure(counts[::-1]).tolist() == pytest.approx(found.tolist(), abs=1e-12)


@pytest.mark.parametrize("n_points", [2, 22])
def test_agreement_is_undefined_for_two_points_and_for_many(n_points):
    found = measure([1] * n_points)

    assert np.isnan(found["agreement"])
    assert found["entropy"] == pytest.approx(np.log2(n_points))


def test_disagreement_without_ratings_is_undefined():
    assert measure([0, 0, 0]).isna().all()


def table(*pairs):
    rows = [
        (pair, "abcdef"[place], rating)
        for pair, ratings in enumerate(pairs, 1)
        for place, rating in enumerate(ratings)
    ]
    return pd.DataFrame(rows, columns=["pair", "annotator", "rating"])


@pytest.mark.parametrize(
    ("ratings", "found"),
    [
        ((1, 1, 2.25), "c"),
        ((1, 2, 3), "ac"),
        ((0, 1, 1), ""),  # exactly 1
        ((0, 0, 4), "abc"),
        ((0, 4), ""),  # only one other
        ((Decimal("0.1"), Decimal("0.1"), Decimal("1.1")), ""),  # not so with floats
        (("0.1", "0.1", "1.11"), "c"),
        ((0, 0, 0, 0, 2**62), "abcde"),  # times four it does not fit in 64 bits
    ],
)
def test_ratings_far_from_the_others_mean_are_found(ratings, found):
    assert "".join(find_disagreements(table(ratings), 1)["annotator"]) == found


def test_the_others_sum_and_number_are_told_with_the_index_of_the_ratings():
    ratings = table((1, 1, 2.25), (4, 4, 4, 2)).set_index(np.arange(10, 17))

    found = find_disagreements(ratings, "1.5")

    assert found.index.tolist() == [16]
    assert found[["pair", "annotator", "rating"]].values.tolist() == [[2, "d", 2.0]]
    assert [*found["others"], *found["n_others"]] == [12, 3]
    assert find_disagreements(ratings, 2).empty


@settings(max_examples=20)
@given(st.lists(st.lists(st.integers(0, 16), min_size=2, max_size=6), min_size=1, max_size=9))
def test_the_rule_is_that_of_the_mean_and_of_any_order(quarters):
    ratings = table(*([quarter / 4 for quarter in pair] for pair in quarters))

    found = find_disagreements(ratings, 1)

    expected = [
        (pair, "abcdef"[place])
        for pair, given in enumerate(quarters, 1)
        for place, x in enumerate(given)
        if len(given) > 2 and abs(x - (sum(given) - x) / (len(given) - 1)) > 4
    ]
    assert list(zip(found["pair"], found["annotator"], strict=True)) == expected
    shuffled = ratings.sample(frac=1, random_state=1)
    assert find_disagreements(shuffled, 1).sort_index().equals(found)
