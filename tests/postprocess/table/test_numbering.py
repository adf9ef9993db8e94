import numpy as np
import pandas as pd
import pytest

from postprocess.table import numbering
from postprocess.table.numbering import index_names, number_members, number_ratings, number_values


def table(annotators, groups):
    rows = pd.DataFrame({"pair": range(1, len(groups) + 1), "context": 1, "rating": 3})
    return rows.assign(annotator=list(annotators), group=list(groups))


def test_number_members_numbers_by_group_and_annotator():
    member, members = number_members(table("BABC", "2111"))

    people = members.table().to_numpy().tolist()
    assert people == [["1", "A"], ["1", "B"], ["1", "C"], ["2", "B"]]
    assert member.tolist() == [3, 0, 1, 2]


def test_number_members_numbers_annotators_of_one_group_alike():
    member, members = number_members(table("CAB", "121"))

    assert members.table().to_numpy().tolist() == [["1", "B"], ["1", "C"], ["2", "A"]]
    assert member.tolist() == [1, 2, 0]


@pytest.mark.parametrize("most_cells", [100, 0])  # all cells there can be, or those there are
def test_number_ratings_counts_those_that_are_alike(most_cells, monkeypatch):
    monkeypatch.setattr(numbering, "MOST_CELLS", most_cells)
    ratings = table("AABB", "1111").assign(pair=[1, 2, 1, 2], rating=[4, 4, 6, 5])

    numbers = number_ratings(ratings)

    given = numbers.n > 0
    assert numbers.item.tolist() == [0, 2, 0, 2]
    assert numbers.points[numbers.cell].tolist() == [4, 4, 6, 5]
    assert numbers.member[numbers.cell].tolist() == [0, 0, 1, 1]
    assert numbers.n[given].tolist() == [2, 1, 1]
    assert numbers.points[given].tolist() == [4, 5, 6]


def test_index_names_counts_only_names_that_occur():
    names = pd.Series(pd.Categorical(["c", "a"], categories=["a", "b", "c"]))

    codes, found = index_names(names)

    assert (codes.tolist(), found.tolist()) == ([1, 0], ["a", "c"])


@pytest.mark.parametrize("ratings", [[6, 0, 6], [-2, 10**9, -2], [0.5, 0.25, 0.5]])
def test_number_values_are_ascending(ratings):
    codes, values = number_values(np.array(ratings))

    assert values[codes].tolist() == ratings
    assert (np.diff(values) > 0).all()
