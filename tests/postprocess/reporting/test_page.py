import re
from html import unescape
from importlib import import_module
from pathlib import Path

import html5lib
import pytest
from lxml import html

from postprocess.references import COSIMLEX, TASK_PAPER, write_authors
from postprocess.reporting import assessment
from postprocess.reporting.page import render_page
from tests.factories.datasets import INPUTS, dataset_of
from tests.factories.ratings import simulate_study
from tests.postprocess.figures.edges import shuffled
from tests.postprocess.reporting.pages import HOSTILE, draw_all, plain, rows_of, text_of


def test_page_is_valid_html(hostile_page):
    html5lib.HTMLParser(strict=True).parse(hostile_page)


def test_page_has_no_scripts_and_external_files(page):
    tree = html.document_fromstring(page)

    assert not tree.xpath("//script|//link|//iframe|//object|//@*[starts-with(name(), 'on')]")
    addresses = tree.xpath("//@src|//@href") + re.findall(r"url\(([^)]+)\)", page)
    assert addresses
    assert all(address.startswith(("#", "data:image/png")) for address in addresses), addresses
    assert re.findall(r"https?://(?!www\.w3\.org/(?:2000/svg|1999/xlink)\")", page) == []
    assert "default-src 'none'" in page


def test_page_escapes_the_data(hostile_page):
    assert "<script" not in hostile_page
    assert HOSTILE in unescape(hostile_page)
    assert any(HOSTILE in row[0] for row in rows_of(hostile_page, "Annotators left out"))


def test_page_has_a_language_and_unique_ids(page):
    tree = html.document_fromstring(page)
    ids = tree.xpath("//@id")

    assert tree.get("lang") == "en"
    assert len(ids) == len(set(ids))
    links = {link.removeprefix("#") for link in tree.xpath("//a/@href")}
    assert links <= set(ids)
    for svg in tree.xpath("//*[local-name()='svg']"):
        assert svg.get("role") == "img"
        assert svg.get("aria-labelledby") in ids
        assert svg.get("aria-describedby") in ids


def test_page_shows_every_figure_with_its_caption(dataset, page):
    text = text_of(page)
    gallery = draw_all(dataset)

    assert page.count("<svg") == len(gallery)
    assert re.findall(r"Figure (\d+)\.", text) == [str(n + 1) for n in range(len(gallery))]
    assert all(f". {one.title}. " in text for one in gallery)
    assert all(plain(one.caption) in text for one in gallery)


def test_page_explains_missing_intervals(monkeypatch, plates):
    monkeypatch.setattr(assessment, "MAX_RESAMPLED", 1000)

    made = dataset_of(simulate_study(), "cosimlex", "report.n_resamples=300")
    text = text_of(render_page(made, plates))

    assert "There are no intervals: with 384 ratings, resampling would take" in text
    assert "basic bootstrap intervals. The contexts" not in text


@pytest.mark.parametrize("kind", ["page", "bare_page"])
def test_every_figure_and_table_links_to_formula_and_reference(request, kind):
    tree = html.document_fromstring(request.getfixturevalue(kind))
    references = [plain(entry.text_content()) for entry in tree.xpath("//*[@id='references']//li")]
    parts = method_parts(tree)
    shown = tree.xpath("//figure|//table")

    assert len(shown) > 12
    for one in shown:
        (link,) = one.xpath(".//a[starts-with(@href, '#method-')]/@href")
        formulas, sources = parts[link.removeprefix("#")]
        assert formulas, link
        cited = re.findall(r"([A-Z][\w ]*?)(?: et al\.| and [\w ]+)? \((\d{4})\)", sources)
        assert cited, link
        for name, year in cited:
            assert any(f"({year})" in entry and name in entry for entry in references), (name, year)


def method_parts(tree):
    """Return the formulas and the sources of each entry of the methods."""
    parts = {}
    for heading in tree.xpath("//*[@id='methods']/h3"):
        after = heading.xpath("following-sibling::*")
        end = next((i for i, one in enumerate(after) if one.tag == "h3"), len(after))
        by_class = {
            kind: [plain(one.text_content()) for one in after[:end] if one.get("class") == kind]
            for kind in ("formula", "source")
        }
        parts[heading.get("id")] = by_class["formula"], " ".join(by_class["source"])
    return parts


def test_page_names_inputs_and_recipe(dataset, page):
    text = text_of(page)

    assert all(digest in text for digest in INPUTS.values())
    assert dataset.outcome.recipe.digest() in text
    assert dataset.report["code"]["sha256"] in text
    assert dataset.outcome.recipe.render() in html.document_fromstring(page).xpath("string(//pre)")


def test_page_cites_both_papers_with_all_authors(page):
    for paper in (COSIMLEX, TASK_PAPER):
        assert f"{write_authors(paper)} (2020). {paper.title}." in text_of(page)


def test_page_names_disabled_steps(plates):
    text = text_of(render_page(dataset_of(recipe="raw"), plates))

    assert "Calibration is off in the recipe" in text
    assert "Filtering is off in the recipe" in text
    assert text.count("Off in this recipe.") == 2
    assert "Annotators left out" not in text


def test_page_does_not_depend_on_the_order_of_rows(page, plates):
    assert render_page(dataset_of(shuffled(simulate_study())), plates) == page


def test_printed_page_names_its_figures_and_fonts(dataset, plates):
    printed = render_page(dataset, plates, printed=True)

    assert "<svg" not in printed
    assert printed.count('<img src="figure:') == len(plates)
    assert 'url("font:DejaVuSans.ttf")' in printed
    html5lib.HTMLParser(strict=True).parse(printed)


def test_methods_name_existing_functions_and_headings(page):
    tree = html.document_fromstring(page)
    places = tree.xpath("//p[@class='where']")

    assert len(places) == 20
    for place in places:
        module, *names = re.findall(r"[\w.]+", place.xpath("string(code)"))
        module, _, first = module.rpartition(".")
        assert all(hasattr(import_module(module), name) for name in (first, *names))
        docs, heading = re.search(r"(docs/\w+\.md), “(.+)”", plain(place.text_content())).groups()
        text = (Path(__file__).parents[3] / docs).read_text(encoding="utf-8")
        headings = re.findall(r"^##? (?:\d )?([^—\n]+)", text, re.MULTILINE)
        assert heading in [one.strip() for one in headings], (docs, heading)
