import numpy as np
import pandas as pd
import pytest
from scipy import stats

from postprocess.resampling import draw_items, join_items, percentile_interval, take_items
from postprocess.stacks import stack_groups

NAN = float("nan")


def test_take_items_makes_each_resample_a_slice(ratings_of):
    groups = [ratings_of(group="1", A=[0, 1], B=[2, 3]), ratings_of(group="2", C=[4, 5], D=[6, 7])]
    (stack,) = stack_groups(pd.concat(groups))
    drawn = np.array([[[0, 0], [1, 0]], [[1, 1], [0, 0]]])

    taken = take_items(stack, drawn)

    assert taken.tables.tolist() == [
        [[0, 0], [2, 2]],
        [[5, 4], [7, 6]],
        [[1, 1], [3, 3]],
        [[4, 4], [6, 6]],
    ]
    assert taken.slices.tolist() == [0, 0, 1, 1]
    assert taken.annotators.tolist() == [[0, 1], [2, 3]] * 2
    assert taken.items.tolist() == [[0, 0], [2, 0], [2, 2], [0, 0]]


def test_draw_items_stays_within_groups_and_draws_all_alike(simulated):
    stacks = stack_groups(simulated())
    drawn = draw_items(stacks, 2000, np.random.default_rng(0))

    for stack, places in zip(stacks, drawn, strict=True):
        assert places.shape == (2000, *stack.items.shape)
        counts = np.bincount(places.ravel(), minlength=20)
        assert len(counts) == 20
        assert stats.chisquare(counts).pvalue > 0.001


def test_join_items_numbers_the_items_of_all_stacks(ratings_of):
    groups = [ratings_of(group="1", A=[0, 1]), ratings_of(group="2", C=[4, 5, 6])]
    stacks = stack_groups(pd.concat(groups))

    joined = join_items(stacks, [np.array([[[1, 0]]]), np.array([[[2, 0, 0]]])])

    assert joined.tolist() == [[1, 0, 4, 2, 2]]


def test_percentile_interval_equals_numpy():
    figures = np.random.default_rng(0).normal(size=999)

    expected = np.percentile(figures, [2.5, 97.5])

    assert percentile_interval(figures) == pytest.approx(expected)


def test_percentile_interval_forgives_a_few_undefined_figures():
    figures = np.arange(100.0)
    figures[-5:] = NAN

    assert percentile_interval(figures) == pytest.approx((94 * 0.025, 94 * 0.975))


@pytest.mark.parametrize("figures", [[], [NAN], [1.0] * 94 + [NAN] * 6])
def test_percentile_interval_of_too_many_undefined_figures_is_undefined(figures):
    assert np.isnan(percentile_interval(np.array(figures, dtype=float))).all()
