"""Scores of any model, as TSV, CSV or Parquet."""

import json
import re

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from postprocess.formats.tabular import TableError
from preprocess.selection.scores import (
    ScoresError,
    choose_models,
    load_all_scores,
    load_scores,
    summarise_scores,
    write_scores,
)

WINDOWS = pd.Series(["b", "a"])


def write(tmp_path, text: str, name: str = "elmo.tsv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def listed(scores: dict[str, pd.Series]) -> dict[str, list[float]]:
    assert [series.name for series in scores.values()] == list(scores)
    return {model: series.tolist() for model, series in scores.items()}


def test_scores_follow_the_windows(tmp_path):
    path = write(tmp_path, "window\tscore\na\t0.5\nz\t0.1\nb\t-2e-3\n")
    table = pd.DataFrame({"window": ["a", "z", "b"], "score": [0.5, 0.1, -0.002]})
    table.to_parquet(tmp_path / "e5.parquet")

    assert listed(load_scores(path, WINDOWS)) == {"elmo": [-0.002, 0.5]}
    assert listed(load_scores(path, WINDOWS, "ELMo")) == {"ELMo": [-0.002, 0.5]}
    assert listed(load_scores(tmp_path / "e5.parquet", WINDOWS)) == {"e5": [-0.002, 0.5]}


def test_a_file_may_have_several_models(tmp_path):
    rows = [("a", "x", "0.5"), ("b", "y", "2"), ("b", "x", "0"), ("a", "y", "1")]
    for name, separator in (("s.tsv", "\t"), ("s.csv", ","), ("t.csv", ";")):
        lines = [separator.join(row) for row in [("window", "model", "score"), *rows]]
        path = write(tmp_path, "\n".join(lines), name)

        assert listed(load_scores(path, WINDOWS)) == {"x": [0, 0.5], "y": [2, 1]}
    with pytest.raises(ScoresError, match=r'names its models itself, .* leave out "z="'):
        load_scores(path, WINDOWS, "z")


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "scores.parquet"
    scores = {"e5@7": pd.Series([0.25, 0.5]), "elmo": pd.Series([3.0, -1.0])}

    write_scores(path, WINDOWS, scores, {"models": {"e5": "digest"}})

    assert listed(load_scores(path, WINDOWS[::-1])) == {"e5@7": [0.5, 0.25], "elmo": [-1, 3]}
    assert json.loads(pq.read_schema(path).metadata[b"cosima"]) == {"models": {"e5": "digest"}}
    first = path.read_bytes()
    write_scores(path, WINDOWS, scores, {"models": {"e5": "digest"}})
    assert path.read_bytes() == first


def test_models_of_several_files_are_chosen_by_name(tmp_path):
    one = write(tmp_path, "window\tscore\na\t1\nb\t2\n", "one.tsv")
    two = write(tmp_path, "window\tscore\na\t3\nb\t4\n", "two.tsv")

    scores = load_all_scores([("", one), ("other", two), ("one@2", one)], WINDOWS)

    assert list(scores) == ["one", "other", "one@2"]
    assert list(choose_models(scores, None)) == list(scores)
    assert list(choose_models(scores, ["other", "one"])) == ["other", "one"]
    with pytest.raises(ScoresError, match='no file has scores of "two"; there are: one, other'):
        choose_models(scores, ["two"])
    with pytest.raises(ScoresError, match='there are two models "one"; give one another name'):
        load_all_scores([("", one), ("one", two)], WINDOWS)
    bad = write(tmp_path, "window\tscore\na\tx\nb\t4\n", "bad.tsv")
    with pytest.raises(TableError, match=r'bad.tsv: row 1 \(line 2\), score: "x" is not a number'):
        load_all_scores([("", one), ("", bad)], WINDOWS)


def test_a_summary_describes_scores_within_pairs():
    windows = pd.DataFrame({"pair": [1, 1, 2, 2, 3], "distance": [1, 3, 10, 14, 7]})
    scores = {"near": pd.Series([0.9, 0.7, 0.3, -0.1, 0.5]), "same": pd.Series([0.5] * 5)}

    table = summarise_scores(windows, scores)

    assert table.loc["near"].to_dict() == pytest.approx(
        {"mean": 0.46, "lowest": -0.1, "highest": 0.9, "contrast": 0.3, "distance": -1}
    )
    assert table.loc["same", "contrast"] == 0
    assert np.isnan(table.loc["same", "distance"])


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("window\tscore\na\t1\n", ScoresError,
         '1 of 2 windows have no score of the model "elmo", the first is b'),
        ("window\tscore\tmodel\na\t1\tx\nb\t1\tx\na\t1\ty\n", ScoresError,
         '1 of 2 windows have no score of the model "y", the first is b'),
        ("window\tscore\na\t1\nb\t1\na\t2\n", ScoresError,
         'window a has two scores by the model "elmo"'),
        ("window\tscore\tmodel\na\t1\t\nb\t1\tx\n", TableError,
         "row 1 (line 2), model: the field is empty; name the model"),
        ("window;score\na;0,5\nb;1\n", TableError, 'score: "0,5" is not a number; write it as'),
        ("window\tscore\na\tx\nb\tnan\n", TableError, 'row 1 (line 2), score: "x" is not a number'),
        ("window\nsc\n", TableError, "missing column: score"),
    ],
)  # fmt: skip
def test_scores_that_cannot_be_used_are_refused(tmp_path, text, error, message):
    with pytest.raises(error, match=re.escape(message)):
        load_scores(write(tmp_path, text), WINDOWS)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"window": ["a"]}), "column score is missing"),
        (pd.DataFrame({"window": ["a", "b"], "score": [1, float("nan")]}), "missing or infinite"),
        (pd.DataFrame({"window": ["a", "b"], "score": ["1", "2"]}), "the scores are not numbers"),
    ],
)
def test_a_parquet_file_that_cannot_be_used_is_refused(tmp_path, table, message):
    table.to_parquet(tmp_path / "e5.parquet")

    with pytest.raises(ScoresError, match=message):
        load_scores(tmp_path / "e5.parquet", WINDOWS)


def test_a_file_that_is_no_parquet_file_is_refused(tmp_path):
    (tmp_path / "e5.parquet").write_text("window,score")

    with pytest.raises(ScoresError, match="is not a Parquet file"):
        load_scores(tmp_path / "e5.parquet", WINDOWS)
