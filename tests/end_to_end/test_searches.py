"""Texts found in the corpora of a site, in headless Chromium: for a study, and for one pair."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.end_to_end.browser import PATIENCE_MS
from tests.end_to_end.page_checks import LOOKS, PageChecker
from tests.end_to_end.site import Site, open_site
from tests.end_to_end.test_contexts import SIGNED_IN, is_at
from tests.factories.corpora import write_corpora

pytestmark = pytest.mark.needs("contexts")


@pytest.fixture
def corpora_site(pristine, tmp_path) -> Iterator[Site]:
    """A site that offers two corpora."""
    folder = write_corpora(tmp_path / "corpora")
    with open_site(pristine, tmp_path, CORPORA_DIR=str(folder)) as site:
        yield site


@pytest.fixture
def empty_scores(tmp_path) -> Path:
    """Scores of no window."""
    path = tmp_path / "elmo.tsv"
    path.write_text("window\tscore\nnone\t0.5\n", encoding="utf-8")
    return path


def test_a_study_begins_with_a_search_and_a_pair_gets_more_texts(
    chromium, corpora_site, empty_scores
):
    session = corpora_site.manage("shell", "--no-imports", "-c", SIGNED_IN).strip()
    checker = PageChecker(chromium, LOOKS, "searches")
    watched, page = checker.watched, checker.watched.page
    watched.visit_signed_in(f"{corpora_site.url}/console/", session)
    page.goto(f"{corpora_site.url}/console/new/contexts/")
    checker.look("new")
    page.get_by_label("Title").fill("Words")
    page.get_by_label("Language of the texts").fill("en")
    watched.follow(page.get_by_role("button", name="Create study"))

    is_at(page, "Search for texts")
    checker.look("search")
    page.get_by_label("Pairs of words").fill("ice sun\nsun, lake\nfire")
    page.get_by_label("tales.conllu").check()
    watched.follow(page.get_by_role("button", name="Search"))
    expect(page.get_by_text("Line 3: 1 word instead of two")).to_be_visible()
    checker.look("faulty search")
    page.get_by_label("Pairs of words").fill("ice sun\nsun, lake\nice fire")
    watched.follow(page.get_by_role("button", name="Search"))
    found = page.get_by_text("Texts for 2 of 3 pairs, 16 candidates.")
    expect(found).to_be_visible(timeout=PATIENCE_MS)
    checker.look("searched")
    again = page.get_by_role("link", name="Search again")
    watched.follow(again)  # what is refreshed has no form, which might be half filled in
    expect(page.get_by_role("button", name="Search")).to_be_visible()
    expect(again).to_be_hidden()

    watched.follow(page.get_by_role("link", name="Pick by scores"))
    page.get_by_label("File with the scores").set_input_files(empty_scores)
    watched.follow(page.get_by_role("button", name="Pick the candidates"))
    expect(page.get_by_text("40 of 40 windows have no score")).to_be_visible()
    checker.look("faulty scores")

    watched.follow(page.get_by_role("link", name="Contexts").first)
    checker.look("overview")
    watched.follow(page.get_by_role("button", name="Start choosing"))
    expect(page.locator(".candidate")).to_have_count(8)
    checker.look("pair")
    watched.follow(page.get_by_role("link", name="Search for more texts"))
    checker.look("more texts")
    page.get_by_label("More candidates").fill("3")
    watched.follow(page.get_by_role("button", name="Search"))
    found = page.get_by_text("3 texts were added; the pair has 11 candidates now.")
    expect(found).to_be_visible(timeout=PATIENCE_MS)
    checker.look("more texts found")
    watched.follow(page.get_by_role("link", name="Show the candidates"))
    expect(page.locator(".candidate")).to_have_count(11)

    assert checker.complaints == {}
    assert [line for line in watched.complaints if "422" not in line] == []
