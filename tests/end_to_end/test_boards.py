"""The public pages of shared tasks fit their screens, work on phones, and axe finds nothing.

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

# Prints the addresses of the public pages of a finished and of a running shared task.
MADE = """
from datetime import timedelta
from django.utils import timezone
from tests.factories.boards import make_public
print(*make_public(timezone.now() - timedelta(days=30)), sep="\\n")
"""
PICTURES = os.environ.get("SCREENSHOTS")
LOOKS = list(product((DESKTOP, PHONE), ("light", "dark")))


@pytest.fixture(scope="module")
def addresses(shared_site: Site) -> list[str]:
    """Return the addresses of pages."""
    printed = shared_site.manage("shell", "--no-imports", "-c", MADE).split()
    return [line for line in printed if line.startswith("/")]


def test_public_pages_fit_their_screens_and_axe_finds_nothing(chromium, shared_site, addresses):
    watched = WatchedPage(chromium, DESKTOP)
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

    assert len(addresses) == 10
    assert faults == {}
    assert watched.complaints == []
