"""The scorer that is handed out alone gives the library's scores and refuses what it refuses."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from postprocess.bundles import scorer
from postprocess.scoring.figures import Reason, score_once
from postprocess.scoring.metrics import GWSC, SIMILARITIES, Metric
from postprocess.scoring.predictions import read_predictions
from postprocess.scoring.scoring import (
    SubmissionRefused,
    check_submission,
    score_checked,
)
from postprocess.scoring.submitted import sort_files
from tests.postprocess.scoring.published import COSIMLEX, make_gold, needs_shared, write_gold

SCRIPT = Path(scorer.__file__)
EXACT = 1e-12
N_PAIRS = 4
WORDS = (("ice", "sun"), ("=x", "sea"), ("day", "dew"), ("'a", "b"))
SCORES = np.array([[1.0, 2.5], [5.0, 3.0], [2.0, 8.0], [2.5, 2.5]])
PARTS = {
    language: make_gold(SCORES, language, words) for language, words in (("fi", ()), ("sl", WORDS))
}
TASK = scorer.Task(
    {
        language: scorer.Part(
            part.find_gold(SIMILARITIES).ravel().tolist(),
            part.columns["change"].tolist(),
            part.words,
        )
        for language, part in PARTS.items()
    }
)


def test_the_scorer_is_one_file_of_old_python_and_its_standard_library():
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6))

    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {
        name.split(".")[0]
        for node in nodes
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
        )
    }
    assert modules <= sys.stdlib_module_names
    assert modules.isdisjoint({"dataclasses", "zoneinfo", "tomllib", "graphlib"})


# Numbers

TIED = st.integers(-3, 3).map(float)
EXTREME = st.sampled_from(
    [0.0, 1e300, -1e300, 1e-300, 5e-324, 1e200, 1.0, 1 / 3, 0.1, 1e15, 1e15 + 1]
)
ANY = st.floats(allow_nan=False, allow_infinity=False)


def columns_of(numbers):
    """Return lists of predictions and gold of the same length."""
    return st.integers(2, 12).flatmap(
        lambda n: st.tuples(*[st.lists(numbers, min_size=2 * n, max_size=2 * n)] * 2)
    )


@given(st.one_of(columns_of(TIED), columns_of(EXTREME), columns_of(ANY)))
@example(([0.1] * 8, [1.0, 2, 3, 4, 5, 6, 7, 8]))
@example(([1e300, 1e-30, 2e-30, 3e-30, 0, 0], [1.0, 2, 3, 4, 5, 6]))
def test_scores_are_those_of_the_library(both):
    predicted, gold = both
    pairs = [np.reshape(one, (-1, 2)) for one in both]

    changes = scorer.score_changes(predicted, gold)
    scores = scorer.score_similarities(predicted, gold)

    expected = score_once(Metric.CHANGE, predicted, gold)
    assert changes.score == pytest.approx(expected.score, abs=EXACT)
    assert changes[3:] == (expected.reason, len(predicted))
    expected = score_once(Metric.HARMONIC, *pairs)
    assert scores.score == pytest.approx(expected.score, abs=EXACT)
    assert (scores.reason == Reason.CONSTANT) == (expected.reason == Reason.CONSTANT)
    for ours, theirs in zip(scores[1:3], expected[1:3], strict=True):
        ours = np.nan if ours is None else ours
        assert ours == pytest.approx(theirs, abs=EXACT, nan_ok=True)


# Files

FIELDS = st.one_of(
    st.integers(-5, 5).map(str),
    st.floats().map(repr),
    st.sampled_from(
        ["", " ", "0,5", "1_0", "0x1", "٣", "−1", "NA", "1e999", "+.5", "5.", " 1", "ice", "'=x",
         "=x", "é", "1" * 400, "\r", "'a", "''a", "3"]
    ),
)  # fmt: skip
HEADERS = st.lists(
    st.sampled_from(
        ["change", "sim_context1", "sim_context2", "pair", "word1", "word2", "note", "", "CHANGE"]
    ),
    min_size=1, max_size=4,
)  # fmt: skip
SOUND = {"1": ["change"], "2": ["sim_context1", "sim_context2"]}


@st.composite
def files(draw, subtask):
    """Return a file of fields that may be faulty, with a header that is mostly right."""
    header = draw(st.one_of(st.just(SOUND[subtask]), st.permutations(SOUND[subtask]), HEADERS))
    n = draw(st.sampled_from([N_PAIRS, N_PAIRS, N_PAIRS, 0, 1, 3, 5]))
    few = draw(st.sampled_from([st.integers(-5, 5).map(str), FIELDS]))
    rows = draw(
        st.lists(st.lists(few, min_size=len(header), max_size=len(header)), min_size=n, max_size=n)
    )
    separator = draw(st.sampled_from(["\t", "\t", "\t", ",", ";"]))
    end = draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
    lines = [header, *rows]
    text = end.join(separator.join(line) for line in lines) + draw(
        st.sampled_from(["", end, "\n\n"])
    )
    start = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"\xff\xfe", b"PK\x03\x04", b"\xff"]))
    return start + text.encode()


def check_alike(data, subtask, language):
    part = PARTS[language]
    expected = read_predictions(data, GWSC[int(subtask) - 1], language, N_PAIRS, part.words)

    if expected.numbers is None:
        with pytest.raises(scorer.Refused):
            scorer.read_predictions(data, subtask, N_PAIRS, part.words)
    else:
        numbers = scorer.read_predictions(data, subtask, N_PAIRS, part.words)
        assert numbers == expected.numbers.ravel().tolist()


@pytest.mark.parametrize("subtask", ["1", "2"])
@given(data=st.data(), language=st.sampled_from(["fi", "sl"]))
def test_files_are_refused_and_read_as_by_the_library(subtask, data, language):
    check_alike(data.draw(files(subtask)), subtask, language)


@given(st.binary(max_size=100), st.sampled_from(["1", "2"]))
@example(b"change\n\xff\n\xfe\n1\n2\n", "1")
@example(b"change\n" + b"\n" * 100_001, "1")
@example(b"change\n" + b"x\n" * 1_006, "1")
@example(b"change\n" + b"x\n" * 1_004, "1")
@example(b"change\n" + b"1\t2" * 200, "1")
@example(b"\n" * 5 + b"change\n" * 100_002, "2")
@example(b"change\n" + b"1" * 1_001, "1")
@example(b"change\n" + b"1\t\n" * 10_002, "1")
@example("\t".join(f"c{n}" for n in range(30)).encode(), "1")
def test_any_bytes_are_refused_or_read_as_by_the_library(data, subtask):
    check_alike(data, subtask, "sl")


NAMES = st.sampled_from(
    ["results_subtask1_sl.tsv", "results_subtask1_fi.tsv", "results_subtask2_sl.tsv",
     "a/results_subtask1_sl.tsv", "b/c/results_subtask2_fi.tsv", "result_subtask1_sl.tsv",
     ".DS_Store", "__MACOSX/x", "notes.txt"]
)  # fmt: skip


@given(
    st.lists(
        st.tuples(NAMES, st.one_of(files("1"), files("2"))), max_size=4, unique_by=lambda x: x[0]
    ),
    st.sampled_from([(), ("sl",), ("fi", "sl")]),
)
def test_submissions_are_refused_and_scored_as_by_the_library(sent, required):
    result = scorer.score_files(sent, TASK._replace(required=required))

    try:
        checked = check_submission(sort_files(sent, sorted(PARTS)), PARTS, required)
    except SubmissionRefused:
        assert result.errors
        return
    assert result.errors == []
    scores = {
        (subtask.value, language): one.score
        for (subtask, language), one in score_checked(checked, PARTS).items()
    }
    found = {
        (subtask, language): one.score
        for subtask, of_parts in result.scores.items()
        for language, one in of_parts.items()
    }
    assert found == pytest.approx(scores, abs=EXACT)


@pytest.mark.parametrize(
    ("scores", "n_parts", "best_of", "average"),
    [
        ([0.1, 0.3], 2, None, 0.2),
        ([0.1], 2, None, None),
        ([0.1, 0.4, 0.2], 3, 2, 0.3),
        ([0.1], 3, 2, None),
    ],
)
def test_averages_are_of_all_parts_or_of_the_best(scores, n_parts, best_of, average):
    found = scorer.average_scores(scores, n_parts, best_of)

    assert found == (None if average is None else pytest.approx(average))


# The program


def run(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-I", str(SCRIPT), *map(str, arguments)],
        cwd=cwd, capture_output=True, text=True, check=False,
    )  # fmt: skip


@needs_shared
def test_the_published_baseline_has_its_scores(tmp_path):
    write_gold(tmp_path, "fi", "sl")

    done = run(
        "--gold",
        tmp_path,
        "--results",
        COSIMLEX / "baseline_mbert",
        "--data",
        COSIMLEX,
        cwd=tmp_path,
    )

    assert done.stderr == ""
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [(line[0], line[1], line[3]) for line in lines[1:]] == [
        ("1", "fi", "0.671"), ("1", "sl", "0.603"), ("1", "average", "0.637"),
        ("2", "fi", "0.289"), ("2", "sl", "0.516"), ("2", "average", "0.403"),
    ]  # fmt: skip


def test_an_archive_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "gold_sl.tsv").write_text("sim_context1\tsim_context2\tchange\n1\t2\t1\n")
    (tmp_path / "r.zip").write_bytes(b"x")

    with pytest.raises(SystemExit, match=r"r\.zip: the archive cannot be read \(File is not a zip"):
        scorer.main(["--gold", str(tmp_path), "--results", str(tmp_path / "r.zip")])


def test_what_is_wrong_is_said(tmp_path, capsys):
    (tmp_path / "gold_sl.tsv").write_text(
        "sim_context1\tsim_context2\tchange\n1\t2\t1\n3\t1\t-2\n", encoding="utf-8"
    )
    results = tmp_path / "results_subtask1_sl.tsv"
    results.write_text("change\n0,5\n1\n", encoding="utf-8")
    given = ["--gold", str(tmp_path), "--results", str(results)]

    assert scorer.main(given) == scorer.REFUSED
    assert capsys.readouterr() == (
        "",
        'error: results_subtask1_sl.tsv: line 2, change: "0,5" is not a finite number\n',
    )
    results.write_text("change\n0.5\n-1\n", encoding="utf-8")
    assert scorer.main([*given, "--full"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "1\tsl\t2\t1.0\t-\t-"
