import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.table.counting_sort import place_rows
from postprocess.table.numbering import number_members
from postprocess.table.parallel import AT_ONCE
from postprocess.table.ratings import BY
from postprocess.table.sorting import sort_rows

TYPES = {"pair": np.int32, "context": np.int8, "rating": np.int32}
MARKS = ["", "rejected", "withdrawn"]


def make_table(n_groups, n_people, n_items, *, share=1.0, seed=5, **columns):
    """Return unsorted ratings of groups with separate pairs and equally many annotators."""
    rng = np.random.default_rng(seed)
    group, person, item = (
        part.ravel() for part in np.meshgrid(*map(np.arange, (n_groups, n_people, n_items)))
    )
    table = pd.DataFrame(
        {
            "pair": 1 + (group * n_items + item) // 2,
            "context": 1 + (group * n_items + item) % 2,
            "annotator": [f"A{name:04}" for name in rng.permutation(n_groups * n_people)[
                group * n_people + person
            ]],
            "rating": rng.integers(-3, 4, len(group)),
            "group": [f"{name}" for name in group],
            **columns,
        }
    )  # fmt: skip
    rows = rng.permutation(len(table))[: max(1, round(share * len(table)))]
    names = {name: "category" for name in ("annotator", "group", "mark") if name in table}
    return table.iloc[rows].reset_index(drop=True).astype({**TYPES, **names})


def assert_sorted(table):
    placed = place_rows(table)

    assert placed is not None
    pd.testing.assert_frame_equal(placed.rows, sort_rows(table, BY))
    member, members = number_members(placed.rows)
    assert placed.member.tolist() == member.tolist()
    pd.testing.assert_frame_equal(placed.members.table(), members.table())


@pytest.mark.parametrize("share", [1, 0.7])
@pytest.mark.parametrize(
    "shape", [(1, 1, 1), (2, 3, 4), (7, 10, 101), (40, 12, 2 + AT_ONCE // 400)]
)
def test_place_rows_equals_sort_rows_in_the_same_types(shape, share):
    assert_sorted(make_table(*shape, share=share))


@pytest.mark.parametrize("share", [1, 0.7])
def test_place_rows_keeps_marks(share):
    n_rows = 3 * 4 * 10
    marks = np.random.default_rng(2).choice(MARKS, n_rows)

    assert_sorted(make_table(3, 4, 10, share=share, mark=marks))


def test_place_rows_accepts_unused_categories():
    table = make_table(4, 5, 10)
    whole = table[table["group"] != "2"].reset_index(drop=True)

    assert_sorted(whole)


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 9), st.integers(0, 10**6))
def test_place_rows_equals_sort_rows(n_groups, n_people, n_items, seed):
    assert_sorted(make_table(n_groups, n_people, n_items, seed=seed, share=0.9))


@pytest.mark.parametrize("n_cores", [1, 2, 5])
def test_place_rows_is_the_same_on_any_number_of_cores(n_cores, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: n_cores)

    assert_sorted(make_table(40, 12, 400, share=0.8))


def changed(row, **values):
    """Return a table with other values in one row, some of them new categories."""
    table = make_table(2, 3, 4).astype({"annotator": str, "group": str})
    for name, value in values.items():
        table.loc[row, name] = value
    return table.astype({"annotator": "category", "group": "category"})


@pytest.mark.parametrize(
    "table",
    [
        make_table(2, 3, 4).drop(columns="group"),
        make_table(2, 3, 4).assign(rating=lambda rows: rows["rating"] / 2),
        make_table(2, 3, 4, share=0.3),
        make_table(2, 3, 4).assign(pair=lambda rows: rows["pair"] * 1000),
        make_table(2, 3, 4).assign(rating=lambda rows: rows["rating"] * 100_000),
        changed(0, group="new"),
        changed(0, annotator="A0000", pair=1, group="new"),
        pd.concat([make_table(2, 3, 4), make_table(2, 3, 4)[:1]], ignore_index=True),
    ],
    ids=[
        "no groups", "between steps", "many missing", "few of many pairs", "many ratings",
        "an item in two groups", "a person in two groups", "a row twice",
    ],
)  # fmt: skip
def test_place_rows_leaves_other_tables_to_sorting(table):
    assert place_rows(table) is None
