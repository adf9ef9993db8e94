"""Bootstrap intervals are those of a plain loop over the drawn pairs."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from postprocess.scoring import bootstrap
from postprocess.scoring.bootstrap import Bootstrap, bootstrap_interval
from postprocess.scoring.figures import score_drawn, score_predictions
from postprocess.scoring.metrics import Metric
from postprocess.statistics.evaluation import harmonic_correlation, uncentered_pearson

HOW = Bootstrap(300, 5)


@pytest.fixture
def tied_scores():
    """Predictions and gold of 15 pairs with ties."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 6, size=(15, 2)).astype(float)
    return gold + rng.integers(-2, 3, size=gold.shape), gold


def draw_pairs(n):
    return np.random.default_rng(HOW.seed).integers(n, size=(HOW.n_samples, n))


def test_intervals_are_percentiles_of_samples_of_pairs(tied_scores):
    predicted, gold = tied_scores

    found = bootstrap_interval(Metric.HARMONIC, predicted, gold, HOW)

    scores = [
        harmonic_correlation(predicted[pairs].ravel(), gold[pairs].ravel())
        for pairs in draw_pairs(15)
    ]
    assert found == pytest.approx(np.percentile(scores, [2.5, 97.5]), abs=1e-12)


def test_intervals_of_changes_are_percentiles_of_samples_of_pairs(tied_scores):
    changes = [np.diff(one)[:, 0] for one in tied_scores]

    found = bootstrap_interval(Metric.CHANGE, *changes, HOW)

    scores = [uncentered_pearson(*(one[pairs] for one in changes)) for pairs in draw_pairs(15)]
    assert found == pytest.approx(np.percentile(scores, [2.5, 97.5]), abs=1e-12)


def test_pieces_of_samples_are_drawn_as_all_at_once(tied_scores, monkeypatch):
    whole = bootstrap_interval(Metric.HARMONIC, *tied_scores, HOW)
    monkeypatch.setattr(bootstrap, "AT_ONCE", 7 * 15)

    assert bootstrap_interval(Metric.HARMONIC, *tied_scores, HOW) == whole


def test_a_sample_of_each_pair_once_has_the_score_itself(tied_scores):
    predicted, gold = tied_scores
    once = np.ones((1, 15))

    (found,) = score_drawn(Metric.HARMONIC, predicted, gold, once)

    assert found == pytest.approx(
        score_predictions(Metric.HARMONIC, predicted, gold).score, abs=1e-12
    )
    r, rho = (f(predicted.ravel(), gold.ravel()).statistic for f in (pearsonr, spearmanr))
    assert found == pytest.approx(2 * r * rho / (r + rho), abs=1e-12)
    changes = [np.diff(one)[:, 0] for one in tied_scores]
    (found,) = score_drawn(Metric.CHANGE, *changes, once)
    assert found == pytest.approx(score_predictions(Metric.CHANGE, *changes).score, abs=1e-12)


def test_undefined_samples_count_as_0():
    gold = np.array([[1.0, 1], [2, 3], [1, 1]])

    found = bootstrap_interval(Metric.HARMONIC, gold, gold, HOW)

    assert found == (0, pytest.approx(1))
