"""Headless Chromium, watched: what it complains of and whom it asks."""

import shutil
from collections.abc import Iterable
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Locator, Page

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")  # the first is the quickest
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE_MS = 90_000  # a machine may be busy; only a fault takes so long
DESKTOP, PHONE = (1280, 800), (360, 740)


class WatchedPage:
    """A page in a browser profile of its own, with its complaints and the hosts it asked."""

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
        self.page.on("requestfailed", lambda request: self.complaints.append(request.url))
        self.page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def submit(self) -> None:
        """Press the first button of the form and wait for what comes of it."""
        self.follow(self.page.locator("form button").first)

    def follow(self, link: Locator) -> None:
        """Click on what leads to another page and wait until that is whole.

        One that takes the focus to a fault does so a moment later (with scripts; without them
        Chromium does not); typing before would keep it.
        """
        with self.page.expect_navigation():
            link.click()
        if self.has_scripts and self.page.locator("[autofocus]").count():
            self.page.locator(":focus").first.wait_for()

    def appear(self, size: tuple[int, int], colours: Literal["light", "dark"]) -> None:
        """Show the page on a screen of another size and in other colours."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.page.emulate_media(color_scheme=colours)

    def begin(self, link: str) -> None:
        """Agree, take the steps before the first text, and go to it."""
        self.page.goto(link)
        self.submit()
        self.submit()
        if self.is_at("/practice/"):
            self.write_words("harvest", "moon")
            self.rate(3)
            self.submit()

    def choose(self, answers: Iterable[int]) -> None:
        """Answer the questions of the check."""
        for number, answer in enumerate(answers):
            self.page.locator(f'input[name="question{number}"][value="{answer}"]').check()
        self.submit()

    def is_at(self, path: str) -> bool:
        """Whether the page's address holds this."""
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
        """By how many pixels the page is wider than the screen."""
        measure = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.page.evaluate(measure))
