"""The organisers' pages of shared tasks fit their screens, work on phones, and axe finds nothing.

With SCREENSHOTS=folder in the environment, pictures of every page in every look are saved there.
"""

import os
from itertools import product
from pathlib import Path

import pytest

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.page_checks import violations
from tests.end_to_end.site import Site
from tests.end_to_end.test_every_page import LIST_SCROLLING

# Prints the id of a session, and the addresses of the pages of a draft and of an open shared task.
MADE = """
from tests.factories.organised import list_addresses, make_organised
print(*list_addresses(make_organised()), sep="\\n")
"""
PICTURES = os.environ.get("SCREENSHOTS")
LOOKS = list(product((DESKTOP, PHONE), ("light", "dark")))


@pytest.fixture(scope="module")
def listed(shared_site: Site) -> list[str]:
    """Return a session of an organiser, and the addresses of pages."""
    return shared_site.manage("shell", "--no-imports", "-c", MADE).split()


def test_organisers_pages_fit_their_screens_and_axe_finds_nothing(chromium, shared_site, listed):
    session, *addresses = listed
    watched = WatchedPage(chromium, DESKTOP)
    watched.visit_signed_in(f"{shared_site.url}/console/", session)
    faults = {}
    for number, address in enumerate(addresses):
        watched.page.goto(f"{shared_site.url}{address}")
        for size, colours in LOOKS:
            watched.appear(size, colours)
            found = violations(watched) + watched.page.evaluate(LIST_SCROLLING)
            if watched.sideways_scroll:
                found.append("scrolls sideways")
            if found:
                faults[address, size, colours] = found
            if PICTURES:
                name = f"{number:02}-{size[0]}-{colours}.png"
                watched.page.screenshot(path=Path(PICTURES) / name, full_page=True)

    assert len(addresses) > 20
    assert faults == {}
    assert watched.complaints == []
