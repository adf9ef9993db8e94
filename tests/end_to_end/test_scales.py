"""Keyboard input on different scales."""

from decimal import Decimal

import pytest
from playwright.sync_api import Page

from tests.end_to_end.browser import DESKTOP, WatchedPage
from tests.end_to_end.site import Site

SCALES = {
    "0-9": (0, 9, 1),
    "1-7": (1, 7, 1),
    "0-6-by-2": (0, 6, 2),
    "0-10": (0, 10, 1),
    "0-100-by-2.5": (0, 100, 2.5),
    "1-5-by-0.5": (1, 5, 0.5),
    "minus-3-to-3": (-3, 3, 1),
    "0-1-by-0.1": (0, 1, 0.1),
}
LABELS = {"0": "apart", "5": "half-way", "10": "the same"}
MADE = f"""
from decimal import Decimal
from django.db import transaction
from surveys.study.design import configure_study
from surveys.participation.answers import record_engagement
from tests.factories.studies import make_study, start, whereabouts
with transaction.atomic():
    for slug, scale in {[*SCALES.items()]}:
        minimum, maximum, step = (Decimal(str(number)) for number in scale)
        study = make_study(2, slug=slug.replace(".", "_"),
                           scale_minimum=minimum, scale_maximum=maximum, scale_step=step)
        if slug == "0-10":
            study = configure_study(study, scale_labels={LABELS})
        assignment = start(study)
        record_engagement(whereabouts(assignment), "harvest", "moon")
        print(assignment.token)
"""
RATINGS = """
SELECT rating FROM surveys_response JOIN surveys_assignment ON surveys_assignment.id = assignment_id
WHERE token = '{token}' ORDER BY position
"""


@pytest.fixture(scope="module")
def surveys(shared_site) -> dict[str, str]:
    """Return the address of an assignment on each scale, whose first item is at page 2."""
    tokens = shared_site.manage("shell", "--no-imports", "-c", MADE).split()
    addresses = [f"{shared_site.url}/survey/{token}/" for token in tokens]
    return dict(zip(SCALES, addresses, strict=True))


@pytest.fixture
def rating_page(chromium, surveys, scale) -> WatchedPage:
    """Page 2 of the first item, on the test's scale."""
    watched = WatchedPage(chromium, DESKTOP)
    watched.page.goto(surveys[scale])
    watched.page.locator(".scale:focus").wait_for()
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
        ("0-9", "۷9", "9"),  # the second digit corrects the first
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
        ("0-10", "١٠7", 5, "5"),
        ("0-100-by-2.5", "2.5", 40, "100"),
        ("1-5-by-0.5", "2,5", 3, "2.5"),
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
