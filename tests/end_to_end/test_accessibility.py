"""axe finds nothing to mend on any page of an annotator, and none scrolls sideways.

With SCREENSHOTS=folder in the environment every page is kept there as a picture, too.
"""

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from surveys.models import TextKind
from surveys.wording import default_body, read_check
from tests.end_to_end.browsing import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.right_to_left import CHECK_TEXTS, PRACTICE_TEXTS, ROWS
from tests.end_to_end.site import ROOT, Site
from tests.factories import stimuli_file

PICTURES = os.environ.get("SCREENSHOTS")


def violations(watched: WatchedPage) -> list[str]:
    """What axe complains of on the page, with the rule and the place."""
    found = Axe().run(watched.page).response["violations"]
    return [f"{rule['id']}: {node['html']}" for rule in found for node in rule["nodes"]]


def one_row(language: str) -> bytes:
    """A stimuli file of one pair in the language."""
    if language in ROWS:
        return stimuli_file(ROWS[language])
    lines = (ROOT / f"demo/data_{language}.tsv").read_bytes().splitlines(keepends=True)
    return b"".join(lines[:2])


def check_text(language: str) -> str:
    return CHECK_TEXTS.get(language) or default_body(language, TextKind.CHECK)


def wrong_answers(language: str) -> list[int]:
    return [(question.right + 1) % 3 for question in read_check(check_text(language))]


def practice_text(language: str) -> str:
    return PRACTICE_TEXTS.get(language) or default_body(language, TextKind.PRACTICE)


class Beholder:
    """Looks at pages one by one: what axe finds on each, and a picture where one is wanted."""

    def __init__(self, watched: WatchedPage, name: str) -> None:
        self.watched, self.name = watched, name
        self.found: dict[str, list[str]] = {}

    def look(self, page: str) -> None:
        self.found[page] = violations(self.watched)
        assert self.watched.sideways_scroll == 0, page
        if PICTURES:
            number = len(self.found)
            path = Path(PICTURES) / f"{self.name}-{number:02}-{page.replace(' ', '-')}.png"
            self.watched.page.screenshot(path=path, full_page=True)


def look_at_every_page(beholder: Beholder, site: Site, study: str, language: str) -> None:
    """From the first look to a study without a place left."""
    watched, look = beholder.watched, beholder.look
    page = watched.page
    link, other, failing, late, revoked = site.invite(study, 5)
    site.manage("revoke_invitation", study, revoked, "--because", "tried")
    for name, address in (
        ("index", site.url), ("not found", f"{site.url}/invitation/nobody/"), ("revoked", revoked),
    ):  # fmt: skip
        page.goto(address)
        look(name)
    page.goto(other)
    with page.expect_navigation():
        page.locator("button.quiet").click()
    look("declined")
    page.goto(link)
    look("welcome")
    watched.submit()
    look("instructions")
    watched.submit()
    look_at_practice_and_check(beholder, language)
    look("page 1")
    watched.submit()
    look("page 1 with faults")
    page.locator(".instructions summary").click()
    look("page 1 with instructions")
    watched.write_words("one", "two")
    look("page 2")
    watched.submit()
    look("page 2 with a fault")
    page.locator("input[value=cannot]").check()
    look("page 2 not to be judged")
    watched.rate(3)
    look("thanks")
    page.get_by_role("link").last.click()
    look("withdraw")
    watched.begin(failing)
    for _ in range(2):
        watched.choose(wrong_answers(language))
    look("screened out")
    watched.begin(other)
    page.goto(late)
    look("no place left")
    page.goto(link)
    page.get_by_role("link").last.click()
    watched.submit()
    look("withdrawn")


def look_at_practice_and_check(beholder: Beholder, language: str) -> None:
    watched, look = beholder.watched, beholder.look
    look("practice 1")
    watched.write_words("one", "two")
    look("practice 2")
    watched.rate(3)
    look("practice answer")
    watched.submit()
    look("check")
    watched.choose(wrong_answers(language))
    look("check with faults")
    watched.choose([question.right for question in read_check(check_text(language))])


@pytest.mark.parametrize("language", ["en", "hr", "sl", "fi", "ar", "fa"])
def test_axe_finds_nothing(chromium, site: Site, tmp_path, language):
    stimuli = tmp_path / "data.tsv"
    stimuli.write_bytes(one_row(language))
    for study, size, colours in (("bright", DESKTOP, "light"), ("dim", PHONE, "dark")):
        prepare_study(site, study, language, stimuli, tmp_path)
        watched = WatchedPage(chromium, size, colours=colours)
        beholder = Beholder(watched, f"{language}-{study}")

        look_at_every_page(beholder, site, study, language)

        assert {name: rules for name, rules in beholder.found.items() if rules} == {}
        assert len(beholder.found) == 22
        direction = watched.page.locator("html").get_attribute("dir")
        assert direction == ("rtl" if language in {"ar", "fa"} else "ltr")


def prepare_study(site: Site, study: str, language: str, stimuli: Path, folder: Path) -> None:
    """A study with everything that a page can show."""
    site.manage(
        "import_stimuli", stimuli, "--study", study, "--language", language,
        "--ratings-per-context", "1",
    )  # fmt: skip
    for kind, body in (("practice", practice_text(language)), ("check", check_text(language))):
        (folder / kind).write_text(body, encoding="utf-8")
        site.manage("set_text", study, kind, folder / kind)
    site.manage(
        "configure_study", study, "--check-tries", "2", "--cannot-judge",
        "--contact", "lab@example.org",
    )  # fmt: skip


def test_violations_are_seen(chromium):
    watched = WatchedPage(chromium, PHONE)
    watched.page.set_content("<html><body><input><p style='color: #ccc'>pale</p></body></html>")

    rules = {violation.split(":")[0] for violation in violations(watched)}
    assert {"label", "color-contrast", "html-has-lang"} <= rules
