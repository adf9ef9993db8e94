import argparse
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from postprocess.__main__ import main
from postprocess.options import add_settings_arguments, settings_from
from postprocess.pipeline import Settings, SettingsError
from postprocess.stimuli import render_stimuli

ROW = (
    "bank",
    "river",
    "One <strong>bank</strong> of a <strong>river</strong>",
    "A <strong>river</strong> has a <strong>bank</strong>. So it is.",
    "bank",
    "river",
    "bank",
    "river",
)
RATINGS = "language,pair,context,annotator,rating\n" + "".join(
    f"xx,1,{context},A{i}{context},{rating}\n"
    for context, ratings in ((1, [0, 1, 2]), (2, [4, 5, 6]))
    for i, rating in enumerate(ratings)
)


@pytest.fixture
def arguments(tmp_path):
    """The arguments of a build that succeeds."""
    (tmp_path / "data.tsv").write_text(render_stimuli([ROW]), encoding="utf-8")
    (tmp_path / "ratings.csv").write_text(RATINGS, encoding="utf-8")
    files = {"--stimuli": "data.tsv", "--ratings": "ratings.csv", "--out": "out"}
    named = [part for option, name in files.items() for part in (option, str(tmp_path / name))]
    return ["build", *named, "--language", "xx"]


def settings_of(*options):
    parser = argparse.ArgumentParser()
    add_settings_arguments(parser)
    return settings_from(parser.parse_args(options))


def test_settings_from_no_options_are_the_defaults():
    assert settings_of() == Settings()


def test_settings_from_takes_every_option():
    options = (
        "--no-calibration --no-filtering --calibration-threshold 2 --calibration-step 0.5 "
        "--filter-k 1.5 --minimum-rho 0.2 --scientific-below 1e-4"
    )

    assert settings_of(*options.split()) == Settings(
        calibrate=False,
        calibration_threshold=2,
        calibration_step=0.5,
        filter_annotators=False,
        filter_k=1.5,
        minimum_rho=0.2,
        scientific_below=1e-4,
    )


@pytest.mark.parametrize("options", [("--filter-k", "-1"), ("--minimum-rho", "2")])
def test_settings_from_refuses_nonsense(options):
    with pytest.raises(SettingsError):
        settings_of(*options)


def test_build_writes_the_files_and_says_so(arguments, tmp_path, capsys):
    assert main(arguments) == 0

    out, err = capsys.readouterr()
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["inputs"]["ratings"] == hashlib.sha256(RATINGS.encode()).hexdigest()
    assert "ratings   6 of 6 used, 6 of 6 annotators\n" in out
    assert "table 1   mean 5.00, SD 1.67, |change| 6.67, p < 0.1 100 %, p < 0.05 100 %\n" in out
    assert f"written   {tmp_path / 'out' / 'cosimlex_xx.csv'}\n" in out
    assert err == (
        "stimuli warning: row 1 (line 2), context1: about 1 sentence, far from three; "
        "check the context\n"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--stimuli": "missing.tsv"}, "missing.tsv: No such file or directory"),
        ({"--ratings": "."}, "Is a directory"),
        ({"--out": "data.tsv"}, "data.tsv: a file stands where a folder is to be"),
        ({"--ratings": "data.tsv"}, "the ratings have no column pair, context, annotator"),
        ({"--stimuli": "ratings.csv"}, "missing columns: word1"),
        ({"--language": "yy"}, 'language is not "yy": row 1 (line 2) "xx", '),
        ({"--language": "../xx"}, "is not"),
        ({"--filter-k": "-1"}, "filter_k must be a number from 0"),
    ],
)
def test_build_refuses_plainly_and_writes_nothing(arguments, tmp_path, capsys, changes, message):
    paths = ("--stimuli", "--ratings", "--out")
    for option, value in changes.items():
        arguments += [option, str(tmp_path / value) if option in paths else value]
    before = sorted(tmp_path.rglob("*"))

    assert main(arguments) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert "Traceback" not in err
    assert sorted(tmp_path.rglob("*")) == before


def test_build_takes_another_scale(arguments, tmp_path):
    assert main([*arguments, "--scale", "-4", "6"]) == 0

    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["settings"]["scale"] == {"minimum": -4, "maximum": 6, "step": 1}
    assert report["table1"]["text"]["mean"] == "7.00"


@pytest.mark.parametrize("scale", [("6", "0"), ("0", "6.5")])
def test_build_refuses_an_impossible_scale(arguments, capsys, scale):
    assert main([*arguments, "--scale", *scale]) == 2

    assert capsys.readouterr().err.startswith("error: the ")


def test_build_needs_its_arguments(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["build"])

    assert "--stimuli" in capsys.readouterr().err


@pytest.mark.parametrize(("language", "below"), [("sl", "1e-7"), ("fi", "1e-4")])
def test_python_m_postprocess_gives_back_the_published_files(published, tmp_path, language, below):
    command = [sys.executable, "-m", "postprocess", "build", "--language", language]
    command += ["--stimuli", published / f"data_{language}.tsv"]
    command += ["--ratings", published / f"ratings_{language}.csv", "--out", tmp_path]
    command += ["--no-calibration", "--no-filtering", "--scientific-below", below]

    subprocess.run(command, check=True, cwd=Path(__file__).parents[2], capture_output=True)

    dataset_file = (published / f"cosimlex_{language}.csv").read_bytes()
    assert (tmp_path / f"cosimlex_{language}.csv").read_bytes() == dataset_file
