import numpy as np
import pytest

from postprocess.planning.experiments import Sample, draw_experiments
from postprocess.planning.rating_models import RatingModels

LOW, MIDDLE = [0.7, 0.2, 0.1], [0.25, 0.5, 0.25]


def rng(seed=1):
    return np.random.default_rng(seed)


def test_draw_experiments_draws_distributions_by_their_shares():
    models = RatingModels(np.array([LOW, MIDDLE]), 5, np.array([0.9, 0.1]))

    drawn = draw_experiments(models, 1.0, 20_000, rng=rng())

    assert np.isclose(drawn.before[:, 0], 0.7).mean() == pytest.approx(0.9, abs=0.01)
    moved = (drawn.after - drawn.before) @ np.arange(3) * 5
    assert moved == pytest.approx(drawn.upwards.astype(float), abs=1e-9)
    assert drawn.upwards[np.isclose(drawn.before[:, 0], 0.25)].mean() == pytest.approx(0, abs=0.07)


def test_draw_experiments_draws_only_contexts_with_room():
    models = RatingModels(np.array([LOW, MIDDLE]), 5)

    drawn = draw_experiments(models, 6.0, 1000, rng=rng())

    assert (drawn.upwards == 1).all()
    assert drawn.before[:, 0] == pytest.approx(np.full(1000, 0.7))


@pytest.mark.parametrize("shares", [None, [0.0, 1.0]])
def test_draw_experiments_returns_none_without_room(shares):
    models = RatingModels(np.array([LOW, MIDDLE]), 5, None if shares is None else np.array(shares))

    assert draw_experiments(models, 9.0 if shares is None else 6.0, 10, rng=rng()) is None


def test_sample_draws_from_its_distributions():
    sample = Sample(np.tile([LOW, [0.0, 0.0, 1.0]], (2000, 1)))

    chance = rng()
    for _ in range(10):
        sample.add_rating(chance)

    assert (sample.counts.sum(axis=1) == 10).all()
    assert (sample.counts[1::2] == [0, 0, 10]).all()
    assert sample.counts[::2].mean(axis=0) == pytest.approx([7, 2, 1], abs=0.15)
