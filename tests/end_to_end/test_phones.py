"""The console on a phone: its top bar, and tables that are lists."""

import pytest

from tests.end_to_end.browser import PHONE, WatchedPage
from tests.end_to_end.page_checks import violations
from tests.end_to_end.site import Site

# Prints the id of an operator's session.
MADE = """
from django.contrib.auth.models import User
from tests.factories.clients import session_of
print(session_of(User.objects.create_superuser("caller")))
"""


@pytest.fixture(scope="session")
def caller_session(shared_site: Site) -> str:
    """Return the session of an operator."""
    return shared_site.manage("shell", "--no-imports", "-c", MADE).strip()


def test_the_account_menu_fits_the_line_of_a_phone(chromium, shared_site: Site, caller_session):
    watched = WatchedPage(chromium, PHONE, scripts=False)
    page = watched.page
    watched.visit_signed_in(f"{shared_site.url}/console/", caller_session)
    places = [
        page.locator(f".top > {part}").bounding_box() for part in (".home", ".help", "button")
    ]
    tokens = page.get_by_role("link", name="Tokens")

    assert max(place["y"] for place in places) < min(p["y"] + p["height"] for p in places)
    assert not tokens.is_visible()
    page.get_by_role("button", name="Account").click()
    assert tokens.is_visible()
    watched.follow(tokens)
    assert page.url.endswith("/console/tokens/")


def test_errors_of_a_file_are_a_list_on_a_phone(chromium, shared_site: Site, caller_session):
    watched = WatchedPage(chromium, PHONE)
    watched.visit_signed_in(f"{shared_site.url}/console/new/", caller_session)
    rows = "word1\tword2\tcontext1\tcontext2\na\tb\tOne text.\tAnother.\n"
    upload = {
        "name": "faulty.tsv",
        "mimeType": "text/tab-separated-values",
        "buffer": rows.encode(),
    }
    watched.page.locator("input[type=file]").set_input_files(files=[upload])
    watched.page.locator("#id_language").fill("en")

    watched.follow(watched.page.locator("main form button").last)

    assert watched.page.get_by_role("table").get_by_role("rowheader").count() == 1
    box = watched.page.locator(".scroll").first
    assert box.evaluate("(box) => box.scrollWidth - box.clientWidth") == 0
    assert violations(watched) == []


def test_quoted_bytes_of_a_wrong_file_fit_a_phone(chromium, shared_site: Site, caller_session):
    watched = WatchedPage(chromium, PHONE)
    watched.visit_signed_in(f"{shared_site.url}/console/audit/", caller_session)
    upload = {"name": "wrong.bin", "mimeType": "text/plain", "buffer": bytes(range(128))}
    watched.page.locator("input[type=file]").first.set_input_files(files=[upload])

    watched.follow(watched.page.get_by_role("button", name="Audit"))

    assert "the file is not text" in watched.page.get_by_role("alert").inner_text()
    assert watched.sideways_scroll == 0


def test_details_of_the_log_stand_beside_their_label(chromium, shared_site: Site, caller_session):
    watched = WatchedPage(chromium, PHONE)
    watched.visit_signed_in(f"{shared_site.url}/console/studies/plain/log/", caller_session)
    details = watched.page.locator("td[data-label=Details]:has(span)").first
    label = details.evaluate("(cell) => cell.getBoundingClientRect().left")

    assert details.locator("span").first.bounding_box()["x"] > label + 100
    assert watched.sideways_scroll == 0


def test_a_list_on_a_phone_is_a_table_to_screen_readers(
    chromium, shared_site: Site, caller_session
):
    watched = WatchedPage(chromium, PHONE)
    page = watched.page
    watched.visit_signed_in(f"{shared_site.url}/console/studies/plain/collection/", caller_session)
    page.wait_for_load_state("networkidle")  # until agreement is computed, and the lists renewed
    table = page.get_by_role("table", name="Assignments of current rounds")

    assert table.evaluate("(shown) => getComputedStyle(shown).display") == "block"
    headings, rows = table.get_by_role("columnheader"), table.get_by_role("row")
    assert rows.nth(1).locator("th, td").count() == headings.count() == 9
    for n in range(1, rows.count()):
        assert rows.nth(n).get_by_role("rowheader", name="Questionnaire").count() == 1
    assert table.locator("thead").bounding_box()["height"] <= 1
    headings.get_by_role("link").first.focus()
    assert table.locator("thead").bounding_box()["height"] > 10
