"""Keyboard input on different scales, and the layout of their points."""

import io
from decimal import Decimal

import pytest
from PIL import Image
from playwright.sync_api import Page

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.site import Site

SCALES = {
    "0-9": (0, 9, 1),
    "1-7": (1, 7, 1),
    "0-6-by-2": (0, 6, 2),
    "0-10": (0, 10, 1),
    "0-100-by-10": (0, 100, 10),
    "1-5-by-0.5": (1, 5, 0.5),
    "minus-3-to-3": (-3, 3, 1),
    "0-1-by-0.1": (0, 1, 0.1),
    "0-100": (0, 100, 1),
    "0-10-by-0.5": (0, 10, 0.5),
    "minus-5-to-5": (-5, 5, 1),
    "labels": (1, 5, 1),
}
LABELS = {"0": "apart", "5": "half-way", "10": "the same"}
LABELS_OF_FEW = {"2": "a little", "3": "rather alike, and not the same"}
N_EACH = 12  # assignments of each study, one for each test
MADE = f"""
from decimal import Decimal
from django.db import transaction
from surveys.study.design import configure_study
from surveys.participation.answers import record_engagement
from tests.factories.studies import make_study, start, progress_of
with transaction.atomic():
    for slug, scale in {[*SCALES.items()]}:
        minimum, maximum, step = (Decimal(str(number)) for number in scale)
        study = make_study(2, slug=slug.replace(".", "_"), ratings_per_context={N_EACH},
                           scale_minimum=minimum, scale_maximum=maximum, scale_step=step)
        study = configure_study(study, allows_unjudgeable=slug == "0-100")
        if slug == "0-10-by-0.5":
            study = configure_study(study, scale_labels={LABELS})
        if slug == "labels":
            study = configure_study(study, scale_labels={LABELS_OF_FEW})
        for _ in range({N_EACH}):
            assignment = start(study)
            record_engagement(progress_of(assignment), "harvest", "moon")
            print(slug, assignment.token)
"""
RATINGS = """
SELECT {column} FROM surveys_response
JOIN surveys_assignment ON surveys_assignment.id = assignment_id
WHERE token = '{token}' ORDER BY position
"""


@pytest.fixture(scope="session")
def surveys(shared_site) -> dict[str, list[str]]:
    """Return addresses of assignments on each scale, whose first item is at page 2."""
    found: dict[str, list[str]] = {}
    for line in shared_site.manage("shell", "--no-imports", "-c", MADE).splitlines():
        slug, token = line.split()
        found.setdefault(slug, []).append(f"{shared_site.url}/survey/{token}/")
    return found


@pytest.fixture
def rating_page(chromium, surveys, scale) -> WatchedPage:
    """Page 2 of the first item, on the test's scale."""
    watched = WatchedPage(chromium, DESKTOP)
    watched.page.goto(surveys[scale].pop())
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


def stored_rating(site: Site, watched: WatchedPage, column: str = "rating") -> Decimal | str | None:
    """Return the rating of the first text (None before there is one), or another column."""
    token = watched.page.url.removeprefix(site.url).split("/")[2]
    (found,), *_ = site.query(RATINGS.format(token=token, column=column))
    return found if found is None or column != "rating" else Decimal(str(found))


@pytest.mark.parametrize(
    ("scale", "keys", "rating"),
    [
        ("0-9", "۷9", "9"),  # the second digit corrects the first
        ("1-7", "0781", "1"),  # 0 and 8 are no points
        ("0-6-by-2", "45", "4"),
        ("0-10", "10", "10"),
        ("0-10", "١٠", "10"),
        ("0-10", "1", "1"),
        ("0-100-by-10", "50", "50"),
        ("0-100-by-10", "100", "100"),
        ("1-5-by-0.5", "2.5", "2.5"),
        ("1-5-by-0.5", "4,5", "4.5"),
        ("1-5-by-0.5", "2", "2"),
        ("minus-3-to-3", "-3", "-3"),
        ("0-1-by-0.1", "0.1", "0.1"),
        ("0-100", "57", "57"),
        ("0-100", "100", "100"),
        ("0-10-by-0.5", "2,5", "2.5"),
    ],
)
def test_the_number_that_is_typed_is_stored(shared_site, rating_page, scale, keys, rating):
    page = rating_page.page

    type_keys(page, keys)
    with page.expect_navigation():
        page.keyboard.press("Enter")

    assert stored_rating(shared_site, rating_page) == Decimal(rating)


def test_a_digit_may_follow_late(shared_site, chromium, surveys):
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    page.clock.install()
    page.goto(surveys["0-10"].pop())

    page.keyboard.press("1")
    page.clock.fast_forward(60_000)
    page.keyboard.press("0")
    assert page.locator("input:checked").get_attribute("value") == "10"
    page.clock.fast_forward(60_000)
    page.keyboard.press("7")  # another number
    assert page.locator("input:checked").get_attribute("value") == "7"


@pytest.mark.parametrize(
    ("scale", "numbers"),
    [("0-10", ["11", "510"]), ("0-100-by-10", ["5", "55"]), ("1-5-by-0.5", ["2.7"]),
     ("minus-3-to-3", ["-"]), ("0-100", ["101", "5.5"])],
)  # fmt: skip
def test_a_number_that_is_no_point_stores_nothing_and_says_so(
    shared_site, rating_page, scale, numbers
):
    page = rating_page.page
    address = page.url

    for keys in numbers:
        page.goto(address)
        type_keys(page, keys)
        page.keyboard.press("Enter")

        page.get_by_role("alert").wait_for()
        assert page.get_by_role("alert").inner_text().startswith("Please choose")
        assert stored_rating(shared_site, rating_page) is None


@pytest.mark.parametrize(
    ("scale", "n_steps", "rating"),
    [("0-10", 5, "5"), ("1-5-by-0.5", 3, "2.5"), ("minus-3-to-3", 1, "-2")],
)
def test_arrow_keys_choose_points(shared_site, rating_page, scale, n_steps, rating):
    page = rating_page.page

    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    for _ in range(n_steps):
        page.keyboard.press("ArrowRight")
    with page.expect_navigation():
        page.keyboard.press("Enter")

    assert stored_rating(shared_site, rating_page) == Decimal(rating)


@pytest.mark.parametrize("scale", ["0-100"])
def test_an_untouched_slider_sends_nothing(shared_site, rating_page):
    page = rating_page.page
    slider = page.get_by_role("slider")
    assert slider.get_attribute("aria-valuetext") == "no number chosen"

    rating_page.submit()

    assert page.get_by_role("alert").inner_text() == "Please choose a number from 0 to 100."
    assert stored_rating(shared_site, rating_page) is None
    assert page.get_by_role("slider").is_visible()


NOT_CHOSEN = "Not chosen yet: tap the line, or type a number."


def test_the_page_says_that_nothing_is_chosen_until_something_is(chromium, surveys):
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    page.goto(surveys["0-100"][0])
    field = page.locator("#rating")
    assert page.get_by_text(NOT_CHOSEN).is_visible()

    field.fill("50")

    assert not page.get_by_text(NOT_CHOSEN).is_visible()
    field.fill("")
    assert page.get_by_text(NOT_CHOSEN).is_visible()


def test_the_keyboard_reaches_an_untouched_slider_only_by_its_field(chromium, surveys):
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    page.goto(surveys["0-100"][0])
    reached = "document.activeElement.className"

    page.keyboard.press("Tab")
    first = page.evaluate(reached)
    page.keyboard.press("Tab")
    assert ("number" in first, "slider" in page.evaluate(reached)) == (True, False)

    page.locator("#rating").fill("30")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert page.locator("#rating").input_value() == "31"


def test_the_slider_takes_a_tap(chromium, surveys):
    size = {"width": PHONE[0], "height": PHONE[1]}
    page = chromium.new_context(viewport=size, has_touch=True).new_page()
    page.goto(surveys["0-100"][0])

    page.get_by_role("slider").tap()

    assert page.locator("#rating").input_value() == "50"
    assert not page.get_by_text(NOT_CHOSEN).is_visible()
    page.context.close()


@pytest.mark.parametrize("forced", ["none", "active"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_slider_has_no_thumb_until_it_is_touched(chromium, surveys, forced, colours):
    context = chromium.new_context(color_scheme=colours, forced_colors=forced)
    page = context.new_page()
    page.goto(surveys["0-100"][0])

    contrast = []
    for number in ("", "50"):
        page.locator("#rating").fill(number)
        picture = Image.open(io.BytesIO(page.get_by_role("slider").screenshot())).convert("L")
        x, top = picture.width // 2, picture.height // 2 - 16  # of the thumb, above the track
        lowest, highest = picture.crop((x - 8, top - 2, x + 8, top + 4)).getextrema()
        contrast.append(highest - lowest)
    context.close()

    assert contrast[0] == 0
    assert contrast[1] > 60


@pytest.mark.parametrize("scale", ["0-100"])
def test_the_slider_and_the_field_show_the_same_number(shared_site, rating_page):
    page = rating_page.page
    slider, field = page.get_by_role("slider"), page.locator("#rating")
    box = slider.bounding_box()

    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert field.input_value() == "50"  # where it was already
    field.fill("80")
    assert slider.input_value() == slider.get_attribute("aria-valuetext") == "80"
    page.get_by_label("I cannot judge this").check()
    assert field.input_value() == ""
    slider.press("ArrowRight")  # only a pointer gets there
    assert field.input_value() == "81"
    assert not page.get_by_label("I cannot judge this").is_checked()
    rating_page.submit()

    assert stored_rating(shared_site, rating_page) == 81


def test_a_scale_of_many_points_needs_no_script(chromium, shared_site, surveys):
    watched = WatchedPage(chromium, PHONE, scripts=False)
    watched.page.goto(surveys["0-100"].pop())
    assert watched.page.get_by_role("slider").count() == 0

    watched.page.locator("#rating").fill("33")
    watched.submit()

    assert stored_rating(shared_site, watched) == 33


@pytest.mark.parametrize(
    ("scale", "n"),
    [("1-7", 7), ("0-9", 10), ("0-10", 11), ("minus-5-to-5", 11), ("0-1-by-0.1", 11)],
)
def test_points_are_in_one_line_on_every_screen(chromium, surveys, scale, n):
    watched = WatchedPage(chromium, DESKTOP)
    for width in (300, 320, 360, 1280):
        watched.page.set_viewport_size({"width": width, "height": 640})
        watched.page.goto(surveys[scale][0])

        boxes = [label.bounding_box() for label in watched.page.locator(".points label").all()]
        numbers = watched.page.locator(".figure")
        too_wide = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"

        assert (len(boxes), len({round(box["y"]) for box in boxes})) == (n, 1), width
        assert [box["x"] for box in boxes] == sorted(box["x"] for box in boxes)
        assert min(box["x"] for box in boxes) >= 0
        assert max(box["x"] + box["width"] for box in boxes) <= width
        assert min(box["width"] for box in boxes) >= 24
        assert min(box["height"] for box in boxes) >= 44
        assert (numbers.evaluate_all(too_wide), watched.sideways_scroll) == (0, 0)


@pytest.mark.parametrize(
    ("scripts", "layout", "same"), [(True, "column", "x"), (False, "row", "y")]
)
def test_on_a_phone_at_200_percent_the_layout_that_is_seen_is_stored(
    chromium, shared_site, surveys, scripts, layout, same
):
    watched = WatchedPage(chromium, (180, 320), scripts=scripts)
    watched.page.goto(surveys["0-10"].pop())
    for parts in (".points label", ".words-of"):  # labels of both ends are in one line, too
        boxes = [part.bounding_box() for part in watched.page.locator(parts).all()]
        assert len({round(box[same]) for box in boxes}) == 1

    watched.page.locator(".points label").nth(1).click()
    watched.submit()

    assert stored_rating(shared_site, watched, "scale_layout") == layout


@pytest.mark.parametrize("width", [320, 1280])
def test_points_with_a_label_each_are_in_a_column_on_every_screen(chromium, surveys, width):
    watched = WatchedPage(chromium, (width, 640))
    watched.page.goto(surveys["labels"][0])

    boxes = [label.bounding_box() for label in watched.page.locator(".points label").all()]

    assert len({round(box["x"]) for box in boxes}) == 1
    assert len({round(box["y"]) for box in boxes}) == 5
    assert min(box["height"] for box in boxes) >= 44


@pytest.mark.parametrize(
    ("scale", "scripts", "layout"),
    [("0-10", True, "row"), ("labels", True, "column"), ("0-100", True, "slider"),
     ("0-10", False, "row"), ("labels", False, "column"), ("0-100", False, "field")],
)  # fmt: skip
def test_the_layout_that_was_seen_is_stored(chromium, shared_site, surveys, scale, scripts, layout):
    watched = WatchedPage(chromium, PHONE, scripts=scripts)
    watched.page.goto(surveys[scale].pop())
    if layout in ("row", "column"):
        watched.page.locator(".points label").nth(1).click()
    else:
        watched.page.locator("#rating").fill("33")

    watched.submit()

    assert stored_rating(shared_site, watched, "scale_layout") == layout


@pytest.mark.parametrize(("width", "font_size"), [(360, 20), (412, 22)])
def test_seven_points_fit_a_phone_with_larger_text(chromium, surveys, width, font_size):
    watched = WatchedPage(chromium, (width, 740))
    page = watched.page
    settings = page.context.new_cdp_session(page)
    sizes = {"standard": font_size, "fixed": font_size}
    settings.send("Page.setFontSizes", {"fontSizes": sizes})

    page.goto(surveys["1-7"][0])

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = [point.bounding_box() for point in page.locator(".points label").all()]
    assert len(boxes) == 7
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)


def test_a_scale_of_examples_is_as_wide_as_the_text_around_it(chromium, new_link):
    watched = WatchedPage(chromium, PHONE)
    watched.page.goto(new_link())
    watched.submit()

    scale, label = (watched.page.locator(f".placed {part}").first for part in ("ol", "p"))

    assert scale.bounding_box()["x"] == label.bounding_box()["x"]
    assert watched.sideways_scroll == 0
