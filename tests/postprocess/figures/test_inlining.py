import re

from lxml import etree

from postprocess.reporting.figures.drawing import COLOURS, render_svg
from postprocess.reporting.figures.scores import draw_scores
from postprocess.reporting.page import TEMPLATES, inline_svg
from tests.factories.ratings import outcome_of, simulate_study
from tests.postprocess.figures.edges import EDGES


def inlined(outcome, name):
    svg = render_svg(draw_scores(outcome), title="Scores & more", description="words")
    return inline_svg(svg, name, described_by="caption")


def test_inline_svg_has_title_and_description():
    root = etree.fromstring(inlined(outcome_of(simulate_study()), "one"))

    assert root.get("role") == "img"
    assert root.get("aria-describedby") == "caption"
    (title,) = root.xpath("//*[@id=$id]", id=root.get("aria-labelledby"))
    assert title.text == "Scores & more"
    assert root.get("width") is None
    assert root.get("viewBox")


def test_inline_svg_has_unique_ids():
    outcome = outcome_of(simulate_study())
    first, second = inlined(outcome, "one"), inlined(outcome, "two")
    ids = [set(etree.fromstring(svg).xpath("//@id")) for svg in (first, second)]

    assert not ids[0] & ids[1]
    for svg, own in zip((first, second), ids, strict=True):
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg)) <= own


def test_inline_svg_has_colours_only_as_attributes():
    root = etree.fromstring(inlined(outcome_of(simulate_study()), "one"))

    assert root.xpath("//@style") == []
    written = {colour for colour in root.xpath("//@fill | //@stroke") if colour.startswith("#")}
    assert {COLOURS["strong"], COLOURS["soft"], COLOURS["paper"]} <= written
    assert written <= set(COLOURS.values())


def test_the_reports_style_sheet_replaces_every_colour_of_a_figure():
    """On a dark page, figures are dark."""
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8")

    for name, colour in COLOURS.items():
        for attribute in ("fill", "stroke"):
            rule = f'\n[{attribute}="{colour}"] {{ {attribute}: var(--{name}); }}\n'
            assert rule in css


def test_inline_svg_has_no_comment_style_or_metadata():
    svg = inlined(EDGES["many_pairs"](), "one")

    assert "<!--" not in svg
    assert "<style" not in svg
    assert "rdf:" not in svg
    assert 'href="data:image/png;base64,' in svg
