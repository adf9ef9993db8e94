import math

import numpy as np
import pandas as pd
import pytest

from postprocess.planning.detection import detectable_curve, least_detectable_change
from postprocess.planning.published import change_at, published_curve
from postprocess.planning.question import PlanError, Question
from postprocess.planning.rating_models import models_of_scores, on_points
from postprocess.table.ratings import Scale

SCORES = pd.DataFrame(
    {
        "sim1": [2.0, 4.0, 6.0, 8.0], "sim2": [3.0, 5.0, 5.0, 7.0],
        "stdev1": [2.0, 2.5, 2.4, 1.8], "stdev2": [2.2, 2.3, 2.0, 2.1],
    }
)  # fmt: skip
MODELS = models_of_scores(SCORES, Scale(), Scale(0, 10), n_ratings=10)


def rng(seed=1):
    return np.random.default_rng(seed)


def test_detectable_curve_agrees_with_each_number_alone():
    question = Question(simulations=4000)

    curve = detectable_curve(MODELS, [8, 15], question, rng=rng())

    alone = {n: least_detectable_change(MODELS, n, question, rng=rng(2)) for n in (8, 15)}
    assert curve == {n: pytest.approx(found["change"], abs=0.15) for n, found in alone.items()}


def test_detectable_curve_has_no_change_for_two_annotators_and_refuses_one():
    question = Question(simulations=200)

    assert math.isnan(detectable_curve(MODELS, [2], question, rng=rng())[2])
    with pytest.raises(PlanError, match="got 1"):
        detectable_curve(MODELS, [8, 1], question, rng=rng())


def test_a_population_keeps_its_means_and_its_length_on_another_number_of_points():
    finer = on_points(MODELS, 21)

    assert finer.probabilities.shape == (561, 21)
    assert finer.width == pytest.approx(0.5)
    means = [float(models.weights @ models.means) * models.width for models in (MODELS, finer)]
    assert means[1] == pytest.approx(means[0], abs=0.05)
    same = on_points(MODELS, 7)
    assert (same.probabilities == MODELS.probabilities).all()


@pytest.mark.parametrize(("n", "documented"), [(8, 3.24), (12, 2.57), (20, 1.95)])
def test_published_changes_are_those_of_the_command(n, documented):
    # docs/planning.md
    assert published_curve(7)[n] == pytest.approx(documented, abs=0.06)


def test_published_changes_fall_with_ratings_and_with_points():
    for n_points in (3, 5, 7, 12, 40, 101):
        changes = list(published_curve(n_points).values())
        assert changes == sorted(changes, reverse=True)
    at_eleven = [change_at(published_curve(n), 11) for n in (3, 5, 7, 10, 14, 21, 101)]
    assert at_eleven == sorted(at_eleven, reverse=True)
    assert at_eleven[-1] == at_eleven[-2]


def test_changes_between_known_numbers_are_interpolated():
    curve = published_curve(7)
    sparse = {n: change for n, change in curve.items() if n != 12}

    assert change_at(sparse, 12) == pytest.approx(curve[12], abs=0.05)
    assert math.isnan(change_at(curve, 2))
    assert math.isnan(change_at(curve, 10_000))
    assert math.isnan(change_at({3: math.nan, 5: 4.0, 8: 3.0}, 4))
