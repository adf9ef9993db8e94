"""Sending answers in the background: failures of the network, errors, what was typed."""

import re

import pytest
from playwright.sync_api import Page, Route

from tests.end_to_end.browser import DESKTOP, WatchedPage

OFFLINE = "No connection. Your answer is kept; we send it as soon as you are back."
TROUBLE = "This site has a problem. Your answer is kept; we keep trying to send it."


@pytest.fixture
def clocked_page(chromium, new_survey) -> WatchedPage:
    """A page at the first item of an assignment, whose time tests can move on."""
    watched = WatchedPage(chromium, DESKTOP)
    watched.page.clock.install()
    watched.page.goto(new_survey())
    return watched


def write(page: Page) -> None:
    page.get_by_label("First word").fill("harvest")
    page.get_by_label("Second word").fill("moon")


def press(page: Page) -> None:
    page.locator("main form button").click(no_wait_after=True)


def is_rating_page(page: Page) -> None:
    page.get_by_role("heading", name="Compare two words").wait_for()


def test_the_button_says_that_the_answer_is_being_sent(clocked_page):
    page = clocked_page.page
    held: list[Route] = []
    page.route("**/words/", lambda route: held.append(route))
    write(page)

    press(page)
    page.get_by_role("button", name="Sending …").wait_for()
    held[0].continue_()

    is_rating_page(page)
    assert clocked_page.complaints == []


@pytest.mark.parametrize("event", ["online", "time", "click"])
def test_an_answer_written_offline_is_sent_when_the_connection_is_back(clocked_page, event):
    page = clocked_page.page
    write(page)
    page.context.set_offline(True)
    press(page)
    page.get_by_text(OFFLINE).wait_for()
    assert page.get_by_label("First word").input_value() == "harvest"
    assert page.get_by_role("button", name="Continue").is_visible()

    if event == "online":
        page.context.set_offline(False)
    else:
        page.evaluate("window.addEventListener('online', e => e.stopImmediatePropagation(), true)")
        page.route("**/words/", lambda route: route.continue_())
        page.context.set_offline(False)
        page.clock.fast_forward(3_000) if event == "time" else press(page)

    is_rating_page(page)


@pytest.mark.parametrize("status", [500, 502, 503, 429])
def test_an_answer_that_the_server_could_not_take_is_sent_again(clocked_page, status):
    page = clocked_page.page
    write(page)
    page.route("**/words/", lambda route: route.fulfill(status=status, body="<h1>Down</h1>"))
    press(page)
    page.get_by_text(TROUBLE).wait_for()
    assert page.get_by_text(OFFLINE).count() == 0
    assert page.get_by_label("First word").input_value() == "harvest"
    page.clock.fast_forward(2_500)
    page.clock.fast_forward(4_500)
    page.unroute("**/words/")

    page.clock.fast_forward(60_000)

    is_rating_page(page)


def test_the_reason_follows_what_happens_at_each_attempt(clocked_page):
    page = clocked_page.page
    write(page)
    page.route("**/words/", lambda route: route.fulfill(status=503, body="<h1>Down</h1>"))
    press(page)
    page.get_by_text(TROUBLE).wait_for()
    page.unroute("**/words/")
    page.route("**/words/", lambda route: route.abort("internetdisconnected"))
    press(page)
    page.get_by_text(OFFLINE).wait_for()
    assert page.get_by_text(TROUBLE).count() == 0
    page.unroute("**/words/")

    press(page)

    is_rating_page(page)


def test_a_page_of_another_network_is_no_answer(clocked_page):
    """Such as the sign-in page of a hotel."""
    page = clocked_page.page
    write(page)
    sign_in = "<main><h1>Welcome to the hotel</h1></main>"
    page.route("**/words/", lambda r: r.fulfill(body=sign_in, content_type="text/html"))

    press(page)

    page.get_by_text(OFFLINE).wait_for()
    assert page.get_by_label("First word").input_value() == "harvest"


def test_an_answer_is_stored_once_when_its_acknowledgement_was_lost(clocked_page):
    page = clocked_page.page
    write(page)

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/words/", lose)
    press(page)
    page.get_by_text(OFFLINE).wait_for()
    page.unroute("**/words/")
    page.get_by_label("First word").fill("other")
    press(page)

    page.get_by_text("The first answer counts").wait_for()
    assert "harvest, moon" in page.locator("main").inner_text()


def test_what_was_typed_is_kept_from_the_first_letter_until_it_is_sent(clocked_page):
    page = clocked_page.page
    page.get_by_label("First word").press_sequentially("har")
    page.reload()
    assert page.get_by_label("First word").input_value() == "har"
    page.get_by_role("link", name="Pause or stop").click()
    page.get_by_role("link", name="Back to the").click()
    assert page.get_by_label("First word").input_value() == "har"

    clocked_page.write_words("harvest", "moon")
    assert page.evaluate("sessionStorage.length") == 0
    page.keyboard.press("3")
    page.reload()
    assert page.locator('input[value="3"]').is_checked()
    clocked_page.submit()

    assert page.get_by_label("First word").input_value() == ""
    assert page.evaluate("sessionStorage.length") == 0


def test_an_error_replaces_the_page_and_can_be_corrected(clocked_page):
    page = clocked_page.page
    page.get_by_label("First word").fill("two words")
    page.get_by_label("Second word").fill("moon")
    clocked_page.submit()

    field = page.get_by_label("First word")
    assert field.evaluate("field => field === document.activeElement")
    assert page.title().startswith("Please correct your answer")
    assert clocked_page.hosts
    clocked_page.write_words("harvest", "moon")
    is_rating_page(page)
    page.go_back()
    is_rating_page(page)


def test_an_ended_assignment_says_so(clocked_page):
    page, other = clocked_page.page, clocked_page.page.context.new_page()
    write(page)
    other.goto(re.sub(r"\d+/words/", "withdraw/", page.url))
    other.locator("main form button").first.click()
    other.locator("main form button").first.click()
    other.get_by_role("heading", name="You have withdrawn").or_(
        other.get_by_role("heading", name="This is the end")
    ).wait_for()

    clocked_page.submit()

    assert page.get_by_label("First word").count() == 0
    assert page.locator("h1").is_visible()
