"""A whole questionnaire in headless Chromium."""

import csv
import re

import pytest

from tests.end_to_end.annotators import begin
from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.machine import ROOT


@pytest.fixture(scope="module")
def dictionary_forms() -> set[tuple[str, str]]:
    """Return the marked words of the demo's texts with their dictionary forms."""
    lines = (ROOT / "demo/data_en.tsv").read_text("utf-8").splitlines()
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return {
        (row[f"{word}_{context}"], row[word])
        for row in rows
        for word in ("word1", "word2")
        for context in ("context1", "context2")
    }


@pytest.mark.parametrize(
    ("size", "scripts"),
    [(DESKTOP, True), (PHONE, False)],
    ids=["1280 px", "360 px without JavaScript"],
)
def test_a_whole_questionnaire(chromium, shared_site, new_link, dictionary_forms, size, scripts):
    watched = WatchedPage(chromium, size, scripts=scripts)
    page = watched.page
    watched.begin(new_link())
    total = int(re.search(r"Text 1 of (\d+)", page.inner_text("body"))[1])
    assert total in {3, 4}  # 14 pairs in blocks of 4 at most: 4, 4, 3, 3

    n_texts = 0
    while page.get_by_role("heading", name="Read the text").is_visible():
        n_texts += 1
        assert page.get_by_text(f"Text {n_texts} of {total}").is_visible()
        assert page.locator("blockquote strong, form strong").count() == 0
        assert watched.sideways_scroll == 0
        watched.write_words("harvest", "moon")

        forms = page.locator("blockquote strong").all_text_contents()
        named = page.locator("legend b").all_text_contents()
        assert len(forms) == len(named) == 2
        assert set(zip(forms, named, strict=True)) <= dictionary_forms
        assert watched.sideways_scroll == 0
        watched.rate(n_texts % 7)

    assert n_texts == total
    assert page.get_by_role("heading", name="Thank you").is_visible()
    assert watched.complaints == []
    assert watched.hosts == {shared_site.url.removeprefix("http://")}
    assert page.context.cookies() == []


def test_the_footer_is_one_line_where_it_fits(chromium, new_link):
    watched = WatchedPage(chromium, DESKTOP)
    watched.begin(new_link())
    count_lines = "(items) => new Set(items.map((item) => item.offsetTop)).size"
    items = watched.page.locator(".foot li")

    assert items.count() == 3
    assert items.evaluate_all(count_lines) == 1
    watched.appear(PHONE, "light")
    assert items.evaluate_all(count_lines) > 1
    assert watched.sideways_scroll == 0


def test_back_reload_and_a_second_tab_lead_to_the_due_page(chromium, new_survey):
    survey = new_survey()
    first = WatchedPage(chromium, PHONE)
    first.page.goto(survey)
    first_text = first.page.locator("blockquote").inner_text()

    second = WatchedPage(chromium, PHONE)
    second.page.goto(survey)
    assert second.page.locator("blockquote").inner_text() == first_text
    second.write_words("harvest", "moon")

    first.write_words("other", "words")
    told = first.page.get_by_text("answered in another tab already: \u2068harvest, moon\u2069")
    told.wait_for()
    first.page.get_by_role("link", name="Back to the study").click()
    assert first.page.locator("blockquote strong").count() == 2
    first.page.go_back()
    assert first.page.get_by_role("heading", name="Compare two words").is_visible()
    first.page.reload()
    first.rate(2)
    assert first.page.get_by_text("Text 2 of ").is_visible()

    second.rate(6)
    second.page.get_by_text("answered in another tab already: \u20682\u2069").wait_for()
    second.page.get_by_role("link", name="Back to the study").click()
    assert second.page.get_by_text("Text 2 of ").is_visible()
    assert second.page.get_by_role("heading", name="Read the text").is_visible()


def test_a_refused_answer_is_shown_with_its_error_and_back_leads_to_the_due_page(
    chromium, new_survey
):
    watched = WatchedPage(chromium, PHONE)
    page = watched.page
    page.goto(new_survey())

    watched.write_words("two words", "moon")

    alert = page.get_by_role("alert")
    assert alert.inner_text() == "Just one word here, please. If two belong together, use a hyphen."
    field = page.get_by_label("First word")
    assert field.input_value() == "two words"
    assert field.get_attribute("aria-invalid") == "true"
    assert field.get_attribute("aria-describedby") == alert.get_attribute("id")
    assert field.evaluate("field => field === document.activeElement")

    watched.write_words("harvest", "moon")
    assert page.get_by_role("heading", name="Compare two words").is_visible()
    page.go_back()
    assert page.get_by_role("heading", name="Compare two words").is_visible()

    watched.submit()
    assert alert.inner_text() == "Please choose a number from 0 to 6."
    watched.rate(3)
    page.go_back()
    watched.submit()

    assert page.get_by_text("Text 2 of ").is_visible()


def test_the_scale_fits_a_phone_at_twice_its_size(chromium, shared_site, new_link):
    """180 CSS pixels: a phone with 360 at 200 %."""
    watched = WatchedPage(chromium, (180, 370))
    link = new_link()
    watched.page.goto(link)
    assert watched.sideways_scroll == 0
    watched.page.goto(begin(shared_site, link))
    assert watched.sideways_scroll == 0
    watched.write_words("harvest", "moon")

    assert watched.sideways_scroll == 0
    boxes = [point.bounding_box() for point in watched.page.locator(".figure").all()]
    assert min(box["width"] for box in boxes) >= 40
    assert max(box["width"] for box in boxes) - min(box["width"] for box in boxes) < 1
    assert min(box["height"] for box in boxes) >= 44


def test_the_focus_shows_on_what_is_chosen_in_forced_colours(chromium, new_survey):
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    page.goto(new_survey())
    watched.write_words("harvest", "moon")
    page.emulate_media(forced_colors="active")

    def colours(value: int) -> list[str]:
        point = page.locator(f'input[value="{value}"] + span .figure')
        return point.evaluate(
            """point => {
                const {backgroundColor, outlineStyle, outlineOffset} = getComputedStyle(point);
                return [backgroundColor, outlineStyle, outlineOffset];
            }"""
        )

    plain = colours(4)
    page.keyboard.press("4")
    focused = colours(4)
    page.locator("h1").click()
    chosen = colours(4)

    assert focused[1:] == ["solid", "2px"]
    assert chosen[1] == plain[1] == "none"
    assert focused[0] == chosen[0] != plain[0]
    page.emulate_media(forced_colors="none")
    chosen = colours(4)
    page.locator('label:has(input[value="4"])').hover()
    assert colours(4) == chosen  # under the mouse, too, where it is after a click


def test_sideways_scroll_detects_too_wide_pages(chromium):
    watched = WatchedPage(chromium, PHONE, scripts=False)
    watched.page.set_content('<div style="width: 900px">wide</div>')

    assert watched.sideways_scroll > 500


def test_a_questionnaire_by_keyboard_alone(chromium, new_link):
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    page.goto(new_link())
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # opens the sample text
    page.get_by_text("Every answer is saved straight away").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # opens the notice
    page.get_by_text("When each page with a text was sent to you").wait_for()
    agree = page.get_by_role("button", name="I agree and take part")
    while not agree.evaluate("button => button === document.activeElement"):
        page.keyboard.press("Tab")  # past the contact, if the study names one
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Instructions").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("Practice: this does not count").wait_for()
    for _ in range(2):
        watched.write_words("harvest", "moon")
        watched.rate(3)
        watched.submit()
    page.keyboard.type("harvest")
    page.keyboard.press("Enter")
    page.keyboard.type("moon")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Compare two words").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("radio", name="1", exact=True).is_checked()
    page.keyboard.press("Enter")

    page.get_by_text("Text 2 of ").wait_for()
