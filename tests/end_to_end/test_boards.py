"""The public pages of shared tasks fit their screens, work on phones, and axe finds nothing."""

import pytest

from tests.end_to_end.browser import DESKTOP, WatchedPage
from tests.end_to_end.page_checks import find_faults
from tests.end_to_end.site import Site

# Prints the addresses of the public pages of a finished and of a running shared task.
MADE = """
from datetime import timedelta
from django.utils import timezone
from tests.factories.boards import make_public
print(*make_public(timezone.now() - timedelta(days=30)), sep="\\n")
"""

# Prints the id of a session of the organiser of a shared task whose board is hidden.
HIDDEN = """
from django.contrib.auth.models import User
from surveys.sharedtasks.models import Organiser
from tests.factories.boards import make_contest
from tests.factories.clients import session_of
user = User.objects.create_user("of hidden boards")
hidden = make_contest(slug="hidden", after=" III")
Organiser.objects.create(shared_task=hidden, user=user)
print(session_of(user))
"""


@pytest.fixture(scope="module")
def addresses(shared_site: Site) -> list[str]:
    """Return the addresses of pages."""
    printed = shared_site.manage("shell", "--no-imports", "-c", MADE).split()
    return [line for line in printed if line.startswith("/")]


def test_public_pages_fit_their_screens_and_axe_finds_nothing(chromium, shared_site, addresses):
    watched = WatchedPage(chromium, DESKTOP)
    faults = find_faults(watched, shared_site.url, addresses, "boards")

    assert len(addresses) == 10
    assert faults == {}
    assert watched.complaints == []


def test_back_after_a_sign_out_does_not_show_a_hidden_board(chromium, shared_site):
    session = shared_site.manage("shell", "--no-imports", "-c", HIDDEN).split()[-1]
    watched = WatchedPage(chromium, DESKTOP)
    page, board = watched.page, f"{shared_site.url}/tasks/hidden/board/evaluation/1/"
    watched.visit_signed_in(f"{shared_site.url}/", session)
    page.goto(board)
    assert page.get_by_text("Only organisers see this board").count() == 1

    page.goto(f"{shared_site.url}/console/")
    page.locator("#account").evaluate("menu => menu.showPopover()")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in/*")
    while page.url != board:
        page.go_back()

    assert page.get_by_role("heading", name="We cannot find this page").count() == 1
    assert page.get_by_text("Only organisers see this board").count() == 0
