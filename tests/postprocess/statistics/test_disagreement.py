import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy

from postprocess.statistics.disagreement import measure_disagreement
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
