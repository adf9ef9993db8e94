"""Pages as they are looked at: what axe finds there, and pictures where wanted.

Axe reads a page whole in the first look and only its colours in the others, where nothing else is
another. With SCREENSHOTS=folder in the environment every page is kept there as a picture, too, and
looked at on desktop and phone, each light and dark.
"""

import os
from pathlib import Path
from typing import Literal, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser

from tests.end_to_end.browsing import DESKTOP, PHONE, WatchedPage

# Without what was in order, of which axe would tell as much.
LIST_VIOLATIONS = """
rules => axe.run(document, {resultTypes: ["violations"], ...rules}).then(({violations}) =>
  violations.flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html}`)))
"""
COLOURS = ("color-contrast", "link-in-text-block")
PICTURES = os.environ.get("SCREENSHOTS")


class Look(NamedTuple):
    """A screen to look at pages on."""

    name: str
    size: tuple[int, int]
    colours: Literal["light", "dark"]


PHONE_LOOK = Look("phone-dark", PHONE, "dark")
LOOKS = [Look("desktop-light", DESKTOP, "light"), PHONE_LOOK]
if PICTURES:
    LOOKS += [Look("desktop-dark", DESKTOP, "dark"), Look("phone-light", PHONE, "light")]


def violations(watched: WatchedPage, *rules: str) -> list[str]:
    """What axe complains of on the page, with the rule and the place; by these rules or by all."""
    page = watched.page
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return page.evaluate(LIST_VIOLATIONS, {"runOnly": rules} if rules else {})


class Beholder:
    """Looks at pages one by one, in every look: what axe finds there; a picture where wanted.

    What the first look need not ask again can be left out by naming rules of axe.
    """

    def __init__(
        self, chromium: Browser, looks: list[Look], name: str, rules: tuple[str, ...] = ()
    ) -> None:
        self.looks, self.name, self.rules = looks, name, rules
        self.watched = WatchedPage(chromium, looks[0].size, colours=looks[0].colours)
        self.found: dict[tuple[str, str], list[str]] = {}

    @property
    def complaints(self) -> dict[tuple[str, str], list[str]]:
        """What axe complains of, by page and look; nothing of pages that are all right."""
        return {where: rules for where, rules in self.found.items() if rules}

    def look(self, page: str) -> None:
        number = len(self.found) // len(self.looks) + 1
        for look in self.looks:
            self.watched.appear(look.size, look.colours)
            rules = self.rules if look is self.looks[0] else COLOURS
            self.found[page, look.name] = violations(self.watched, *rules)
            assert self.watched.sideways_scroll == 0, (page, look.name)
            if PICTURES:
                name = f"{self.name}-{look.name}-{number:02}-{page.replace(' ', '-')}.png"
                self.watched.page.screenshot(path=Path(PICTURES) / name, full_page=True)
