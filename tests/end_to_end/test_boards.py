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
