"""A HIT in the frame of the worker site, in a browser without third-party cookies."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from mturk_simulator.tests.stage import statuses
from tests.end_to_end.browser import CHROMIUM, OPTIONS, PHONE, WatchedPage
from tests.end_to_end.page_checks import PICTURES
from tests.end_to_end.site import Site
from tests.factories.studies import numbered_stimuli

NO_COOKIES_OF_OTHERS = "--test-third-party-cookie-phaseout"
PLAN = """
from surveys.models import Study
from surveys.crowd.mturk.publish import publish_batch
from tests.factories.batches import arm, plan
batch = arm(plan(Study.objects.get(), 1))
publish_batch(batch)
print(batch.hits.get().hit_id)
"""
ODD = "žito<&>"


@pytest.fixture
def strict_browser(browser: Browser, paid_site: Site) -> Iterator[Browser]:
    """Chromium with a new profile that blocks third-party cookies."""
    strict = browser.browser_type.launch(
        executable_path=CHROMIUM, args=[*OPTIONS, NO_COOKIES_OF_OTHERS]
    )
    yield strict
    strict.close()


@pytest.fixture
def hit_id(paid_site: Site, tmp_path) -> str:
    """The id of a HIT with one place in the simulator."""
    stimuli = tmp_path / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(1))
    paid_site.make_study(stimuli, "study", "--language", "en")
    return paid_site.manage("shell", "--no-imports", "--command", PLAN).strip()


def picture(page: Page, name: str) -> None:
    """Save a screenshot of the page if SCREENSHOTS=folder is set."""
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"frame-{name}.png", full_page=True)


def test_a_hit_is_previewed_answered_and_submitted(strict_browser, paid_site, stage, hit_id):
    watched = WatchedPage(strict_browser, PHONE)
    page = watched.page
    page.goto(stage.url)
    watched.follow(page.get_by_role("button", name="Add and work as them"))
    picture(page, "1-tasks")
    watched.follow(page.get_by_role("link", name="Preview"))
    task = page.frame_locator("iframe")
    task.get_by_text("Accept the HIT to begin.").wait_for()
    assert task.locator("form").count() == 0
    picture(page, "2-preview")
    watched.follow(page.get_by_role("button", name="Accept"))

    task.get_by_role("button", name="I agree").wait_for()
    picture(page, "3-consent")
    for button in ("I agree", "Continue"):
        task.get_by_role("button", name=button).click()
    for item in (1, 2):
        answer(page, "harvest", 3)
        task.get_by_role("heading", name="A good answer").wait_for()
        picture(page, f"4-practised-{item}")
        task.get_by_role("button", name="Continue").click()
    answer(page, ODD, 6)
    task.get_by_role("button", name="Hand in the HIT").wait_for()
    picture(page, "6-thanks")
    code = task.locator(".code").inner_text()
    add_field(page, "note", ODD)
    with page.expect_navigation(url="**/history/"):
        task.get_by_role("button", name="Hand in the HIT").click()
    picture(page, "7-history")

    client = stage.client()
    assert statuses(client, hit_id) == ["Submitted"]
    (found,) = client.list_assignments_for_hit(HITId=hit_id)["Assignments"]
    assert f"<FreeText>{code}</FreeText>" in found["Answer"]
    assert "<FreeText>&#382;ito&lt;&amp;&gt;</FreeText>" in found["Answer"]
    assert paid_site.query("SELECT written1, rating FROM surveys_response") == [(ODD, 6)]
    assert page.context.cookies() == []
    assert watched.hosts == {
        stage.url.removeprefix("http://"),
        paid_site.url.removeprefix("http://"),
    }
    assert [said for said in watched.complaints if not said.startswith("An iframe which")] == []


def answer(page: Page, word: str, rating: int) -> None:
    """Answer both pages of an item in the frame."""
    task = page.frame_locator("iframe")
    task.get_by_role("textbox").nth(0).fill(word)
    task.get_by_role("textbox").nth(1).fill("moon")
    picture(page, f"5-words-{rating}")
    task.locator("form button").first.click()
    task.locator(f'input[name="rating"][value="{rating}"]').check()
    picture(page, f"5-rating-{rating}")
    task.locator("form button").first.click()


def add_field(page: Page, name: str, value: str) -> None:
    """Add a field to the last form, so that more than a code is submitted."""
    form = page.frame_locator("iframe").locator("form").first
    form.evaluate(
        "(form, [name, value]) => form.append(Object.assign(document.createElement('input'),"
        " {type: 'hidden', name, value}))",
        [name, value],
    )
