"""Recipes, descriptions and texts are written in forms: in a browser, with and without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.page_checks import violations, violations_of_look
from tests.end_to_end.site import Site

MADE = """
from django.contrib.auth.models import User
from django.db import transaction
from tests.factories.clients import session_of
from surveys.access.roles import grant_role
from surveys.models import Role
from tests.factories.studies import finish, make_study, start
with transaction.atomic():
    user = User.objects.create_user("writer")
    study = make_study(2, slug="forms", ratings_per_context=4)
    for rating in (1, 2, 1, 6, 2, 1, 2, 5):
        finish(start(study), rating=rating)
    grant_role(study, user, Role.OWNER)
    print(session_of(user))
"""
PAGES = (
    "results/toml/", "release/", "release/description/", "design/texts/practice/",
    "design/texts/check/",
)  # fmt: skip


@pytest.fixture(scope="session")
def owner_session(shared_site: Site) -> str:
    """Return the session of an owner of a study with ratings."""
    return shared_site.manage("shell", "--no-imports", "-c", MADE).strip()


@pytest.fixture
def visit_page(chromium, shared_site: Site, owner_session: str) -> Callable[..., WatchedPage]:
    """Opens a page of the study."""

    def visit(page: str, *, scripts: bool = True) -> WatchedPage:
        watched = WatchedPage(chromium, DESKTOP, scripts=scripts)
        watched.visit_signed_in(f"{shared_site.url}/console/studies/forms/{page}", owner_session)
        return watched

    return visit


def press(page: Page, label: str) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=label, exact=True).click()


@pytest.mark.parametrize("address", PAGES)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(address, visit_page):
    watched = visit_page(address)
    page = watched.page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    for size, find in ((DESKTOP, violations), (PHONE, violations_of_look)):
        watched.appear(size, "light")
        assert find(watched) == []
        assert watched.sideways_scroll == 0


@pytest.mark.parametrize("scripts", [True, False])
def test_the_effect_of_a_recipe_is_shown_before_it_is_run(visit_page, scripts):
    page = visit_page("results/?recipe=cosimlex", scripts=scripts).page
    page.get_by_label("Threshold").fill("0.5")

    press(page, "Show the effect")

    assert page.get_by_text("Effect of this recipe (not saved)").is_visible()
    assert page.get_by_label("Threshold").input_value() == "0.5"
    assert page.locator("#effect tbody tr").count() > 2


@pytest.mark.parametrize("scripts", [True, False])
def test_rows_are_added_and_removed(visit_page, scripts):
    page = visit_page("design/texts/check/", scripts=scripts).page
    before = page.locator("fieldset.entry").count()
    new = page.locator("fieldset.entry").last
    new.get_by_label("Question").fill("Which number is larger?")
    new.get_by_label("Answer 1").fill("one")
    new.get_by_label("Answer 2").fill("two")
    new.get_by_label("Right answer").select_option("2")
    new.get_by_label("Explanation of the rule").fill("Compare them.")
    press(page, "Save")
    assert page.locator("fieldset.entry").count() == before + 1

    page.get_by_label("Remove this question").nth(before - 1).check()
    press(page, "Save")

    assert page.locator("fieldset.entry").count() == before
    assert "Which number is larger?" not in page.locator("main").inner_text()


def test_steps_and_messages_follow_a_job(visit_page):
    page = visit_page("release/").page
    step = page.locator("nav.steps").get_by_role("listitem").filter(has_text="Release")
    press(page, "Create release")
    assert page.locator("[data-live][data-busy]").count() == 1
    assert "The release is being created" in page.locator(".messages").inner_text()

    page.locator(".messages").wait_for(state="detached", timeout=120_000)

    assert page.locator("[data-live] .badge").first.inner_text() == "Done"
    assert step.get_by_text("✓").count() == 1


def test_a_release_takes_three_clicks_and_no_toml(visit_page):
    page = visit_page("").page
    page.locator("nav.steps").get_by_role("link", name="Release").click()
    page.get_by_role("button", name="Create release").click()
    download = page.get_by_role("link", name="Download")
    download.first.wait_for(timeout=120_000)
    with page.expect_download() as started:
        download.first.click()

    assert started.value.suggested_filename.endswith(".zip")
