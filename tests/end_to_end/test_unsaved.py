"""Unsaved changes in the console are kept, warned of, and never lost silently."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.end_to_end.browser import DESKTOP, WatchedPage
from tests.end_to_end.site import Site

STUDIES = ("scripts", "no-scripts", "invalid", "left", "release")  # one for each test
MADE = f"""
from django.contrib.auth.models import User
from django.db import transaction
from tests.factories.clients import session_of
from surveys.access.roles import grant_role
from surveys.models import Role, Study
from tests.factories.studies import QUICK, make_run, make_study
with transaction.atomic():
    user = User.objects.create_user("unsaved")
    for slug in {STUDIES}:
        study = make_study(2, slug=slug, ratings_per_context=2)
        Study.objects.filter(slug=slug).update(
            opened_at=None, organisation="Lab", contact="lab@example.org"
        )
        grant_role(study, user, Role.OWNER)
    make_run(study, "release", state="running", stage="counting", recipe=QUICK)
    print(session_of(user))
"""
FAILED = """
from surveys.models import Job
Job.objects.filter(study__slug="release").update(state="failed", error="No disk.")
"""
WANTED = "SELECT ratings_per_context FROM surveys_study WHERE slug = '{study}'"
RATINGS = "Ratings per context"


@pytest.fixture(scope="session")
def drafts_session(shared_site: Site) -> str:
    """Return the session of an owner of drafts of two pairs; one has a release in progress."""
    return shared_site.manage("shell", "--no-imports", "-c", MADE).strip()


@pytest.fixture
def visit(chromium, shared_site: Site, drafts_session: str) -> Callable[..., Page]:
    """Opens a page of a study, the design unless told."""

    def visit(study: str, page: str = "design", *, scripts: bool = True) -> Page:
        watched = WatchedPage(chromium, DESKTOP, scripts=scripts)
        url = f"{shared_site.url}/console/studies/{study}/{page}/"
        watched.visit_signed_in(url, drafts_session)
        return watched.page

    return visit


def ratings_wanted(site: Site, study: str) -> int:
    """Return the stored number of ratings per context."""
    return int(site.query(WANTED.format(study=study))[0][0])


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


@pytest.mark.parametrize("study", ["scripts", "no-scripts"])
def test_a_design_is_saved_before_the_study_is_opened(visit, shared_site, study):
    page = visit(study, scripts=study == "scripts")
    page.get_by_label(RATINGS).fill("9")
    press(page, "Save and open…")

    assert page.url.endswith(f"/{study}/open/")
    assert "<dd>18 " in page.content()
    page.go_back()
    page.get_by_label(RATINGS).wait_for()
    assert page.get_by_label(RATINGS).input_value() == "9"
    page.go_forward()
    page.locator("[name=has_reviewed]").check()
    press(page, "Open the study")
    assert ratings_wanted(shared_site, study) == 9


def test_an_invalid_design_is_not_opened(visit, shared_site):
    page = visit("invalid", scripts=False)
    page.get_by_label(RATINGS).fill("0")

    press(page, "Save and open…")

    assert page.url.endswith("/invalid/design/")
    assert page.get_by_label(RATINGS).input_value() == "0"
    assert page.get_by_text("greater than or equal to 1").count() == 1
    assert ratings_wanted(shared_site, "invalid") == 2


def test_the_workload_is_asked_for_again_after_a_failure(visit):
    page = visit("invalid")
    page.get_by_label("Pay per hour").fill("12")
    page.get_by_text("Total cost").wait_for()
    before = page.locator("#plan").inner_text()
    page.context.set_offline(True)
    with page.expect_event("requestfailed"):
        page.get_by_label(RATINGS).fill("9")
    assert page.locator("#plan").inner_text() == before

    page.context.set_offline(False)

    page.wait_for_function("text => document.querySelector('#plan').innerText !== text", arg=before)


def test_leaving_a_page_with_unsaved_changes_shows_a_warning(visit):
    page = visit("left")
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


def test_typed_text_is_kept_while_a_release_is_created(visit, shared_site):
    page = visit("release", "release")
    page.get_by_text("counting").first.wait_for()
    page.get_by_text("Options").click()
    page.get_by_label("Seed for choosing them").fill("17")

    shared_site.manage("shell", "--no-imports", "-c", FAILED)

    page.locator("td", has_text="failed").first.wait_for()
    assert page.get_by_label("Seed for choosing them").input_value() == "17"
