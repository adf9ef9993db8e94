"""The release explorer in a browser: search, filter, order, ratings; also without scripts."""

from pathlib import Path

import pytest

from postprocess.reporting.explorer import render_explorer
from surveys.web.rendering.sandboxed import answer_sandboxed
from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.page_checks import violations
from tests.factories.datasets import dataset_of

SHOWN = "#pairs > li:not([hidden])"


@pytest.fixture(scope="module")
def explorer_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(render_explorer(dataset_of()), encoding="utf-8")
    return path


@pytest.mark.parametrize(("size", "colours"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_explorer_is_accessible_and_asks_nobody(chromium, explorer_file, size, colours):
    watched = WatchedPage(chromium, size, scripts=True, colours=colours)

    watched.page.goto(f"{explorer_file.as_uri()}#pair-2")

    watched.page.get_by_text("Every rating").first.wait_for()
    assert watched.sideways_scroll == 0
    assert watched.hosts == {""}
    assert watched.complaints == []
    assert violations(watched) == []


def test_pairs_are_searched_filtered_and_ordered_by_keyboard(chromium, explorer_file):
    page = WatchedPage(chromium, DESKTOP, scripts=True).page
    page.goto(explorer_file.as_uri())
    words = page.locator(f"{SHOWN} .words").all_inner_texts()
    n_pairs = len(words)

    page.get_by_label("Search words and texts").fill(words[1].split(" · ")[0].upper())
    assert 0 < page.locator(SHOWN).count() < n_pairs
    page.get_by_label("Search words and texts").fill("")
    page.get_by_label("Show").select_option("changed")
    changed = page.locator(SHOWN).evaluate_all("all => all.map(one => Number(one.dataset.q))")
    assert all(q < 0.05 for q in changed)
    assert page.get_by_role("status").inner_text() == f"{len(changed)} of {n_pairs} pairs"
    page.get_by_label("Show").select_option("all")
    page.get_by_label("Order by").select_option("-size")
    sizes = page.locator(SHOWN).evaluate_all("all => all.map(one => Number(one.dataset.size))")
    assert sizes == sorted(sizes, reverse=True)
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    page.locator("details[open] .ratings table").first.wait_for()


def test_without_scripts_all_pairs_can_be_read(chromium, explorer_file):
    page = WatchedPage(chromium, DESKTOP, scripts=False).page
    page.goto(explorer_file.as_uri())

    assert not page.get_by_label("Search words and texts").is_visible()
    page.locator("summary").first.click()
    assert page.locator("details[open] .text").first.is_visible()
    assert page.locator("details[open] .counts").first.is_visible()


def test_the_policy_of_the_public_page_lets_the_explorer_work(chromium):
    """In a sandbox its styles apply and its own script runs, without a complaint."""
    answer = answer_sandboxed(render_explorer(dataset_of()).encode(), with_script=True)
    watched = WatchedPage(chromium, DESKTOP, scripts=True)
    page = watched.page
    page.route(
        "http://public.test/",
        lambda route: route.fulfill(body=answer.content, headers=dict(answer.headers)),
    )

    page.goto("http://public.test/#pair-2")
    page.get_by_text("Every rating").first.wait_for()
    page.get_by_label("Search words and texts").fill("no such word")

    assert page.locator(SHOWN).count() == 0
    assert page.locator("main").evaluate("one => getComputedStyle(one).maxWidth") != "none"
    assert watched.complaints == []
    assert violations(watched) == []
