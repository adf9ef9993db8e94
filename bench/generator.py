"""The load generator with an adapter for Cosima and for `bare/`, whose pages are of the same kind.

Needs a Python with aiohttp and psutil, and takes the generator's arguments:

    BENCH_GENERATOR=FOLDER python bench/generator.py --system cosima --base URL --users FILE …

The users file holds a name and, in place of a password, the path of the personal link.
"""

import importlib
import os
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple
from urllib.parse import urljoin

sys.path.insert(0, os.environ["BENCH_GENERATOR"])
annotators: Any = importlib.import_module("annotators")

Send = Callable[..., Awaitable[tuple[int, str | None, str]]]
MAX_PAGES = 60  # before the first item; more only if the site redirects in circles
PAGE = re.compile(r"/survey/[^/]+/(\d+)/(words|rating)/$")
ITEM = re.compile(r"\balpha(\d+)\b")  # a word that occurs in one text only
FORM = re.compile(r"<form\b([^>]*)>(.*?)</form>", re.DOTALL)
TAG = re.compile(r"<(input|button|textarea|select|option)\b([^>]*)>")
ATTRIBUTE = re.compile(r'([\w:-]+)(?:\s*=\s*"([^"]*)")?')
LINK = re.compile(r'<main.*?<a\b[^>]*href="(/(?:survey|invitation)/[^"]*)"', re.DOTALL)
WORDS = ("lorem", "ipsum", "dolor", "amet")
REDIRECTS = (302, 303)
TAKEN_OR_REFUSED = (
    200,
    *REDIRECTS,
    422,
)  # a wrong answer to a practice question is not an error screen


class Form(NamedTuple):
    """The first form of a page: its fixed values, and the values filled in."""

    address: str
    method: str
    hidden: dict[str, str]
    filled: dict[str, str]


def read_form(path: str, page: str, *, attempt: int = 0) -> Form | None:
    """Fill in texts, tick boxes, and choose a radio button: the next one with each attempt.

    The first of several buttons is used, as by the Enter key.
    """
    if not (found := FORM.search(page)):
        return None
    attributes, inside = dict(ATTRIBUTE.findall(found[1])), found[2]
    hidden: dict[str, str] = {}
    filled: dict[str, str] = {}
    radios: dict[str, list[str]] = defaultdict(list)
    words = iter(WORDS)
    select = button = ""
    for tag, written in TAG.findall(inside):
        own = dict(ATTRIBUTE.findall(written))
        name, value = own.get("name", ""), own.get("value", "")
        kind = own.get("type", "submit" if tag == "button" else "text")
        if tag == "option":
            filled[select] = filled.get(select) or value
        elif tag == "select":
            select = name
        elif kind == "submit":
            if not button:
                button = name or "unnamed"
                attributes["action"] = own.get("formaction", attributes.get("action", ""))
                hidden |= {name: value} if name else {}
        elif kind == "radio":
            radios[name].append(value)
        elif kind == "hidden":
            hidden[name] = value
        elif kind == "checkbox":
            filled[name] = value or "on"
        elif name:
            filled[name] = "30" if kind == "number" else next(words, "sit")
    filled |= {name: values[attempt % len(values)] for name, values in radios.items()}
    address = urljoin(path, attributes.get("action", ""))
    return Form(address, attributes.get("method", "get").upper(), hidden, filled)


class CosimaAdapter(annotators.Adapter):  # type: ignore[misc]
    """Cosima: a personal link; two pages per item in fixed order."""

    item: str | None = None
    path = page = ""

    async def enter(self) -> None:
        """Follow the personal link through all pages before the first item."""
        self._arrive(*await self.browser.follow("GET", self.password))
        visits: Counter[str] = Counter()
        for _ in range(MAX_PAGES):
            if self.item is not None:
                return
            visits[self.path] += 1
            await self._press_on(visits[self.path] - 1)
        raise annotators.Refused(f"no item after {MAX_PAGES} pages")

    async def _press_on(self, attempt: int) -> None:
        form = read_form(self.path, self.page, attempt=attempt)
        if form:
            keyword = "data" if form.method == "POST" else "params"
            fields = {keyword: form.hidden | form.filled}
            answer = await self.browser.follow(
                form.method, form.address, expect=TAKEN_OR_REFUSED, **fields
            )
        elif link := LINK.search(self.page):
            answer = await self.browser.follow("GET", link[1])
        else:
            raise annotators.Refused("a page without a form")
        self._arrive(*answer)

    def _arrive(self, status: int, path: str | None, page: str) -> None:
        """Store the current page: the item of a page 1, or None."""
        self.path, self.page, self.item = path or "", page, None
        place = PAGE.search(self.path)
        if status == 200 and place and place[2] == "words" and (found := ITEM.search(page)):
            self.item = found[1]

    async def _send(self, send: Send, **answers: str) -> tuple[int, str | None, str]:
        """Send the form of the current page with these answers and its hidden inputs."""
        form = read_form(self.path, self.page)
        if form is None:
            raise annotators.Refused("a page of an item without a form")
        return await send("POST", form.address, data=form.hidden | answers)

    async def judge(self, token: str, similarity: int, last: bool) -> str | None:
        """Answer both pages of an item and load page 1 of the next."""
        if self.item is None:
            return None
        item, start, words = self.item, time.perf_counter(), PAGE.search(self.path)
        typed = {"inspired_word1": token, "inspired_word2": "lorem"}
        self._arrive(*await self._send(self.browser.follow, **typed))
        rating, shown = PAGE.search(self.path), ITEM.search(self.page)
        if not (words and rating and shown) or (rating[1], rating[2]) != (words[1], "rating"):
            raise annotators.Refused("the words were not accepted")
        if shown[1] != item:
            raise annotators.Refused("page 2 shows a different text")
        second = time.perf_counter()
        status, location, _ = await self._send(self.browser.request, rating=str(similarity))
        if status not in REDIRECTS or urljoin(self.path, location or "") == self.path:
            raise annotators.Refused("the rating was not accepted")
        self.record.acknowledged(self.user, item, token, time.perf_counter() - second)
        self._arrive(*await self.browser.follow("GET", location))
        self.record.turnaround(time.perf_counter() - start)
        return item


annotators.ADAPTERS["cosima"] = CosimaAdapter

if __name__ == "__main__":
    annotators.main()
