import hashlib
import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from pypdf import PdfReader

from postprocess.reporting import bundle, printing
from postprocess.reporting.bundle import render_reports
from tests.conftest import lack
from tests.factories.datasets import dataset_of
from tests.postprocess.reporting.pages import simulate_named

FIGURES = {
    "ratings-per-context", "annotator-means", "annotator-correlations", "scores", "changes",
    "p-values",
}  # fmt: skip
ELSEWHERE = """
import hashlib
from postprocess.reporting.bundle import render_reports
from tests.factories.datasets import dataset_of
from tests.postprocess.figures.edges import shuffled
from tests.postprocess.reporting.pages import simulate_named
for name, content in render_reports(dataset_of(shuffled(simulate_named()))).items():
    print(name, hashlib.sha256(content).hexdigest())
"""


@pytest.fixture(scope="module")
def dataset():
    return dataset_of(simulate_named())


@pytest.fixture(scope="module")
def files(dataset):
    if printing.find_obstacle():
        lack("Pango")
    return render_reports(dataset)


@pytest.fixture(scope="module")
def pdf(files):
    return PdfReader(io.BytesIO(files["report.pdf"]))


@pytest.fixture(scope="module")
def text(pdf):
    return text_of(pdf)


def text_of(pdf):
    text = " ".join(page.extract_text() for page in pdf.pages)
    return " ".join(text.replace("\u00a0", " ").split())


def test_render_reports_returns_every_file(files):
    drawn = {f"figures/{name}.{kind}" for name in FIGURES for kind in ("svg", "png")}

    assert set(files) == {"report.html", "report.pdf", "explorer.html", "table1.tex"} | drawn
    assert files["report.pdf"].startswith(b"%PDF-")


def test_render_reports_is_deterministic_in_another_process(files):
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        cwd=Path(__file__).parents[3],
        env={"PYTHONHASHSEED": "1", "MPLBACKEND": "pdf", "TZ": "Asia/Tokyo", "LANG": "C"},
        check=True,
        capture_output=True,
        text=True,
    )

    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    assert dict(line.split() for line in done.stdout.splitlines()) == digests


def test_render_reports_shows_parts_of_speech(monkeypatch, dataset, files):
    """The PDF is omitted: it is made of the page."""
    monkeypatch.setattr(bundle, "find_obstacle", lambda: "no PDF")
    parts = pd.Series(["noun", "verb"] * 12, index=range(1, 25))

    with_parts = render_reports(replace(dataset, parts_of_speech=parts))

    differing = {name for name in with_parts if files[name] != with_parts[name]}
    assert differing == {"report.html", "figures/changes.svg", "figures/changes.png"}
    assert b"noun " in with_parts["report.html"]


def test_pdf_has_the_key_figures_as_text(dataset, text):
    table1 = dataset.report["table1"]["text"]

    assert f"{dataset.report['counts']['ratings_used']} ratings of" in text
    assert f"{dataset.report['agreement']['overall']['human']:.3f}" in text
    row = f"24 {table1['human']} {table1['mean']} {table1['sd']} {table1['change']}"
    assert f"this dataset (sl) {row}" in text
    for one in dataset.report["filtering"]["left_out"]:
        assert f"{one['annotator']} {one['group']} {one['n_ratings']} {one['rho']:.3f}" in text
    assert dataset.outcome.recipe.digest() in text
    assert "Figure 6. p-values." in text


def test_pdf_is_tagged_titled_and_has_no_date(pdf):
    catalog = pdf.trailer["/Root"]

    assert catalog["/MarkInfo"]["/Marked"]
    assert catalog["/Lang"] == "en"
    assert pdf.metadata.title == "Word similarity in context (sl): report of the dataset"
    assert pdf.metadata.creation_date is None
    sections = [one.title for one in pdf.outline[1] if not isinstance(one, list)]
    assert len(sections) == 8
    assert (sections[0], sections[-1]) == ("The collected ratings", "References")


def test_pdf_embeds_fonts_for_many_languages(pdf, text):
    assert "čćđšž ČĆĐŠŽ åäö ÅÄÖ" in text
    assert "<b>plain</b>" in text
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


def test_render_reports_omits_only_the_pdf_without_pango(monkeypatch, dataset, files):
    monkeypatch.setattr(printing, "_load", lambda: (_ for _ in ()).throw(OSError("no pango")))

    assert "libpango-1.0-0" in printing.find_obstacle()
    without = bundle.render_reports(dataset)
    assert without == {name: content for name, content in files.items() if name != "report.pdf"}
