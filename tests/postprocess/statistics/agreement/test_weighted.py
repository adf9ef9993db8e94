"""Correlations of resamples by weights, compared with those of columns that are put together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.statistics.agreement import weighted
from postprocess.statistics.agreement.weighted import Columns, correlate_weighted, mean_weighted
from postprocess.statistics.correlations import correlate

METHODS = ("spearman", "pearson", "uncentered")
NAN = float("nan")
FEW = st.one_of(st.integers(0, 3).map(float), st.just(NAN))
MANY = st.sampled_from([0, 0.1, 0.3, 1 / 3, 5, 10 / 3, -2, NAN])


def columns_of(pairs):
    """Return pairs of columns, shape (n_pairs, 2, n_items), by entries."""
    return Columns.of(pairs[:, 0], pairs[:, 1])


def correlate_plainly(pairs, weights, method):
    """Correlate columns in which every item is repeated as often as its weight says."""
    repeated = [pairs.repeat(column.astype(int), axis=2) for column in weights.T]
    return np.array([correlate(one[:, 0], one[:, 1], method=method) for one in repeated]).T


@settings(deadline=None, max_examples=200)
@given(st.data(), st.sampled_from([FEW, MANY]), st.integers(1, 7), st.integers(1, 4))
def test_correlate_weighted_is_that_of_repeated_items(data, numbers, n_items, n_pairs):
    rows = st.lists(numbers, min_size=n_items, max_size=n_items)
    pairs = np.array(data.draw(st.lists(st.tuples(rows, rows), min_size=n_pairs, max_size=n_pairs)))
    counts = st.lists(st.integers(0, 3), min_size=n_items, max_size=n_items)
    weights = np.array(data.draw(st.lists(counts, min_size=1, max_size=3)), dtype=float).T

    found = correlate_weighted(columns_of(pairs), weights, METHODS)

    for method in METHODS:
        expected = correlate_plainly(pairs, weights, method)
        assert found[method] == pytest.approx(expected, abs=1e-9, nan_ok=True), method


@pytest.mark.parametrize("n_items", [40, 900])  # 900 ³ is too large for single precision
def test_correlate_weighted_of_ranks_is_exact(n_items):
    rng = np.random.default_rng(n_items)
    pairs = rng.integers(0, 7, (5, 2, n_items)).astype(float)
    pairs[rng.random(pairs.shape) < 0.2] = NAN
    weights = rng.multinomial(n_items, np.full(n_items, 1 / n_items), size=20).T.astype(float)

    found = correlate_weighted(columns_of(pairs), weights, ["spearman"])["spearman"]

    assert (found == correlate_plainly(pairs, weights, "spearman")).all()


def test_mean_weighted_is_the_mean_of_what_is_defined(monkeypatch):
    monkeypatch.setattr(weighted, "AT_ONCE", 8)
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 3, (6, 2, 4)).astype(float)
    pairs[0] = 2  # constant
    weights = rng.integers(0, 3, (4, 9)).astype(float)

    batches = (columns_of(part) for part in (pairs[:2], pairs[2:]))
    found = mean_weighted(batches, weights, ["pearson"])["pearson"]

    expected = np.nanmean(correlate_plainly(pairs, weights, "pearson"), axis=0)
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("n_resamples", [0, 3])
def test_correlate_weighted_without_entries_or_resamples_is_undefined(n_resamples):
    nothing = columns_of(np.full((2, 2, 5), NAN))

    found = correlate_weighted(nothing, np.ones((5, n_resamples)), METHODS)

    assert all(rho.shape == (2, n_resamples) and np.isnan(rho).all() for rho in found.values())
