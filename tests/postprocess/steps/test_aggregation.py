import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.steps.single_steps import aggregate_ratings
from postprocess.table.ratings import RatingsError

SIDE = st.lists(st.integers(0, 6), min_size=1, max_size=12)


def table(*pairs):
    rows = [
        (pair, context, f"A{i}", rating)
        for pair, contexts in enumerate(pairs, 1)
        for context, ratings in enumerate(contexts, 1)
        for i, rating in enumerate(ratings)
    ]
    return pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating"])


def test_aggregate_ratings_by_hand():
    # ranks 1.5 1.5 3 | 4 5: U = 0, mean 3, variance 6/12 · (6 - 6/20) = 2.85, z = 2.5/√2.85
    scores = aggregate_ratings(table(([0, 0, 3], [5, 6])), 1)

    assert scores.index.tolist() == [1]
    figures = ["n1", "n2", "sim1", "sim2", "stdev1", "stdev2", "change", "pvalue"]
    row = scores.loc[1, figures].to_dict()
    z = 2.5 / math.sqrt(2.85)
    assert row == pytest.approx(
        {
            "n1": 3,
            "n2": 2,
            "sim1": 1,
            "sim2": 5.5,
            "stdev1": math.sqrt(3),
            "stdev2": math.sqrt(0.5),
            "change": 4.5,
            "pvalue": math.erfc(z / math.sqrt(2)) / 2,
        }
    )


def test_aggregate_ratings_of_one_rating_has_no_deviation():
    row = aggregate_ratings(table(([2], [2])), 1).loc[1]

    assert (row["n1"], row["change"], row["pvalue"]) == (1, 0, 1)
    assert math.isnan(row["stdev1"])


def test_aggregate_ratings_of_equal_ratings_has_no_deviation_and_no_evidence():
    row = aggregate_ratings(table(([10 / 6] * 9, [10 / 6] * 7)), 1).loc[1]

    assert (row["stdev1"], row["stdev2"], row["pvalue"]) == (0, 0, 1)


def test_aggregate_ratings_names_contexts_without_ratings():
    ratings = table(([1], [2]), ([1], []), ([], []))

    message = "contexts without ratings: pair 2 context 2, pair 3 context 1, pair 3 context 2$"
    with pytest.raises(RatingsError, match=message):
        aggregate_ratings(ratings, 3)
    with pytest.raises(RatingsError, match=r"pair 7 context 1, … \(17 in all\)"):
        aggregate_ratings(ratings, 10)


def test_aggregate_ratings_refuses_ratings_beyond_the_last_pair():
    ratings = table(([1], [2]), ([], []), ([3], [4]))

    with pytest.raises(RatingsError, match="contexts without ratings: pair 2 context 1, pair 2"):
        aggregate_ratings(ratings, 1)


@given(SIDE, SIDE, st.randoms(use_true_random=False))
def test_aggregate_ratings_does_not_depend_on_row_order(first, second, random):
    ratings = table((first, second))
    ratings["rating"] = ratings["rating"] * 10 / 6
    order = list(range(len(ratings)))
    random.shuffle(order)

    pd.testing.assert_frame_equal(
        aggregate_ratings(ratings, 1), aggregate_ratings(ratings.iloc[order], 1), check_exact=True
    )


@given(SIDE, SIDE)
def test_aggregate_ratings_mirrors_swapped_contexts(first, second):
    there = aggregate_ratings(table((first, second)), 1).loc[1]
    back = aggregate_ratings(table((second, first)), 1).loc[1]

    assert there["change"] == -back["change"]
    assert there["pvalue"] == pytest.approx(back["pvalue"], rel=1e-12)
    assert (there["sim1"], there["n1"]) == (back["sim2"], back["n2"])


@given(SIDE, SIDE, st.integers(-5, 5))
def test_aggregate_ratings_adds_a_constant_to_the_means_only(first, second, constant):
    ratings = table((first, second))
    moved = ratings.assign(rating=ratings["rating"] + constant)

    there, other = aggregate_ratings(ratings, 1).loc[1], aggregate_ratings(moved, 1).loc[1]

    assert other["sim1"] == pytest.approx(there["sim1"] + constant, abs=1e-12)
    for column in ("stdev1", "stdev2", "change", "pvalue"):
        assert other[column] == pytest.approx(there[column], abs=1e-12, nan_ok=True)


@given(SIDE, SIDE)
def test_aggregate_ratings_gives_the_figures_that_pandas_gives(first, second):
    ratings = table((first, second))

    row = aggregate_ratings(ratings, 1).loc[1]

    for number, side in enumerate((first, second), 1):
        expected = pd.Series(side)
        assert row[f"n{number}"] == len(side)
        assert row[f"sim{number}"] == pytest.approx(expected.mean(), abs=1e-12)
        assert row[f"median{number}"] == expected.median()
        assert row[f"stdev{number}"] == pytest.approx(expected.std(), abs=1e-12, nan_ok=True)


def test_aggregate_ratings_does_not_depend_on_the_size_of_batches(monkeypatch):
    ratings = table(([0, 0, 3], [5, 6]), ([1], [2, 2]), ([4, 6], [0, 1, 2]))
    whole = aggregate_ratings(ratings, 3)

    monkeypatch.setattr("postprocess.steps.core.CELLS_AT_ONCE", 1)

    pd.testing.assert_frame_equal(aggregate_ratings(ratings, 3), whole, check_exact=True)


@given(st.lists(SIDE, min_size=1, max_size=5))
def test_pairs_with_one_context_have_the_figures_of_pandas(sides):
    ratings = table(*([side] for side in sides))
    of_pair = ratings.groupby("pair")["rating"]
    mean = of_pair.agg(n1="size", sim1="mean", stdev1="std", median1="median")
    median = mean.rename(columns={"sim1": "mean1", "median1": "sim1"})

    for centre, expected in {"mean": mean, "median": median}.items():
        scores = aggregate_ratings(ratings, len(sides), n_contexts=1, centre=centre)
        pd.testing.assert_frame_equal(scores, expected, check_like=True, check_index_type=False)


@given(SIDE, SIDE)
def test_a_context_has_the_same_figures_alone_and_beside_another(first, second):
    both = aggregate_ratings(table((first, second)), 1)
    alone = aggregate_ratings(table([first]), 1, n_contexts=1)

    assert list(alone) == ["n1", "sim1", "stdev1", "median1"]
    pd.testing.assert_frame_equal(both[list(alone)], alone)


def test_the_majority_is_the_rating_with_most_votes_and_undefined_for_a_tie():
    ratings = table([[1, 1, 0]], [[0, 1]], [[0]])

    scores = aggregate_ratings(ratings, 3, n_contexts=1, centre="majority")

    assert list(scores) == ["n1", "sim1", "share1"]
    assert scores.fillna(-1).to_numpy().tolist() == [[3, 1, 2 / 3], [2, -1, 0.5], [1, 0, 1]]
