"""`python -m postprocess score`: what is accepted, refused, printed and written."""

import io
import json
import zipfile

import pytest

from postprocess.__main__ import main
from postprocess.formats.stimuli import render_stimuli
from tests.postprocess.release.releases import numbered_row

N_PAIRS = 12
GOLD = [((n * 7) % 10, (n * 3 + 4) % 10) for n in range(N_PAIRS)]


def write_results(folder, changes=None, scores=None, language="sl"):
    folder.mkdir(exist_ok=True)
    if changes is not None:
        text = "\n".join(["change", *map(str, changes), ""])
        (folder / f"results_subtask1_{language}.tsv").write_text(text, encoding="utf-8")
    if scores is not None:
        rows = [f"{one}\t{two}" for one, two in scores]
        text = "\n".join(["sim_context1\tsim_context2", *rows, ""])
        (folder / f"results_subtask2_{language}.tsv").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def gold(tmp_path):
    folder = tmp_path / "gold"
    folder.mkdir()
    for language in ("fi", "sl"):
        rows = [f"{one}\t{two}\t{two - one}" for one, two in GOLD]
        text = "\n".join(["sim_context1\tsim_context2\tchange", *rows, ""])
        (folder / f"gold_{language}.tsv").write_text(text, encoding="utf-8")
    rows = [numbered_row(number) for number in range(1, N_PAIRS + 1)]
    for language in ("fi", "sl"):
        (tmp_path / f"data_{language}.tsv").write_text(render_stimuli(rows), encoding="utf-8")
    return folder


def score(gold, *arguments):
    return main(["score", "--gold", str(gold), *map(str, arguments)])


CHANGES = [two - one + n % 3 for n, (one, two) in enumerate(GOLD)]
SCORES = [(one + n % 3, two - n % 2) for n, (one, two) in enumerate(GOLD)]


def test_scores_are_printed_and_written(gold, tmp_path, capsys):
    results = write_results(tmp_path / "mine", CHANGES, SCORES)
    other = write_results(tmp_path / "other", [-change for change in CHANGES])

    assert score(gold, "--results", results, "--against", other, "--json", tmp_path / "s.json") == 0

    out, err = capsys.readouterr()
    found = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    first = found["subtasks"]["1"]["parts"]["sl"]
    assert err == ""
    assert f"subtask 1, change sl 12 {first['score']:.3f}" in " ".join(out.split())
    assert found["subtasks"]["2"]["parts"]["sl"]["pearson"] > 0.8
    assert found["subtasks"]["1"]["missing"] == ["fi"]
    assert found["subtasks"]["1"]["average"] is None
    (difference,) = found["differences"]
    assert (difference["subtask"], difference["part"], difference["against"]) == (1, "sl", "other")
    assert difference["d"] == pytest.approx(2 * first["score"])
    assert "other 1 sl 1." in " ".join(out.split())


def test_other_results_of_one_name_are_told_apart(gold, tmp_path):
    results = write_results(tmp_path / "mine", CHANGES)
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    others = [write_results(folder / "res1", CHANGES[::-1]) for folder in folders]

    score(gold, "--results", results, "--against", *others, "--json", tmp_path / "s.json")

    found = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert [one["against"] for one in found["differences"]] == [one.as_posix() for one in others]


def test_all_digits_are_printed_on_request(gold, tmp_path, capsys):
    results = write_results(tmp_path / "mine", CHANGES)
    score(gold, "--results", results, "--json", tmp_path / "s.json", "--full")

    found = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert repr(found["subtasks"]["1"]["parts"]["sl"]["score"]) in capsys.readouterr().out


def test_languages_are_averaged_and_required(gold, tmp_path, capsys):
    results = write_results(tmp_path / "mine", CHANGES)
    assert score(gold, "--results", results, "--require", "sl", "fi") == 2
    assert (
        "results_subtask1_fi.tsv is missing; this language is required" in capsys.readouterr().err
    )

    write_results(results, CHANGES[::-1], language="fi")
    assert score(gold, "--results", results, "--require", "sl", "fi") == 0
    assert "mean" in capsys.readouterr().out


def test_an_archive_is_read_at_any_depth(gold, tmp_path, capsys):
    write_results(tmp_path / "mine", CHANGES)
    content = (tmp_path / "mine/results_subtask1_sl.tsv").read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("res/results_subtask1_sl.tsv", content)
        archive.writestr("__MACOSX/res/._results_subtask1_sl.tsv", b"x")
        archive.writestr(".DS_Store", b"x")
    (tmp_path / "res.zip").write_bytes(packed.getvalue())

    assert score(gold, "--results", tmp_path / "res.zip") == 0

    err = capsys.readouterr().err
    assert "warning: res/results_subtask1_sl.tsv: the file is in the folder res" in err
    assert "ignored: __MACOSX/res/._results_subtask1_sl.tsv, .DS_Store" in err


def test_crlf_marks_and_columns_in_another_order_are_read(gold, tmp_path, capsys):
    folder = tmp_path / "mine"
    folder.mkdir()
    rows = [f"{two}\t{n}\t{one}" for n, (one, two) in enumerate(SCORES, 1)]
    text = "\r\n".join(["sim_context2\tpair\tsim_context1", *rows, "", ""])
    (folder / "results_subtask2_sl.tsv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert score(gold, "--results", folder, "--data", tmp_path) == 0
    shuffled = capsys.readouterr().out

    score(gold, "--results", write_results(tmp_path / "plain", scores=SCORES))
    assert capsys.readouterr().out == shuffled


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["0,5", *CHANGES[1:]], 'row 1 (line 2), change: decimal comma in "0,5"; write 0.5'),
        (["", *CHANGES[1:]], "row 1 (line 2): the row is empty; remove it"),
        (["nan", *CHANGES[1:]], 'change: "nan" is not a number; every pair needs a prediction'),
        (["1_000", *CHANGES[1:]], 'change: "1_000" is not a number; write digits'),
        (["٣", *CHANGES[1:]], 'change: "٣" is not a number; write digits'),
        (["1e999", *CHANGES[1:]], "change: 1e999 is too large; write a smaller number"),
        (CHANGES[1:], "results_subtask1_sl.tsv: 11 rows, wanted 12; write one for each pair"),
        ([*CHANGES, 1], "results_subtask1_sl.tsv: 13 rows, wanted 12"),
    ],
)
def test_files_that_cannot_be_scored_are_refused(gold, tmp_path, capsys, changes, message):
    results = write_results(tmp_path / "mine", changes)

    assert score(gold, "--results", results, "--json", tmp_path / "s.json") == 2
    out, err = capsys.readouterr()
    assert (out, (tmp_path / "s.json").exists()) == ("", False)
    assert "error: results_subtask1_sl.tsv" in err
    assert message in err


@pytest.mark.parametrize(
    ("name", "header", "message"),
    [
        ("results_subtask1_sl.tsv", "sim_context1\tsim_context2",
         "sim_context1, sim_context2; name the file results_subtask2_sl.tsv"),
        ("results_subtask2_sl.tsv", "sim_context1,sim_context2",
         "the columns are separated by commas, semicolons or vertical bars; separate them by tabs"),
        ("results_subtask1_sl.tsv", "CHANGE", "missing column: change"),
        ("result_subtask1_sl.tsv", "change", "did you mean results_subtask1_sl.tsv?"),
        ("results_subtask1_en.tsv", "change", "is not the name of a result file"),
    ],
)  # fmt: skip
def test_wrong_headers_and_names_are_explained(gold, tmp_path, capsys, name, header, message):
    rows = ["\t".join("1" for _ in header.split("\t"))] * N_PAIRS
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / name).write_text("\n".join([header, *rows, ""]), encoding="utf-8")

    assert score(gold, "--results", folder) == 2
    assert message in capsys.readouterr().err


def test_rows_in_another_order_are_found_by_their_words(gold, tmp_path, capsys):
    folder = tmp_path / "mine"
    folder.mkdir()
    rows = [f"alpha{n}\t{change}" for n, change in enumerate(CHANGES, 1)]
    rows[3], rows[4] = rows[4], rows[3]
    text = "\n".join(["word1\tchange", *rows, ""])
    (folder / "results_subtask1_sl.tsv").write_text(text, encoding="utf-8")

    assert score(gold, "--results", folder, "--data", tmp_path) == 2
    expected = 'row 4 (line 5), word1: "alpha5", but the data file has "alpha4" here'
    assert expected in capsys.readouterr().err


def test_only_the_first_problems_are_listed(gold, tmp_path, capsys):
    words = [f"x{number}" for number in range(N_PAIRS)]
    results = write_results(tmp_path / "mine", words, [(word, "0") for word in words])

    assert score(gold, "--results", results) == 2
    lines = capsys.readouterr().err.splitlines()
    assert (len(lines), lines[-1]) == (21, f"error: and {2 * N_PAIRS - 20} more")


def test_equal_problems_are_one_line(gold, tmp_path, capsys):
    results = write_results(tmp_path / "mine", ["x"] * N_PAIRS, [("y", "0")] * N_PAIRS)

    assert score(gold, "--results", results) == 2
    assert [line.partition(":")[2] for line in capsys.readouterr().err.splitlines()] == [
        f' results_subtask{subtask}_sl.tsv, rows 1 to {N_PAIRS}, {column}: "{word}" is not a '
        "number; write digits, with a full stop for decimals"
        for subtask, column, word in ((1, "change", "x"), (2, "sim_context1", "y"))
    ]


def test_constant_predictions_score_0_with_a_warning(gold, tmp_path, capsys):
    results = write_results(tmp_path / "mine", scores=[(1, 1)] * N_PAIRS)

    assert score(gold, "--results", results) == 0
    out, err = capsys.readouterr()
    assert "sl 12 0.000 – constant" in " ".join(out.split())
    assert "all predictions are equal: constant predictions score 0" in err


def test_one_change_for_all_pairs_is_scored_with_a_warning(gold, tmp_path, capsys):
    results = write_results(tmp_path / "mine", [1] * N_PAIRS)

    assert score(gold, "--results", results) == 0
    out, err = capsys.readouterr()
    assert "constant" not in out
    assert err.endswith("results_subtask1_sl.tsv: all predictions are equal\n")


def test_one_file_in_two_folders_is_refused(gold, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    for name in ("a", "b"):
        write_results(tmp_path / "mine" / name, CHANGES)

    assert score(gold, "--results", tmp_path / "mine") == 2
    expected = "is there twice: a/results_subtask1_sl.tsv and b/results_subtask1_sl.tsv; keep one"
    assert expected in capsys.readouterr().err


def test_gold_that_cannot_be_used_is_named(gold, tmp_path, capsys):
    results = write_results(tmp_path / "mine", CHANGES)

    assert score(results, "--results", results) == 2
    assert "has no file gold_<lang>.tsv" in capsys.readouterr().err
    assert score(gold, "--results", results, "--data", results) == 2
    assert "has no file data_fi.tsv" in capsys.readouterr().err


def test_a_bootstrap_is_shown_on_request(gold, tmp_path, capsys):
    results = write_results(tmp_path / "mine", CHANGES, SCORES)
    command = ["--results", results, "--json", tmp_path / "s.json"]

    assert score(gold, *command, "--bootstrap", "200", "--seed", "3") == 0

    found = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    part = found["subtasks"]["1"]["parts"]["sl"]
    assert found["bootstrap"] == {"samples": 200, "seed": 3}
    assert part["bootstrap_low"] < part["score"] < part["bootstrap_high"]
    lines = capsys.readouterr().out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("bootstrap of 200 samples"))
    shown = f"{part['bootstrap_low']:.3f}–{part['bootstrap_high']:.3f}"
    assert lines[start + 1].split(maxsplit=4)[3:] == ["sl", shown]


@pytest.mark.parametrize("wrong", [["--bootstrap", "10"], ["--bootstrap", "x"], ["--seed", "-1"]])
def test_a_bootstrap_that_says_nothing_is_refused(gold, tmp_path, wrong):
    with pytest.raises(SystemExit):
        score(gold, "--results", tmp_path, *wrong)


def test_gold_without_a_score_is_named(gold, tmp_path, capsys):
    results = write_results(tmp_path / "mine", CHANGES)
    text = (gold / "gold_sl.tsv").read_text().replace("4\t", "\t", 1)
    (gold / "gold_sl.tsv").write_text(text, encoding="utf-8")

    assert score(gold, "--results", results) == 2
    assert "gold_sl.tsv, row 1: a score is missing; fill it in" in capsys.readouterr().err
