"""Files of candidates: what is read, and what is reported by row and column."""

from io import BytesIO
from typing import Any

import pandas as pd
import pytest

from postprocess.formats.marks import MarkedContext, Span
from postprocess.formats.tabular import TableError
from preprocess.selection.reading import (
    is_file_of_windows,
    mark_candidate,
    read_candidates,
    read_windows,
)
from preprocess.windows.table import LARGEST_SETTINGS
from tests.factories.candidates import (
    candidate_rows,
    candidates_file,
    window_rows,
    write_parquet,
)


def problems_of(rows: list[dict[str, Any]]) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(TableError) as raised:
        read_candidates(write_parquet(rows))
    return [(one.row, one.column, one.what) for one in raised.value.findings]


def test_read_candidates_returns_rows_by_pair_and_order():
    rows = candidate_rows(2, 3)
    rows[0]["score_e5"] = None

    found = read_candidates(write_parquet(rows[::-1]))

    assert found.models == ("e5",)
    assert [(row["pair"], row["order"]) for row in found.rows] == [
        (pair, order) for pair in (1, 2) for order in (1, 2, 3)
    ]
    assert found.rows[0]["scores"] == {"e5": None}
    assert found.rows[1]["scores"] == {"e5": 0.2}
    assert mark_candidate(found.rows[0]) == MarkedContext(
        "Story 1 has an alpha1 here. It rains. Then a beta1 comes.", Span(15, 21), Span(45, 50)
    )


def test_sources_that_are_not_known_are_empty():
    rows = candidate_rows(1, 2)
    rows[0]["licence"] = None

    assert read_candidates(write_parquet(rows)).rows[0]["licence"] == ""


def test_models_are_optional():
    rows = [{k: v for k, v in row.items() if k != "score_e5"} for row in candidate_rows(1, 2)]

    found = read_candidates(write_parquet(rows))

    assert found.models == ()
    assert found.rows[0]["scores"] == {}


@pytest.mark.parametrize(
    ("column", "cell", "reported"),
    [
        ("text", None, ("text", '"" is empty or not a text')),
        ("text", "A <strong>mark</strong>" + "." * 60, ("text", "the text contains the marks")),
        ("text", "A\x07" + "lpha1 beta1 " * 6, ("text", "a control character U+0007 inside")),
        ("end2", 900, ("start1", "the places of the two words are not two places in the text")),
        ("start2", 16, ("start1", "the places of the two words are not two places in the text")),
        ("distance", -1, ("distance", '"-1" is not a whole number')),
        ("distance", 1.5, ("distance", '"1.5" is not a whole number')),
        ("score_e5", float("inf"), ("score_e5", '"inf" is not a number')),
        ("word2", "omega", ("pair", "pair 1 has the words alpha1 and beta1 in an earlier row")),
    ],
)
def test_read_candidates_reports_row_and_column(column, cell, reported):
    rows = candidate_rows(1, 3)
    rows[1][column] = cell

    found = problems_of(rows)

    name, what = reported
    assert [(row, where) for row, where, _ in found[:1]] == [(2, name)]
    assert found[0][2].startswith(what)


def test_a_window_that_is_there_twice_is_reported():
    rows = candidate_rows(1, 2)
    rows[1]["window"] = rows[0]["window"]

    assert problems_of(rows) == [(2, "window", 'window "w1-1" was in row 1 already')]


def test_a_form_that_occurs_again_without_a_mark_is_reported():
    rows = candidate_rows(1, 2)
    rows[1]["text"] += " Again alpha1."

    ((row, column, what),) = problems_of(rows)

    assert (row, column) == (2, "text")
    assert "occurs twice" in what


def test_a_missing_column_is_named():
    frame = pd.DataFrame(candidate_rows(1, 2)).drop(columns=["picked", "distance"])
    file = BytesIO()
    frame.to_parquet(file)

    with pytest.raises(TableError, match="columns distance, picked missing"):
        read_candidates(file.getvalue())


def test_windows_that_were_kept_are_read_by_the_rows_of_the_file():
    rows = window_rows(1, 3)
    rows[0] |= {"rejected": "words", "text": None, "start2": -1}
    data = write_parquet(rows, b'{"seed": 5}')

    table, origin = read_windows(data)

    assert is_file_of_windows(data)
    assert table["window"].to_dict() == {2: "w1-2", 3: "w1-3"}
    assert table["warnings"].tolist() == ["", ""]
    assert origin == {"seed": 5}


@pytest.mark.parametrize(
    ("changes", "reported"),
    [
        ({"distance": -1}, (2, "distance", '"-1" is not a whole number')),
        ({"warnings": 3}, (2, "warnings", '"3" is empty or not a text')),
        ({"window": "w1-3"}, (3, "window", 'window "w1-3" was in row 2 already')),
        ({"word1": "omega"}, (3, "pair", "pair 1 has the words omega and beta1 in an earlier row")),
    ],
)
def test_windows_that_cannot_be_used_are_reported_by_row_and_column(changes, reported):
    rows = window_rows(1, 3)
    rows[0]["rejected"] = "words"
    if "warnings" in changes:
        rows = [{**row, "warnings": 3} for row in rows]
    rows[1] |= changes

    with pytest.raises(TableError) as raised:
        read_windows(write_parquet(rows))

    found = raised.value.findings[0]
    assert (found.row, found.column, found.what) == reported


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (write_parquet([{**row, "rejected": "words"} for row in window_rows(1, 2)]),
         "all windows of the file were rejected"),
        (write_parquet(window_rows(1, 2), b"{"), "what the file says of its origin cannot be used"),
        (write_parquet(window_rows(1, 2), b'{"a": "' + b"x" * LARGEST_SETTINGS + b'"}'),
         "it has more than 1,000,000 bytes"),
        (candidates_file(), "columns rejected, warnings missing"),
    ],
)  # fmt: skip
def test_a_file_without_usable_windows_is_refused(data, what):
    with pytest.raises(TableError, match=what):
        read_windows(data)


def test_candidates_and_other_files_are_no_windows():
    assert not is_file_of_windows(candidates_file())
    assert not is_file_of_windows(b"word1\tword2\n")


def test_another_kind_of_file_is_refused():
    with pytest.raises(TableError, match="not a Parquet file"):
        read_candidates(b"word1\tword2\n")


def test_a_file_without_rows_is_refused():
    empty = pd.DataFrame(candidate_rows(1, 1)).head(0)
    file = BytesIO()
    empty.to_parquet(file)

    with pytest.raises(TableError, match="no rows"):
        read_candidates(file.getvalue())
