"""The organisers' pages of shared tasks fit their screens, and axe finds nothing on them."""

import pytest

from tests.end_to_end.browser import DESKTOP, WatchedPage
from tests.end_to_end.page_checks import find_faults
from tests.end_to_end.site import Site

pytestmark = pytest.mark.needs("sharedtasks")

# Prints the id of a session, and the addresses of the pages of a draft and of an open shared task.
MADE = """
from tests.factories.organised import list_addresses, make_organised
print(*list_addresses(make_organised()), sep="\\n")
"""


@pytest.fixture(scope="module")
def organisers_pages(shared_site: Site) -> list[str]:
    """Return a session of an organiser, and the addresses of pages."""
    return shared_site.manage("shell", "--no-imports", "-c", MADE).split()


def test_organisers_pages_fit_their_screens_and_axe_finds_nothing(
    chromium, shared_site, organisers_pages
):
    session, *addresses = organisers_pages
    watched = WatchedPage(chromium, DESKTOP)
    watched.visit_signed_in(f"{shared_site.url}/console/", session)
    faults = find_faults(watched, shared_site.url, addresses, "organisers")

    assert len(addresses) > 20
    assert faults == {}
    assert watched.complaints == []
