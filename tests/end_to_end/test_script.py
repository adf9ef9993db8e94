"""The script of annotator pages: keys, visible seconds, pasting, double clicks."""

from typing import Any

import pytest

from tests.end_to_end.browser import DESKTOP, WatchedPage
from tests.end_to_end.site import Site

ANSWERS = """
SELECT inspired_word1, inspired_word2, rating, has_pasted_word1, has_pasted_word2,
       words_visible_seconds, rating_visible_seconds
FROM surveys_response JOIN surveys_assignment ON surveys_assignment.id = assignment_id
WHERE token = '{token}' AND engaged_at IS NOT NULL ORDER BY position
"""


@pytest.fixture
def watched(chromium, new_survey) -> WatchedPage:
    """A page at the first item of an assignment."""
    watched = WatchedPage(chromium, DESKTOP)
    watched.page.goto(new_survey())
    return watched


def first_answer(site: Site, watched: WatchedPage) -> tuple[Any, ...]:
    """Return the stored first answer of a page's assignment."""
    token = watched.page.url.removeprefix(site.url).split("/")[2]
    return site.query(ANSWERS.format(token=token))[0]


def test_a_digit_chooses_a_point_and_enter_sends_it(shared_site, watched):
    watched.write_words("harvest", "moon")
    page = watched.page

    page.keyboard.press("4")
    page.keyboard.press("7")  # the scale ends at 6
    assert page.locator('input[value="4"]').is_checked()
    assert page.evaluate("scrollY") == 0
    with page.expect_navigation():
        page.keyboard.press("Enter")

    assert page.get_by_text("Text 2 of ").is_visible()
    assert float(first_answer(shared_site, watched)[2]) == 4
    assert watched.complaints == []


def test_keys_choose_a_point_only_while_the_focus_is_in_the_scale(watched):
    watched.write_words("harvest", "moon")
    page = watched.page

    page.locator("h1").click()
    page.keyboard.press("4")
    page.get_by_text("Instructions", exact=True).focus()
    page.keyboard.press("4")

    assert page.locator("input:checked").count() == 0
    page.locator("legend").click()  # the focus is in the scale again
    page.keyboard.press("4")
    assert page.locator('input[value="4"]').is_checked()
    press = 'scale.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}))'
    for digits in ("0123456", "٠١٢٣٤٥٦", "۰۱۲۳۴۵۶"):  # of every keyboard
        for value, digit in enumerate(digits):
            page.locator(".scale").evaluate(f"(scale, key) => {press}", digit)
            assert page.locator("input:checked").get_attribute("value") == str(value)


def test_enter_sends_nothing_while_nothing_is_chosen_nor_while_it_is_held_down(watched):
    page = watched.page
    sent: list[str] = []
    page.get_by_label("First word").fill("harvest")
    page.get_by_label("Second word").fill("moon")
    with page.expect_navigation():
        page.keyboard.down("Enter")
    page.locator(".scale:focus").wait_for()
    page.on("request", lambda request: sent.append(request.url))

    page.keyboard.down("Enter")  # still held
    page.keyboard.up("Enter")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # on a point that is not chosen
    page.keyboard.press("3")
    page.locator('input[value="3"]').dispatch_event("keydown", {"key": "Enter", "repeat": True})

    assert page.locator('input[value="3"]').is_checked()
    assert sent == []


def test_the_keys_are_named_where_there_are_keys(chromium, watched):
    watched.write_words("harvest", "moon")
    assert watched.page.get_by_text("Keys 0–6 and Enter work, too.").is_visible()

    page = chromium.new_context(has_touch=True, is_mobile=True).new_page()
    page.goto(watched.page.url)

    assert page.locator(".keys").count() == 1
    assert not page.locator(".keys").is_visible()
    assert page.locator(":focus").count() == 0


def test_digits_in_the_words_and_in_a_comment_are_typed(chromium, new_survey):
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    page.goto(new_survey("commented"))
    page.get_by_label("First word").press_sequentially("x2")
    assert page.get_by_label("First word").input_value() == "x2"
    watched.write_words("harvest", "moon")
    page.get_by_label("I cannot judge this").check()

    page.get_by_label("Why?").press_sequentially("word 2 is cut")

    assert page.get_by_label("Why?").input_value() == "word 2 is cut"
    assert page.get_by_label("I cannot judge this").is_checked()


def test_pasting_and_visible_time_are_recorded(shared_site, watched):
    page = watched.page
    field = page.get_by_label("Second word")
    field.evaluate(
        """field => {
            const copied = new DataTransfer();
            copied.setData("text/plain", "moon");
            const pasting = {clipboardData: copied, bubbles: true};
            field.dispatchEvent(new ClipboardEvent("paste", pasting));
            field.value = "moon";
        }"""
    )
    page.wait_for_timeout(1200)  # visible time
    page.get_by_label("First word").fill("har vest")
    watched.submit()
    watched.write_words("harvest", "moon")
    watched.rate(2)

    word1, word2, _, pasted1, pasted2, *seconds = first_answer(shared_site, watched)
    assert (word1, word2, bool(pasted1), bool(pasted2)) == ("harvest", "moon", False, True)
    assert seconds[0] >= 1
    assert 0 <= seconds[1] < seconds[0]


def test_a_form_can_be_sent_again_after_it_was_stopped(watched):
    page = watched.page
    page.clock.install()
    page.get_by_label("First word").fill("harvest")
    page.get_by_label("Second word").fill("moon")
    page.route("**/words/", lambda route: route.abort("aborted"))  # as by the browser's "stop"
    with page.expect_event("requestfailed"):
        page.locator("form button").click(no_wait_after=True)
    page.unroute("**/words/")

    page.clock.fast_forward(10_000)
    watched.submit()

    assert page.get_by_role("heading", name="Compare two words").is_visible()


def test_a_double_click_on_a_wrong_answer_to_the_check_shows_why(chromium, new_survey):
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    page.goto(new_survey("checked"))
    for number in range(3):
        page.locator(f'input[name="question{number}"][value="0"]').check()

    with page.expect_navigation():
        page.locator("form button").dblclick(no_wait_after=True)

    assert page.get_by_text("You have 2 tries left.").is_visible()
    assert page.get_by_role("alert").count() == 2


def test_a_double_click_sends_one_answer_and_back_opens_the_form_again(watched):
    page = watched.page
    sent: list[str] = []
    page.on("request", lambda r: sent.append(r.url) if r.method == "POST" else None)
    page.get_by_label("First word").fill("harvest")
    page.get_by_label("Second word").fill("moon")

    with page.expect_navigation():
        page.locator("form button").dblclick(no_wait_after=True)
    assert len(sent) == 1

    page.go_back()
    watched.rate(1)
    assert page.get_by_text("Text 2 of ").is_visible()


def test_words_typed_offline_are_restored_by_going_back(chromium, shared_site, new_link):
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    watched.begin(new_link())  # back leads to the page before, as the browser's fault replaces this
    page.locator('[name="inspired_word1"]').fill("harvest")
    page.locator('[name="inspired_word2"]').fill("moon")
    page.context.set_offline(True)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("chrome-error://**")
    page.context.set_offline(False)

    page.go_back()

    assert page.locator('[name="inspired_word1"]').input_value() == "harvest"
    assert page.locator('[name="inspired_word2"]').input_value() == "moon"
    with page.expect_navigation():
        page.get_by_role("button", name="Continue").click()
    page.locator('label:has(input[value="2"])').click()
    with page.expect_navigation():
        page.get_by_role("button", name="Continue").click()
    assert list(first_answer(shared_site, watched)[:2]) == ["harvest", "moon"]
    assert page.locator('[name="inspired_word1"]').input_value() == ""
