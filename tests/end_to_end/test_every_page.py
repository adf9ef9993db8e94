"""Every page of the console fits its screen, and axe finds nothing.

On a phone no table scrolls sideways: wide ones are lists there.
"""

import re
from itertools import cycle

import pytest

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.page_checks import LIST_SCROLLING, violations, violations_of_look
from tests.end_to_end.site import Site

# Prints the id of a session, and the addresses of all pages of the study that can be opened.
# Run 1 is that of its results; a page for another kind of object is not found and left out.
MADE = """
from django.contrib.auth.models import User
from tests.factories.clients import client_of
from django.urls import reverse
from surveys.rehearsal.finished.study import prepare_finished_study
from surveys.web.console.urls import VIEWS, urlpatterns
study = prepare_finished_study()
client = client_of(User.objects.create_superuser("looker"))
print(client.cookies["sessionid"].value)
found = {
    "slug": study.slug, "kind": "consent", "code": study.annotators.first().code, "row": 1,
    "pair_id": study.pairs.first().pk, "run_id": study.runs.filter(kind="results").first().pk,
    "invitation_id": study.invitations.first().pk, "number": 1, "position": 1,
}
for pattern in urlpatterns:
    wanted = pattern.pattern.converters
    if pattern.name in VIEWS and {*wanted} <= {*found}:
        address = reverse(f"console:{pattern.name}", kwargs={name: found[name] for name in wanted})
        answer = client.get(address, headers={"host": "127.0.0.1"})
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            print(address)
"""
# Made by the site for annotators, or a document of its own: checked elsewhere.
OTHERS = re.compile(r"/(preview/.*|report/|workload/)$")
# Boxes that a phone scrolls sideways, since their tables compare columns with one another: none.
SCROLLING: set[str] = set()
LOOKS = [(DESKTOP, "light", "dark"), (PHONE, "dark", "light")]


@pytest.fixture(scope="session")
def study_pages(shared_site: Site) -> list[str]:
    """Return a session of an operator, and the addresses of pages."""
    return shared_site.manage("shell", "--no-imports", "-c", MADE).split()


def test_every_page_fits_its_screen_and_axe_finds_nothing(chromium, shared_site: Site, study_pages):
    session, *addresses = study_pages
    watched = WatchedPage(chromium, DESKTOP)
    watched.visit_signed_in(f"{shared_site.url}/console/", session)
    pages = [address for address in addresses if not OTHERS.search(address)]
    faults = {}
    for address, (size, colours, others) in zip(pages, cycle(LOOKS), strict=False):
        watched.appear(size, colours)
        watched.page.goto(f"{shared_site.url}{address}")
        found = violations(watched)
        for width in (DESKTOP, PHONE):
            watched.appear(width, colours)
            if watched.sideways_scroll:
                found.append(f"wider than {width[0]} pixels")
        found += sorted({*watched.page.evaluate(LIST_SCROLLING)} - SCROLLING)
        hidden = "[...document.images].filter((one) => !one.complete || !one.naturalWidth).length"
        if watched.page.evaluate(hidden):
            found.append("images are missing")
        watched.appear(size, others)
        found += violations_of_look(watched)
        if found:
            faults[address] = found

    assert len(pages) > 50
    assert faults == {}
    assert watched.complaints == []
