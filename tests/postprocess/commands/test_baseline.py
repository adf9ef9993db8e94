"""`python -m postprocess baseline`: what it writes, reports and refuses."""

import pytest

from postprocess.__main__ import main
from postprocess.formats.stimuli import render_stimuli
from tests.postprocess.release.releases import numbered_row


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data_sl.tsv"
    rows = [numbered_row(number) for number in (1, 2, 3)]
    path.write_text(render_stimuli(rows), encoding="utf-8")
    return path


def baseline(name, data, *arguments):
    out = data.with_name("out")
    return main(["baseline", name, "--data", str(data), "--out", str(out), *map(str, arguments)])


def read_results(data, language="sl"):
    return [
        (data.with_name("out") / f"results_subtask{subtask}_{language}.tsv").read_text().split("\n")
        for subtask in (1, 2)
    ]


@pytest.mark.parametrize("name", ["constant", "distance", "form"])
def test_both_result_files_are_written(data, capsys, name):
    assert baseline(name, data) == 0

    changes, scores = read_results(data)
    assert (changes[0], scores[0]) == ("change", "sim_context1\tsim_context2")
    assert (len(changes), len(scores)) == (5, 5)
    out, err = capsys.readouterr()
    assert (out.count("written"), err) == (2, "")


def test_missing_words_are_reported(data, tmp_path, capsys):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("alpha1 1 0\nbeta1 1 1\n", encoding="utf-8")

    assert baseline("static", data, "--from", vectors) == 0

    assert read_results(data)[0] == ["change", "0", "0", "0", ""]
    missing = "missing, so that their pairs get the mean: alpha2, alpha3, beta2, beta3\n"
    assert capsys.readouterr().err == missing


def test_many_missing_words_are_counted(tmp_path, capsys):
    data = tmp_path / "data_sl.tsv"
    rows = [numbered_row(number) for number in range(1, 31)]
    data.write_text(render_stimuli(rows), encoding="utf-8")
    scores = tmp_path / "scores.tsv"
    scores.write_text("word1\tword2\tSimLex999\nalpha1\tbeta1\t2\n", encoding="utf-8")

    assert baseline("scores", data, "--from", scores, "--column", "SimLex999") == 0

    assert capsys.readouterr().err.endswith("alpha21 – beta21 and 9 more\n")


def test_scores_of_another_program_are_imported(data, tmp_path):
    table = tmp_path / "elmo.tsv"
    rows = [f"{pair}\t{context}\t0.{pair}{context}" for pair in (1, 2, 3) for context in (1, 2)]
    table.write_text("\n".join(["pair\tcontext\tscore", *rows, ""]), encoding="utf-8")

    assert baseline("import", data, "--from", table, "--language", "hr") == 0

    scores = read_results(data, "hr")[1]
    assert scores[1:] == ["0.11\t0.12", "0.21\t0.22", "0.31\t0.32", ""]


def test_what_is_wrong_is_said_and_nothing_is_written(data, tmp_path, capsys):
    assert baseline("static", data) == 2
    assert "the baseline static needs a file; add --from" in capsys.readouterr().err
    data.write_text(data.read_text().replace("<strong>", ""), encoding="utf-8")
    assert baseline("form", data) == 2
    assert "rows 1 to 3, context1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_help_says_where_language_models_are(capsys):
    with pytest.raises(SystemExit):
        main(["baseline", "--help"])

    assert "python -m preprocess predict" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["baseline", "contextual", "--data", "x", "--out", "y"])
