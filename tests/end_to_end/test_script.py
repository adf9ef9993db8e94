"""The script of annotator pages: keys, visible seconds, pasting, double clicks."""

from typing import Any

import pytest

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.site import Site

ANSWERS = """
SELECT written1, written2, rating, has_pasted_word1, has_pasted_word2,
       words_visible_seconds, rating_visible_seconds
FROM surveys_response JOIN surveys_assignment ON surveys_assignment.id = assignment_id
WHERE token = '{token}' AND engaged_at IS NOT NULL ORDER BY position
"""


@pytest.fixture
def item_page(chromium, new_survey) -> WatchedPage:
    """A page at the first item of an assignment."""
    watched = WatchedPage(chromium, DESKTOP)
    watched.page.goto(new_survey())
    return watched


def first_answer(site: Site, watched: WatchedPage) -> tuple[Any, ...]:
    """Return the stored first answer of a page's assignment."""
    token = watched.page.url.removeprefix(site.url).split("/")[2]
    return site.query(ANSWERS.format(token=token))[0]


def test_a_digit_chooses_a_point_and_enter_sends_it(shared_site, item_page):
    item_page.write_words("harvest", "moon")
    page = item_page.page

    page.keyboard.press("4")
    page.keyboard.press("7")  # the scale ends at 6
    assert page.locator('input[value="4"]').is_checked()
    assert page.evaluate("scrollY") == 0
    with page.expect_navigation():
        page.keyboard.press("Enter")

    assert page.get_by_text("Text 2 of ").is_visible()
    assert float(first_answer(shared_site, item_page)[2]) == 4
    assert item_page.complaints == []


def test_digits_are_heard_on_the_whole_page(item_page):
    item_page.write_words("harvest", "moon")
    page = item_page.page
    assert page.locator(":focus").count() == 0  # screen readers begin with the text

    page.locator("h1").click()
    page.keyboard.press("4")
    assert page.locator("input:checked").get_attribute("value") == "4"
    page.get_by_text("Instructions", exact=True).focus()
    page.keyboard.press("5")
    assert page.locator("input:checked").get_attribute("value") == "5"
    press = """key => document.activeElement.dispatchEvent(
        new KeyboardEvent("keydown", {key, bubbles: true}))"""
    for digits in ("0123456", "٠١٢٣٤٥٦", "۰۱۲۳۴۵۶"):  # of every keyboard
        for value, digit in enumerate(digits):
            page.evaluate(press, digit)
            assert page.locator("input:checked").get_attribute("value") == str(value)


def test_enter_moves_to_the_second_word_and_then_sends(shared_site, item_page):
    page = item_page.page
    first, second = page.get_by_label("First word"), page.get_by_label("Second word")
    assert first.evaluate("field => field === document.activeElement")
    assert first.get_attribute("aria-describedby") == "text"

    page.keyboard.type("harvest")
    page.keyboard.press("Enter")
    assert second.evaluate("field => field === document.activeElement")
    assert first.get_attribute("aria-describedby") is None
    page.keyboard.type("moon")
    with page.expect_navigation():
        page.keyboard.press("Enter")

    assert page.get_by_role("heading", name="Compare two words").is_visible()


def test_nothing_is_focused_on_touch_screens(chromium, new_survey):
    page = chromium.new_context(has_touch=True, is_mobile=True).new_page()
    page.goto(new_survey())

    assert page.locator(":focus").count() == 0


def test_enter_without_a_choice_says_what_is_missing_unless_it_is_held_down(item_page):
    page = item_page.page
    sent: list[str] = []
    page.get_by_label("First word").fill("harvest")
    page.get_by_label("Second word").fill("moon")
    with page.expect_navigation():
        page.keyboard.down("Enter")
    page.on("request", lambda request: sent.append(request.url))

    page.keyboard.down("Enter")  # still held
    page.keyboard.up("Enter")
    page.keyboard.press("Tab")
    page.locator('input[value="3"]').dispatch_event("keydown", {"key": "Enter", "repeat": True})
    assert sent == []
    page.keyboard.press("Enter")  # on a point that is not chosen

    page.get_by_role("alert").wait_for()
    assert page.get_by_role("alert").inner_text() == "Please choose a number from 0 to 6."
    assert page.get_by_role("alert").evaluate("alert => alert === document.activeElement")
    assert page.title().startswith("Please correct your answer")


def test_the_keys_are_named_where_there_are_keys(chromium, item_page):
    item_page.write_words("harvest", "moon")
    assert item_page.page.get_by_text("Tip: press 0–6, then Enter.").is_visible()

    page = chromium.new_context(has_touch=True, is_mobile=True).new_page()
    page.goto(item_page.page.url)

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


def test_pasting_and_visible_time_are_recorded(shared_site, item_page):
    page = item_page.page
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
    item_page.submit()
    item_page.write_words("harvest", "moon")
    item_page.rate(2)

    word1, word2, _, pasted1, pasted2, *seconds = first_answer(shared_site, item_page)
    assert (word1, word2, bool(pasted1), bool(pasted2)) == ("harvest", "moon", False, True)
    assert seconds[0] >= 1
    assert 0 <= seconds[1] < seconds[0]


def test_a_double_click_on_a_wrong_answer_to_the_check_shows_why(chromium, new_survey):
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    page.goto(new_survey("checked"))
    for number in range(3):
        page.locator(f'input[name="question{number}"][value="0"]').check()

    page.locator("form button").dblclick(no_wait_after=True)

    page.get_by_role("alert").first.wait_for()
    assert page.get_by_role("alert").count() == 2
    assert page.get_by_text("You have 2 tries.").is_visible()  # one is used up, of 3


def test_a_double_click_sends_one_answer_and_back_opens_the_form_again(item_page):
    page = item_page.page
    sent: list[str] = []
    page.on("request", lambda r: sent.append(r.url) if r.method == "POST" else None)
    page.get_by_label("First word").fill("harvest")
    page.get_by_label("Second word").fill("moon")

    with page.expect_navigation():
        page.locator("form button").dblclick(no_wait_after=True)
    assert len(sent) == 1

    page.go_back()
    item_page.rate(1)
    assert page.get_by_text("Text 2 of ").is_visible()


@pytest.mark.parametrize("aim", ["form button", ".points label"])
def test_the_second_half_of_a_double_click_does_nothing_on_the_next_page(item_page, aim):
    item_page.write_words("harvest", "moon")
    page = item_page.page
    sent: list[str] = []
    page.on("request", lambda r: sent.append(r.url) if r.method == "POST" else None)
    page.locator(aim).first.hover()

    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    assert page.locator("input:checked").count() == 0
    assert sent == []

    item_page.rate(1)
    assert page.get_by_text("Text 2 of ").is_visible()


# A study that sends choices


@pytest.fixture
def quick_page(chromium, new_survey) -> WatchedPage:
    """Page 2 of the first item of a study that sends choices, whose time tests can move on."""
    watched = WatchedPage(chromium, DESKTOP)
    watched.page.clock.install()
    watched.page.goto(new_survey("quick"))
    watched.write_words("harvest", "moon")
    return watched


def test_a_choice_is_sent_after_a_moment(shared_site, quick_page):
    page = quick_page.page
    page.keyboard.press("4")
    page.get_by_text("Sending 4 …").wait_for()
    page.keyboard.press("5")  # meanwhile
    page.get_by_text("Sending 5 …").wait_for()

    page.clock.fast_forward(2_000)
    page.get_by_text("Text 2 of ").wait_for()

    assert float(first_answer(shared_site, quick_page)[2]) == 5


@pytest.mark.parametrize("way", ["Escape", "Undo"])
def test_a_choice_can_be_stopped_before_it_is_sent(shared_site, quick_page, way):
    page = quick_page.page
    page.locator('input[value="4"]').click()
    page.get_by_text("Sending 4 …").wait_for()

    if way == "Undo":
        page.get_by_role("button", name="Undo").click()
        assert page.locator("input:checked").count() == 0
    else:
        page.keyboard.press("Escape")
    page.clock.fast_forward(60_000)

    assert page.get_by_text("Sending").count() == 0
    assert first_answer(shared_site, quick_page)[2] is None


def test_arrow_keys_send_nothing(shared_site, quick_page):
    page = quick_page.page
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.clock.fast_forward(60_000)

    assert page.get_by_text("Sending").count() == 0
    assert first_answer(shared_site, quick_page)[2] is None


def test_a_judgement_takes_three_keys_or_three_clicks(shared_site, quick_page):
    """Not counting letters, in a study that sends choices."""
    page = quick_page.page
    page.keyboard.press("4")
    page.clock.fast_forward(2_000)
    page.get_by_text("Text 2 of ").wait_for()

    page.keyboard.type("harvest")
    page.keyboard.press("Enter")  # 1
    page.keyboard.type("moon")
    page.keyboard.press("Enter")  # 2
    page.get_by_role("heading", name="Compare two words").wait_for()
    page.keyboard.press("4")  # 3
    page.clock.fast_forward(2_000)
    page.get_by_text("Text 3 of ").wait_for()

    page.keyboard.type("harvest")
    page.get_by_label("Second word").click()  # 1
    page.keyboard.type("moon")
    page.get_by_role("button", name="Continue").click()  # 2
    page.get_by_role("heading", name="Compare two words").wait_for()
    page.locator('input[value="4"]').click()  # 3
    page.clock.fast_forward(2_000)
    page.get_by_text("Text 3 of ").wait_for(state="detached")


def test_the_last_rating_is_changed_by_its_link(shared_site, item_page):
    page = item_page.page
    item_page.write_words("harvest", "moon")
    item_page.rate(2)

    item_page.follow(page.get_by_role("link", name="Change the last answer"))
    assert page.locator("input:checked").get_attribute("value") == "2"
    page.keyboard.press("5")
    item_page.submit()

    assert page.get_by_text("Text 2 of").is_visible()
    assert float(first_answer(shared_site, item_page)[2]) == 5
    assert item_page.complaints == []


def test_both_word_fields_are_visible_on_a_phone(chromium, new_survey):
    watched = WatchedPage(chromium, PHONE)
    watched.page.goto(new_survey())
    n_texts = 0
    while watched.is_at("/words/"):  # from the second on there is a link to the last answer
        box = watched.page.get_by_label("Second word").bounding_box()
        assert box["y"] + box["height"] <= PHONE[1]
        assert box["height"] >= 44
        watched.write_words("harvest", "moon")
        watched.rate(2)
        n_texts += 1

    assert watched.is_at("/thanks/")
    assert n_texts in (3, 4)  # 14 pairs in blocks of at most 4


def test_the_personal_link_is_copied_by_a_button(chromium, shared_site):
    watched = WatchedPage(chromium, PHONE)
    page = watched.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(shared_site.manage("entrance", "link", "plain").split()[-1])
    watched.submit()  # agrees

    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()

    link = page.locator(".kept").get_attribute("href")
    assert page.evaluate("navigator.clipboard.readText()") == link
    assert watched.complaints == []


ZOOMED = (640, 400)  # 1280 × 800 at 200 %


def test_the_first_field_has_the_focus_only_where_it_is_in_view(chromium, new_survey):
    survey = new_survey()
    focused = {}
    for size in (DESKTOP, ZOOMED):
        watched = WatchedPage(chromium, size)
        watched.page.goto(survey)
        bottom = watched.page.get_by_label("First word").bounding_box()
        is_seen = bottom["y"] + bottom["height"] <= size[1]
        focused[is_seen] = watched.page.evaluate("document.activeElement.matches('input')")
        assert watched.page.evaluate("scrollY") == 0

    assert focused == {True: True, False: False}


def test_a_digit_does_not_scroll_the_question_away(chromium, new_survey):
    watched = WatchedPage(chromium, ZOOMED)
    page = watched.page
    page.goto(new_survey())
    watched.write_words("harvest", "moon")

    page.keyboard.press("3")

    where = "one => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom]"
    question, _ = page.locator("legend").evaluate(where)
    top, bottom = page.locator(".points label:has(:checked)").evaluate(where)
    assert 0 <= question < top
    assert 4 <= top < bottom <= ZOOMED[1] - 4  # with the ring around it


def test_links_below_a_page_are_high_enough_to_be_touched(chromium, new_survey):
    watched = WatchedPage(chromium, PHONE)
    watched.page.goto(new_survey())

    heights = [one.bounding_box()["height"] for one in watched.page.locator(".foot a").all()]

    assert len(heights) >= 2
    assert min(heights) >= 44
