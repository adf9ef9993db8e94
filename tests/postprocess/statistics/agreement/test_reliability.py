import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.statistics.agreement import split_halves as halves_module
from postprocess.statistics.agreement.group_arrays import stack_groups
from postprocess.statistics.agreement.reliability import (
    change_reliability,
    change_reliability_from_scores,
    spearman_brown,
    split_half_reliability,
)
from postprocess.statistics.agreement.split_halves import item_means, split_halves
from postprocess.statistics.evaluation import uncentered_pearson
from postprocess.steps.single_steps import aggregate_ratings
from postprocess.table.ratings import RatingsError

FIGURES = ["correlation", "reliability", "splits_low", "splits_high"]
COLUMNS = st.lists(st.lists(st.integers(0, 6), min_size=5, max_size=5), min_size=2, max_size=5)


def rng(seed=0):
    return np.random.default_rng(seed)


def long(columns, *, context=1, group="1", letter="A"):
    rows = [
        (pair, context, f"{letter}{a:02}", rating, group)
        for a, column in enumerate(columns)
        for pair, rating in enumerate(column, 1)
        if not np.isnan(rating)
    ]
    return pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])


def both_contexts(first, second):
    return pd.concat([long(first), long(second, context=2, group="2", letter="B")])


def test_spearman_brown_by_hand():
    assert spearman_brown(np.array([0.6, 0, 1])).tolist() == [0.7499999999999999, 0, 1]
    assert float(spearman_brown(np.array(0.5), 3)) == pytest.approx(0.75)
    assert spearman_brown(np.array([-1.0, -0.6])).tolist() == [-1, -0.7499999999999999]


def test_split_half_reliability_of_two_annotators_is_their_correlation_stepped_up():
    # Pearson of 0 1 5 and 1 3 2: 1/√28; of the ranks 1 2 3 and 1 3 2: 1/2
    found = split_half_reliability(long([[0, 1, 5], [1, 3, 2]]), rng=rng(), n_resamples=0)

    pearson = 1 / np.sqrt(28)
    up = 2 * pearson / (1 + pearson)
    assert found.loc["pearson", FIGURES].tolist() == pytest.approx([pearson, up, up, up])
    assert found.loc["spearman", FIGURES].tolist() == pytest.approx([1 / 2, *[2 / 3] * 3])
    assert found["n_items"].tolist() == [3, 3]


def test_split_half_reliability_of_four_annotators_is_the_mean_of_the_three_splits():
    columns = np.array([[0, 1, 5, 3], [1, 3, 2, 6], [0, 4, 5, 1], [2, 2, 6, 5]])
    splits = [([0, 1], [2, 3]), ([0, 2], [1, 3]), ([0, 3], [1, 2])]
    rho = [np.corrcoef(columns[a].mean(axis=0), columns[b].mean(axis=0))[0, 1] for a, b in splits]
    expected = np.array([2 * r / (1 + r) for r in rho])

    found = split_half_reliability(long(columns), rng=rng(), n_splits=5000, n_resamples=0)

    row = found.loc["pearson"]
    assert row["reliability"] == pytest.approx(expected.mean(), abs=0.01)
    assert (row["splits_low"], row["splits_high"]) == pytest.approx(
        (expected.min(), expected.max())
    )


def test_split_half_reliability_steps_unequal_halves_up_by_the_noise_in_their_means():
    # of 3 annotators halves of 1 and 2: (1/1 + 1/2)/2 over 1/3 is 2.25; of 5: (1/2 + 1/3)/2 · 5
    for n, step in ((3, 2.25), (5, 25 / 12), (4, 2)):
        stacks = stack_groups(long(rng().integers(0, 7, (n, 6))))

        (halves,) = split_halves(stacks, 3, rng())

        assert item_means(halves).step.tolist() == pytest.approx([step] * 3)


def test_split_halves_means_are_those_of_a_plain_loop(simulated):
    ratings = simulated()
    stacks = stack_groups(ratings)
    people = sorted(ratings["annotator"].unique())
    lots = rng().random((5, len(people)))

    (halves,) = split_halves(stacks, 5, rng())
    means = item_means(halves)

    place = 0
    groups = sorted(ratings.groupby("group"), key=lambda item: item[1]["annotator"].nunique())
    for _, rows in groups:
        seats = [people.index(name) for name in sorted(rows["annotator"].unique())]
        for _, item in rows.groupby(["pair", "context"]):
            for split in range(5):
                order = sorted(seats, key=lambda seat, split=split: lots[split, seat])
                first = {people[seat] for seat in order[: len(seats) // 2]}
                is_first = item["annotator"].isin(first)
                expected = [item["rating"][is_first].mean(), item["rating"][~is_first].mean()]
                got = [means.first[split, place], means.second[split, place]]
                assert got == pytest.approx(expected, abs=1e-9, nan_ok=True)
            place += 1


def test_split_halves_does_not_depend_on_how_many_are_computed_together(simulated, monkeypatch):
    stacks = stack_groups(simulated())
    (whole,) = split_halves(stacks, 7, rng())
    monkeypatch.setattr(halves_module, "MOST_NUMBERS", 300)

    parts = list(split_halves(stacks, 7, rng()))

    assert len(parts) == 3
    np.testing.assert_array_equal(np.concatenate([p.sums for p in parts], axis=1), whole.sums)
    np.testing.assert_array_equal(np.concatenate([p.counts for p in parts], axis=1), whole.counts)


def test_split_halves_refuses_no_splits(simulated):
    with pytest.raises(ValueError, match="n_splits must be 1 or more, got 0"):
        next(split_halves(stack_groups(simulated()), 0, rng()))


def test_split_half_reliability_finds_the_true_reliability():
    # variance of items 1, of a rating around them 2: of the mean of 10 it is 1/(1 + 0.2)
    generator = rng(1)
    columns = generator.normal(size=2000) + np.sqrt(2) * generator.normal(size=(10, 2000))

    found = split_half_reliability(long(columns), rng=rng(), n_splits=20, n_resamples=100)

    row = found.loc["pearson"]
    assert row["reliability"] == pytest.approx(1 / 1.2, abs=0.02)
    assert row["low"] < 1 / 1.2 < row["high"]
    assert row["high"] - row["low"] < 0.05


@pytest.mark.parametrize(
    "columns",
    [[[1, 2, 3, 4]], [[1, 2], [2, 1]], [[25 / 3] * 4] * 5, [[1, 2, np.nan], [np.nan, 2, 3]]],
)
def test_split_half_reliability_is_undefined_for_one_annotator_few_items_or_equal(columns):
    found = split_half_reliability(long(columns), rng=rng(), n_splits=10, n_resamples=20)

    assert found.drop(columns="n_items").isna().all(axis=None)


def test_split_half_reliability_of_nothing_is_refused():
    with pytest.raises(RatingsError, match="there are no ratings"):
        split_half_reliability(long([]), rng=rng())


def test_reliability_does_not_depend_on_the_order_of_rows(simulated):
    ratings = simulated()
    shuffled = ratings.sample(frac=1, random_state=3)
    some = {"n_splits": 60, "n_resamples": 30}

    for function in (split_half_reliability, change_reliability):
        pd.testing.assert_frame_equal(
            function(shuffled, rng=rng(), **some),
            function(ratings, rng=rng(), **some),
            check_exact=True,
        )


@settings(deadline=None)
@given(COLUMNS, st.integers(-3, 3), st.sampled_from([0.25, 10 / 6]))
def test_split_half_reliability_does_not_depend_on_constant_or_unit(columns, constant, unit):
    some = {"n_splits": 5, "n_resamples": 0}
    expected = split_half_reliability(long(columns), rng=rng(), **some)
    other = long((np.array(columns) + constant) * unit)

    found = split_half_reliability(other, rng=rng(), **some)

    for column in FIGURES:
        assert found[column].tolist() == pytest.approx(
            expected[column].tolist(), abs=1e-6, nan_ok=True
        )


def test_change_reliability_by_hand():
    # Context 1 all 0; in context 2 one person gives 1 2 3, the other 1 3 2. Uncentred the two
    # changes correlate 13/14, centred 1/2, as do their ranks; stepped up 26/27 and 2/3.
    ratings = both_contexts([[0, 0, 0]] * 2, [[1, 2, 3], [1, 3, 2]])

    found = change_reliability(ratings, rng=rng(), n_splits=10, n_resamples=0)

    assert found["n_pairs"].tolist() == [3, 3, 3]
    assert found["correlation"].tolist() == pytest.approx([13 / 14, 1 / 2, 1 / 2])
    assert found["reliability"].tolist() == pytest.approx([26 / 27, 2 / 3, 2 / 3])
    assert found["ceiling"].tolist() == pytest.approx(np.sqrt([26 / 27, 2 / 3, 2 / 3]))


def test_change_reliability_keeps_annotators_of_both_contexts_in_one_half():
    # everybody's second rating is 1 2 3 4 higher than the first, from wherever they start
    start = np.arange(6)[:, None] * 10
    first = long(start + np.array([0, 3, 1, 2]))
    second = long(start + np.array([1, 5, 4, 6]), context=2, group="2")

    found = change_reliability(pd.concat([first, second]), rng=rng(), n_splits=20, n_resamples=0)

    assert found["reliability"].tolist() == pytest.approx([1, 1, 1])
    assert found["splits_low"].tolist() == pytest.approx([1, 1, 1])


def test_change_reliability_leaves_out_pairs_with_one_rating_of_a_context():
    nan = np.nan
    ratings = both_contexts([[0, 0, 0, 0, 5], [0, 0, 0, nan, 5]], [[1, 2, 3, 6], [1, 3, 2, 6]])

    found = change_reliability(ratings, rng=rng(), n_splits=10, n_resamples=0)

    assert found["n_pairs"].tolist() == [3, 3, 3]
    assert found["correlation"].tolist() == pytest.approx([13 / 14, 1 / 2, 1 / 2])


def test_change_reliability_joins_a_context_that_is_in_two_groups():
    # Of either group one person is in each half: in half of the splits the halves are alike, in
    # the others they correlate 13/14. Were the four one group, they would be alike in two of
    # three splits.
    ratings = both_contexts([[0, 0, 0]] * 2, [[1, 2, 3], [1, 3, 2]] * 2)
    ratings.loc[ratings["annotator"].isin(["B02", "B03"]), "group"] = "3"

    found = change_reliability(ratings, rng=rng(), n_splits=3000, n_resamples=0)

    row = found.loc["uncentered"]
    assert row["n_pairs"] == 3
    assert row["correlation"] == pytest.approx(1 - 1 / 28, abs=0.003)
    assert (row["splits_low"], row["splits_high"]) == pytest.approx((26 / 27, 1))


@pytest.mark.parametrize(
    ("first", "second"),
    [([[1, 2, 3]] * 2, [[1, 2, 3]] * 2), ([[1, 2]] * 2, [[3, 5]] * 2), ([[1, 2, 3]], [[1, 2, 3]])],
)
def test_change_reliability_is_undefined_without_change_or_with_few_pairs(first, second):
    found = change_reliability(both_contexts(first, second), rng=rng(), n_resamples=20)

    assert found.drop(columns="n_pairs").isna().all(axis=None)


def test_change_reliability_below_zero_has_a_ceiling_of_zero():
    # uncentred: 1 · -1 + 2 · -2 + 3 · -3
    ratings = both_contexts([[3, 3, 3]] * 2, [[4, 5, 6], [2, 1, 0]])

    found = change_reliability(ratings, rng=rng(), n_splits=10, n_resamples=0)

    assert found.loc["uncentered", ["reliability", "ceiling"]].tolist() == [-1, 0]


def changing(seed, n_pairs=1500, n_annotators=10):
    """Return true changes, and ratings of contexts by separate annotators, each with a bias."""
    generator = rng(seed)
    true = generator.normal(scale=2, size=(2, n_pairs))
    bias = generator.normal(scale=0.3, size=(2, n_annotators, 1))
    noise = generator.normal(scale=2, size=(2, n_annotators, n_pairs))
    first, second = true[:, None, :] + bias + noise
    return true[1] - true[0], both_contexts(first, second)


def mean_changes(ratings):
    means = ratings.groupby(["pair", "context"])["rating"].mean().unstack()
    return means[2] - means[1]


def test_change_reliability_ceiling_is_the_score_of_the_true_changes():
    true, ratings = changing(seed=2)
    gold = mean_changes(ratings)

    found = change_reliability(ratings, rng=rng(), n_splits=50, n_resamples=100)

    ceiling = found.loc["uncentered", "ceiling"]
    assert ceiling == pytest.approx(uncentered_pearson(true, gold), abs=0.01)
    assert ceiling == pytest.approx(np.sqrt(8 / (8 + 2 * 4 / 10)), abs=0.02)
    low, high = found.loc["uncentered", ["ceiling_low", "ceiling_high"]]
    assert low < ceiling < high


def test_change_reliability_is_the_score_of_a_second_collection():
    true, ratings = changing(seed=3)
    generator = rng(4)
    again = true + generator.normal(scale=np.sqrt(2 * 4 / 10), size=len(true))
    gold = mean_changes(ratings)

    found = change_reliability(ratings, rng=rng(), n_splits=50, n_resamples=0)

    reliability = found.loc["uncentered", "reliability"]
    assert reliability == pytest.approx(uncentered_pearson(again, gold), abs=0.02)


def test_change_reliability_from_scores_equals_that_of_many_splits():
    _, ratings = changing(seed=5, n_pairs=60)
    scores = aggregate_ratings(ratings, 60)

    found = change_reliability(ratings, rng=rng(), n_splits=2000, n_resamples=0)

    expected = change_reliability_from_scores(scores)
    assert found.loc["uncentered", "reliability"] == pytest.approx(expected, abs=0.005)


def test_change_reliability_from_scores_by_hand():
    # changes 3 and -4, squares 25; errors 4/4 + 9/9 + 0 + 5/10 = 2.5
    scores = pd.DataFrame(
        {
            "sim1": [2.0, 8.0], "sim2": [5.0, 4.0], "stdev1": [2.0, 0.0],
            "stdev2": [3.0, np.sqrt(5)], "n1": [4, 7], "n2": [9, 10],
        }
    )  # fmt: skip

    assert change_reliability_from_scores(scores) == pytest.approx(0.9)


def test_change_reliability_from_scores_is_undefined_without_change_or_deviation():
    still = pd.DataFrame({"sim1": [1.0], "sim2": [1.0], "stdev1": [1.0], "stdev2": [1.0]})
    single = still.assign(sim2=3.0, stdev2=np.nan)

    for scores in (still, single):
        assert np.isnan(change_reliability_from_scores(scores.assign(n1=2, n2=2)))


def test_change_reliability_from_scores_knows_no_change_from_a_rounding():
    row = {"sim1": 5.0, "sim2": 5.000000000000001, "stdev1": 1.0, "stdev2": 1.0, "n1": 5, "n2": 5}

    assert np.isnan(change_reliability_from_scores(pd.DataFrame([row])))


@pytest.mark.parametrize("reliability", [split_half_reliability, change_reliability])
def test_reliability_over_annotators_has_wider_intervals_of_the_same_figures(
    simulated, reliability
):
    items, both = (
        reliability(simulated(), rng=rng(), n_splits=20, n_resamples=60, resample=resample)
        for resample in ("items", "items and annotators")
    )

    assert both["reliability"].tolist() == items["reliability"].tolist()
    assert (both["low"] < items["low"]).all()
    assert (both["high"] > items["high"]).all()


@pytest.mark.parametrize("reliability", [split_half_reliability, change_reliability])
def test_reliability_has_no_intervals_over_annotators_of_groups_of_two(simulated, reliability):
    ratings = simulated()
    ratings = ratings[ratings.groupby(["group"])["annotator"].rank(method="dense") <= 2]

    found = reliability(
        ratings, rng=rng(), n_splits=5, n_resamples=20, resample="items and annotators"
    )

    assert found["reliability"].notna().any()
    assert found[["low", "high"]].isna().all(axis=None)


@pytest.mark.parametrize("reliability", [split_half_reliability, change_reliability])
def test_reliability_refuses_an_unknown_value_of_resample(simulated, reliability):
    with pytest.raises(RatingsError, match='"people" cannot be resampled'):
        reliability(simulated(), rng=rng(), resample="people")
