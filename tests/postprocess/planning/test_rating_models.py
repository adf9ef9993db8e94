import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.formats.files import read_dataset
from postprocess.planning.rating_models import (
    ModelError,
    RatingModels,
    models_of_ratings,
    models_of_scores,
    shift_models,
)
from postprocess.table.ratings import Scale

PUBLISHED = Scale(0, 10)
SIDE = st.lists(st.integers(0, 6), min_size=2, max_size=12)


def scores_of(*figures):
    """Return a table of pairs with the mean and deviation of both contexts."""
    rows = [{"sim1": a, "stdev1": b, "sim2": c, "stdev2": d} for (a, b), (c, d) in figures]
    return pd.DataFrame(rows)


def figures_of(ratings):
    scores = np.array(ratings) * 10 / 6
    return float(scores.mean()), float(scores.std(ddof=1))


def moments(models):
    x = np.arange(models.probabilities.shape[1])
    means = models.probabilities @ x
    return means, models.probabilities @ x**2 - means**2


def table_of(*contexts):
    """Return a ratings table of contexts 1 and 2 of successive pairs."""
    rows = [(i // 2 + 1, i % 2 + 1, x) for i, ratings in enumerate(contexts) for x in ratings]
    return pd.DataFrame(rows, columns=["pair", "context", "rating"])


def spread_of(models):
    """Return the mean variance within contexts, and the variance of their means."""
    means, variances = moments(models)
    average = models.weights @ means
    return models.weights @ variances, models.weights @ (means - average) ** 2


def test_rating_models_without_shares_weigh_all_alike():
    assert RatingModels(np.full((4, 2), 0.5), 5).weights.tolist() == [0.25] * 4


def test_models_of_ratings_sum_to_one_and_leave_no_point_out():
    models = models_of_ratings(table_of([0, 0, 2], [1, 1, 1]), Scale(0, 2), PUBLISHED)

    assert models.width == 5
    assert models.probabilities.sum(axis=1) == pytest.approx(np.ones(len(models.means)))
    assert models.weights.sum() == pytest.approx(1)
    assert models.probabilities.min() > 0


def test_models_of_ratings_find_two_kinds_of_contexts():
    # half of the contexts around 1, half around 5, all narrow: not one wide kind around 3
    contexts = [[1, 1, 1, 0, 2, 1], [5, 5, 5, 4, 6, 5]] * 20

    models = models_of_ratings(table_of(*contexts), Scale(), PUBLISHED)

    near = np.minimum(np.abs(models.means - 1), np.abs(models.means - 5)) < 0.6
    assert models.weights[near].sum() > 0.95
    within, between = spread_of(models)
    assert within == pytest.approx(0.38, abs=0.08)
    assert between == pytest.approx(4, abs=0.3)


def test_models_of_ratings_separate_noise_from_differences():
    # 300 contexts that all have the distribution of one die: their means differ by chance alone
    rng = np.random.default_rng(3)
    models = models_of_ratings(table_of(*rng.integers(1, 6, (300, 5))), Scale(), PUBLISHED)

    within, between = spread_of(models)

    assert within == pytest.approx(2, abs=0.2)
    assert between < 0.1  # the observed means have 0.4


def test_models_of_ratings_do_not_depend_on_the_order_of_contexts():
    one, other = (
        models_of_ratings(table_of(*contexts), Scale(), PUBLISHED)
        for contexts in ([[0, 3], [6, 6], [2, 2], [5, 1]], [[5, 1], [2, 2], [6, 6], [0, 3]])
    )

    assert one.weights == pytest.approx(other.weights)


def test_models_of_ratings_support_steps():
    models = models_of_ratings(table_of([-0.5] * 8, [-0.5] * 8), Scale(-1, 1, 0.5), PUBLISHED)

    assert models.probabilities.shape[1] == 5
    assert (models.weights @ models.probabilities).argmax() == 1
    assert models.width == 2.5


@pytest.mark.parametrize("scale", [Scale(0, 1), Scale(0, 100), Scale(1, 4, 0.25)])
def test_models_of_ratings_support_any_scale(scale):
    rng = np.random.default_rng(2)
    spread = scale.maximum - scale.minimum
    raw = rng.normal(scale.minimum + spread / 2, spread / 6, (40, 10))
    ratings = np.clip((raw / scale.step).round() * scale.step, scale.minimum, scale.maximum)

    models = models_of_ratings(table_of(*ratings), scale, PUBLISHED)

    assert models.weights @ models.means * models.width == pytest.approx(5, abs=0.5)
    shifted, origin = shift_models(models, 2)
    moved = np.abs(shifted.means - models.means[origin]) * models.width
    assert moved == pytest.approx(np.full(len(origin), 2), abs=1e-6)


def test_models_of_ratings_leave_out_marked_ratings():
    counted = table_of([1, 2, 3], [4, 5, 6])
    marked = pd.concat([counted, table_of([6, np.nan], [0])], ignore_index=True)
    marked["mark"] = pd.Categorical([""] * 6 + ["rejected", "cannot judge", "withdrawn"])

    models = models_of_ratings(marked, Scale(), PUBLISHED)

    assert models.weights == pytest.approx(models_of_ratings(counted, Scale(), PUBLISHED).weights)
    with pytest.raises(ModelError, match="no rating counts"):
        models_of_ratings(marked[6:], Scale(), PUBLISHED)


@settings(deadline=None)
@given(SIDE, SIDE)
def test_models_of_scores_are_those_of_the_ratings(first, second):
    if len(first) != len(second):
        second = (second * 12)[: len(first)]
    scores = scores_of((figures_of(first), figures_of(second)))

    of_scores = models_of_scores(scores, Scale(), PUBLISHED, n_ratings=len(first))
    of_ratings = models_of_ratings(table_of(first, second), Scale(), PUBLISHED)

    assert of_scores.weights == pytest.approx(of_ratings.weights, abs=1e-6)
    assert np.array_equal(of_scores.probabilities, of_ratings.probabilities)


def test_models_have_the_greatest_entropy_of_their_mean_and_deviation():
    models = models_of_ratings(table_of([3], [3]), Scale(), PUBLISHED)

    logs = np.log(models.probabilities)  # a + b·x + c·x²: their third differences are 0
    assert np.abs(np.diff(logs, 3, axis=1)).max() < 1e-6 * np.abs(logs).max()


def test_models_of_scores_mirror_a_mirrored_scale():
    there = models_of_scores(scores_of(((2, 3), (7, 1))), Scale(), PUBLISHED, n_ratings=10)
    back = models_of_scores(scores_of(((8, 3), (3, 1))), Scale(), PUBLISHED, n_ratings=10)

    average, mirrored = (models.weights @ models.probabilities for models in (there, back))
    assert average == pytest.approx(mirrored[::-1], abs=1e-6)


def test_models_of_scores_read_the_published_files(published):
    for language in ("fi", "sl"):
        scores = read_dataset((published / f"cosimlex_{language}.csv").read_bytes())

        models = models_of_scores(scores, Scale(), PUBLISHED, n_ratings=10)

        sims = np.concatenate([scores["sim1"], scores["sim2"]]) * 0.6
        assert models.weights @ models.means == pytest.approx(sims.mean(), abs=0.03)
        within, between = spread_of(models)
        variances = np.concatenate([scores["stdev1"], scores["stdev2"]]) ** 2 * 0.36
        assert within == pytest.approx(variances.mean(), rel=0.05)
        noise = variances.mean() / 10
        assert between == pytest.approx(sims.var(ddof=1) - noise, rel=0.05)


@pytest.mark.parametrize(
    ("figures", "message"),
    [
        (((5, 2), (11, 2)), "pair 2 context 2: no ratings have the mean 11 and the deviation 2"),
        (((5, 8), (5, 2)), "pair 2 context 1: no ratings have the mean 5 and the deviation 8"),
        (((math.nan, 2), (5, 2)), "pair 2 context 1"),
    ],
)
def test_models_of_scores_refuse_impossible_figures(figures, message):
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
    counts = np.bincount(ratings, minlength=7) + 0.1
    models = RatingModels(counts[None] / counts.sum(), 10 / 6)

    shifted, origin = shift_models(models, change)

    moved = (shifted.means - models.means[origin]) * models.width
    assert np.abs(moved) == pytest.approx(np.full(len(origin), change), abs=1e-9)
    assert shifted.probabilities.sum(axis=1) == pytest.approx(np.ones(len(origin)))
