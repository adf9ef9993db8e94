"""The review in headless Chromium: by keyboard, by two reviewers at once, and without scripts."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.page_checks import violations, violations_of_look
from tests.end_to_end.site import Site, open_site

N_PROCESSES = 2  # which may interfere
# A study for each test: pairs, annotators, and the percentage of answers judged twice.
STUDIES = {
    "keys": (8, 3, 0),
    "start": (3, 1, 0),
    "unfiled": (2, 1, 0),
    "two": (10, 2, 0),
    "again": (10, 1, 0),
    "signed-out": (2, 1, 0),
    "fetch": (4, 1, 0),
    "no-scripts": (2, 1, 0),
    "axe": (3, 2, 100),
}
MADE = f"""
from django.contrib.auth.models import User
from django.db import transaction
from tests.factories.clients import session_of
from surveys.access.roles import grant_role
from surveys.models import Role
from surveys.review.queue import file_answers
from surveys.review.verdicts import configure_review
from tests.factories.reviews import submit
from tests.factories.studies import make_study
with transaction.atomic():
    people = {{name: User.objects.create_user(name) for name in ("rea", "leo", "mia")}}
    for slug, (n_pairs, n_people, double) in {STUDIES}.items():
        study = make_study(n_pairs, slug=slug, language="tlh", ratings_per_context=9,
                           block_size=n_pairs)
        for number in range(n_people):
            submit(study, has_pasted_word1=number == 0)
        configure_review(study, sample_percent=100, double_percent=double)
        if slug != "unfiled":
            file_answers(study, at_most=10_000)
        for name, user in people.items():
            grant_role(study, user, Role.RESEARCHER if name == "mia" else Role.REVIEWER)
    for user in people.values():
        print(session_of(user))
"""
STANDING = "undone_at IS NULL"
OF_STUDY = """
SELECT {columns} FROM surveys_study JOIN surveys_review ON study_id = surveys_study.id {joined}
WHERE slug = '{study}' AND {condition} ORDER BY {order}
"""


@dataclass(frozen=True)
class Queue:
    """The review of one study, and the sessions of its reviewers."""

    site: Site
    study: str
    sessions: dict[str, str]

    def address(self, page: str = "") -> str:
        return f"{self.site.url}/console/studies/{self.study}/review/{page}"

    def visit(self, chromium, name: str, *, size=DESKTOP, **options) -> WatchedPage:
        """Open the queue as a reviewer."""
        watched = WatchedPage(chromium, size, **options)
        watched.visit_signed_in(self.address(), self.sessions[name])
        return watched

    def start(self, chromium, name: str, **options) -> WatchedPage:
        """Open the queue and claim the first answer."""
        watched = self.visit(chromium, name, **options)
        watched.follow(watched.page.get_by_role("button", name="Start reviewing"))
        return watched

    def verdicts(self, columns: str, condition: str = STANDING) -> list[tuple[Any, ...]]:
        """Return columns of the verdicts, in the order in which they were given."""
        return self._query("surveys_verdict", columns, condition)

    def is_judged_once(self, n_answers: int) -> bool:
        """Return whether this many answers have a verdict, each one."""
        judged = [review for (review,) in self.verdicts("review_id")]
        return len(judged) == len(set(judged)) == n_answers

    def count_claims(self) -> int:
        return len(self._query("surveys_reviewclaim", "until"))

    def list_ids(self) -> list[int]:
        """Return the ids of the reviews; the first is of a whole questionnaire."""
        statement = OF_STUDY.format(
            columns="surveys_review.id", joined="", study=self.study, condition="true", order=1
        )
        return [review for (review,) in self.site.query(statement)]

    def _query(self, table: str, columns: str, condition: str = "true") -> list[tuple[Any, ...]]:
        joined = f"JOIN {table} ON review_id = surveys_review.id"
        statement = OF_STUDY.format(
            columns=columns, joined=joined, study=self.study, condition=condition,
            order=f"{table}.id",
        )  # fmt: skip
        return self.site.query(statement)


@pytest.fixture(scope="module")
def queue_of(pristine, tmp_path_factory) -> Iterator[Callable[[str], Queue]]:
    """Gives the queue of a study; all studies are on one site."""
    with open_site(pristine, tmp_path_factory.mktemp("review"), N_PROCESSES) as site:
        printed = site.manage("shell", "--no-imports", "-c", MADE)
        sessions = dict(zip(("rea", "leo", "mia"), printed.split(), strict=True))
        yield lambda study: Queue(site, study, sessions)


def press(page: Page, keys: str) -> None:
    """Press keys one after the other, each as soon as there is an answer to judge."""
    for key in keys:
        page.locator("article:not([hidden]) .verdict:focus").wait_for()
        page.keyboard.press(key)


def wait_until_judged(page: Page) -> None:
    page.get_by_text("You have judged everything that you can").wait_for()


def judge_the_rest(page: Page) -> None:
    while True:
        page.locator("article:not([hidden]) .verdict:focus, main .lead").first.wait_for()
        if page.locator("main .lead").count():
            break
        page.keyboard.press("g")
    wait_until_judged(page)


def test_many_answers_by_keyboard_alone(chromium, queue_of):
    queue = queue_of("keys")
    watched = queue.start(chromium, "rea")

    press(watched.page, "g" * 9 + "u" * 8 + "z")
    press(watched.page, "u" * 1 + "g" * 6)
    press(watched.page, "r")
    watched.page.keyboard.type("gur: no words")  # keys in the reason are letters
    watched.page.keyboard.press("Enter")
    wait_until_judged(watched.page)

    assert queue.is_judged_once(24)
    assert len(queue.verdicts("kind", "true")) == 25  # undone verdicts stay stored
    kinds = Counter(kind for (kind,) in queue.verdicts("kind"))
    assert kinds == {"good": 15, "rejected": 1, "unused": 8}
    assert queue.verdicts("reason", "kind = 'rejected'") == [("gur: no words",)]
    assert watched.complaints == []
    assert len(watched.hosts) == 1


def test_opening_the_queue_claims_nothing_and_enter_starts_it(chromium, queue_of):
    queue = queue_of("start")
    page = queue.visit(chromium, "rea").page
    for path in ("questionnaires/", ""):
        page.goto(queue.address(path))
    assert page.locator("article").count() == 0
    assert queue.count_claims() == 0

    page.get_by_role("button", name="Start reviewing").and_(page.locator(":focus")).wait_for()
    page.keyboard.press("Enter")
    press(page, "ggg")
    wait_until_judged(page)

    assert queue.is_judged_once(3)
    assert queue.count_claims() == 0


def test_new_answers_are_looked_for_by_a_button(chromium, queue_of):
    queue = queue_of("unfiled")
    page = queue.visit(chromium, "rea").page

    page.get_by_role("button", name="Look for new answers").click()
    page.get_by_role("button", name="Start reviewing").click()
    judge_the_rest(page)

    assert queue.is_judged_once(2)


def test_two_reviewers_at_once_judge_everything_once(chromium, queue_of):
    queue = queue_of("two")
    rea, leo = (queue.start(chromium, name) for name in ("rea", "leo"))

    for watched in (rea, leo) * 5:
        press(watched.page, "g")
    for watched in (rea, leo):
        judge_the_rest(watched.page)

    assert queue.is_judged_once(20)
    assert rea.complaints + leo.complaints == []
    assert len(set(queue.verdicts("reviewer_id"))) == 2


def test_an_answer_judged_again_during_a_fetch_is_not_shown_again(chromium, queue_of):
    queue = queue_of("again")
    page = queue.start(chromium, "rea").page
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

    assert queue.is_judged_once(10)
    assert queue.verdicts("kind", f"{STANDING} AND kind = 'unused'") == [("unused",)]
    assert len(queue.verdicts("kind", "true")) == 11  # undone verdicts stay stored


def test_a_signed_out_reviewer_is_warned_and_loses_nothing(chromium, queue_of):
    queue = queue_of("signed-out")
    page = queue.start(chromium, "rea").page
    first = page.locator("article:not([hidden])").get_attribute("data-review")
    page.context.clear_cookies()

    press(page, "g")

    page.get_by_text("You are signed out").wait_for()
    assert page.locator("article:not([hidden])").get_attribute("data-review") == first
    assert queue.verdicts("kind") == []


def test_answers_that_could_not_be_fetched_are_requested_again(chromium, queue_of):
    queue = queue_of("fetch")
    page = queue.start(chromium, "rea").page
    faults = ["abort", "fulfill", "abort"]

    def fail(route: Route) -> None:
        if not faults:
            route.continue_()
        elif faults.pop() == "abort":
            route.abort()
        else:
            route.fulfill(status=503)

    page.route("**/more/", fail)
    page.goto(queue.address())

    press(page, "g")
    page.get_by_text("They are requested again").wait_for()
    press(page, "g")
    assert page.get_by_text("They are requested again").count() == 0
    judge_the_rest(page)

    assert faults == []
    assert queue.is_judged_once(4)


def test_review_without_scripts(chromium, queue_of):
    queue = queue_of("no-scripts")
    watched = queue.start(chromium, "rea", size=PHONE, scripts=False)
    page = watched.page

    watched.follow(page.get_by_role("button", name="Good"))
    watched.follow(page.get_by_role("button", name="Undo"))
    assert page.get_by_role("heading", name="Answer").is_visible()
    page.get_by_label("Reject, because").fill("copied")
    watched.follow(page.get_by_role("button", name="Reject"))
    watched.follow(page.get_by_role("button", name="Pay, exclude from data"))

    assert page.get_by_text("You have judged everything").is_visible()
    assert watched.sideways_scroll == 0
    assert queue.verdicts("kind") == [("rejected",), ("unused",)]


def test_axe_finds_nothing_on_the_pages_of_the_review(chromium, queue_of):
    queue = queue_of("axe")
    for name, key in (("rea", "g"), ("leo", "u")):
        press(queue.start(chromium, name).page, key * 3)
    whole, answer, *_ = queue.list_ids()
    pages = ["", "questionnaires/", "disputes/", "agreement/", "settings/"]
    watched = queue.visit(chromium, "mia")
    for page in (*pages, f"{whole}/", f"{answer}/"):
        watched.page.goto(queue.address(page))
        for size, colours, find in (
            (DESKTOP, "light", violations), (PHONE, "dark", violations_of_look),
        ):  # fmt: skip
            watched.appear(size, colours)
            assert find(watched) == [], page
            assert watched.sideways_scroll == 0, page
