import itertools
from collections import defaultdict

import numpy as np
import pytest

from postprocess.auditing.reconstruction import multisets
from postprocess.auditing.reconstruction.granularity import Sums
from postprocess.auditing.reconstruction.multisets import list_multisets


@pytest.mark.parametrize(("n", "n_steps"), [(5, 6), (4, 3), (6, 2), (7, 1)])
def test_list_multisets_lists_all(n, n_steps):
    expected = defaultdict(set)
    for ratings in itertools.combinations_with_replacement(range(n_steps + 1), n):
        counts = tuple(np.bincount(ratings, minlength=n_steps + 1).tolist())
        expected[Sums(n, sum(ratings), sum(k * k for k in ratings))].add(counts)

    for sums, all_counts in expected.items():
        found = list_multisets(sums, n_steps)
        assert found.is_complete
        assert sorted(map(tuple, found.counts.tolist())) == sorted(all_counts)


@pytest.mark.parametrize("sums", [Sums(3, 4, 5), Sums(2, 3, 4), Sums(2, 13, 85)])
def test_list_multisets_is_empty_for_impossible_sums(sums):
    assert list_multisets(sums, 6).counts.shape == (0, 7)


def test_list_multisets_reports_that_it_is_incomplete(monkeypatch):
    monkeypatch.setattr(multisets, "MAX_MULTISETS", 5)
    list_multisets.cache_clear()

    found = list_multisets(Sums(20, 60, 260), 6)

    list_multisets.cache_clear()
    assert not found.is_complete
    assert 0 < len(found.counts) <= 5
    assert (found.counts @ np.arange(7) == 60).all()
