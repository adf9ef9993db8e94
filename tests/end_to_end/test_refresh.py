"""A page that refreshes by itself disturbs nobody."""

import pytest

from tests.end_to_end.browser import DESKTOP, WatchedPage
from tests.end_to_end.site import Site

# Prints the id of an operator's session.
MADE = """
from django.contrib.auth.models import User
from tests.factories.clients import session_of
print(session_of(User.objects.create_superuser("watcher")))
"""


@pytest.fixture
def watcher_session(shared_site: Site) -> str:
    """Return the session of an operator."""
    return shared_site.manage("shell", "--no-imports", "-c", MADE).strip()


def test_the_refresh_of_the_dashboard_keeps_focus_and_choices(
    chromium, shared_site: Site, watcher_session
):
    watched = WatchedPage(chromium, DESKTOP)
    page = watched.page
    page.clock.install()
    watched.visit_signed_in(f"{shared_site.url}/console/studies/plain/collection/", watcher_session)
    watch = "document.querySelector('[data-live]').dataset.age = 'old'"

    page.evaluate(watch)
    page.get_by_role("link", name="All annotators").focus()
    page.clock.fast_forward(31_000)
    page.locator("[data-live]:not([data-age])").wait_for()

    assert page.evaluate("document.activeElement.textContent") == "All annotators"

    page.evaluate(watch)
    page.get_by_label("Sort by").select_option(index=1)
    chosen = page.get_by_label("Sort by").input_value()
    page.get_by_role("link", name="All annotators").focus()
    for _ in range(2):  # the second is asked for when the first was not shown
        with page.expect_response(page.url):
            page.clock.fast_forward(31_000)

    assert page.locator("[data-live][data-age]").count() == 1
    assert page.get_by_label("Sort by").input_value() == chosen
    assert watched.complaints == []
