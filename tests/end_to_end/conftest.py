from collections.abc import Iterator

import pytest
from django.conf import settings
from playwright.sync_api import Browser, sync_playwright

from tests.conftest import lack
from tests.end_to_end.browsing import CHROMIUM, OPTIONS
from tests.end_to_end.databases import fresh_database
from tests.end_to_end.site import Site


@pytest.fixture(scope="session")
def pristine(tmp_path_factory) -> Iterator[str]:
    """The URL of the database of a site that was set up and never used."""
    var = tmp_path_factory.mktemp("pristine")
    with fresh_database(settings.DATABASES["default"], var) as url:
        Site(var, url).manage("migrate", "--verbosity", "0")
        yield url


@pytest.fixture
def site(pristine, tmp_path) -> Iterator[Site]:
    """A site that serves, with no study yet."""
    with fresh_database(settings.DATABASES["default"], tmp_path, copy_of=pristine) as own_url:
        site = Site(tmp_path, own_url)
        with site.serving():
            yield site


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser. While it is open Django's database cannot be used in the same process."""
    if CHROMIUM is None:
        lack("Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def chromium(browser, request) -> Iterator[Browser]:
    """The browser, in which the pages of a test are closed at its end."""
    if "site" in request.fixturenames:
        request.getfixturevalue("site")  # first, so that it stops last: it waits for open pages
    yield browser
    for context in browser.contexts:
        context.close()
