import os

import numpy as np
import pandas as pd
import pytest

from postprocess.table.sorting import sort_rows

BY = ("pair", "annotator")


def make_table(n_rows, **columns):
    rng = np.random.default_rng(7)
    names = pd.Index([f"A{number:03}" for number in range(500)])
    pairs = rng.permutation(n_rows).astype(np.int32)
    annotators = pd.Categorical.from_codes(rng.integers(0, 500, n_rows), categories=names)
    ratings = rng.integers(-3, 4, n_rows).astype(np.int32)
    return pd.DataFrame({"pair": pairs, "rating": ratings, "annotator": annotators, **columns})


def by_pandas(table):
    return table.sort_values(list(BY)).reset_index(drop=True)


@pytest.mark.parametrize("n_rows", [1, 1000, 300_000])
def test_sort_rows_equals_pandas_in_the_same_types(n_rows):
    table = make_table(n_rows)

    pd.testing.assert_frame_equal(sort_rows(table, BY), by_pandas(table))


def test_sort_rows_sorts_ratings_that_are_not_whole():
    table = make_table(1000).assign(rating=lambda rows: rows["rating"] / 2)

    pd.testing.assert_frame_equal(sort_rows(table, BY), by_pandas(table))


@pytest.mark.parametrize("most", [2**52, 2**62])
def test_sort_rows_sorts_rows_that_do_not_fit_a_number(most):
    table = make_table(1000)
    table["pair"] = table["pair"].astype(np.int64) + np.where(table["pair"] == 5, most, 0)
    table["mark"] = pd.Categorical(["", "withdrawn"] * 500)

    pd.testing.assert_frame_equal(sort_rows(table, BY), by_pandas(table))


@pytest.mark.parametrize("rating", [3, 2.5])
def test_sort_rows_finds_rows_with_the_same_keys(rating):
    table = pd.concat([make_table(1000), make_table(1000)[:1].assign(rating=rating)])

    assert sort_rows(table.astype({"annotator": "category"}), BY) is None


@pytest.mark.parametrize("n_cores", [1, 2, 5])
def test_sort_rows_is_the_same_on_any_number_of_cores(n_cores, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: n_cores)
    table = make_table(300_000)

    pd.testing.assert_frame_equal(sort_rows(table, BY), by_pandas(table))
