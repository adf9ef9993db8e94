"""Candidates picked among the windows of a file."""

import pytest

from surveys.contexts.picking import LARGEST_SCORES, Picking, check_file
from surveys.errors import ImportRefused
from tests.factories.candidates import candidates_file, window_rows, write_parquet

ORIGIN = b'{"seed": 5}'


def scored(n_pairs: int, n_windows: int) -> bytes:
    rows = [row["window"] for row in window_rows(n_pairs, n_windows)]
    lines = [f"{window}\t{place / 10}" for place, window in enumerate(rows)]
    return "\n".join(["window\tscore", *lines, ""]).encode()


def test_candidates_are_picked_by_the_scores_of_an_uploaded_file():
    data = write_parquet(window_rows(2, 5), ORIGIN)

    checked = check_file(data, Picking(3, scores=scored(2, 5), scores_name="elmo.tsv"))

    assert not checked.errors
    assert checked.models == ("elmo",)
    assert {pair: len(rows) for pair, rows in checked.pairs.items()} == {1: 3, 2: 3}
    extremes = {row["window"]: row["picked"] for row in checked.rows if row["picked"] != "random"}
    assert extremes == {
        "w1-5": "elmo: most similar", "w1-1": "elmo: least similar",
        "w2-5": "elmo: most similar", "w2-1": "elmo: least similar",
    }  # fmt: skip
    assert checked.origin["windows"] == {"seed": 5}
    assert checked.origin["candidates"]["models"] == ["elmo"]
    assert list(checked.origin["scores"]) == ["elmo.tsv"]


def test_a_text_that_cannot_be_a_context_is_named_by_its_row_in_the_file_of_windows():
    rows = window_rows(1, 3)
    rows[0]["rejected"] = "words"
    rows[2]["text"] = f"A <strong>mark</strong>{rows[2]['text']}"

    (error,) = check_file(write_parquet(rows), Picking(8)).errors

    assert (error.row, error.column) == (3, "text")


def test_windows_with_errors_are_reported_and_files_of_candidates_are_read():
    rows = window_rows(1, 2)
    rows[1]["distance"] = -4
    (error,) = check_file(write_parquet(rows), Picking()).errors

    assert (error.row, error.column) == (2, "distance")
    assert len(check_file(candidates_file(), Picking(2)).rows) == 6


@pytest.mark.parametrize(
    ("data", "scores", "said"),
    [
        (candidates_file(), scored(2, 3), "Scores need a file of windows, and the other"),
        (write_parquet(window_rows(1, 2)), scored(1, 1), "elmo.tsv: 1 of 2 windows have no score"),
        (write_parquet(window_rows(1, 2)), b"window\tscore\nw1-1\tx\n",
         'elmo.tsv: row 1 (line 2), score: "x" is not a number'),
        (write_parquet(window_rows(1, 2)), bytes(LARGEST_SCORES + 1), "elmo.tsv is larger than 20"),
    ],
)  # fmt: skip
def test_scores_that_cannot_be_used_are_refused_by_file_and_row(data, scores, said):
    with pytest.raises(ImportRefused) as raised:
        check_file(data, Picking(scores=scores, scores_name="elmo.tsv"))

    assert said in str(raised.value)
    assert "/" not in str(raised.value)
