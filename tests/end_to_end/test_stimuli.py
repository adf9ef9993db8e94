"""A file is dropped on its field and shown before it is read; rows of the stimuli open in place."""

import re

import pytest

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.page_checks import violations, violations_of_look
from tests.end_to_end.site import Site
from tests.factories.stimuli_rows import FIELDS

MADE = """
from django.contrib.auth.models import User
from tests.factories.clients import session_of
print(session_of(User.objects.create_user("importer")))
"""
DROP = """text => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], "pairs.csv"));
  document.querySelector(".drop-area label").dispatchEvent(
    new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="session")
def importer_session(shared_site: Site) -> str:
    return shared_site.manage("shell", "--no-imports", "-c", MADE).strip()


def check(watched: WatchedPage) -> None:
    for size, find in ((DESKTOP, violations), (PHONE, violations_of_look)):
        watched.appear(size, "light")
        assert find(watched) == []
        assert watched.sideways_scroll == 0


def test_a_dropped_file_is_shown_read_and_opened_by_row(chromium, shared_site, importer_session):
    watched = WatchedPage(chromium, DESKTOP)
    watched.visit_signed_in(f"{shared_site.url}/console/new/", importer_session)
    page = watched.page
    page.get_by_label("Title").fill("Dropped")
    page.get_by_label("Language of the texts").fill("English")
    page.evaluate(DROP, ";".join(FIELDS) + "\n" + ";".join(FIELDS.values()) + "\n")
    page.get_by_role("button", name="Create study").click()

    page.get_by_role("heading", name="This looks like a semicolon-separated file").wait_for()
    check(watched)
    page.get_by_role("button", name="Read it this way").click()

    link = page.get_by_role("link", name="bank – river", exact=True)
    link.wait_for()
    page.wait_for_load_state("load")  # until its script has run, the link opens a page
    link.press("Enter")
    page.get_by_role("heading", name="Row 1 as annotators see it").wait_for()
    check(watched)
    assert link.get_attribute("aria-expanded") == "true"
    assert "open=" not in page.url
    link.press("Enter")
    assert page.locator(".drawer").is_hidden()

    plain = WatchedPage(chromium, DESKTOP, scripts=False)
    plain.visit_signed_in(page.url, importer_session)
    plain.page.get_by_role("link", name="bank – river", exact=True).click()
    assert re.search(r"\?open=\d+#row1$", plain.page.url)
    assert plain.page.locator(".drawer").is_visible()
