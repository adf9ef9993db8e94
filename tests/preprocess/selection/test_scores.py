"""Scores of any model, as TSV or Parquet."""

import re

import pandas as pd
import pytest

from postprocess.formats.tabular import TableError
from preprocess.selection.scores import ScoresError, load_scores

WINDOWS = pd.Series(["b", "a"])


def write(tmp_path, text: str):
    path = tmp_path / "elmo.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_scores_follow_the_windows(tmp_path):
    path = write(tmp_path, "window\tscore\na\t0.5\nz\t0.1\nb\t-2e-3\n")
    table = pd.DataFrame({"window": ["a", "z", "b"], "score": [0.5, 0.1, -0.002]})
    table.to_parquet(tmp_path / "e5.parquet")

    from_tsv = load_scores(path, WINDOWS)
    from_parquet = load_scores(tmp_path / "e5.parquet", WINDOWS)

    assert (from_tsv.tolist(), from_tsv.name) == ([-0.002, 0.5], "elmo")
    assert (from_parquet.tolist(), from_parquet.name) == ([-0.002, 0.5], "e5")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("window\tscore\na\t1\n", ScoresError, "1 of 2 windows have no score, the first is b"),
        ("window\tscore\na\t1\nb\t1\na\t2\n", ScoresError, "window a has two scores"),
        ("window\tscore\na\tx\nb\tnan\n", TableError, 'row 1 (line 2), score: "x" is not a number'),
        ("window\nsc\n", TableError, "missing column: score"),
    ],
)
def test_scores_that_cannot_be_used_are_refused(tmp_path, text, error, message):
    with pytest.raises(error, match=re.escape(message)):
        load_scores(write(tmp_path, text), WINDOWS)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"window": ["a"]}), "column score is missing"),
        (pd.DataFrame({"window": ["a", "b"], "score": [1, float("nan")]}), "missing or infinite"),
    ],
)
def test_a_parquet_file_that_cannot_be_used_is_refused(tmp_path, table, message):
    table.to_parquet(tmp_path / "e5.parquet")

    with pytest.raises(ScoresError, match=message):
        load_scores(tmp_path / "e5.parquet", WINDOWS)


def test_a_file_that_is_no_parquet_file_is_refused(tmp_path):
    (tmp_path / "e5.parquet").write_text("window,score")

    with pytest.raises(ScoresError, match="this is not a Parquet file"):
        load_scores(tmp_path / "e5.parquet", WINDOWS)
