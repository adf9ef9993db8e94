import numpy as np
import pandas as pd
import pytest

from postprocess.statistics.agreement import group_arrays as stacks_module
from postprocess.statistics.agreement.group_arrays import number_names, of_slice, stack_groups
from postprocess.table.ratings import RatingsError
from tests.postprocess.statistics.agreement.tables import items_table

NAN = float("nan")


def plain(stacks):
    return [[field.tolist() for field in stack] for stack in stacks]


def test_stack_groups_puts_groups_of_one_shape_together(ratings_of):
    ratings = pd.concat(
        [
            ratings_of(group="2", C=[6, 5], D=[4, 3]),
            ratings_of(group="3", A=[1], B=[2], E=[3]),
            ratings_of(group="1", B=[0, 1], A=[2, None]),
        ]
    )

    small, large = stack_groups(ratings)

    np.testing.assert_array_equal(small.tables, [[[2, NAN], [0, 1]], [[6, 5], [4, 3]]])
    assert small.annotators.tolist() == [[0, 1], [2, 3]]
    assert small.items.tolist() == [[0, 2], [0, 2]]
    assert large.tables.tolist() == [[[1], [2], [3]]]


def test_stack_groups_cuts_groups_into_slices(ratings_of):
    ratings = ratings_of(A=[0, 1, 2, 3], B=[3, 2, 1, 0])

    (stack,) = stack_groups(ratings, np.array([1, 0, -1, 1] * 2))[1:]
    (single,) = stack_groups(ratings, np.array([1, 0, -1, 1] * 2))[:1]

    assert (stack.tables.tolist(), stack.slices.tolist()) == ([[[0, 3], [3, 0]]], [1])
    assert (single.tables.tolist(), single.slices.tolist()) == ([[[1], [2]]], [0])


def test_stack_groups_does_not_depend_on_the_order_or_type_of_columns(simulated):
    ratings = simulated()
    shuffled = ratings.sample(frac=1, random_state=1)
    columns = ["annotator", "group"]
    for column in columns:
        names = pd.Index(ratings[column].unique()[::-1]).append(pd.Index(["unused"]))
        shuffled[column] = pd.Categorical(shuffled[column], categories=names)

    first, second = stack_groups(ratings), stack_groups(shuffled)

    for one, other in zip(first, second, strict=True):
        for field, same in zip(one, other, strict=True):
            np.testing.assert_array_equal(field, same)


def test_stack_groups_equals_the_items_table(simulated):
    ratings = simulated()
    found = {stack.tables.shape[1:]: stack.tables for stack in stack_groups(ratings)}

    for _, rows in ratings.groupby("group"):
        table = items_table(rows).to_numpy().T
        same = [np.array_equal(table, other, equal_nan=True) for other in found[table.shape]]
        assert sum(same) == 1


def test_stack_groups_keeps_languages_apart(ratings_of):
    first = ratings_of(A=[0, 1], B=[1, 2]).assign(language="en")
    second = ratings_of(C=[5, 6], D=[4, 6]).assign(language="sl")

    (stack,) = stack_groups(pd.concat([second, first]))

    assert stack.tables[:, 0].tolist() == [[0, 1], [5, 6]]
    assert stack.items.tolist() == [[0, 2], [4, 6]]


def test_stack_groups_finds_groups_and_leaves_out_missing_ratings(ratings_of):
    ratings = ratings_of(A=[0, 1], B=[1, 2]).drop(columns="group")
    ratings["rating"] = ratings["rating"].astype(float)
    ratings.loc[0, "rating"] = NAN

    (stack,) = stack_groups(ratings)

    np.testing.assert_array_equal(stack.tables, [[[NAN, 1], [1, 2]]])


def test_stack_groups_makes_large_stacks_in_parts(ratings_of, monkeypatch):
    ratings = pd.concat([ratings_of(group=str(n), A=[0, 1], B=[1, n]) for n in range(5)])
    whole = plain(stack_groups(ratings))
    monkeypatch.setattr(stacks_module, "MOST_NUMBERS", 8)

    parts = stack_groups(ratings)

    assert [len(stack.tables) for stack in parts] == [2, 2, 1]
    joined = [np.concatenate(fields).tolist() for fields in zip(*parts, strict=True)]
    assert [joined] == whole


def test_stack_groups_of_nothing_is_nothing(ratings_of):
    assert stack_groups(ratings_of(A=[])) == []


@pytest.mark.parametrize(
    ("column", "wrong", "message"),
    [
        ("context", 3, "context must be 1 or 2"),
        ("pair", 1, "rated a context twice in one group"),
        ("annotator", None, "annotator is missing in 1 rows"),
        ("group", None, "group is missing in 1 rows"),
    ],
)
def test_stack_groups_refuses_invalid_ratings(ratings_of, column, wrong, message):
    ratings = ratings_of(A=[0, 1], B=[1, 2])
    ratings.loc[1, column] = wrong

    with pytest.raises(RatingsError, match=message):
        stack_groups(ratings)


def test_number_names_of_numbers_and_texts():
    assert number_names(pd.Series([30, 4, 30])).tolist() == [1, 0, 1]
    assert number_names(pd.Series(["b", None, "a"])).tolist() == [1, -1, 0]


def test_of_slice_returns_the_tables_of_one_slice(simulated):
    ratings = simulated()
    slices = number_names(ratings["group"])

    for number, (_, rows) in enumerate(ratings.groupby("group")):
        (stack,) = of_slice(stack_groups(ratings, slices), number)
        np.testing.assert_array_equal(stack.tables[0], items_table(rows).to_numpy().T)
