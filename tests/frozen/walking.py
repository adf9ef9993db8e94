"""An annotator's way through a study, by links and forms alone: every page that comes up."""

import re
from html.parser import HTMLParser
from typing import Any

from django.http import HttpResponse
from django.test import Client

WORDS = {"inspired_word1": "mountain", "inspired_word2": "river"}
MOST_PAGES = 200
STATIC_DIGEST = re.compile(rb"(/static/[^\"' ]+?)\.[0-9a-f]{12}(\.\w+)")


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
        self.pages: dict[str, bytes] = {}

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
        page = re.sub(r"[\w-]{22}", "*", url)
        content = STATIC_DIGEST.sub(rb"\1\2", answer.content)
        heads = f"{answer.status_code} {answer.get('Location', '')}\n".encode()
        self.pages[f"{self.name} {len(self.pages):03d} {method} {page}"] = heads + content
        return answer
