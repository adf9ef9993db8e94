from collections.abc import Iterator

import pytest
from django.conf import settings
from playwright.sync_api import Browser, sync_playwright

from tests.conftest import lack
from tests.end_to_end.browsing import CHROMIUM, OPTIONS
from tests.end_to_end.site import Site, fresh_database


@pytest.fixture
def site(tmp_path) -> Iterator[Site]:
    """A site that serves, with no study yet."""
    with fresh_database(settings.DATABASES["default"], tmp_path) as url:
        site = Site(tmp_path, url)
        site.manage("migrate", "--verbosity", "0")
        site.manage("collectstatic", "--noinput", "--verbosity", "0")
        with site.serving():
            yield site


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        lack("Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()
