import numpy as np
import pytest
from scipy.stats import binom

from surveys.review.order import measure_order

EVEN = [1] * 7
SCALES = {"even": EVEN, "skewed": [8, 4, 2, 1, 1, 1, 1], "ends": [5, 1, 0, 0, 0, 1, 5]}


def draw(rng, weights, n):
    return rng.choice(len(weights), n, p=np.array(weights) / sum(weights)).astype(float).tolist()


@pytest.mark.parametrize("scale", SCALES)
def test_measure_order_is_exact_for_honest_annotators(scale):
    rng = np.random.default_rng(1)
    pvalues = np.array([measure_order(draw(rng, SCALES[scale], 20)).pvalue for _ in range(1000)])

    for level in (0.05, 0.01, 0.001):
        assert (pvalues <= level).sum() <= binom(1000, level).ppf(0.999)


def test_measure_order_gives_1_for_equal_ratings_and_repeats_itself():
    ratings = draw(np.random.default_rng(2), EVEN, 30)

    assert measure_order([2.5] * 40).pvalue == 1
    assert measure_order(ratings) == measure_order(ratings)
    for step in (0.5, 0.1):
        assert measure_order([10 - step * rating for rating in ratings]) == measure_order(ratings)


@pytest.mark.parametrize(
    ("ratings", "pattern", "extent"),
    [
        ([0, 6] * 10, "turns", 20),
        ([*range(7)] * 3, "steps", 90),
        ([1, 5, 3] * 7, "rhythm", 100),
        ([5, 1, 4, 0, 6, 2] * 2 + [3] * 12, "run", 12),
    ],
)
def test_measure_order_names_patterns(ratings, pattern, extent):
    found = measure_order(ratings)

    assert found.pvalue <= 0.001
    assert (found.pattern, found.extent) == (pattern, extent)


@pytest.mark.parametrize(
    ("agent", "least", "most"),
    [
        ("turns with errors", 0.5, 1), ("runs", 0.5, 1), ("half, then 3", 0.8, 1),
        ("random", 0, 0.05), ("middle", 0, 0.05), ("as people", 0, 0.05),
    ],
)  # fmt: skip
def test_measure_order_finds_agents_that_do_not_read(agent, least, most):
    rng = np.random.default_rng(3)

    def rate():
        if agent == "turns with errors":
            return [rng.integers(7) if rng.random() < 0.1 else 6 * (n % 2) for n in range(40)]
        if agent == "runs":
            return np.repeat(rng.integers(7, size=10), rng.integers(4, 9, size=10))[:40]
        if agent == "half, then 3":
            return [*rng.integers(7, size=20), *[3] * 20]
        if agent == "middle":
            return rng.integers(2, 5, size=40)
        if agent == "as people":
            return np.clip(np.rint(rng.uniform(0, 6, 40) + rng.normal(0, 0.5, 40)), 0, 6)
        return rng.integers(7, size=40)

    found = [measure_order([float(r) for r in rate()]).pvalue <= 0.001 for _ in range(40)]

    assert least <= np.mean(found) <= most
