"""A researcher in a browser: signed in, looking at every page, with what each step took of them."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.end_to_end.beholding import LOOKS, PICTURES, Beholder
from tests.end_to_end.browsing import DESKTOP, WatchedPage
from tests.end_to_end.site import Site


@dataclass
class Step:
    """A step of a study, and what it took: seconds of a browser's, clicks, fields filled in."""

    name: str
    seconds: float = 0
    clicks: int = 0
    fields: int = 0


class Researcher:
    """Somebody signed in to the console. Without scripts pages are walked through, not looked at.

    With SCREENSHOTS=folder in the environment what the steps took is written there, too.
    """

    def __init__(self, chromium: Browser, site: Site, *, scripts: bool = True) -> None:
        self.site, self.scripts = site, scripts
        self.beholder = Beholder(chromium, LOOKS, "console") if scripts else None
        self.watched = (
            self.beholder.watched
            if self.beholder
            else WatchedPage(chromium, DESKTOP, scripts=False)
        )
        self.steps: list[Step] = []
        self.seconds_looking = 0.0
        told = site.manage("add_researcher", "ana")
        with self.step("Signing in"):
            self.page.goto(f"{site.url}/console/")
            self.fill("Username", "ana")
            self.fill("Password", re.findall(r"password: (\S+)", told)[0])
            self.press("Sign in")

    @property
    def page(self) -> Page:
        return self.watched.page

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """What is done here is counted as a step; looking at pages takes no time."""
        self.steps.append(Step(name))
        begun, before = time.monotonic(), self.seconds_looking
        yield
        self.steps[-1].seconds = time.monotonic() - begun - (self.seconds_looking - before)
        if PICTURES:
            told = [f"{s.name}\t{s.seconds:.1f}\t{s.clicks}\t{s.fields}\n" for s in self.steps]
            (Path(PICTURES) / "steps.tsv").write_text("".join(told), encoding="utf-8")

    def press(self, label: str) -> None:
        """Press a button that leads to another page."""
        self.steps[-1].clicks += 1
        self.watched.follow(self.page.get_by_role("button", name=label).first)

    def follow(self, label: str) -> None:
        self.steps[-1].clicks += 1
        self.watched.follow(self.page.get_by_role("link", name=label).first)

    def fill(self, label: str, text: str) -> None:
        self.steps[-1].fields += 1
        self.page.get_by_label(label).first.fill(text)

    def choose_file(self, label: str, file: Path) -> None:
        self.steps[-1].fields += 1
        self.page.get_by_label(label).first.set_input_files(file)

    def save(self, label: str, folder: Path) -> Path:
        """Follow a link to a file; where it was saved. The browser stays on the page."""
        self.steps[-1].clicks += 1
        before = list(self.watched.complaints)
        with self.page.expect_download() as started:
            self.page.get_by_role("link", name=label).first.click()
        saved = folder / started.value.suggested_filename
        started.value.save_as(saved)
        self.watched.complaints[:] = before  # to stay counts as a failed request
        return saved

    def look(self, name: str) -> None:
        """See the page in every look."""
        if self.beholder:
            begun = time.monotonic()
            self.beholder.look(name)
            self.seconds_looking += time.monotonic() - begun

    def find_faults(self) -> dict[str, list[str]]:
        """What axe, the browser and the network complained of; nothing if all is right."""
        refused = ("422", "409")  # what a form with faults in it is answered with
        axe = self.beholder.complaints if self.beholder else {}
        told = [c for c in self.watched.complaints if not any(code in c for code in refused)]
        strangers = self.watched.hosts - {self.site.url.removeprefix("http://")}
        found = {" ".join(at): rules for at, rules in axe.items()}
        found |= {"browser": told, "hosts": sorted(strangers)}
        return {where: what for where, what in found.items() if what}

    def answer_words(self) -> None:
        """Write two words on page 1 of the preview and send them."""
        self.steps[-1].clicks += 1
        self.steps[-1].fields += 2
        self.watched.write_words("one", "two")

    def rate(self, rating: int) -> None:
        self.steps[-1].clicks += 2
        self.watched.rate(rating)

    def send(self) -> None:
        """Press the first button of the page."""
        self.steps[-1].clicks += 1
        self.watched.submit()
