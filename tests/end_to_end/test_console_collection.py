"""Recruitment and collection in a browser: links made, a study watched, a block repeated."""

import pytest
from playwright.sync_api import Page

from tests.end_to_end.site import ROOT, Site
from tests.end_to_end.test_accessibility import LOOKS, Beholder

STUDY = "/console/studies/demo"


@pytest.fixture
def watched_site(site: Site) -> tuple[Site, str]:
    """A site with a study that scripted annotators have answered, and its owner's password."""
    site.manage(
        "import_stimuli", ROOT / "demo/data_en.tsv", "--study", "demo", "--language", "en",
        "--ratings-per-context", "3", "--block-size", "7", "--title", "Demo",
    )  # fmt: skip
    made = site.manage("add_researcher", "ana", "--study", "demo").splitlines()[0]
    site.manage("rehearse_study", "demo", "--base-url", site.url, "--annotators", "8")
    return site, made.rpartition(" ")[2]


def sign_in(page: Page, site: Site, password: str) -> None:
    page.goto(f"{site.url}{STUDY}/collection/")
    page.fill("[name=username]", "ana")
    page.fill("[name=password]", password)
    page.locator("main button").click()


def recruit(beholder: Beholder, site: Site) -> None:
    """Make two links for a list, hand one out, revoke it; open the ways for many."""
    page = beholder.watched.page
    page.goto(f"{site.url}{STUDY}/recruitment/invite/")
    beholder.look("invite")
    page.fill("[name=listed]", "ana@example.org\nclass 2b")
    page.get_by_role("button", name="Make the links").click()
    page.get_by_text("Links made: 2").first.wait_for()
    beholder.look("recruitment")
    page.get_by_role("link", name="ana@example.org").first.click()
    beholder.look("a link")
    page.fill("[name=because]", "asked us to")
    page.get_by_role("button", name="Revoke the link").click()
    page.get_by_text("leads nowhere any more").first.wait_for()
    for way in ("open-link", "prolific"):
        page.goto(f"{site.url}{STUDY}/recruitment/{way}/")
        page.fill("[name=completion_code]", f"DONE{way[:4].upper()}")
        page.locator("main form button").first.click()
        beholder.look(way)


def watch(beholder: Beholder, site: Site) -> None:
    """From all blocks to an annotator and a context; then a block once more."""
    page = beholder.watched.page
    page.goto(f"{site.url}{STUDY}/collection/")
    beholder.look("collection")
    page.get_by_role("link", name="All annotators").click()
    beholder.look("annotators")
    page.locator("tbody a").first.click()
    beholder.look("an annotator")
    page.goto(f"{site.url}{STUDY}/collection/contexts/1/1/")
    beholder.look("a context")
    page.goto(f"{site.url}{STUDY}/collection/blocks/1/")
    beholder.look("a block")
    page.get_by_role("link", name="Repeat this block").click()
    beholder.look("repeat a block")
    page.fill("[name=reason]", "ratings all alike")
    page.get_by_role("button", name="Repeat block 1").click()
    page.get_by_text("ratings all alike").first.wait_for()


def test_recruitment_and_collection_are_accessible_on_every_screen(watched_site, chromium):
    site, password = watched_site
    beholder = Beholder(chromium, LOOKS, "console")
    sign_in(beholder.watched.page, site, password)

    recruit(beholder, site)
    watch(beholder, site)

    assert beholder.complaints == {}
    assert beholder.watched.complaints == []
