import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.steps import core
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import read_recipe
from postprocess.table import counts
from postprocess.table.counts import count_ratings
from postprocess.table.ratings import number_items, number_members
from tests.postprocess.statistics.agreement.tables import items_table, pairwise_of

RATINGS = st.lists(
    st.lists(st.one_of(st.none(), st.integers(0, 6)), min_size=4, max_size=4),
    min_size=2,
    max_size=5,
)


def average(ratings):
    """Return the group, annotator, rho, gain, has_common and is_constant of each member."""
    member, members = number_members(ratings)
    group = pd.factorize(members["group"])[0]
    counted = count_ratings(number_items(ratings), member, ratings["rating"], group)
    return members.join(core.compare_members(counted))


def naive(ratings):
    """Return each annotator's mean rho and gain, computed pair by pair."""
    rows = []
    for _, group in ratings.groupby("group"):
        table = items_table(group)
        for name in table:
            alone = table.shape[1] < 2
            rho = None if alone else pairwise_of(table)
            rest = table.drop(columns=name)
            without = np.nan if rest.shape[1] < 2 else mean(pairwise_of(rest))
            rows.append((np.nan if alone else rho[name].mean(), without - mean(rho)))
    return np.array(rows)


def mean(rho):
    values = np.array([np.nan]) if rho is None else rho.to_numpy().ravel()
    defined = values[~np.isnan(values)]
    return defined.mean() if len(defined) else np.nan


@settings(max_examples=30)
@given(RATINGS, RATINGS)
def test_compare_members_is_the_mean_of_all_pairs(first, second):
    tables = [
        [
            (item, 1 + number, f"A{person}", rating, str(number))
            for person, ratings in enumerate(people)
            for item, rating in enumerate(ratings, 1)
            if rating is not None
        ]
        for number, people in enumerate((first, second))
    ]
    rows = [row for table in tables for row in table]
    if not rows:
        return
    ratings = pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])

    found = average(ratings)[["rho", "gain"]].to_numpy()

    assert found == pytest.approx(naive(ratings), abs=1e-12, nan_ok=True)


def test_compare_members_distinguishes_reasons_for_undefined_rho(ratings_of):
    constant = average(ratings_of(A=[0, 1, 2], B=[3, 3, 3]))
    few = average(ratings_of(A=[0, 1], B=[3, 3]))

    assert constant["rho"].isna().all()
    assert constant["has_common"].all()
    assert constant["is_constant"].tolist() == [False, True]
    assert not few["has_common"].any()


def test_compare_members_of_a_repeated_item_is_computed_per_group(ratings_of):
    first, second = ratings_of(A=[0, 1, 2], B=[0, 1, 2]), ratings_of("2", C=[0, 1, 2], D=[2, 1, 0])

    found = average(pd.concat([first, second], ignore_index=True))

    assert found["rho"].tolist() == pytest.approx([1, 1, -1, -1])


@pytest.mark.parametrize("n_shared", [0, 5])
def test_compare_members_of_groups_that_share_items(ratings_of, n_shared):
    rng = np.random.default_rng(3)
    groups = [
        ratings_of(str(group), **{f"{name}{group}": rng.integers(0, 7, 30) for name in "ABCDE"})
        for group in range(4)
    ]
    for number, group in enumerate(groups):
        group["pair"] += number * (30 - n_shared)
    ratings = pd.concat(groups).sort_values(["pair", "context", "annotator"], ignore_index=True)

    found = average(ratings)[["rho", "gain"]].to_numpy()

    assert found == pytest.approx(naive(ratings), abs=1e-12)


@pytest.mark.parametrize("changes", [(), ("calibration.threshold=0.2", "filtering.gain_share=0.3")])
def test_tables_with_a_column_for_each_rating_of_one_annotator_give_the_same(
    simulated, monkeypatch, changes
):
    ratings = simulated().drop(columns=["block", "pos"])
    recipe = read_recipe("cosimlex", changes)
    whole = post_process(ratings, recipe, n_pairs=40)

    monkeypatch.setattr(counts, "MOST_CELLS", 0)
    narrow = post_process(ratings, recipe, n_pairs=40)

    for name in ("ledger", "annotators", "scores"):
        pd.testing.assert_frame_equal(getattr(narrow, name), getattr(whole, name), rtol=1e-13)
