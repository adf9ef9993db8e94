"""Accessibility checks of pages with axe, and optional screenshots.

All rules are checked in the first look, and only those about colours in the others, which differ in
nothing else. With SCREENSHOTS=folder in the environment a screenshot of every page is saved there,
and pages are checked on desktop and phone, each light and dark.
"""

import os
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage

# Violations only: axe reports passed rules at the same length.
LIST_VIOLATIONS = """
rules => axe.run(document, {resultTypes: ["violations"], ...rules}).then(({violations}) =>
  violations.flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html}`)))
"""
LIST_SCROLLING = """
[...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth)
  .map((box) => box.ariaLabel || box.querySelector("caption, th")?.textContent.trim())
"""
COLOURS = ("color-contrast", "link-in-text-block")
PICTURES = os.environ.get("SCREENSHOTS")
Faults = dict[tuple[str, tuple[int, int], str], list[str]]  # by address and look


class Look(NamedTuple):
    """A screen size and colour scheme."""

    name: str
    size: tuple[int, int]
    colours: Literal["light", "dark"]


PHONE_LOOK = Look("phone-dark", PHONE, "dark")
LOOKS = [Look("desktop-light", DESKTOP, "light"), PHONE_LOOK]
if PICTURES:
    LOOKS += [Look("desktop-dark", DESKTOP, "dark"), Look("phone-light", PHONE, "light")]


def violations(watched: WatchedPage, *rules: str) -> list[str]:
    """Return the violations on a page, with rule and element; of these rules or of all."""
    page = watched.page
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return page.evaluate(LIST_VIOLATIONS, {"runOnly": rules} if rules else {})


def find_faults(watched: WatchedPage, url: str, addresses: list[str], name: str) -> Faults:
    """Return what is wrong with pages on desktop and phone, each light and dark.

    Lists that scroll are faults, too. Pages without faults are left out.
    """
    faults: Faults = {}
    for number, address in enumerate(addresses):
        watched.page.goto(f"{url}{address}")
        for size, colours in product((DESKTOP, PHONE), ("light", "dark")):
            watched.appear(size, colours)
            found = violations(watched) + watched.page.evaluate(LIST_SCROLLING)
            if watched.sideways_scroll:
                found.append("scrolls sideways")
            if found:
                faults[address, size, colours] = found
            if PICTURES:
                file = f"{name}-{number:02}-{size[0]}-{colours}.png"
                watched.page.screenshot(path=Path(PICTURES) / file, full_page=True)
    return faults


class PageChecker:
    """Checks pages one by one, in every look; takes screenshots on request.

    On a phone no page may scroll sideways, whatever the looks. A checked page is left in the first.
    """

    def __init__(self, chromium: Browser, looks: list[Look], name: str) -> None:
        self.looks, self.name = looks, name
        self.watched = WatchedPage(chromium, looks[0].size, colours=looks[0].colours)
        self.found: dict[tuple[str, str], list[str]] = {}

    @property
    def complaints(self) -> dict[tuple[str, str], list[str]]:
        """Violations by page and look; pages without violations are omitted."""
        return {where: rules for where, rules in self.found.items() if rules}

    def look(self, page: str) -> None:
        number = len(self.found) // len(self.looks) + 1
        for look in self.looks:
            self.watched.appear(look.size, look.colours)
            rules = () if look is self.looks[0] else COLOURS
            self.found[page, look.name] = violations(self.watched, *rules)
            assert self.watched.sideways_scroll == 0, (page, look.name)
            if PICTURES:
                name = f"{self.name}-{look.name}-{number:02}-{page.replace(' ', '-')}.png"
                self.watched.page.screenshot(path=Path(PICTURES) / name, full_page=True)
        if PHONE not in [look.size for look in self.looks]:
            self.watched.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
            assert self.watched.sideways_scroll == 0, page
        self.watched.appear(self.looks[0].size, self.looks[0].colours)
