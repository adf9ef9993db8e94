"""No page of an annotator has axe violations or scrolls sideways."""

import re
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from surveys.models import TextKind
from surveys.study.exercises import read_check
from surveys.study.texts import default_body
from tests.end_to_end.annotators import begin
from tests.end_to_end.browser import PHONE, WatchedPage
from tests.end_to_end.page_checks import (
    LOOKS,
    PHONE_LOOK,
    PICTURES,
    Look,
    PageChecker,
    violations,
    violations_of_look,
)
from tests.end_to_end.right_to_left import ROWS
from tests.end_to_end.site import Site, opening
from tests.factories.studies import stimuli_file
from tests.machine import ROOT

# One language of each direction, each in another look; the Finnish words are the longest.
CHECKED = {"fi": [LOOKS[0]], "ar": [PHONE_LOOK]}
LANGUAGES = dict.fromkeys(["en", "hr", "sl", "fi", "ar", "fa"], LOOKS) if PICTURES else CHECKED
PROLIFIC = "PROLIFIC_PID=5f5f&STUDY_ID=6a6a&SESSION_ID=7b7b"


def one_row(language: str, *, times: int = 1) -> bytes:
    """Return a stimuli file with n copies of one pair in a language."""
    if language in ROWS:
        return stimuli_file(*[ROWS[language]] * times)
    header, row, *_ = (ROOT / f"demo/data_{language}.tsv").read_bytes().splitlines(keepends=True)
    return header + row * times


def right_answers(language: str) -> list[int]:
    return [question.right for question in read_check(default_body(language, TextKind.CHECK))]


def wrong_answers(language: str) -> list[int]:
    return [(right + 1) % 3 for right in right_answers(language)]


def look_at_every_page(checker: PageChecker, site: Site, links: list[str], language: str) -> None:
    """Visit all pages from the welcome page to a study without open places.

    The last of the five links is revoked.
    """
    watched, look = checker.watched, checker.look
    page = watched.page
    link, other, failing, late, revoked = links
    for name, address in (
        ("index", site.url), ("not found", f"{site.url}/invitation/nobody/"), ("revoked", revoked),
    ):  # fmt: skip
        page.goto(address)
        look(name)
    page.goto(other)
    watched.follow(page.locator("button.quiet"))
    look("declined")
    page.goto(link)
    look("welcome")
    watched.submit()
    look("instructions")
    watched.submit()
    look_at_practice_and_check(checker, language)
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
    watched.follow(page.get_by_role("link").last)
    look("withdraw")
    page.goto(begin(site, failing))
    for _ in range(2):
        watched.choose(wrong_answers(language))
    look("screened out")
    begin(site, other)
    page.goto(late)
    look("no place left")
    page.goto(link)
    watched.follow(page.get_by_role("link").last)
    watched.submit()
    look("asked once more")
    watched.submit()
    look("withdrawn")


def look_at_practice_and_check(checker: PageChecker, language: str) -> None:
    watched, look = checker.watched, checker.look
    for item in ("practice", "second practice"):
        look(f"{item} 1")
        watched.write_words("one", "two")
        look(f"{item} 2")
        watched.rate(3)
        look(f"{item} answer")
        watched.submit()
    look("check")
    watched.choose(wrong_answers(language))
    look("check with faults")
    watched.choose(right_answers(language))


@pytest.mark.parametrize(("language", "looks"), LANGUAGES.items(), ids=[*LANGUAGES])
def test_axe_finds_nothing(chromium, shared_site: Site, tmp_path, language: str, looks: list[Look]):
    links = prepare_study(shared_site, language, tmp_path)
    checker = PageChecker(chromium, looks, language)

    look_at_every_page(checker, shared_site, links, language)

    assert checker.complaints == {}
    assert len(checker.found) == 26 * len(looks)
    direction = checker.watched.page.locator("html").get_attribute("dir")
    assert direction == ("rtl" if language in {"ar", "fa"} else "ltr")


@pytest.mark.parametrize("language", LANGUAGES if PICTURES else ["ar"])
def test_axe_finds_nothing_on_rarer_pages(chromium, shared_site: Site, tmp_path, language: str):
    study = f"rarer-pages-{language}"
    open_link, prolific, link = prepare_two_blocks(shared_site, study, language, tmp_path)
    checker = PageChecker(chromium, LOOKS, f"{language}-rarer")
    watched, look = checker.watched, checker.look

    watched.page.goto(open_link)
    look("welcome by the open link")
    agreeing = watched.page
    watched.page = agreeing.context.new_page()
    begin(shared_site, link)
    watched.page.goto(prolific)
    look("address without ids")
    watched.page.goto(f"{prolific}?{'a&' * 1001}")
    look("unreadable request")
    look_at_offer(checker, prolific)
    change_study(shared_site, study, link, tmp_path)
    watched.submit()
    look("no more after all")
    look_at_known_id(checker, prolific)
    watched.page.goto(link)
    look("ended by the researchers")
    watched.page = agreeing
    watched.submit()
    look("welcome that has changed")
    look_at_failure(checker, shared_site, language)

    assert checker.complaints == {}
    assert len(checker.found) == 11 * len(LOOKS)


def prepare_two_blocks(site: Site, study: str, language: str, folder: Path) -> list[str]:
    """Create a study with one text per block and no practice; return its three kinds of links.

    The link of Prolific lacks the participant's id.
    """
    stimuli = folder / "data.tsv"
    stimuli.write_bytes(one_row(language, times=2))
    output = site.manage_all(
        ["import_stimuli", stimuli, "--study", study, "--language", language,
         "--ratings-per-context", "4", "--block-size", "1"],
        opening(study),
        ["set_text", study, "practice", "--empty"],
        ["configure_study", study, "--allows-more-blocks", "--contact", "lab@example.org"],
        ["entrance", "link", study],
        ["entrance", "prolific", study, "--completion-code", "C0FFEE"],
        ["invite_annotators", study],
    )  # fmt: skip
    return [address.partition("?")[0] for address in re.findall(rf"{site.url}/\S+", output)[-3:]]


def change_study(site: Site, study: str, link: str, folder: Path) -> None:
    """Save another consent text, take back the offer of more texts, and revoke a link."""
    consent = folder / "consent.md"
    consent.write_text(f"{default_body('en', TextKind.CONSENT)}\n\n2026", encoding="utf-8")
    site.manage_all(
        ["set_text", study, "consent", consent],
        ["configure_study", study, "--no-allows-more-blocks"],
        ["revoke_invitation", study, link, "--because", "tried"],
    )


def look_at_offer(checker: PageChecker, prolific: str) -> None:
    """Visit the last page with a code and an offer."""
    watched, look = checker.watched, checker.look
    watched.page.goto(f"{prolific}?{PROLIFIC}")
    watched.submit()
    look("instructions with a link")
    watched.submit()
    watched.write_words("one", "two")
    watched.rate(3)
    look("thanks with a code and more")


def look_at_known_id(checker: PageChecker, prolific: str) -> None:
    """Come with the id of an annotator on another submission, and name the link of nobody."""
    watched, look = checker.watched, checker.look
    watched.page.goto(f"{prolific}?{PROLIFIC}1")
    look("known id on another submission")
    watched.page.get_by_role("textbox").fill("https://survey.example.org/survey/of-another/")
    watched.submit()
    look("own link of nobody here")


def look_at_failure(checker: PageChecker, site: Site, language: str) -> None:
    """Return the page of a server error, rendered without a request."""
    with override(language):
        sent = render_to_string("500.html")
    page, address = checker.watched.page, f"{site.url}/failure/"
    page.route(
        address, lambda route: route.fulfill(status=500, content_type="text/html", body=sent)
    )
    page.goto(address)
    checker.look("failure")


def prepare_study(site: Site, language: str, folder: Path) -> list[str]:
    """Create a study that uses every feature of the pages; return links, the last revoked."""
    study = f"every-page-{language}"
    stimuli = folder / "data.tsv"
    stimuli.write_bytes(one_row(language))
    (folder / "people").write_text("revoked\n", encoding="utf-8")
    output = site.manage_all(
        ["import_stimuli", stimuli, "--study", study, "--language", language,
         "--ratings-per-context", "1"],
        ["configure_study", study, "--check-tries", "2", "--allows-unjudgeable"],
        opening(study),
        ["invite_annotators", study, "--count", "4"],
        ["invite_annotators", study, "--from", folder / "people"],
        ["revoke_invitation", study, "revoked", "--because", "tried"],
    )  # fmt: skip
    return re.findall(rf"{site.url}/invitation/\S+", output)


def test_violations_are_seen(chromium):
    watched = WatchedPage(chromium, PHONE)
    watched.page.set_content("<html><body><input><p style='color: #ccc'>pale</p></body></html>")

    rules = {violation.split(":")[0] for violation in violations(watched)}
    assert {"label", "color-contrast", "html-has-lang"} <= rules


def test_a_pale_text_among_others_of_its_class_is_seen(chromium):
    watched = WatchedPage(chromium, PHONE)
    rows = "<tr><td>one<td>two</tr>" * 3
    style = "<style>tr:nth-child(2) td + td { color: #ccc }</style>"
    watched.page.set_content(f"{style}<table>{rows}</table>")

    assert violations_of_look(watched) == ["color-contrast: <td>two</td>"]
