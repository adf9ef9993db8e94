"""Keyboard input on different scales."""

from decimal import Decimal

import pytest
from playwright.sync_api import Page

from tests.end_to_end.browser import DESKTOP, WatchedPage
from tests.end_to_end.site import ROOT, Site, opening

pytestmark = pytest.mark.either_database

SCALES = {
    "0-9": ["0", "9"],
    "1-7": ["1", "7"],
    "0-6-by-2": ["0", "6", "--step", "2"],
    "0-10": ["0", "10"],
    "0-10-labelled": ["0", "10"],
    "0-100-by-10": ["0", "100", "--step", "10"],
    "0-100-by-2.5": ["0", "100", "--step", "2.5"],
    "1-5-by-0.5": ["1", "5", "--step", "0.5"],
    "minus-3-to-3": ["-3", "3"],
    "0-1-by-0.1": ["0", "1", "--step", "0.1"],
}
LABELS = ["--label", "0=apart", "--label", "5=half-way", "--label", "10=the same"]
RATINGS = """
SELECT rating FROM surveys_response JOIN surveys_assignment ON surveys_assignment.id = assignment_id
WHERE token = '{token}' ORDER BY position
"""


def name_study(scale: str) -> str:
    return f"scale-{scale.replace('.', '_')}"


@pytest.fixture(scope="module")
def links(shared_site) -> dict[str, list[str]]:
    """Return unused links to a study of each scale."""
    sheet = ROOT / "demo/data_en.tsv"
    options = ["--language", "en", "--ratings-per-context", "9", "--block-size", "4", "--scale"]
    studies = {scale: name_study(scale) for scale in SCALES}
    shared_site.manage_all(
        *(["import_stimuli", sheet, "--study", study, *options, *SCALES[scale]]
          for scale, study in studies.items()),
        ["configure_study", studies["0-10-labelled"], *LABELS],
        *(opening(study) for study in studies.values()),
    )  # fmt: skip
    return {scale: shared_site.invite(study, 3) for scale, study in studies.items()}


@pytest.fixture
def rating_page(chromium, links, request) -> WatchedPage:
    """Page 2 of the first item, on the test's scale."""
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    page.goto(links[request.getfixturevalue("scale")].pop())
    watched.submit()
    watched.submit()
    watched.write_words("harvest", "moon")
    page.locator('input[name="rating"]').first.check()
    watched.submit()
    watched.submit()
    watched.write_words("harvest", "moon")
    page.locator(".scale:focus").wait_for()
    return watched


def type_keys(page: Page, keys: str) -> None:
    """Press a key for each character; dispatch events for non-Western digits."""
    press = """key => document.activeElement.dispatchEvent(
        new KeyboardEvent("keydown", {key, bubbles: true}))"""
    for key in keys:
        if key.isascii():
            page.keyboard.press(key)
        else:
            page.evaluate(press, key)


def stored_rating(site: Site, watched: WatchedPage) -> Decimal | None:
    """Return the rating of the first text, or None before there is one."""
    token = watched.page.url.removeprefix(site.url).split("/")[2]
    (rating,), *_ = site.query(RATINGS.format(token=token))
    return None if rating is None else Decimal(str(rating))


@pytest.mark.parametrize(
    ("scale", "keys", "rating"),
    [
        ("0-9", "9", "9"),
        ("0-9", "90", "0"),  # the second digit corrects the first
        ("0-9", "۷", "7"),
        ("1-7", "0781", "1"),  # 0 and 8 are no points
        ("0-6-by-2", "45", "4"),
    ],
)
def test_a_digit_stores_its_point_where_every_point_is_one_digit(
    shared_site, rating_page, scale, keys, rating
):
    page = rating_page.page

    type_keys(page, keys)
    chosen = page.locator("input:checked").get_attribute("value")
    with page.expect_navigation():
        page.keyboard.press("Enter")

    assert (chosen, stored_rating(shared_site, rating_page)) == (rating, Decimal(rating))


@pytest.mark.parametrize(
    ("scale", "keys", "n_steps", "rating"),
    [
        ("0-10", "10", 10, "10"),
        ("0-10", "7", 3, "3"),
        ("0-10-labelled", "١٠", 5, "5"),
        ("0-100-by-10", "50", 5, "50"),
        ("0-100-by-10", "75", 1, "10"),
        ("0-100-by-2.5", "2.5", 40, "100"),
        ("1-5-by-0.5", "2.5", 3, "2.5"),
        ("1-5-by-0.5", "2,5", 0, "1"),
        ("minus-3-to-3", "-3", 1, "-2"),
        ("0-1-by-0.1", "0.1", 7, "0.7"),
    ],
)
def test_digits_store_nothing_where_a_point_is_longer_and_arrow_keys_do(
    shared_site, rating_page, scale, keys, n_steps, rating
):
    page = rating_page.page

    type_keys(page, keys)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    type_keys(page, keys)  # on a point that is not chosen
    assert page.locator("input:checked").count() == 0
    page.keyboard.press("Space")
    for _ in range(n_steps):
        page.keyboard.press("ArrowRight")
    type_keys(page, keys)  # on the one that is
    chosen = page.locator("input:checked").get_attribute("value")
    with page.expect_navigation():
        page.keyboard.press("Enter")

    assert (chosen, stored_rating(shared_site, rating_page)) == (rating, Decimal(rating))
