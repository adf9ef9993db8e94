"""The report and the explorer of designs whose pairs have one context."""

from dataclasses import replace

import html5lib
import pytest
from lxml import html

from postprocess.reporting.explorer import render_explorer
from postprocess.reporting.report_files import render_reports
from tests.factories.designed import designed_release


@pytest.fixture(scope="module")
def simlex():
    return designed_release("simlex").dataset


def test_reports_leave_out_what_is_about_changes(simlex):
    files = render_reports(simlex)

    page = files["report.html"].decode()
    html5lib.HTMLParser(strict=True).parse(page)
    text = " ".join(html.document_fromstring(page).text_content().split())
    assert "Pairs have one context each, so there are no sections on changes and" in text
    assert "12 pairs were divided into 1 group" in text
    assert "A score is the mean rating of an item" in text
    assert "build --design design.toml --recipe recipe.toml" in text
    assert "econd look" not in text
    assert "Mann" not in text.partition("References")[0]
    tree = html.document_fromstring(page)
    ids = set(tree.xpath("//@id"))
    assert {link.removeprefix("#") for link in tree.xpath("//a/@href")} <= ids
    assert not {"table1.tex", "figures/changes.svg", "figures/p-values.svg"} & files.keys()


def test_the_report_says_what_a_second_look_changed(simlex):
    before, after = ({"human": rho, "pairwise_pearson": r} for rho, r in ((0.5, 0.6), (0.7, None)))
    look = {"n_shown": 5, "n_changed": 2, "n_unanswered": 1, "before": before, "after": after}
    shown = replace(simlex, report={**simlex.report, "second_look": look})

    page = render_reports(shown)["report.html"].decode()

    text = " ".join(html.document_fromstring(page).text_content().split())
    assert (
        "5 ratings far from the others' mean shown again, 2 of them changed, 1 not answered. Mean "
        "correlation before it: 0.500 with the mean of the others, 0.600 of two annotators "
        "(Pearson); after it: 0.700 with the mean of the others, – of two annotators (Pearson). "
        "The figures after it are not of independent ratings"
    ) in text


@pytest.mark.parametrize(("name", "n_texts"), [("simlex", 0), ("mclwic", 2), ("scws", 2)])
def test_the_explorer_has_one_score_and_the_texts_of_a_pair(name, n_texts):
    dataset = designed_release(name, more={"pos": "NOUN"}).dataset

    page = render_explorer(dataset)

    html5lib.HTMLParser(strict=True).parse(page)
    tree = html.document_fromstring(page)
    assert len(tree.xpath("//li/details")) == 12
    assert len(tree.xpath("//p[@class='text']")) == 12 * n_texts
    assert len(tree.xpath("//p[@class='text']/strong")) == 12 * n_texts
    orders = tree.xpath("//select[@id='order']/option/@value")
    assert orders == ["number", "-score1", "score1"]
    figures = tree.xpath("//li[1]//span[@class='figure']")
    assert len(figures) == 1
    assert "→" not in page
    assert not tree.xpath("//@style")  # which pages of a site refuse
    assert "ontext 1" not in tree.xpath("string(//main)")


def test_the_explorer_names_the_languages_of_both_words():
    dataset = designed_release("semeval2017", more={}, language="en-fi").dataset
    item = dataset.design.item.model_copy(update={"languages": 2})
    dataset = replace(dataset, design=dataset.design.model_copy(update={"item": item}))

    tree = html.document_fromstring(render_explorer(dataset))

    words = tree.xpath("//span[@class='words']")[0]
    assert (words.get("lang"), words.xpath("bdi/@lang")) == ("en", ["fi"])
