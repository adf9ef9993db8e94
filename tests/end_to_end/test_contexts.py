"""From candidates to stimuli in headless Chromium: by keyboard, and without scripts on a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.page_checks import LOOKS, PageChecker
from tests.end_to_end.site import Site
from tests.factories.candidates import candidates_file

pytestmark = pytest.mark.needs("contexts")

SIGNED_IN = """
from django.contrib.auth.models import User
from tests.factories.clients import session_of
print(session_of(User.objects.create_user("ana")))
"""
CHOSEN = """
SELECT pair.word1, context.number, context.text, candidate."window" FROM surveys_context context
JOIN surveys_pair pair ON pair.id = context.pair_id
JOIN surveys_stimuliorigin origin ON origin.study_id = pair.study_id
JOIN contexts_candidatepair sought ON sought.study_id = pair.study_id AND sought.word1 = pair.word1
JOIN contexts_contextchoice choice ON choice.pair_id = sought.id AND choice.is_decisive
JOIN contexts_candidate candidate ON candidate.id =
  CASE context.number WHEN 1 THEN choice.candidate1_id ELSE choice.candidate2_id END
ORDER BY pair.position, context.number
"""


@pytest.fixture
def ana_session(site: Site) -> str:
    return site.manage("shell", "--no-imports", "-c", SIGNED_IN).strip()


@pytest.fixture
def upload(tmp_path: Path) -> Path:
    path = tmp_path / "candidates.parquet"
    path.write_bytes(candidates_file(4, 4))
    return path


def begin(watched: WatchedPage, site: Site, session: str, file: Path) -> None:
    """Create a study from the file, and open its first pair."""
    page = watched.page
    watched.visit_signed_in(f"{site.url}/console/", session)
    page.goto(f"{site.url}/console/new/")
    watched.follow(page.get_by_role("link", name="Begin with texts from a corpus"))
    page.get_by_label("Title").fill("Words")
    page.get_by_label("Language of the texts").fill("en")
    page.get_by_label("File with the candidates").set_input_files(file)
    watched.follow(page.get_by_role("button", name="Create study"))
    watched.follow(page.get_by_role("button", name="Start choosing"))


def key_of(page: Page, story: int) -> str:
    """Return the key of the candidate with a story."""
    card = page.locator(".candidate", has_text=f"Story {story} has")
    return card.get_attribute("data-key") or ""


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def is_at(page: Page, heading: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)


def is_ready(page: Page, pair: str) -> None:
    """Wait until the page of a pair takes keys."""
    is_at(page, pair)
    expect(page.locator("#picked")).to_have_text("Choose two texts.")


def test_an_expert_chooses_by_keys_and_the_draft_has_the_contexts(
    chromium, site, ana_session, upload
):
    watched = WatchedPage(chromium, DESKTOP)
    page, picked = watched.page, "#picked"
    begin(watched, site, ana_session, upload)

    is_ready(page, "alpha1 – beta1")
    first, second = key_of(page, 3), key_of(page, 1)
    press(page, second, first)
    expect(page.locator(picked)).to_have_text(f"Context 1: {second}, context 2: {first}")
    press(page, "x")
    expect(page.locator(picked)).to_have_text(f"Context 1: {first}, context 2: {second}")
    press(page, second)
    expect(page.locator(picked)).to_have_text(f"Context 1: {first}, context 2: –")
    press(page, second, "e")
    text = page.locator("textarea:focus")
    text.fill(text.input_value().replace("rains", "snows"))
    press(page, "1")  # a figure in the text, and no choice
    text.fill(text.input_value().removesuffix("1"))
    press(page, "Escape", "Enter")

    is_ready(page, "alpha2 – beta2")
    saved = page.get_by_role("region", name="Saved: alpha1 – beta1")
    expect(saved).to_contain_text("Context 2 edited")
    expect(saved).to_contain_text("0.300")
    press(page, "s", "3")
    is_ready(page, "alpha3 – beta3")
    press(page, "z")
    is_ready(page, "alpha2 – beta2")
    press(page, key_of(page, 4), key_of(page, 2), "Enter")
    is_ready(page, "alpha3 – beta3")
    press(page, "s", "Escape", key_of(page, 1), "Enter")
    expect(page.get_by_role("alert")).to_contain_text("Choose two texts")
    press(page, key_of(page, 2), "Enter")
    is_ready(page, "alpha4 – beta4")
    press(page, "s", "1")
    is_at(page, "Contexts")

    watched.follow(page.get_by_role("link", name="Use as stimuli"))
    watched.follow(page.get_by_role("button", name="Use as stimuli"))

    is_at(page, "Stimuli")
    expect(page.locator(".stimuli-rows tbody tr[id]")).to_have_count(3)
    rows = site.query(CHOSEN)
    assert [(word, number, window) for word, number, _, window in rows] == [
        ("alpha1", 1, "w1-3"), ("alpha1", 2, "w1-1"), ("alpha2", 1, "w2-4"),
        ("alpha2", 2, "w2-2"), ("alpha3", 1, "w3-1"), ("alpha3", 2, "w3-2"),
    ]  # fmt: skip
    assert rows[1][2] == "Story 1 has an alpha1 here. It snows. Then a beta1 comes."
    assert [line for line in watched.complaints if "422" not in line] == []


def test_without_scripts_on_a_phone_a_form_does_all_of_it(chromium, site, ana_session, upload):
    watched = WatchedPage(chromium, PHONE, scripts=False)
    page = watched.page
    begin(watched, site, ana_session, upload)

    card = page.locator(".candidate", has_text="Story 2 has")
    card.get_by_label("Context 1 is").check()
    other = page.locator(".candidate", has_text="Story 4 has")
    other.get_by_label("Context 2 is").check()
    watched.follow(page.get_by_role("button", name="Save"))
    is_at(page, "alpha2 – beta2")
    page.get_by_text("Skip the pair").click()
    watched.follow(page.get_by_role("button", name="Wrong sense"))
    is_at(page, "alpha3 – beta3")
    watched.follow(page.get_by_role("button", name="Undo"))
    is_at(page, "alpha2 – beta2")
    watched.follow(page.get_by_role("link", name="Contexts").first)
    watched.follow(page.get_by_role("link", name="Use as stimuli"))
    watched.follow(page.get_by_role("button", name="Use as stimuli"))

    assert [(number, window) for _, number, _, window in site.query(CHOSEN)] == [
        (1, "w1-2"), (2, "w1-4")
    ]  # fmt: skip


def test_axe_finds_nothing_on_the_pages_of_contexts(chromium, site, ana_session, upload):
    checker = PageChecker(chromium, LOOKS, "contexts")
    watched, page = checker.watched, checker.watched.page
    begin(watched, site, ana_session, upload)
    is_ready(page, "alpha1 – beta1")
    press(page, "1", "2", "e")
    checker.look("candidates")
    page.locator("textarea:focus").fill("No words.")
    watched.follow(page.get_by_role("button", name="Save"))
    checker.look("faulty edit")
    watched.follow(page.get_by_role("link", name="Open the pair again"))
    is_ready(page, "alpha1 – beta1")
    press(page, "1", "2", "Enter")
    is_ready(page, "alpha2 – beta2")
    press(page, "s")
    checker.look("next pair")
    for address in ("contexts/", "contexts/1/", "contexts/file/", "contexts/settings/",
                    "contexts/stimuli/", "open/"):  # fmt: skip
        page.goto(f"{site.url}/console/studies/words/{address}")
        checker.look(address)
    page.goto(f"{site.url}/console/new/contexts/")
    checker.look("new")

    assert checker.complaints == {}
