"""axe finds nothing to mend on any page of an annotator, and none scrolls sideways."""

import re
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from surveys.models import TextKind
from surveys.study.texts import default_body, read_check
from tests.end_to_end.beholding import LOOKS, PHONE_LOOK, PICTURES, Beholder, violations
from tests.end_to_end.browsing import PHONE, WatchedPage
from tests.end_to_end.right_to_left import CHECK_TEXTS, PRACTICE_TEXTS, ROWS
from tests.end_to_end.site import ROOT, Site, opening
from tests.factories import stimuli_file

pytestmark = pytest.mark.either_database

LANGUAGES = ["en", "hr", "sl", "fi", "ar", "fa"]
# What a translation can break: the same pages are looked at by every rule in "en" and "ar".
OF_LANGUAGE = (
    "document-title", "html-has-lang", "html-lang-valid", "valid-lang", "label", "button-name",
    "link-name", "empty-heading",
)  # fmt: skip
PROLIFIC = "PROLIFIC_PID=5f5f&STUDY_ID=6a6a&SESSION_ID=7b7b"


def one_row(language: str, *, times: int = 1) -> bytes:
    """A stimuli file of one pair in the language, perhaps several times."""
    if language in ROWS:
        return stimuli_file(*[ROWS[language]] * times)
    header, row, *_ = (ROOT / f"demo/data_{language}.tsv").read_bytes().splitlines(keepends=True)
    return header + row * times


def check_text(language: str) -> str:
    return CHECK_TEXTS.get(language) or default_body(language, TextKind.CHECK)


def wrong_answers(language: str) -> list[int]:
    return [(question.right + 1) % 3 for question in read_check(check_text(language))]


def practice_text(language: str) -> str:
    return PRACTICE_TEXTS.get(language) or default_body(language, TextKind.PRACTICE)


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
    watched.follow(page.locator("button.quiet"))
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
    watched.follow(page.get_by_role("link").last)
    look("withdraw")
    watched.begin(failing)
    for _ in range(2):
        watched.choose(wrong_answers(language))
    look("screened out")
    watched.begin(other)
    page.goto(late)
    look("no place left")
    page.goto(link)
    watched.follow(page.get_by_role("link").last)
    watched.submit()
    look("asked once more")
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing(chromium, shared_site: Site, tmp_path, language):
    study = f"every-page-{language}"
    prepare_study(shared_site, study, language, tmp_path)
    is_first_of_its_direction = language in {"en", "ar"}
    looks = LOOKS if PICTURES or is_first_of_its_direction else [PHONE_LOOK]
    rules = () if is_first_of_its_direction else OF_LANGUAGE
    beholder = Beholder(chromium, looks, language, rules)

    look_at_every_page(beholder, shared_site, study, language)

    assert beholder.complaints == {}
    assert len(beholder.found) == 23 * len(looks)
    direction = beholder.watched.page.locator("html").get_attribute("dir")
    assert direction == ("rtl" if language in {"ar", "fa"} else "ltr")


@pytest.mark.parametrize("language", LANGUAGES if PICTURES else ["en", "ar"])
def test_axe_finds_nothing_on_rarer_pages(chromium, shared_site: Site, tmp_path, language):
    study = f"rarer-pages-{language}"
    open_link, prolific, link = prepare_two_blocks(shared_site, study, language, tmp_path)
    looks = LOOKS if PICTURES else [LOOKS[language == "ar"]]
    beholder = Beholder(chromium, looks, f"{language}-rarer")

    beholder.watched.page.goto(open_link)
    beholder.look("welcome by the open link")
    change_consent(shared_site, study, tmp_path)
    beholder.watched.submit()
    beholder.look("welcome that has changed")
    look_at_addresses_with_faults(beholder, prolific)
    look_at_offer(beholder, shared_site, study, prolific)
    look_at_an_end(beholder, shared_site, study, link)
    look_at_failure(beholder, shared_site, language)

    assert beholder.complaints == {}
    assert len(beholder.found) == 11 * len(looks)


def prepare_two_blocks(site: Site, study: str, language: str, folder: Path) -> list[str]:
    """A study of one text a block, without practice; its open link, Prolific's and a personal one.

    Prolific's is without who is sent.
    """
    stimuli = folder / "data.tsv"
    stimuli.write_bytes(one_row(language, times=2))
    told = site.manage_all(
        ["import_stimuli", stimuli, "--study", study, "--language", language,
         "--ratings-per-context", "4", "--block-size", "1"],
        opening(study),
        ["set_text", study, "practice", "--empty"],
        ["configure_study", study, "--more-blocks", "--contact", "lab@example.org"],
        ["open_link", study],
        ["connect_prolific", study, "--completion-code", "C0FFEE"],
        ["invite_annotators", study],
    )  # fmt: skip
    return [address.partition("?")[0] for address in re.findall(rf"{site.url}/\S+", told)[-3:]]


def change_consent(site: Site, study: str, folder: Path) -> None:
    """Somebody sees one version of the text, and agrees when there is another."""
    consent = folder / "consent.md"
    consent.write_text(f"{default_body('en', TextKind.CONSENT)}\n\n2026", encoding="utf-8")
    site.manage("set_text", study, "consent", consent)


def look_at_addresses_with_faults(beholder: Beholder, prolific: str) -> None:
    beholder.watched.page.goto(prolific)
    beholder.look("address without ids")
    beholder.watched.page.goto(f"{prolific}?{'a&' * 1001}")
    beholder.look("unreadable request")


def look_at_offer(beholder: Beholder, site: Site, study: str, prolific: str) -> None:
    """Thanks with a code and an offer, which is then refused."""
    watched, look = beholder.watched, beholder.look
    watched.page.goto(f"{prolific}?{PROLIFIC}")
    watched.submit()
    look("instructions with a link")
    watched.submit()
    watched.write_words("one", "two")
    watched.rate(3)
    look("thanks with a code and more")
    site.manage("configure_study", study, "--no-more-blocks")
    watched.submit()
    look("no more after all")
    watched.page.goto(f"{prolific}?{PROLIFIC}1")
    look("known id on another submission")
    watched.page.get_by_role("textbox").fill("https://survey.example.org/survey/of-another/")
    watched.submit()
    look("own link of nobody here")


def look_at_an_end(beholder: Beholder, site: Site, study: str, link: str) -> None:
    beholder.watched.begin(link)
    site.manage("revoke_invitation", study, link, "--because", "tried")
    beholder.watched.page.goto(link)
    beholder.look("ended by the researchers")


def look_at_failure(beholder: Beholder, site: Site, language: str) -> None:
    """What the site sends when it fails, as it renders that: without a request."""
    with override(language):
        sent = render_to_string("500.html")
    page, address = beholder.watched.page, f"{site.url}/failure/"
    page.route(
        address, lambda route: route.fulfill(status=500, content_type="text/html", body=sent)
    )
    page.goto(address)
    beholder.look("failure")


def prepare_study(site: Site, study: str, language: str, folder: Path) -> None:
    """A study with everything that a page can show."""
    stimuli = folder / "data.tsv"
    stimuli.write_bytes(one_row(language))
    for kind, body in (("practice", practice_text(language)), ("check", check_text(language))):
        (folder / kind).write_text(body, encoding="utf-8")
    site.manage_all(
        ["import_stimuli", stimuli, "--study", study, "--language", language,
         "--ratings-per-context", "1"],
        *(["set_text", study, kind, folder / kind] for kind in ("practice", "check")),
        ["configure_study", study, "--check-tries", "2", "--cannot-judge"],
        opening(study),
    )  # fmt: skip


def test_violations_are_seen(chromium):
    watched = WatchedPage(chromium, PHONE)
    watched.page.set_content("<html><body><input><p style='color: #ccc'>pale</p></body></html>")

    rules = {violation.split(":")[0] for violation in violations(watched)}
    assert {"label", "color-contrast", "html-has-lang"} <= rules
