import numpy as np
import pandas as pd
import pytest
from scipy import stats

from postprocess.statistics.agreement.group_arrays import stack_groups
from postprocess.statistics.intervals import basic_interval
from postprocess.statistics.resampling import (
    N_PARTS,
    Division,
    blank_out,
    can_draw,
    can_leave_out,
    divide_annotators,
    draw_items,
    join_items,
    leave_out,
    weigh_items,
)

NAN = float("nan")


def test_draw_items_stays_within_groups_and_draws_all_alike(simulated):
    stacks = stack_groups(simulated())
    drawn = draw_items(stacks, 2000, np.random.default_rng(0))

    for stack, places in zip(stacks, drawn, strict=True):
        assert places.shape == (2000, *stack.items.shape)
        for table in places.swapaxes(0, 1):
            counts = np.bincount(table.ravel(), minlength=20)
            assert len(counts) == 20
            assert stats.chisquare(counts).pvalue > 0.001


def test_join_items_numbers_the_items_of_all_stacks(ratings_of):
    groups = [ratings_of(group="1", A=[0, 1]), ratings_of(group="2", C=[4, 5, 6])]
    stacks = stack_groups(pd.concat(groups))

    joined = join_items(stacks, [np.array([[[1, 0]]]), np.array([[[2, 0, 0]]])])

    assert joined.tolist() == [[1, 0, 4, 2, 2]]


def test_draw_items_draws_both_contexts_of_a_pair(simulated):
    stacks = stack_groups(simulated())
    drawn = draw_items(stacks, 5, np.random.default_rng(0))

    pairs = {}
    for stack, places in zip(stacks, drawn, strict=True):
        for items, one in zip(stack.items, places.swapaxes(0, 1), strict=True):
            pairs.setdefault(tuple(items // 2), []).append((items[one] // 2).tolist())
    assert [len(found) for found in pairs.values()] == [2, 2]
    assert all(first == second for first, second in pairs.values())
    (first, _), (other, _) = pairs.values()
    assert np.diff(first).tolist() != np.diff(other).tolist()


def test_weigh_items_counts_the_items_that_were_drawn(ratings_of):
    groups = [ratings_of(group="1", A=[0, 1]), ratings_of(group="2", C=[4, 5, 6])]
    stacks = stack_groups(pd.concat(groups))
    drawn = draw_items(stacks, 4, np.random.default_rng(3))

    weights = weigh_items(stacks, 4, np.random.default_rng(3))

    expected = [np.bincount(places, minlength=5) for places in join_items(stacks, drawn)]
    assert weights.T.tolist() == np.array(expected).tolist()


def test_divide_annotators_draws_evenly_from_each_group(simulated):
    stacks = stack_groups(simulated())
    divisions = list(divide_annotators(stacks, 61, np.random.default_rng(0)))

    assert len(divisions) == 3
    for annotators, parts in divisions:
        for group in (row for stack in stacks for row in stack.annotators):
            counts = np.bincount(parts[np.isin(annotators, group)], minlength=N_PARTS)
            assert counts.max() - counts.min() <= 1
    assert (divisions[0].parts != divisions[1].parts).any()


def test_leave_out_is_without_the_part_and_blank_out_has_it_missing(ratings_of):
    groups = [ratings_of(group="1", A=[0, 1], B=[2, 3]), ratings_of(group="2", A=[4, 5], C=[6, 7])]
    stacks = stack_groups(pd.concat(groups))
    division = Division(np.array([0, 1, 2]), np.array([0, 1, 1]))

    without = {
        part: [stack.tables[stack.slices == part].tolist() for stack in leave_out(stacks, division)]
        for part in range(3)
    }

    alone = [[[2, 3]], [[6, 7]]], [[[0, 1]], [[4, 5]]]
    everyone = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    assert without == {0: [alone[0], []], 1: [alone[1], []], 2: [[], everyone]}
    (blank,) = blank_out(stacks, division, 1)
    assert np.isnan(blank.tables[:, 1]).all()
    assert blank.tables[:, 0].tolist() == [[0, 1], [4, 5]]


def test_can_draw_and_can_leave_out_need_three_in_most_groups(ratings_of):
    two_annotators = stack_groups(ratings_of(A=[0, 1, 2], B=[2, 3, 5]))
    two_items = stack_groups(ratings_of(A=[0, 1], B=[2, 3], C=[1, 1]))

    assert (can_draw(two_annotators), can_leave_out(two_annotators)) == (True, False)
    assert (can_draw(two_items), can_leave_out(two_items)) == (False, True)
    assert can_draw([*two_items, *two_annotators])


def test_basic_interval_of_a_mean_is_that_of_student_s_kind():
    rng = np.random.default_rng(0)
    sample = rng.normal(5, 2, 400)
    drawn = sample[rng.integers(400, size=(4000, 400))].mean(axis=1)
    half = 1.96 * sample.std() / 20

    low, high = basic_interval(sample.mean(), drawn, within="difference")

    assert (low, high) == pytest.approx((sample.mean() - half, sample.mean() + half), abs=0.02)


def test_basic_interval_mirrors_the_resamples_on_fisher_s_z():
    drawn = np.tanh(np.linspace(0.2, 1.2, 199))  # of which the 5th and the 195th are quantiles
    low, high = basic_interval(np.tanh(0.9), drawn)

    first, last = 0.2 + 4 / 198, 0.2 + 194 / 198
    assert (low, high) == pytest.approx((np.tanh(1.8 - last), np.tanh(1.8 - first)))


def test_basic_interval_counts_from_the_figure_of_endless_items():
    drawn = np.linspace(0, 1, 199)

    low, high = basic_interval(0.5, drawn, limit=0.4, within="difference")

    assert (low, high) == pytest.approx((0.9 - 194 / 198, 0.9 - 4 / 198))


@pytest.mark.parametrize("within", ["correlation", "coefficient"])
def test_basic_interval_stays_in_the_range_of_the_figure(within):
    drawn = np.concatenate([np.linspace(0.5, 1, 90), np.ones(10)])

    low, high = basic_interval(0.9, drawn, within=within)

    assert -1 <= low < 0.9 < high <= 1


def test_basic_interval_of_a_coefficient_below_minus_1_ends_at_it():
    low, high = basic_interval(-1.5, np.linspace(-2, 0, 199), within="coefficient")

    assert (low, high) == pytest.approx((-1.5, -3 + 2 - 8 / 198))


def test_basic_interval_reaches_to_the_figure_where_bias_exceeds_the_spread():
    low, high = basic_interval(0.7, np.linspace(0.6, 0.65, 99))

    assert low == 0.7
    assert high > 0.76


def test_basic_interval_of_a_figure_that_no_resample_changes_is_the_figure():
    assert basic_interval(1.0, np.ones(100)) == (1, 1)
    assert basic_interval(1.0, np.ones(100), left_out=np.ones((4, N_PARTS))) == (1, 1)


def test_basic_interval_over_annotators_has_the_jackknife_s_error():
    numbers = np.random.default_rng(0).normal(size=N_PARTS)
    left_out = [(numbers.sum() - number) / (N_PARTS - 1) for number in numbers]
    half = 1.959964 * numbers.std(ddof=1) / np.sqrt(N_PARTS)

    ends = basic_interval(
        0.0, np.zeros(100), within="difference", left_out=np.array([left_out, left_out[::-1]])
    )

    assert ends == pytest.approx((-half, half))


def test_basic_interval_forgives_a_few_undefined_figures():
    figures = np.arange(104.0)
    figures[-5:] = NAN

    ends = basic_interval(49.0, figures, within="difference")

    assert ends == pytest.approx((49 - 47.5, 49 + 47.5))


@pytest.mark.parametrize("figures", [[], [NAN], [1.0] * 94 + [NAN] * 6])
def test_basic_interval_of_too_many_undefined_figures_is_undefined(figures):
    assert np.isnan(basic_interval(1.0, np.array(figures, dtype=float))).all()


def test_basic_interval_without_a_figure_or_with_undefined_ones_left_out_is_undefined():
    assert np.isnan(basic_interval(NAN, np.ones(100))).all()
    left_out = np.full((3, N_PARTS), NAN)
    assert np.isnan(basic_interval(0.5, np.linspace(0.4, 0.6, 100), left_out=left_out)).all()
