import numpy as np
import pytest

from postprocess.auditing.reconstruction.granularity import Sums
from postprocess.auditing.reconstruction.pvalues import search_pvalue
from postprocess.formats.files import format_number
from postprocess.statistics.change import change_tests


def sums_of(ratings):
    return Sums(len(ratings), sum(ratings), sum(k * k for k in ratings))


def contexts_of(*contexts):
    return tuple({len(ratings): [sums_of(ratings)]} for ratings in contexts)


def published_pvalue(first, second):
    counts = [np.bincount(ratings, minlength=7)[None, :] for ratings in (first, second)]
    return float(format_number(change_tests(*counts).pvalues.item()))


def test_search_finds_the_published_pvalue_of_any_ratings():
    rng = np.random.default_rng(5)

    for _ in range(30):
        first, second = (rng.integers(0, 7, size=rng.integers(2, 14)).tolist() for _ in range(2))
        search = search_pvalue(published_pvalue(first, second), contexts_of(first, second), 6)
        assert search.sizes == (len(first), len(second))


def test_search_finds_two_sided_pvalues():
    first, second = [0, 1, 1, 2, 3, 3, 2, 1], [4, 5, 3, 6, 6, 4, 5, 2]
    doubled = float(format_number(2 * published_pvalue(first, second)))

    assert search_pvalue(doubled, contexts_of(first, second), 6).sizes is None
    assert search_pvalue(doubled, contexts_of(first, second), 6, sides=2).sizes == (8, 8)


@pytest.mark.parametrize("sides", [1, 2])
def test_search_finds_equal_ratings_for_a_pvalue_of_1(sides):
    contexts = contexts_of([3, 3, 3], [3, 3])

    assert search_pvalue(1.0, contexts, 6, sides=sides).sizes == (3, 2)
    assert search_pvalue(0.5, contexts, 6).sizes is None


@pytest.mark.parametrize("pvalue", [0.0, -0.1, 1.5])
def test_search_finds_no_ratings_for_invalid_pvalues(pvalue):
    search = search_pvalue(pvalue, contexts_of([0, 1, 2], [3, 4, 5]), 6)

    assert (search.sizes, search.is_complete) == (None, True)


def test_search_stops_at_its_limit():
    contexts = ({20: [Sums(20, 60, 260)]}, {20: [Sums(20, 50, 200)]})

    search = search_pvalue(1e-9, contexts, 6, max_tried=10)

    assert (search.sizes, search.is_complete) == (None, False)
    assert search.n_tried <= 10 + 128**2
