import contextlib
import hashlib
import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from pypdf import PdfReader

from postprocess.__main__ import main
from postprocess.formats.stimuli import render_stimuli
from postprocess.reporting import printing, report_files
from postprocess.reporting.report_files import render_reports
from tests.factories.datasets import LITTLE_CHANCE, dataset_of, stimuli_for
from tests.machine import lack
from tests.postprocess.reporting.pages import simulate_named

FIGURES = {
    "ratings-per-context", "annotator-means", "annotator-correlations", "scores", "changes",
    "change-against-p", "p-values", "score-against-distance", "agreement",
}  # fmt: skip
ELSEWHERE = """
import hashlib
import json
import sys
from postprocess.reporting.report_files import render_reports
from tests.factories.datasets import dataset_of
from tests.postprocess.figures.edges import shuffled
from tests.postprocess.reporting.pages import simulate_named
dataset = dataset_of(shuffled(simulate_named()), inputs=json.loads(sys.argv[1]))
for name, content in render_reports(dataset).items():
    print(name, hashlib.sha256(content).hexdigest())
"""


@pytest.fixture(scope="module")
def build_arguments(tmp_path_factory):
    """The arguments of the command build."""
    folder = tmp_path_factory.mktemp("given")
    stimuli, ratings = folder / "data.tsv", folder / "ratings.csv"
    stimuli.write_text(render_stimuli(stimuli_for(24).rows), encoding="utf-8")
    simulate_named().assign(language="sl").to_csv(ratings, index=False)
    named = ["--stimuli", str(stimuli), "--ratings", str(ratings), "--language", "sl"]
    return ["build", *named, *(f"--set={change}" for change in LITTLE_CHANCE)]


@pytest.fixture(scope="module")
def built(build_arguments, tmp_path_factory):
    """The folder that the command wrote, which has all reports, and what it printed."""
    if printing.find_obstacle():
        lack("Pango")
    out, printed = tmp_path_factory.mktemp("built") / "out", io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main([*build_arguments, "--out", str(out)]) == 0
    return out, printed.getvalue()


@pytest.fixture(scope="module")
def built_set(built):
    """The same dataset as an object."""
    inputs = json.loads((built[0] / "report.json").read_text(encoding="utf-8"))["inputs"]
    return dataset_of(simulate_named(), inputs=inputs)


@pytest.fixture(scope="module")
def built_files(built, built_set):
    """The reports in the folder."""
    return {
        name: content for name, content in read(built[0]).items() if name not in built_set.files
    }


def read(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def pdf(built_files):
    return PdfReader(io.BytesIO(built_files["report.pdf"]))


@pytest.fixture(scope="module")
def text_of_pdf(pdf):
    return text_of(pdf)


def text_of(pdf):
    text = " ".join(page.extract_text() for page in pdf.pages)
    return " ".join(text.replace("\u00a0", " ").split())


def test_build_writes_every_report(built, built_files):
    out, printed = built
    drawn = {f"figures/{name}.{kind}" for name in FIGURES for kind in ("svg", "png")}

    assert set(built_files) == {"report.html", "report.pdf", "explorer.html", "table1.tex"} | drawn
    assert built_files["report.html"].startswith(b"<!DOCTYPE html>")
    assert built_files["report.pdf"].startswith(b"%PDF-")
    assert f"written   {out / 'report.html'}\n" in printed


def test_render_reports_is_deterministic_in_another_process(built_set, built_files):
    """It has the rows in another order, too."""
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, json.dumps(built_set.report["inputs"])],
        cwd=Path(__file__).parents[3],
        env={"PYTHONHASHSEED": "1", "MPLBACKEND": "pdf", "TZ": "Asia/Tokyo", "LANG": "C"},
        check=True,
        capture_output=True,
        text=True,
    )

    digests = {name: hashlib.sha256(content).hexdigest() for name, content in built_files.items()}
    assert dict(line.split() for line in done.stdout.splitlines()) == digests


def test_render_reports_shows_parts_of_speech(monkeypatch, built_set, built_files):
    """The PDF is omitted: it is made of the page."""
    monkeypatch.setattr(report_files, "find_obstacle", lambda: "no PDF")
    parts = pd.Series(["noun", "verb"] * 12, index=range(1, 25))

    with_parts = render_reports(replace(built_set, parts_of_speech=parts))

    differing = {name for name in with_parts if built_files[name] != with_parts[name]}
    assert differing == {"report.html", "figures/changes.svg", "figures/changes.png"}
    assert b"noun " in with_parts["report.html"]


def test_pdf_has_the_key_figures_as_text(built_set, text_of_pdf):
    table1 = built_set.report["table1"]["text"]

    assert f"{built_set.report['counts']['ratings_used']} ratings of" in text_of_pdf
    assert f"{built_set.report['agreement']['overall']['human']:.3f}" in text_of_pdf
    row = f"24 {table1['human']} {table1['mean']} {table1['sd']} {table1['change']}"
    assert f"this dataset (sl) {row}" in text_of_pdf
    for one in built_set.report["filtering"]["left_out"]:
        assert (
            f"{one['annotator']} {one['group']} {one['n_ratings']} {one['rho']:.3f}" in text_of_pdf
        )
    assert built_set.outcome.recipe.digest() in text_of_pdf
    assert "Figure 8. p-values." in text_of_pdf


def test_pdf_is_tagged_titled_and_has_no_date(pdf):
    catalog = pdf.trailer["/Root"]

    assert catalog["/MarkInfo"]["/Marked"]
    assert catalog["/Lang"] == "en"
    assert pdf.metadata.title == "Word similarity in context (sl): report of the dataset"
    assert pdf.metadata.creation_date is None
    sections = [one.title for one in pdf.outline[1] if not isinstance(one, list)]
    assert len(sections) == 8
    assert (sections[0], sections[-1]) == ("The collected ratings", "References")


def test_pdf_embeds_fonts_for_many_languages(pdf, text_of_pdf):
    assert "čćđšž ČĆĐŠŽ åäö ÅÄÖ" in text_of_pdf
    assert "<b>plain</b>" in text_of_pdf
    fonts = {
        str(font["/BaseFont"])
        for page in pdf.pages
        for font in page["/Resources"].get("/Font", {}).values()
    }
    assert fonts
    assert all("+" in name for name in fonts), fonts  # embedded, each a subset


def test_render_pdf_refuses_other_urls():
    if printing.find_obstacle():
        lack("Pango")
    page = (
        "<!DOCTYPE html><html lang=en><title>x</title><body>"
        '<img src="file:///etc/passwd" alt="gone"><img src="http://localhost:9/" alt="too">'
        '<img src="font:../../matplotlibrc" alt="as well">'
    )

    text = text_of(PdfReader(io.BytesIO(printing.render_pdf(page, {}))))

    assert text.split() == ["gonetooas", "well"]


def test_build_without_pango_omits_only_the_pdf_and_says_why(
    monkeypatch, build_arguments, built, tmp_path, capsys
):
    monkeypatch.setattr(printing, "_load", lambda: (_ for _ in ()).throw(OSError("no pango")))

    assert main([*build_arguments, "--out", str(tmp_path / "out")]) == 0

    assert "sudo apt-get install libpango-1.0-0" in capsys.readouterr().err
    expected = read(built[0])
    del expected["report.pdf"]
    assert read(tmp_path / "out") == expected


def test_build_omits_the_reports_on_request(build_arguments, built_set, tmp_path):
    assert main([*build_arguments, "--out", str(tmp_path / "out"), "--no-report"]) == 0

    assert read(tmp_path / "out") == built_set.files
