import pytest

from postprocess.__main__ import main
from postprocess.formats.stimuli import render_stimuli
from postprocess.reporting import printing
from tests.factories.datasets import LITTLE_CHANCE, stimuli_for
from tests.factories.ratings import simulate_study

BRIEFLY = [f"--set={change}" for change in LITTLE_CHANCE]


@pytest.fixture
def given(tmp_path):
    """Return the arguments of the input files."""
    (tmp_path / "data.tsv").write_text(render_stimuli(stimuli_for(24).rows), encoding="utf-8")
    simulate_study().assign(language="xx").to_csv(tmp_path / "ratings.csv", index=False)
    files = ["--stimuli", str(tmp_path / "data.tsv"), "--ratings", str(tmp_path / "ratings.csv")]
    return [*files, "--language", "xx"]


def test_build_writes_the_report(given, tmp_path, capsys):
    out = tmp_path / "out"

    assert main(["build", *given, *BRIEFLY, "--out", str(out)]) == 0

    assert (out / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (out / "table1.tex").exists()
    assert len(list((out / "figures").iterdir())) == 12
    assert (out / "report.pdf").exists() == (printing.find_obstacle() == "")
    assert f"written   {out / 'report.html'}\n" in capsys.readouterr().out


def test_build_omits_the_report_on_request(given, tmp_path):
    out = tmp_path / "out"

    assert main(["build", *given, "--out", str(out), "--no-report"]) == 0

    assert (out / "cosimlex_xx.csv").exists()
    assert not (out / "report.html").exists()
    assert not (out / "figures").exists()


def test_build_reports_why_there_is_no_pdf(given, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(printing, "_load", lambda: (_ for _ in ()).throw(OSError("no pango")))
    out = tmp_path / "out"

    assert main(["build", *given, *BRIEFLY, "--out", str(out)]) == 0

    assert "sudo apt-get install libpango-1.0-0" in capsys.readouterr().err
    assert (out / "report.html").exists()
    assert not (out / "report.pdf").exists()


def test_compare_draws_the_two_recipes(given, tmp_path):
    out = tmp_path / "out"

    assert main(["compare", "raw", "cosimlex", *given, "--out", str(out)]) == 0

    assert b"recipes raw (x axis) and cosimlex (y axis)" in (out / "compared.svg").read_bytes()
    assert (out / "compared.png").read_bytes().startswith(b"\x89PNG")
