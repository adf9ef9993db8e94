import json

import pandas as pd
import pytest

from postprocess.__main__ import main
from postprocess.formats.stimuli import render_stimuli
from postprocess.two_collections import comparing
from tests.factories.collections import rerate
from tests.factories.datasets import stimuli_for
from tests.factories.ratings import simulate_study
from tests.machine import ROOT

BRIEF = ["--set", "report.n_resamples=20", "--set", "report.n_splits=5"]
DEMO = [
    "--stimuli", str(ROOT / "demo/data_sl.tsv"), "--language", "sl",
]  # fmt: skip
RATINGS, MODEL = (str(ROOT / f"demo/ratings_sl{of}.csv") for of in ("", "_model"))


@pytest.fixture
def two_files(tmp_path):
    """Return the arguments of two ratings files of the same stimuli."""
    ratings = simulate_study(12)
    ratings.to_csv(tmp_path / "first.csv", index=False)
    rerate(ratings).to_csv(tmp_path / "second.csv", index=False)
    (tmp_path / "data.tsv").write_text(render_stimuli(stimuli_for(12).rows), encoding="utf-8")
    files = [str(tmp_path / f"{name}.csv") for name in ("first", "second")]
    return [*files, "--stimuli", str(tmp_path / "data.tsv"), "--language", "xx", *BRIEF]


def test_compare_collections_prints_and_writes(two_files, tmp_path, capsys):
    out = tmp_path / "out"

    assert main(["compare-collections", *two_files, "--no-report", "--out", str(out)]) == 0

    said = capsys.readouterr().out
    assert "first → second, matched by the number of the pair" in said
    assert "scores: without noise" in said
    contexts = pd.read_csv(out / "contexts.tsv", sep="\t")
    assert len(contexts) == 24
    report = json.loads((out / "comparison.json").read_text(encoding="utf-8"))
    assert report["first"]["recipe"] == "raw"
    assert report["chance"]["n_resamples"] == 20
    assert not (out / "comparison.html").exists()


def test_a_model_is_marked_by_options(two_files, tmp_path, capsys):
    out = tmp_path / "out"
    marks = ["--model", "Owl", "--model-version", "3", "--rated-on", "2026-05-31"]

    main(["compare-collections", *two_files, *marks, "--no-report", "--out", str(out)])

    assert "given by the language model Owl, version 3, rated on" in capsys.readouterr().out
    assert "comparison_MODEL.json" in {path.name for path in out.iterdir()}


def test_a_model_is_marked_by_its_file_and_makes_no_dataset(capsys, tmp_path):
    assert main(["compare-collections", RATINGS, MODEL, *DEMO, *BRIEF]) == 0
    assert "language model Invented, version 1" in capsys.readouterr().out

    for command in ("build", "release"):
        arguments = [command, *DEMO, "--ratings", MODEL, "--out", str(tmp_path / "out")]
        assert main([*arguments, "--no-report"]) == 2
        assert "a language model gave these ratings" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_release_and_a_published_dataset_say_what_they_are(tmp_path, capsys):
    release = tmp_path / "released"
    ratings = ["--ratings", RATINGS]
    main(["release", *DEMO, *ratings, "--out", str(release), "--practice", "2", "--no-report",
          *BRIEF])  # fmt: skip
    dataset = str(release / "cosimlex_sl.csv")

    assert main(["compare-collections", str(release), RATINGS, *DEMO, *BRIEF]) == 0
    assert main(["compare-collections", RATINGS, dataset, *DEMO, *BRIEF, "--only-matched"]) == 0

    said = capsys.readouterr().out
    assert "released → ratings_sl, matched by the two words and both texts" in said
    assert "ratings_sl → cosimlex_sl, matched" in said
    assert "pairs                   4\n" in said  # those of the practice kit are not in it


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([RATINGS, MODEL, *DEMO[:2]], "give its language (--language)"),
        ([RATINGS, MODEL, *DEMO[2:]], "give the file of its stimuli (--stimuli)"),
        ([RATINGS, RATINGS, *DEMO], 'both collections are called "ratings_sl"; name them'),
        ([RATINGS, MODEL, *DEMO, "--model-version", "1"], "give its name"),
        ([RATINGS, MODEL, *DEMO, "--language", "x y"], '"x y" is not a language code'),
        ([RATINGS, MODEL, *DEMO, "--scale", "0", "5", "1"], "outside the scale 0–5"),
        ([RATINGS, MODEL, *DEMO, "--second-stimuli", str(ROOT / "demo/data_fi.tsv")],
         "pairs of one collection that the other does not have"),
        ([str(ROOT / "demo"), MODEL, *DEMO], "has one file <name>_<lang>.csv"),
        ([RATINGS, str(ROOT / "none.csv"), *DEMO], "none.csv: No such file"),
        ([RATINGS, MODEL, "--stimuli", RATINGS, "--language", "sl"], "missing columns"),
    ],
)  # fmt: skip
def test_compare_collections_refuses_with_advice(arguments, message, capsys):
    assert main(["compare-collections", *arguments, *BRIEF]) == 2

    assert message in capsys.readouterr().err


def test_the_library_has_its_names():
    import postprocess

    assert postprocess.compare_collections is comparing.compare_collections
