import numpy as np
import pandas as pd
import pytest

from postprocess.statistics.agreement.reliability import change_reliability_from_scores
from postprocess.statistics.change_size import change_size
from postprocess.steps.single_steps import aggregate_ratings
from tests.factories.ratings import outcome_of, simulate_study


def rate_twice(true_changes, rng, raters=10):
    """Return the scores of pairs with these changes, each context rated with noise of SD 1."""
    n_pairs = len(true_changes)
    pair, context, _ = np.indices((n_pairs, 2, raters)).reshape(3, -1)
    ratings = 5 + context * true_changes[pair] + rng.normal(0, 1, len(pair))
    table = pd.DataFrame({"pair": pair + 1, "context": context + 1, "rating": ratings.round(1)})
    return aggregate_ratings(table, n_pairs)


def test_without_noise_the_size_is_that_of_the_true_changes():
    rng = np.random.default_rng(5)
    true = np.where(np.arange(3_000) % 2, rng.normal(0, 1.5, 3_000), 0)

    size = change_size(rate_twice(true, rng))

    assert size.without_noise == pytest.approx(np.sqrt((true**2).mean()), rel=0.03)
    assert size.root_mean_square > 1.05 * size.without_noise
    assert 0.5 <= size.unchanged < 0.7  # half of them; small changes are not found


def test_the_share_by_noise_is_what_unchanged_pairs_show():
    size = change_size(rate_twice(np.zeros(3_000), np.random.default_rng(6)))

    assert size.mean_by_noise == pytest.approx(size.mean, rel=0.03)
    assert size.without_noise < 0.15
    assert size.unchanged > 0.95


def test_the_square_without_noise_is_the_share_r_of_the_mean_square():
    scores = outcome_of(simulate_study(), "cosimlex").scores
    size = change_size(scores)

    reliable = change_reliability_from_scores(scores) * size.root_mean_square**2
    assert size.without_noise**2 == pytest.approx(reliable, rel=1e-9)


def test_figures_about_noise_are_undefined_where_a_context_has_one_rating():
    scores = rate_twice(np.array([1.0, 2.0]), np.random.default_rng(7))
    scores.loc[1, ["n1", "stdev1"]] = [1, np.nan]

    size = change_size(scores)

    assert size.mean > 0
    assert np.isnan([size.mean_by_noise, size.without_noise, size.unchanged]).all()


def test_without_pairs_all_is_undefined():
    assert np.isnan(
        change_size(rate_twice(np.array([1.0]), np.random.default_rng(8)).iloc[:0])
    ).all()
