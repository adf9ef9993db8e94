"""Items of one page on a phone: every design in every language, and without scripts."""

import json

import pytest

from tests.end_to_end.browser import PHONE, WatchedPage
from tests.end_to_end.page_checks import violations
from tests.end_to_end.site import Site

LANGUAGES = ("en", "hr", "sl", "fi", "ar", "fa")
DESIGNS = (
    "durel", "mclwic", "scws", "semeval2017", "semeval2017-translation", "simlex", "usim", "wic",
)  # fmt: skip
LOOKS = [*zip(LANGUAGES, LANGUAGES, strict=True), ("script", "en"), ("plain", "en")]
# Prints the addresses of an item of each design, by design and language.
MADE = f"""
import json
from tests.factories.second_looks import list_annotators, looking_study
from tests.factories.studies import make_study_of, start
made = {{}}
for name in {DESIGNS}:
    for language in {LANGUAGES}:
        other = "" if "translation" not in name else "en" if language == "fi" else "fi"
        named = {{"slug": f"{{name}}-{{language}}", "language": language, "language2": other}}
        study = make_study_of(name, 1, **named)
        made[f"{{name}} {{language}}"] = f"/survey/{{start(study).token}}/1/rating/"
for name, language in {LOOKS}:
    study = looking_study(slug=f"look-{{name}}", language=language)
    made[f"look {{name}}"] = f"/survey/{{list_annotators(study)[2].assignments.get().token}}/"
print(json.dumps(made))
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


@pytest.mark.parametrize(
    ("name", "language", "scripts"),
    [
        ("simlex", "fi", False), ("scws", "sl", True), ("semeval2017", "hr", True),
        ("wic", "ar", True), ("mclwic", "fa", False), ("durel", "en", True),
        ("semeval2017-translation", "fi", False), ("usim", "hr", False),
    ],
)  # fmt: skip
def test_a_design_is_answered_with_and_without_scripts(
    chromium, shared_site: Site, item_pages, name, language, scripts
):
    watched = WatchedPage(chromium, PHONE, scripts=scripts)
    page = watched.page
    page.goto(f"{shared_site.url}{item_pages[f'{name} {language}']}")

    watched.submit()  # nothing yet
    assert page.locator(".error").count() > 0
    for field, words in zip(
        page.locator(".words input").all(), ("salt water", "tea"), strict=False
    ):
        field.fill(words)
    if page.locator(".points").count():
        page.locator(".points label").first.click()
    elif page.locator("#rating").count():
        page.fill("#rating", "2")
    watched.submit()

    assert page.url.endswith("/thanks/")


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
