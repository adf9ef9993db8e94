"""Items of one page on a phone: every design in every language, and without scripts."""

import json
import re

import pytest

from tests.end_to_end.browser import PHONE, WatchedPage
from tests.end_to_end.page_checks import violations
from tests.end_to_end.site import Site

LANGUAGES = ("en", "hr", "sl", "fi", "ar", "fa")
DESIGNS = (
    "durel", "mclwic", "scws", "semeval2017", "semeval2017-translation", "simlex", "usim", "wic",
)  # fmt: skip
LOOKS = [*zip(LANGUAGES, LANGUAGES, strict=True), *((n, "en") for n in ("script", "plain", "tabs"))]
WALKS = (  # design, language, with scripts
    ("cosimlex", "sl", False), ("simlex", "fi", False), ("scws", "sl", True),
    ("semeval2017", "hr", True), ("wic", "ar", True), ("mclwic", "fa", False),
    ("durel", "en", True), ("semeval2017-translation", "fi", False), ("usim", "hr", False),
)  # fmt: skip
# Prints the addresses of an item of each design, by design and language.
MADE = f"""
import json
from tests.factories.second_looks import list_annotators, looking_study
from surveys.recruitment.links import invite_annotators
from tests.factories.studies import make_study, make_study_of, start
made = {{}}
for name, language, _ in {WALKS}:
    named = {{"slug": f"walk-{{name}}", "language": language, "ratings_per_context": 1}}
    if "translation" in name:
        named["language2"] = "en"
    if name == "mclwic":  # the second item is answered twice
        named |= {{"block_size": 1, "n_doubled": 1}}
    n_pairs = 2 if name == "mclwic" else 1
    study = make_study(1, **named) if name == "cosimlex" else make_study_of(name, n_pairs, **named)
    links = invite_annotators(study, n_pairs)
    made[f"walk {{name}}"] = [f"/invitation/{{link.token}}/" for link in links]
for name in {DESIGNS}:
    for language in {LANGUAGES}:
        other = "" if "translation" not in name else "en" if language == "fi" else "fi"
        named = {{"slug": f"{{name}}-{{language}}", "language": language, "language2": other}}
        study = make_study_of(name, 1, **named)
        made[f"{{name}} {{language}}"] = f"/survey/{{start(study).token}}/1/rating/"
for name, language in {LOOKS}:
    study = looking_study(slug=f"look-{{name}}", language=language)
    addresses = [f"/survey/{{one.assignments.get().token}}/" for one in list_annotators(study)]
    made[f"look {{name}}"] = addresses[2]
made["tabs"] = addresses[2], addresses[0]
for name in ("one-page-True", "one-page-False"):
    made[name] = f"/survey/{{start(make_study_of('usim', 2, slug=name)).token}}/"
print(json.dumps(made))
"""
ITEM = re.compile(r"/\d+/(words|rating)/")
COUNT_ANSWERS = """
SELECT COUNT(*) FROM surveys_response r JOIN surveys_pair p ON r.pair_id = p.id
JOIN surveys_study s ON p.study_id = s.id
WHERE s.slug = 'walk-{name}' AND r.rated_at IS NOT NULL GROUP BY p.id
"""
LIST_LOOKS = """
SELECT again.rating FROM surveys_secondanswer again JOIN surveys_response r ON response_id = r.id
JOIN surveys_pair p ON r.pair_id = p.id JOIN surveys_study s ON p.study_id = s.id
WHERE s.slug = 'look-tabs' AND again.answered_at IS NOT NULL
"""
LIST_RATED = """
SELECT r.rating FROM surveys_response r JOIN surveys_pair p ON r.pair_id = p.id
JOIN surveys_study s ON p.study_id = s.id
WHERE s.slug = '{name}' AND r.rated_at IS NOT NULL ORDER BY r.position
"""
LIST_SMALL = """
[...document.querySelectorAll("main button, main .points label, main .word, .cannot > label")]
  .filter((box) => box.getBoundingClientRect().height < 44).map((box) => box.outerHTML)
"""


@pytest.fixture(scope="session")
def item_pages(shared_site: Site) -> dict[str, str]:
    """Return the addresses of items, by design and language."""
    return json.loads(shared_site.manage("shell", "--no-imports", "-c", MADE))


@pytest.mark.parametrize("language", LANGUAGES)
def test_item_pages_of_all_designs_suit_a_phone(chromium, shared_site, item_pages, language):
    watched = WatchedPage(chromium, PHONE)
    faults = {}
    looks = [f"look {language}" + page for page in ("again/", "again/1/", "again/1/change/")]
    for name in [f"{name} {language}" for name in DESIGNS] + looks:
        of, _, page = name.partition(f" {language}")
        watched.page.goto(f"{shared_site.url}{item_pages[f'{of} {language}']}{page}")
        faults[name] = violations(watched) + watched.page.evaluate(LIST_SMALL)
        if watched.sideways_scroll:
            faults[name].append("scrolls sideways")
        html = watched.page.locator("html")
        assert html.get_attribute("lang") == language
        assert html.get_attribute("dir") == ("rtl" if language in {"ar", "fa"} else "ltr")

    assert {name: found for name, found in faults.items() if found} == {}
    assert watched.complaints == []


@pytest.mark.parametrize(("name", "language", "scripts"), WALKS)
def test_a_design_is_answered_from_the_link_to_thanks(
    chromium, shared_site: Site, item_pages, tmp_path, name, language, scripts
):
    for link in item_pages[f"walk {name}"]:
        watched = WatchedPage(chromium, PHONE, scripts=scripts)
        watched.page.goto(f"{shared_site.url}{link}")
        answer_all(watched)
        if watched.page.locator(".more form").count():  # another block
            watched.submit()
            answer_all(watched)

    n_answers = shared_site.query(COUNT_ANSWERS.format(name=name))
    assert sorted(n for (n,) in n_answers) == ([1, 2] if name == "mclwic" else [1])
    if name == "semeval2017-translation":
        shared_site.manage("export_translations", f"walk-{name}", "--out", tmp_path)
        assert "p1\tsalt water\ttea\t" in (tmp_path / "items_en.tsv").read_text()


def answer_all(watched: WatchedPage) -> None:
    """Answer pages up to the thanks, and send the first item empty before."""
    page, has_erred = watched.page, False
    while not watched.is_at("/thanks/"):
        if not has_erred and ITEM.search(page.url):
            watched.submit()
            assert page.locator(".error").count() > 0
            has_erred = True
        given = {"inspired_word1": "harvest", "inspired_word2": "moon"}
        for name, words in {**given, "written1": "salt water", "written2": "tea"}.items():
            if page.locator(f"[name={name}]").count():
                page.fill(f"[name={name}]", words)
        if page.locator(".points label").count():
            page.locator(".points label").first.click()
        elif page.locator("#rating").count():
            page.fill("#rating", "2")
        watched.submit()


@pytest.mark.parametrize("scripts", [True, False])
def test_an_item_of_one_page_survives_back_reload_and_a_second_tab(
    chromium, shared_site: Site, item_pages, scripts
):
    name = f"one-page-{scripts}"
    survey = f"{shared_site.url}{item_pages[name]}"
    watched = WatchedPage(chromium, PHONE, scripts=scripts)
    page, other = watched.page, watched.page.context.new_page()
    for tab in (page, other):
        tab.goto(f"{survey}1/rating/")

    page.locator(".points label").nth(1).click()
    watched.submit()
    page.go_back()
    page.reload()
    page.goto(f"{survey}2/rating/")
    other.locator(".points label").nth(3).click()
    other.locator("form button").first.click()
    other.get_by_text("This pair was answered in another tab already: \u20682").wait_for()
    watched.follow(page.get_by_role("link", name="Change the last answer"))
    page.locator(".points label").nth(4).click()
    watched.submit()

    assert page.url.endswith("/2/rating/")
    assert shared_site.query(LIST_RATED.format(name=name)) == [(5,)]


@pytest.mark.parametrize("scripts", [True, False])
def test_a_second_look_keeps_and_changes_with_and_without_scripts(
    chromium, shared_site: Site, item_pages, scripts
):
    watched = WatchedPage(chromium, PHONE, scripts=scripts)
    page = watched.page
    page.goto(f"{shared_site.url}{item_pages['look script' if scripts else 'look plain']}")

    page.get_by_role("link", name="Continue").click()
    watched.submit()  # keeps the first
    page.get_by_role("link", name="Change").click()
    page.fill("#rating", "1.5")
    watched.submit()
    assert page.get_by_text("Pair 3 of 3").count() == 1
    page.go_back()
    page.reload()
    watched.submit()  # keeps the third, which is due wherever one is

    assert page.url.endswith("/thanks/")


def test_a_second_look_in_two_tabs_is_closed_and_withdrawn_from(
    chromium, shared_site: Site, item_pages
):
    tabs, leaver = (WatchedPage(chromium, PHONE) for _ in range(2))
    looking, leaving = (f"{shared_site.url}{link}" for link in item_pages["tabs"])
    first, second = tabs.page, tabs.page.context.new_page()
    for page in (first, second):
        page.goto(f"{looking}again/1/change/")
        page.fill("#rating", "1.5")
    tabs.submit()
    second.fill("#rating", "2.5")
    second.get_by_role("button", name="Save").click()
    second.get_by_text("answered in another tab already: \u20681.5\u2069.").wait_for()

    leaver.page.goto(f"{leaving}again/")
    leaver.follow(leaver.page.get_by_role("link", name="Continue"))
    leaver.submit()  # keeps the first
    middle = leaver.page.url
    leaver.page.goto(f"{leaving}withdraw/")
    leaver.submit()
    leaver.submit()  # sure
    leaver.page.goto(middle)
    assert leaver.is_at("/ended/")

    shared_site.manage("close_second_look", "look-tabs", "--by", "ana")
    assert tabs.is_at("again/2/")
    tabs.submit()
    assert first.get_by_text("The second look at your ratings has ended.").count() == 1
    answered = shared_site.query(LIST_LOOKS)
    assert [float(rating) for (rating,) in answered] == [1.5]
