"""A researcher in a browser, with checks of each page and the effort of each step."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.end_to_end.browser import DESKTOP, WatchedPage
from tests.end_to_end.page_checks import LOOKS, PICTURES, PageChecker
from tests.end_to_end.site import Site


@dataclass
class Step:
    """A step of a study and its effort: seconds, clicks, fields filled in."""

    name: str
    seconds: float = 0
    clicks: int = 0
    fields: int = 0


class Researcher:
    """A user signed in to the console. Without scripts pages are visited, but not checked.

    With SCREENSHOTS=folder in the environment the efforts are written there, too.
    """

    def __init__(
        self, chromium: Browser, site: Site, name: str = "ana", *, scripts: bool = True
    ) -> None:
        self.site, self.scripts = site, scripts
        self.checker = PageChecker(chromium, LOOKS, "console") if scripts else None
        self.watched = (
            self.checker.watched if self.checker else WatchedPage(chromium, DESKTOP, scripts=False)
        )
        self.steps: list[Step] = []
        self.seconds_looking = 0.0
        output = site.manage("add_researcher", name)
        with self.step("Signing in"):
            self.page.goto(f"{site.url}/console/")
            self.fill("Username", name)
            self.fill("Password", re.findall(r"password: (\S+)", output)[0])
            self.press("Sign in")

    @property
    def page(self) -> Page:
        return self.watched.page

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count the block as a step, without the time for checking pages."""
        self.steps.append(Step(name))
        begun, before = time.monotonic(), self.seconds_looking
        yield
        self.steps[-1].seconds = time.monotonic() - begun - (self.seconds_looking - before)
        if PICTURES:
            lines = [f"{s.name}\t{s.seconds:.1f}\t{s.clicks}\t{s.fields}\n" for s in self.steps]
            (Path(PICTURES) / "steps.tsv").write_text("".join(lines), encoding="utf-8")

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
        """Download the file of a link into a folder; return its path."""
        self.steps[-1].clicks += 1
        before = list(self.watched.complaints)
        with self.page.expect_download() as started:
            self.page.get_by_role("link", name=label).first.click()
        saved = folder / started.value.suggested_filename
        started.value.save_as(saved)
        self.watched.complaints[:] = before  # a download is reported as a failed request
        return saved

    def look(self, name: str) -> None:
        """Check the page with every size and colour scheme."""
        if self.checker:
            begun = time.monotonic()
            self.checker.look(name)
            self.seconds_looking += time.monotonic() - begun

    def find_faults(self) -> dict[str, list[str]]:
        """Return the complaints of axe, the browser and the network."""
        refused = ("422", "409")  # responses to forms with errors
        axe = self.checker.complaints if self.checker else {}
        complaints = [c for c in self.watched.complaints if not any(code in c for code in refused)]
        strangers = self.watched.hosts - {self.site.url.removeprefix("http://")}
        found = {" ".join(at): rules for at, rules in axe.items()}
        found |= {"browser": complaints, "hosts": sorted(strangers)}
        return {where: what for where, what in found.items() if what}

    def answer_words(self) -> None:
        """Submit two words on page 1 of the preview."""
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
