"""Ways through the site by links and forms alone: every page that comes up."""

import io
import re
from collections import deque
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from typing import Any
from zipfile import ZipFile, is_zipfile

from django.http import HttpResponse
from django.test import Client
from django.urls import resolve

from tests.frozen.texts import digest, fold

WORDS = {"inspired_word1": "mountain", "inspired_word2": "river"}
MOST_PAGES = 200
LINK = re.compile(r'(?:href|action)="(/[^"?#]+)')
TOKEN = re.compile(r"[\w-]{22,}")
ONE_OF_MANY = {"code", "token", "path", "plot", "form"}
TEXTS = {"application/json", "application/x-yaml"}
NOT_ALLOWED = 405
SHORT = 120  # parts of a page that are not shared
PART = re.compile(
    r"\n(?= ?<(?:title|header|link rel=.icon|div class=.rail|main|footer)\b)|(?<=</main>)"
)


class _Form(HTMLParser):
    """The hidden fields of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        field = dict(attrs)
        if tag == "input" and field.get("type") == "hidden" and field.get("name"):
            self.fields[str(field["name"])] = field.get("value") or ""


class Walk:
    """A visitor whose pages are collected as `<study> <number> <method> <page>`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.client = Client()
        self.pages: dict[str, str | bytes] = {}

    def get(self, url: str) -> HttpResponse:
        return self._collect("GET", url, self.client.get(url))

    def post(self, url: str, **sent: str) -> HttpResponse:
        """Send the form of a page with these fields in addition to its hidden ones."""
        page = self.get(url).content.decode()
        return self._collect("POST", url, self.client.post(url, _Form(page).fields | sent))

    def follow(self, url: str, answers: dict[str, str]) -> str:
        """Answer every page from an address on until nothing is due; return the last address."""
        for number in range(MOST_PAGES):
            page = self.get(url)
            if page.status_code in (301, 302, 303):
                url = page["Location"]
                continue
            sent = self._answer(url, number, answers)
            if sent is None:
                return url
            url = self.post(url, **sent)["Location"]
        raise AssertionError(f"{url} was not the last page after {MOST_PAGES}")

    def _answer(self, url: str, number: int, answers: dict[str, str]) -> dict[str, str] | None:
        url = url.partition("?")[0]
        if url.endswith(("/words/", "/practice/")):
            return WORDS
        if url.endswith("/rating/"):
            return {"rating": str(number % 7)}
        if url.endswith("/check/"):
            return answers
        return {} if url.endswith(("/instructions/", "/practice/answer/")) else None

    def _collect(self, method: str, url: str, answer: Any) -> HttpResponse:
        name = f"{self.name} {len(self.pages):03d} {method} {TOKEN.sub('*', url)}"
        self.pages[name] = read_answer(answer)
        return answer


def crawl(client: Client, starts: Iterable[str], *below: str) -> dict[str, str | bytes]:
    """Return what addresses answer, and those below some addresses that they link to.

    Of addresses that differ by a number or a code alone, the first is asked for.
    """
    waiting = deque(starts)
    pages: dict[str, str | bytes] = {}
    kinds = set()
    while waiting:
        address = waiting.popleft()
        match = resolve(address)
        names = (value for key, value in match.kwargs.items() if key not in ONE_OF_MANY)
        kind = (match.view_name, *(name for name in names if isinstance(name, str)))
        if kind in kinds:
            continue
        kinds.add(kind)
        answer = client.get(address)
        if answer.status_code != NOT_ALLOWED:
            pages[TOKEN.sub("*", address)] = page = read_answer(answer)
            links = LINK.findall(page) if isinstance(page, str) else []
            waiting += [link for link in links if link.startswith(below)]
    return pages


def read_answer(answer: Any) -> str | bytes:
    """Return an answer as a text, a page with a tag a line; or the content of another file."""
    content = b"".join(answer.streaming_content if answer.streaming else [answer.content])
    kind = answer.get("Content-Type", "").partition(";")[0]
    if is_zipfile(io.BytesIO(content)):
        return list_members(content)
    if not kind.startswith("text/") and kind not in TEXTS:
        return content
    text = content.decode()
    if kind == "text/html":
        text = fold(text)
    return f"{answer.status_code} {answer.get('Location', kind)}\n{text}"


def list_members(content: bytes) -> str:
    """Return the names and digests of the files in a zip archive."""
    return "\n".join(f"{name} {digest(file)}" for name, file in read_archive(content).items())


def read_archive(content: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def share(pages: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    """Name, in place of a part of a page, the first page that has the same part."""
    first: dict[str, str] = {}
    shared: dict[str, str | bytes] = {}
    for name, page in sorted(pages.items()):
        if isinstance(page, str):
            parts = PART.split(page)
            page = "\n".join(
                part
                if first.setdefault(part, name) == name or len(part) < SHORT
                else f"(as {first[part]}) {part.splitlines()[0].strip()}"
                for part in parts
            )
        shared[name] = page
    return shared
