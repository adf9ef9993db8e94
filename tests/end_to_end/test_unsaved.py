"""Unsaved changes in the console are kept, warned of, and never lost silently."""

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.end_to_end.browser import DESKTOP, WatchedPage
from tests.end_to_end.site import Site

pytestmark = pytest.mark.either_database

PASSWORD = "correct horse battery"
MADE = f"""
from django.contrib.auth.models import User
from surveys.access.roles import grant_role
from surveys.models import Role, Run, Study
from tests.factories.studies import QUICK, make_study
study = make_study(2, slug="study", ratings_per_context=2)
Study.objects.update(opened_at=None, organisation="Lab", contact="lab@example.org")
grant_role(study, User.objects.create_user("ana", password="{PASSWORD}"), Role.OWNER)
Run.objects.create(
    study=study, kind="release", number=1, state="running", stage="counting", recipe=QUICK
)
"""
FAILED = "from surveys.models import Run; Run.objects.update(state='failed', error='No disk.')"
RATINGS = "Ratings per context"


@pytest.fixture
def made(site: Site) -> Site:
    """Return a site with a draft of two pairs, and a release of it in progress."""
    site.manage("shell", "--no-imports", "-c", MADE)
    return site


def sign_in(chromium, site: Site, **options) -> Page:
    page = WatchedPage(chromium, DESKTOP, **options).page
    page.goto(f"{site.url}/console/sign-in/?next=/console/studies/study/design/")
    page.fill("[name=username]", "ana")
    page.fill("[name=password]", PASSWORD)
    with page.expect_navigation():
        page.get_by_role("button", name="Sign in").click()
    return page


def press(page: Page, label: str) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=label, exact=True).click()


def refuse_to_leave(page: Page) -> list[str]:
    """Dismiss every dialog that asks whether to leave; return the types of dialogs shown."""
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    return asked


@pytest.mark.parametrize("scripts", [True, False])
def test_a_design_is_saved_before_the_study_is_opened(chromium, made, scripts):
    page = sign_in(chromium, made, scripts=scripts)
    page.get_by_label(RATINGS).fill("9")
    press(page, "Save and open…")

    assert page.url.endswith("/study/open/")
    assert "<dd>18 " in page.content()
    page.go_back()
    page.get_by_label(RATINGS).wait_for()
    assert page.get_by_label(RATINGS).input_value() == "9"
    page.go_forward()
    page.locator("[name=has_reviewed]").check()
    press(page, "Open the study")
    assert made.query("SELECT ratings_per_context FROM surveys_study") == [(9,)]


def test_an_invalid_design_is_not_opened(chromium, made):
    page = sign_in(chromium, made, scripts=False)
    page.get_by_label(RATINGS).fill("0")

    press(page, "Save and open…")

    assert page.url.endswith("/study/design/")
    assert page.get_by_label(RATINGS).input_value() == "0"
    assert page.get_by_text("greater than or equal to 1").count() == 1
    assert made.query("SELECT ratings_per_context FROM surveys_study") == [(2,)]


def test_leaving_a_page_with_unsaved_changes_shows_a_warning(chromium, made):
    page = sign_in(chromium, made)
    asked = refuse_to_leave(page)
    design = page.url
    page.get_by_label("Pay per hour").fill("12")  # a field that is not stored
    page.get_by_role("link", name="Log").click()
    page.wait_for_url("**/log/")
    page.goto(design)

    page.get_by_label(RATINGS).fill("9")
    expect(page.get_by_text("There are unsaved changes")).to_be_visible()
    page.get_by_role("link", name="Log").click()

    assert page.wait_for_function("document.readyState === 'complete'")
    assert (asked, page.url) == (["beforeunload"], design)
    assert page.get_by_label(RATINGS).input_value() == "9"
    press(page, "Calculate")
    page.get_by_role("link", name="Log").click()
    page.get_by_label(RATINGS).fill("2")
    press(page, "Save")
    page.get_by_role("link", name="Log").click()
    page.wait_for_url("**/log/")
    assert asked == ["beforeunload"] * 2


def test_typed_text_is_kept_while_a_release_is_created(chromium, made):
    page = sign_in(chromium, made)
    page.goto(page.url.replace("/design/", "/release/"))
    page.get_by_text("counting").first.wait_for()
    page.get_by_label("Description").fill("Half a description")

    made.manage("shell", "--no-imports", "-c", FAILED)

    page.locator("td", has_text="failed").first.wait_for()
    assert page.get_by_label("Description").input_value() == "Half a description"
