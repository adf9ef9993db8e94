"""Headless Chromium that records console messages, failed requests and hosts."""

import shutil
from collections.abc import Iterable
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Locator, Page, Request

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")  # fastest first
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE_MS = 90_000  # generous for a busy machine
DESKTOP, PHONE = (1280, 800), (360, 740)


class WatchedPage:
    """A page in a separate browser profile, with its complaints and the hosts requested."""

    def __init__(
        self,
        browser: Browser,
        size: tuple[int, int],
        *,
        scripts: bool = True,
        colours: Literal["light", "dark"] = "light",
    ) -> None:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            java_script_enabled=scripts,
            color_scheme=colours,
        )
        context.set_default_timeout(PATIENCE_MS)
        self.page: Page = context.new_page()
        self.has_scripts = scripts
        self.complaints: list[str] = []
        self.hosts: set[str] = set()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("requestfailed", self._note_failure)
        self.page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def _note_failure(self, request: Request) -> None:
        """Note a failed request, unless it is a fetch or a late image of a page that was left."""
        is_left = request.failure == "net::ERR_ABORTED"
        if not is_left or request.resource_type not in ("fetch", "image"):
            self.complaints.append(request.url)

    def submit(self) -> None:
        """Press the first button of the form and wait for the response."""
        self.follow(self.page.locator("form button").first)

    def follow(self, link: Locator) -> None:
        """Click on a link or button and wait until the next page is loaded.

        With scripts an answer with errors replaces the body of the page instead. One that takes the
        focus to a fault does so a moment later (with scripts; without them Chromium does not);
        typing before would keep it.
        """
        if not self.has_scripts:
            with self.page.expect_navigation():
                link.click()
            return
        self.page.evaluate("document.body.dataset.left = 'yes'")
        link.click()
        self.page.wait_for_selector("body:not([data-left])", state="attached")
        self.page.wait_for_load_state()
        if self.page.locator("[autofocus]").count():
            self.page.locator(":focus").first.wait_for()

    def appear(self, size: tuple[int, int], colours: Literal["light", "dark"]) -> None:
        """Set the screen size and colour scheme of the page."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.page.emulate_media(color_scheme=colours)

    def visit_signed_in(self, url: str, session: str) -> None:
        """Open a page of the console in a session, given by its id."""
        self.page.context.add_cookies([{"name": "sessionid", "value": session, "url": url}])
        self.page.goto(url)

    def begin(self, link: str) -> None:
        """Give consent and go through the introduction to the first text."""
        self.page.goto(link)
        self.submit()
        self.submit()
        while self.is_at("/practice/"):
            self.write_words("harvest", "moon")
            self.rate(3)
            self.submit()

    def choose(self, answers: Iterable[int]) -> None:
        """Answer the questions of the check."""
        for number, answer in enumerate(answers):
            self.page.locator(f'input[name="question{number}"][value="{answer}"]').check()
        self.submit()

    def is_at(self, path: str) -> bool:
        """Return whether the page's URL contains a text."""
        return path in self.page.url

    def write_words(self, first: str, second: str) -> None:
        self.page.get_by_role("textbox").nth(0).fill(first)
        self.page.get_by_role("textbox").nth(1).fill(second)
        self.submit()

    def rate(self, rating: int) -> None:
        self.page.locator(f'input[name="rating"][value="{rating}"]').check()
        self.submit()

    @property
    def sideways_scroll(self) -> int:
        """Return by how many pixels the page is wider than the screen."""
        measure = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.page.evaluate(measure))
