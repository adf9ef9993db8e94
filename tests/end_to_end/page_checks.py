"""Accessibility checks of pages with axe, and optional screenshots.

All rules are checked in the first look, and in the others only those that depend on the look. With
SCREENSHOTS=folder in the environment a screenshot of every page is saved there, and pages are
checked on desktop and phone, each light and dark.
"""

import os
from pathlib import Path
from typing import Any, Literal, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage

# Violations only: axe reports passed rules at the same length. Rules about colours take nine tenths
# of its time, so they check one of all texts and fields of the same look: those that have, with all
# elements around them, the same classes, fonts and colours, such as the cells of a column.
COLOURS = ["color-contrast", "link-in-text-block"]
LIST_VIOLATIONS = """
async ([colours, others]) => {
  const looks = new Map(), shown = new Map()
  for (const element of document.querySelectorAll("*")) {
    const {color, backgroundColor, backgroundImage, font, opacity} = getComputedStyle(element)
    const look = [looks.get(element.parentElement), element.localName, element.type,
                  element.getAttribute("class"), color, backgroundColor, backgroundImage, font,
                  opacity, element.matches(":disabled"), element.checkVisibility()].join("|")
    looks.set(element, look)
    const texts = [...element.childNodes].filter((child) => child instanceof Text)
    if (element.matches("input, select") || texts.some(({data}) => data.trim()))
      shown.set(look, element)
  }
  const found = [await axe.run(document, {resultTypes: ["violations"], ...others}),
                 await axe.run({include: [...shown.values()]},
                               {resultTypes: ["violations"], runOnly: colours})]
  return found.flatMap(({violations}) => violations).flatMap(
    ({id, nodes}) => nodes.map(({html}) => `${id}: ${html}`))
}
"""
LIST_SCROLLING = """
[...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth)
  .map((box) => box.ariaLabel || box.querySelector("caption, th")?.textContent.trim())
"""
PICTURES = os.environ.get("SCREENSHOTS")
Faults = dict[tuple[str, str], list[str]]  # by address and look


class Look(NamedTuple):
    """A screen size and colour scheme."""

    name: str
    size: tuple[int, int]
    colours: Literal["light", "dark"]


PHONE_LOOK = Look("phone-dark", PHONE, "dark")
LOOKS = [Look("desktop-light", DESKTOP, "light"), PHONE_LOOK]
if PICTURES:
    LOOKS += [Look("desktop-dark", DESKTOP, "dark"), Look("phone-light", PHONE, "light")]


def violations(watched: WatchedPage) -> list[str]:
    """Return the violations of all rules on a page, with rule and element."""
    return _ask_axe(watched, {"rules": {rule: {"enabled": False} for rule in COLOURS}})


def violations_of_look(watched: WatchedPage) -> list[str]:
    """Return the violations of rules that depend on the screen size or the colour scheme."""
    return _ask_axe(watched, {"runOnly": ["scrollable-region-focusable"]})


def _ask_axe(watched: WatchedPage, others: dict[str, Any]) -> list[str]:
    """Return the violations of the rules about colours and of others, chosen by axe's options."""
    page = watched.page
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return page.evaluate(LIST_VIOLATIONS, [COLOURS, others])


def find_faults(watched: WatchedPage, url: str, addresses: list[str], name: str) -> Faults:
    """Return what is wrong with pages in every look; pages without faults are left out.

    Lists that scroll are faults, too.
    """
    faults: Faults = {}
    for number, address in enumerate(addresses):
        watched.page.goto(f"{url}{address}")
        for look in LOOKS:
            watched.appear(look.size, look.colours)
            check = violations if look is LOOKS[0] else violations_of_look
            found = check(watched) + watched.page.evaluate(LIST_SCROLLING)
            if watched.sideways_scroll:
                found.append("scrolls sideways")
            if found:
                faults[address, look.name] = found
            if PICTURES:
                file = f"{name}-{number:02}-{look.name}.png"
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
            check = violations if look is self.looks[0] else violations_of_look
            self.found[page, look.name] = check(self.watched)
            assert self.watched.sideways_scroll == 0, (page, look.name)
            if PICTURES:
                name = f"{self.name}-{look.name}-{number:02}-{page.replace(' ', '-')}.png"
                self.watched.page.screenshot(path=Path(PICTURES) / name, full_page=True)
        if PHONE not in [look.size for look in self.looks]:
            self.watched.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
            assert self.watched.sideways_scroll == 0, page
        self.watched.appear(self.looks[0].size, self.looks[0].colours)
