import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.files import read_dataset
from postprocess.rating_models import (
    ModelError,
    RatingModels,
    models_of_ratings,
    models_of_scores,
    shift_models,
)
from postprocess.ratings import Scale

PUBLISHED = Scale(0, 10)
SIDE = st.lists(st.integers(0, 6), min_size=2, max_size=12)


def scores_of(*figures):
    """A table of pairs, each with mean and deviation of its two contexts."""
    rows = [{"sim1": a, "stdev1": b, "sim2": c, "stdev2": d} for (a, b), (c, d) in figures]
    return pd.DataFrame(rows)


def figures_of(ratings):
    scores = np.array(ratings) * 10 / 6
    return float(scores.mean()), float(scores.std(ddof=1))


def moments(models):
    x = np.arange(models.probabilities.shape[1])
    means = models.probabilities @ x
    return means, models.probabilities @ x**2 - means**2


def test_models_of_ratings_by_hand():
    # 0 0 2 on three points, and half a rating spread evenly: 2 + 1/6, 1/6, 1 + 1/6, all of 3.5
    ratings = pd.DataFrame({"pair": 1, "context": [1, 1, 1, 2], "rating": [0, 0, 2, 1]})

    models = models_of_ratings(ratings, Scale(0, 2), PUBLISHED)

    assert models.width == 5
    assert models.probabilities[0] == pytest.approx([13 / 21, 1 / 21, 7 / 21])
    assert models.probabilities[1] == pytest.approx([1 / 9, 7 / 9, 1 / 9])


def test_models_of_ratings_takes_steps():
    ratings = pd.DataFrame({"pair": 1, "context": 1, "rating": [-0.5, 1.0]})

    models = models_of_ratings(ratings, Scale(-1, 1, 0.5), PUBLISHED)

    assert (models.probabilities > 0.3).tolist() == [[False, True, False, False, True]]
    assert models.width == 2.5


def test_models_of_scores_on_three_points_by_hand():
    # On 0 1 2 mean and variance leave one distribution. Ten ratings with mean 1 and deviation 1
    # (5 and 5 points) have Σx² = 10 · 1² + 9 · 1² = 19; with half a rating more, evenly, whose
    # Σx is 0.5 and Σx² is 5/6, mean 10.5/10.5 and mean square (19 + 5/6)/10.5 = 1.8889: so
    # p(2) = p(0) = 0.4444
    models = models_of_scores(scores_of(((5, 5), (5, 5))), Scale(0, 2), PUBLISHED, n_ratings=10)

    assert models.probabilities[0] == pytest.approx([4 / 9, 1 / 9, 4 / 9], abs=1e-8)


@settings(deadline=None)
@given(SIDE, SIDE)
def test_models_of_scores_have_the_moments_of_the_ratings(first, second):
    # those of the ratings and half a rating more, spread evenly: exactly what a pilot's have
    if len(first) != len(second):
        second = (second * 12)[: len(first)]
    scores = scores_of((figures_of(first), figures_of(second)))
    ratings = pd.DataFrame(
        [(1, c, x) for c, side in ((1, first), (2, second)) for x in side],
        columns=["pair", "context", "rating"],
    )

    of_scores = models_of_scores(scores, Scale(), PUBLISHED, n_ratings=len(first))
    of_ratings = models_of_ratings(ratings, Scale(), PUBLISHED)

    for one, other in zip(moments(of_scores), moments(of_ratings), strict=True):
        assert one == pytest.approx(other, abs=1e-6)
    assert (of_scores.probabilities > 0).all()


@settings(deadline=None)
@given(SIDE)
def test_models_of_scores_have_the_most_entropy(ratings):
    scores = scores_of((figures_of(ratings), figures_of(ratings)))

    p = models_of_scores(scores, Scale(), PUBLISHED, n_ratings=len(ratings)).probabilities[0]

    logs = np.log(p)  # a + b·x + c·x²: its third differences are 0
    assert np.abs(np.diff(logs, 3)).max() < 1e-6 * (1 + np.abs(logs).max())


def test_models_of_scores_mirror_a_mirrored_scale():
    there = models_of_scores(scores_of(((2, 3), (7, 1))), Scale(), PUBLISHED, n_ratings=10)
    back = models_of_scores(scores_of(((8, 3), (3, 1))), Scale(), PUBLISHED, n_ratings=10)

    assert there.probabilities == pytest.approx(back.probabilities[:, ::-1], abs=1e-8)


def test_models_of_scores_take_the_published_files(published):
    for language in ("fi", "sl"):
        scores = read_dataset((published / f"cosimlex_{language}.csv").read_bytes())

        models = models_of_scores(scores, Scale(), PUBLISHED, n_ratings=10)

        sims = np.concatenate([scores["sim1"], scores["sim2"]]) * 0.6
        assert models.means == pytest.approx((10 * sims + 1.5) / 10.5, abs=1e-8)
        variance = moments(models)[1].mean() / 0.36
        published_variance = (np.concatenate([scores["stdev1"], scores["stdev2"]]) ** 2).mean()
        assert math.sqrt(variance) == pytest.approx(math.sqrt(published_variance), abs=0.03)


@pytest.mark.parametrize(
    ("figures", "message"),
    [
        (((5, 2), (11, 2)), "pair 2 context 2: no ratings have the mean 11 and the deviation 2"),
        (((5, 8), (5, 2)), "pair 2 context 1: no ratings have the mean 5 and the deviation 8"),
        (((math.nan, 2), (5, 2)), "pair 2 context 1"),
    ],
)
def test_models_of_scores_refuse_what_cannot_be(figures, message):
    with pytest.raises(ModelError, match=message):
        models_of_scores(scores_of(((5, 2), (5, 2)), figures), Scale(), PUBLISHED, n_ratings=10)


def test_models_of_scores_refuse_no_ratings():
    with pytest.raises(ModelError, match="one rating or more, got 0"):
        models_of_scores(scores_of(((5, 2), (5, 2))), Scale(), PUBLISHED, n_ratings=0)


# --- shifts ---------------------------------------------------------------------------------


def test_shift_models_by_hand():
    # 1/4 1/2 1/4 on 0 5 10, up by 2.5: weights 1, 2t, t² with mean (2t + 2t²)/(1 + t)² = 1.5 in
    # steps, so 2t/(1 + t) = 1.5 and t = 3: 1/16, 6/16, 9/16
    models = RatingModels(np.array([[0.25, 0.5, 0.25]]), width=5)

    shifted, origin = shift_models(models, 2.5)

    assert origin.tolist() == [0, 0]
    assert shifted.probabilities[0] == pytest.approx([1 / 16, 6 / 16, 9 / 16])
    assert shifted.probabilities[1] == pytest.approx([9 / 16, 6 / 16, 1 / 16])


def test_shift_models_moves_only_where_there_is_room():
    models = RatingModels(np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8], [0.3, 0.4, 0.3]]), width=5)

    shifted, origin = shift_models(models, 5)

    assert origin.tolist() == [0, 1]  # from 1.5 up, from 8.5 down; 5 has no room either way
    assert shifted.means * 5 == pytest.approx([6.5, 3.5])


@settings(deadline=None)
@given(SIDE, st.floats(0.1, 4))
def test_shift_models_changes_the_mean_by_the_change(ratings, change):
    table = pd.DataFrame({"pair": 1, "context": 1, "rating": ratings})
    models = models_of_ratings(table, Scale(), PUBLISHED)

    shifted, origin = shift_models(models, change)

    moved = (shifted.means - models.means[origin]) * models.width
    assert np.abs(moved) == pytest.approx(np.full(len(origin), change), abs=1e-9)
    assert shifted.probabilities.sum(axis=1) == pytest.approx(np.ones(len(origin)))
