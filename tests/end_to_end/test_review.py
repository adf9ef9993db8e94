"""The review in headless Chromium: by keyboard, by two reviewers at once, and without scripts."""

import pytest
from playwright.sync_api import Page, Route

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.page_checks import COLOURS, violations
from tests.end_to_end.site import Site

N_PROCESSES = 2  # which may interfere
PASSWORD = "correct horse battery"
MADE = """
from django.contrib.auth.models import User
from django.db import transaction
from surveys.access.roles import grant_role
from surveys.review.queue import file_answers
from surveys.models import Role
from surveys.review.verdicts import configure_review
from tests.factories.studies import make_study
from tests.factories.reviews import submit
with transaction.atomic():
    study = make_study({n_pairs}, slug="study", language="tlh", ratings_per_context=9,
                       block_size={n_pairs})
    for number in range({n_people}):
        submit(study, has_pasted_word1=number == 0)
    configure_review(study, sample_percent=100, double_percent={double})
    file_answers(study, at_most=10_000)
    for name in ("rea", "leo", "mia"):
        user = User.objects.create_user(name, password="{password}")
        grant_role(study, user, Role.RESEARCHER if name == "mia" else Role.REVIEWER)
"""
UNFILED = """
from surveys.models import Assignment, Review
Review.objects.all().delete()
Assignment.objects.update(filed_at=None)
"""
STANDING = "SELECT count(*) FROM surveys_verdict WHERE undone_at IS NULL"
JUDGED = "SELECT count(DISTINCT review_id) FROM surveys_verdict WHERE undone_at IS NULL"


def prepare(site: Site, n_pairs: int, n_people: int, double: int = 0) -> None:
    made = {"n_pairs": n_pairs, "n_people": n_people, "double": double, "password": PASSWORD}
    site.manage("shell", "--no-imports", "-c", MADE.format(**made))


def sign_in(chromium, site: Site, name: str, **options) -> WatchedPage:
    watched = WatchedPage(chromium, options.pop("size", DESKTOP), **options)
    watched.page.goto(f"{site.url}/console/sign-in/")
    watched.page.fill("[name=username]", name)
    watched.page.fill("[name=password]", PASSWORD)
    with watched.page.expect_navigation():
        watched.page.get_by_role("button", name="Sign in").click()
    watched.page.goto(address(site))
    return watched


def start(*args, **options) -> WatchedPage:
    """Sign in and claim the first answer."""
    watched = sign_in(*args, **options)
    watched.follow(watched.page.get_by_role("button", name="Start reviewing"))
    return watched


def address(site: Site, page: str = "") -> str:
    return f"{site.url}/console/studies/study/review/{page}"


def one(site: Site, statement: str) -> int:
    return int(site.query(statement)[0][0])


def press(page: Page, keys: str) -> None:
    """Press keys one after the other, each as soon as there is an answer to judge."""
    for key in keys:
        page.locator("article:not([hidden]) .verdict:focus").wait_for()
        page.keyboard.press(key)


def wait_until_judged(page: Page) -> None:
    page.get_by_text("Everything is judged that you can judge").wait_for()


def judge_the_rest(page: Page) -> None:
    while True:
        page.locator("article:not([hidden]) .verdict:focus, main .lead").first.wait_for()
        if page.locator("main .lead").count():
            break
        page.keyboard.press("g")
    wait_until_judged(page)


@pytest.mark.either_database
def test_sixty_answers_by_keyboard_alone(chromium, site: Site):
    prepare(site, n_pairs=20, n_people=3)  # several fetches
    watched = start(chromium, site, "rea")

    press(watched.page, "g" * 29 + "u" * 20 + "z")
    press(watched.page, "u" * 1 + "g" * 10)
    press(watched.page, "r")
    watched.page.keyboard.type("gur: no words")  # keys in the reason are letters
    watched.page.keyboard.press("Enter")
    wait_until_judged(watched.page)

    assert one(site, STANDING) == one(site, JUDGED) == 60
    assert one(site, "SELECT count(*) FROM surveys_verdict") == 61  # undone verdicts stay stored
    kinds = site.query(f"{STANDING.replace('count(*)', 'kind, count(*)')} GROUP BY kind")
    assert sorted(kinds) == [("good", 39), ("rejected", 1), ("unused", 20)]
    assert site.query("SELECT reason FROM surveys_verdict WHERE kind = 'rejected'") == [
        ("gur: no words",)
    ]
    assert watched.complaints == []
    assert len(watched.hosts) == 1


@pytest.mark.either_database
def test_opening_the_queue_claims_nothing_and_enter_starts_it(chromium, site: Site):
    prepare(site, n_pairs=3, n_people=1)
    claims = "SELECT count(*) FROM surveys_reviewclaim"
    page = sign_in(chromium, site, "rea").page
    for path in ("", "questionnaires/", ""):
        page.goto(address(site, path))
    assert page.locator("article").count() == 0
    assert one(site, claims) == 0

    page.get_by_role("button", name="Start reviewing").and_(page.locator(":focus")).wait_for()
    page.keyboard.press("Enter")
    press(page, "ggg")
    wait_until_judged(page)

    assert one(site, STANDING) == one(site, JUDGED) == 3
    assert one(site, claims) == 0


@pytest.mark.either_database
def test_new_answers_are_looked_for_by_a_button(chromium, site: Site):
    prepare(site, n_pairs=2, n_people=1)
    site.manage("shell", "--no-imports", "-c", UNFILED)
    page = sign_in(chromium, site, "rea").page

    page.get_by_role("button", name="Look for new answers").click()
    page.get_by_role("button", name="Start reviewing").click()
    judge_the_rest(page)

    assert one(site, STANDING) == one(site, JUDGED) == 2


def test_two_reviewers_at_once_judge_everything_once(chromium, site: Site):
    prepare(site, n_pairs=20, n_people=2)
    rea, leo = (start(chromium, site, name) for name in ("rea", "leo"))

    for watched in (rea, leo) * 10:
        press(watched.page, "g")
    for watched in (rea, leo):
        judge_the_rest(watched.page)

    assert one(site, STANDING) == one(site, JUDGED) == 40
    assert rea.complaints + leo.complaints == []
    names = site.query("SELECT DISTINCT reviewer_id FROM surveys_verdict")
    assert len(names) == 2


@pytest.mark.either_database
def test_an_answer_judged_again_during_a_fetch_is_not_shown_again(chromium, site: Site):
    prepare(site, n_pairs=10, n_people=1)
    page = start(chromium, site, "rea").page
    page.locator("article").nth(6).wait_for(state="attached")  # fetched ahead
    fetched: list[Route] = []
    page.route("**/more/", lambda route: fetched.append(route))

    press(page, "ggg")
    last = page.locator("article:not([hidden])").get_attribute("data-review")
    with page.expect_response(f"**/review/{last}/"):
        press(page, "g")
    with page.expect_request("**/more/"):  # by a page without a pending verdict
        fetched.pop().continue_()
    with page.expect_response("**/undo/"):
        press(page, "z")
    answer = fetched[0].fetch()  # contains the reopened answer
    press(page, "u")
    fetched.pop().fulfill(response=answer)
    page.unroute("**/more/")
    judge_the_rest(page)

    assert one(site, STANDING) == one(site, JUDGED) == 10
    assert one(site, f"{STANDING} AND kind = 'unused'") == 1
    assert one(site, "SELECT count(*) FROM surveys_verdict") == 11  # undone verdicts stay stored


@pytest.mark.either_database
def test_a_signed_out_reviewer_is_warned_and_loses_nothing(chromium, site: Site):
    prepare(site, n_pairs=4, n_people=1)
    watched = start(chromium, site, "rea")
    first = watched.page.locator("article:not([hidden])").get_attribute("data-review")
    watched.page.context.clear_cookies()

    press(watched.page, "g")

    watched.page.get_by_text("You are signed out").wait_for()
    assert watched.page.locator("article:not([hidden])").get_attribute("data-review") == first
    assert one(site, STANDING) == 0


@pytest.mark.either_database
def test_answers_that_could_not_be_fetched_are_requested_again(chromium, site: Site):
    prepare(site, n_pairs=4, n_people=1)
    watched = start(chromium, site, "rea")
    faults = ["abort", "fulfill", "abort"]

    def fail(route: Route) -> None:
        if not faults:
            route.continue_()
        elif faults.pop() == "abort":
            route.abort()
        else:
            route.fulfill(status=503)

    watched.page.route("**/more/", fail)
    watched.page.goto(address(site))

    press(watched.page, "g")
    watched.page.get_by_text("They are requested again").wait_for()
    press(watched.page, "g")
    assert watched.page.get_by_text("They are requested again").count() == 0
    judge_the_rest(watched.page)

    assert faults == []
    assert one(site, STANDING) == one(site, JUDGED) == 4


@pytest.mark.either_database
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1280 px", "360 px"])
def test_review_without_scripts(chromium, site: Site, size):
    prepare(site, n_pairs=2, n_people=1)
    watched = start(chromium, site, "rea", size=size, scripts=False)
    page = watched.page

    watched.follow(page.get_by_role("button", name="Good"))
    watched.follow(page.get_by_role("button", name="Undo"))
    assert page.get_by_role("heading", name="Answer").is_visible()
    page.get_by_label("Reject, because").fill("copied")
    watched.follow(page.get_by_role("button", name="Reject"))
    watched.follow(page.get_by_role("button", name="Pay, but do not use"))

    assert page.get_by_text("Everything is judged").is_visible()
    assert watched.sideways_scroll == 0
    kinds = site.query("SELECT kind FROM surveys_verdict WHERE undone_at IS NULL ORDER BY id")
    assert kinds == [("rejected",), ("unused",)]


@pytest.mark.either_database
def test_axe_finds_nothing_on_the_pages_of_the_review(chromium, site: Site):
    prepare(site, n_pairs=3, n_people=2, double=100)
    for name, key in (("rea", "g"), ("leo", "u")):
        press(start(chromium, site, name).page, key * 3)
    for size, colours, rules in ((DESKTOP, "light", ()), (PHONE, "dark", COLOURS)):
        watched = sign_in(chromium, site, "mia", size=size, colours=colours)
        for page in ("", "questionnaires/", "disputes/", "agreement/", "settings/", "1/", "2/"):
            watched.page.goto(address(site, page))
            assert violations(watched, *rules) == [], page
            assert watched.sideways_scroll == 0, page
