import re
from html import unescape
from importlib import import_module
from pathlib import Path

import html5lib
import pytest
from lxml import html

from postprocess.references import COSIMLEX, TASK_PAPER, write_authors
from postprocess.reporting import assessment
from postprocess.reporting.figures.gallery import illustrate, render_plates
from postprocess.reporting.page import render_page
from postprocess.statistics.agreement.by_group import FIGURES
from tests.postprocess.datasets import INPUTS, dataset_of
from tests.postprocess.figures.edges import shuffled
from tests.postprocess.simulated import rate, simulate_study

HOSTILE = "<script>alert(1)</script>&\"' {{ 7 * 7 }}"


def page_of(dataset, **options):
    return render_page(dataset, render_plates(illustrate(dataset.outcome)), **options)


def plain(text):
    """Any space as one plain space."""
    return " ".join(text.split())


def text_of(page):
    return plain(html.document_fromstring(page).text_content())


def rows_of(page, caption):
    """The cells of the table with the caption, row by row."""
    tables = html.document_fromstring(page).xpath("//table")
    (table,) = (t for t in tables if t.xpath("string(caption)").startswith(caption))
    rows = [
        [cell.text_content().strip() for cell in row.xpath("th|td")] for row in table.iter("tr")
    ]
    return rows[1:]


@pytest.fixture(scope="module")
def dataset():
    return dataset_of()


@pytest.fixture(scope="module")
def plates(dataset):
    """Figures for pages of which tables and text are looked at: drawing takes longest."""
    return render_plates(illustrate(dataset.outcome))


@pytest.fixture(scope="module")
def page(dataset, plates):
    return render_page(dataset, plates)


@pytest.fixture(scope="module")
def bare_page():
    """Of ratings without anything: one annotator, no group, nothing known."""
    rows = [(pair, context, "A", pair + context) for pair in (1, 2) for context in (1, 2)]
    return page_of(dataset_of(rate(*rows), "raw"))


@pytest.fixture(scope="module")
def hostile_page():
    ratings = simulate_study()
    return page_of(
        dataset_of(ratings.assign(annotator=ratings["annotator"] + HOSTILE, group=HOSTILE))
    )


@pytest.mark.parametrize("kind", ["page", "hostile_page"])
def test_page_is_valid_html(request, kind):
    html5lib.HTMLParser(strict=True).parse(request.getfixturevalue(kind))


def test_page_has_no_script_and_asks_nobody(page):
    tree = html.document_fromstring(page)

    assert not tree.xpath("//script|//link|//iframe|//object|//@*[starts-with(name(), 'on')]")
    addresses = tree.xpath("//@src|//@href") + re.findall(r"url\(([^)]+)\)", page)
    assert addresses
    assert all(address.startswith(("#", "data:image/png")) for address in addresses), addresses
    assert re.findall(r"https?://(?!www\.w3\.org/(?:2000/svg|1999/xlink)\")", page) == []
    assert "default-src 'none'" in page


def test_page_escapes_what_is_in_the_data(hostile_page):
    assert "<script" not in hostile_page
    assert HOSTILE in unescape(hostile_page)
    assert any(HOSTILE in row[0] for row in rows_of(hostile_page, "Annotators left out"))


def test_page_names_its_language_and_every_part_once(page):
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
    gallery = illustrate(dataset.outcome)

    assert page.count("<svg") == len(gallery)
    assert re.findall(r"Figure (\d)\.", text) == list("123456")
    assert all(f". {one.title}. " in text for one in gallery)
    assert all(plain(one.caption) in text for one in gallery)


def test_page_tells_each_annotator_who_was_moved_or_left_out(dataset, page):
    annotators = dataset.outcome.annotators.set_index("annotator")
    moved = {row[0]: row for row in rows_of(page, "Annotators moved")}
    out = {row[0]: row for row in rows_of(page, "Annotators left out")}

    assert set(moved) == set(annotators.index[annotators["shift"] != 0]) == {"1A-00", "1A-07"}
    assert set(out) == set(annotators.index[annotators["decision"] == "left out"])
    one = annotators.loc["1A-00"]
    assert moved["1A-00"] == [
        "1A-00", "1A", f"{one['mean']:.2f}", f"{one['group_mean']:.2f}",
        f"+{one['deviation']:.2f}", "−1", str(one["n_clipped"]),
    ]  # fmt: skip
    one = annotators.loc["1A-07"]
    assert out["1A-07"][3:5] == [f"{one['rho']:.3f}", f"{one['bound']:.3f}"]
    assert out["1A-07"][-1] == "below the correlation bound"


def test_page_tells_what_became_of_all_ratings(dataset, page):
    rows = rows_of(page, "Ratings by what became of them")
    left_out = dataset.report["counts"]["ratings_left_out"]

    assert {row[0]: int(row[1]) for row in rows[:-1]} == left_out
    assert rows[-1][:2] == ["used in the scores", str(len(dataset.outcome.used))]
    assert sum(int(row[1]) for row in rows) == len(dataset.outcome.ledger)


def test_page_has_table_1_with_the_dataset_last(dataset, page):
    rows = rows_of(page, "Table 1")
    own = dataset.report["table1"]["text"]

    assert [row[0] for row in rows] == [
        "English", "Croatian", "Slovene", "Finnish", "this dataset (sl)"
    ]  # fmt: skip
    shares = [f"{share}\u00a0%" for share in (14, 35, 46, 59)]
    assert rows[2] == ["Slovene", "111", "0.77", "4.90", "2.18", "1.96", *shares]
    assert own["human"] == f"{dataset.report['agreement']['overall']['human']:.2f}"
    assert [cell.replace("\u00a0", " ") for cell in rows[-1][1:]] == list(own.values())


def test_page_says_where_the_figures_of_table_1_come_from(page):
    text = text_of(page)

    assert "Table 1 of the task paper, recomputed from the published files" in text
    assert "human ρ is the figure printed in the task paper; all other figures were" in text


def test_page_has_q_and_the_two_sided_p_before_the_published_p(dataset, page):
    key = html.document_fromstring(page).find_class("key")[0]
    titles = [plain(title.text_content()) for title in key.iter("dt")]
    figures = [figure.text_content() for figure in key.iter("dd")]
    scores = dataset.outcome.scores

    assert titles[-3:] == [
        "pairs with q < 0.05", "pairs with two-sided p < 0.05", "one-sided p < 0.05, as published"
    ]  # fmt: skip
    assert figures[-3:] == [
        f"{100 * (scores[column] < 0.05).mean():.0f} %"
        for column in ("qvalue", "pvalue_two_sided", "pvalue")
    ]
    assert [row[0] for row in rows_of(page, "Pairs found to change")] == [
        "q (false discovery rate) of the two-sided p", "two-sided p", "one-sided p, as published"
    ]  # fmt: skip


def test_page_has_the_agreement_of_the_report(dataset, page):
    agreement = dataset.report["agreement"]
    overall, given = agreement["overall"], agreement["as_given"]
    rows = {name: cells for name, *cells in rows_of(page, "Agreement of all groups")}

    assert rows["human"] == [
        f"{overall['human']:.3f}", f"{overall['human_low']:.3f}–{overall['human_high']:.3f}", "48",
        f"{given['human']:.3f}", f"{given['human_low']:.3f}–{given['human_high']:.3f}", "48",
    ]  # fmt: skip
    assert rows["ICC(2,1)"][2] == "48 of 48"
    assert rows["α ordinal"][0] == f"{overall['alpha_ordinal']:.3f}"
    assert len(rows) == len(FIGURES)
    groups = rows_of(page, "Groups:")
    assert [row[0] for row in groups] == ["1A", "1B"]
    assert sum(int(row[4]) for row in groups) == len(dataset.outcome.ledger)


def test_page_has_the_agreement_of_every_group(dataset, page):
    rows = rows_of(page, "Agreement by group")

    one = dataset.report["agreement"]["by"]["group"][0]
    assert [row[0] for row in rows] == ["1A", "1B"]
    assert rows[0][-3:] == ["2424 in ICC", str(one["n_annotators"]), str(one["n_ratings"])]
    assert rows[0][1] == f"{one['human']:.2f}{one['human_low']:.2f}–{one['human_high']:.2f}"
    assert "Not told apart, since the ratings have no such column: blocks (block) and" in text_of(
        page
    )


def test_page_has_the_number_of_contexts_in_the_icc(plates):
    ratings = simulate_study(odd=False)
    last = ratings["annotator"] == "1A-00"
    some = ratings[~(last & ratings["pair"].isin([1, 3, 5]))]

    page = render_page(dataset_of(some, "raw"), plates)

    rows = {name: cells for name, *cells in rows_of(page, "Agreement of all groups")}
    assert rows["ICC(2,k)"][2] == "45 of 48"
    assert rows["human"][2] == "48"
    assert [row[-3] for row in rows_of(page, "Agreement by group")] == [
        "2421 in ICC",
        "2424 in ICC",
    ]
    assert "Contexts of ICC: those rated by everyone in the group" in text_of(page)


@pytest.mark.parametrize("resample", ["items", "items and annotators"])
def test_page_says_what_is_resampled(resample, plates):
    made = dataset_of(simulate_study(), "raw", f'report.resample="{resample}"')
    page = render_page(made, plates)

    tree = html.document_fromstring(page)
    captions = [plain(caption.text_content()) for caption in tree.xpath("//caption")]
    said = {
        over: sum(f"95 % intervals over {over}" in caption for caption in captions)
        for over in ("contexts", "contexts and annotators", "pairs", "pairs and annotators")
    }
    both = resample != "items"
    assert list(said.values()) == [2, 2 * both, 2, 1 * both]
    assert ("with these annotators" in text_of(page)) == (resample == "items")
    assert ("other annotators too" in text_of(page)) == (resample != "items")


def test_page_tells_agreement_by_block_and_part_of_speech_where_they_are_known(plates):
    ratings = simulate_study()
    places = ratings[["pair", "context", "annotator"]]
    known = places.assign(block="1", pos=["noun" if n % 2 else "verb" for n in places["pair"]])

    page = render_page(dataset_of(ratings, details=known), plates)

    assert [row[0] for row in rows_of(page, "Agreement by part of speech")] == ["noun", "verb"]
    assert "Agreement by block" not in page  # which would be the overall one again
    assert "Not told apart" not in page


def test_page_tells_the_ceiling_of_subtask_1(dataset, page):
    used, given = dataset.report["change"]["used"], dataset.report["change"]["as_given"]
    rows = rows_of(page, "Reliability of the change of 24 pairs")

    assert [row[0] for row in rows[2:4]] == [
        "Spearman, in the scores", "uncentred (subtask 1), as given"
    ]  # fmt: skip
    assert rows[0][1] == f"{used[0]['reliability']:.3f}"
    assert rows[3][3] == f"{given[0]['ceiling']:.3f}"
    text = text_of(page)
    assert f"√R = {used[0]['ceiling']:.3f} is the ceiling" in text
    assert "With 24 pairs the intervals are wide" in text
    assert "that of the ratings as given is the safe one" in text


def test_page_names_every_confound_that_is_not_known(dataset, page):
    rows = rows_of(page, "Scores, changes and ratings set against")

    assert len(rows) == len(dataset.report["confounds"]["table"]) + 3
    assert rows[-3][0] == "rating: position in the questionnaire"
    assert rows[-3][-1] == "not known: no column position"
    assert sum("not known: no column seconds" in row for row in rows) == 2


def test_page_lists_the_contexts_on_which_annotators_divide(page, plates):
    camps = [(1, 1, f"A{i}", 6 * (i % 2)) for i in range(10)]
    divided = render_page(
        dataset_of(rate(*camps, *[(1, 2, f"B{i}", 3) for i in range(10)])), plates
    )

    (row,) = rows_of(divided, "Contexts on which annotators divide")
    assert row[:2] == ["1", "1"]
    assert row[3:] == ["5 0 0 0 0 0 5", "−1.00", "<\u00a00.001"]
    assert "0 contexts of 48 have ratings that fall apart" in text_of(page)


def test_page_tells_the_paired_test_where_the_same_people_rated_both(bare_page):
    tests = rows_of(bare_page, "Pairs found to change")

    assert tests[-1][:2] == [
        "paired two-sided p of 2 pairs rated by the same people", "0 (0\u00a0%)"
    ]  # fmt: skip
    assert "1 annotator rated both contexts of a pair" in text_of(bare_page)
    assert "The paired test, Wilcoxon’s" in text_of(bare_page)


def test_page_says_why_there_are_no_intervals(monkeypatch, plates):
    monkeypatch.setattr(assessment, "MOST_RESAMPLED", 1000)

    made = dataset_of(simulate_study(), "cosimlex", "report.n_resamples=300")
    text = text_of(render_page(made, plates))

    assert "There are no intervals: 384 ratings are too many" in text
    assert "basic bootstrap intervals. The contexts" not in text


@pytest.mark.parametrize("kind", ["page", "bare_page"])
def test_every_figure_and_table_leads_to_a_formula_and_a_reference(request, kind):
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
    """Each entry of the methods: its formulas, and its sources as text."""
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


def test_page_says_what_was_off(plates):
    text = text_of(render_page(dataset_of(recipe="raw"), plates))

    assert "The recipe has calibration off" in text
    assert "The recipe has filtering off" in text
    assert text.count("Off in this recipe.") == 2
    assert "Annotators left out" not in text


def test_page_shows_the_first_rows_of_a_long_table_and_names_the_file(plates):
    page = render_page(dataset_of(simulate_study(240, 6, n_blocks=60)), plates)
    rows = rows_of(page, "Groups:")

    assert len(rows) == 100
    assert "… and 20 more rows in report.json." in text_of(page)


def test_page_of_one_annotator_has_dashes_for_what_is_not_defined():
    rows = [(pair, context, "A", pair + context) for pair in (1, 2) for context in (1, 2)]
    page = page_of(dataset_of(rate(*rows, group="1")))

    html5lib.HTMLParser(strict=True).parse(page)
    assert rows_of(page, "Agreement of all groups")[0] == ["human", "–", "–", "4"]
    assert rows_of(page, "Annotators kept without")[0][0] == "A"
    assert not re.search(r"\b(nan|None)\b", text_of(page))


def test_page_is_the_same_for_shuffled_rows(page):
    assert page_of(dataset_of(shuffled(simulate_study()))) == page


def test_printed_page_names_its_figures_and_fonts(dataset):
    printed = page_of(dataset, printed=True)

    assert "<svg" not in printed
    assert printed.count('<img src="figure:') == 6
    assert 'url("font:DejaVuSans.ttf")' in printed
    html5lib.HTMLParser(strict=True).parse(printed)


def test_methods_name_functions_and_headings_that_exist(page):
    tree = html.document_fromstring(page)
    places = tree.xpath("//p[@class='where']")

    assert len(places) == 18
    for place in places:
        module, *names = re.findall(r"[\w.]+", place.xpath("string(code)"))
        module, _, first = module.rpartition(".")
        assert all(hasattr(import_module(module), name) for name in (first, *names))
        docs, heading = re.search(r"(docs/\w+\.md), “(.+)”", plain(place.text_content())).groups()
        text = (Path(__file__).parents[3] / docs).read_text(encoding="utf-8")
        headings = re.findall(r"^##? (?:\d )?([^—\n]+)", text, re.MULTILINE)
        assert heading in [one.strip() for one in headings], (docs, heading)
