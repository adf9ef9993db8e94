"""Annotators who answer Cosima or the bare app without pausing, each on one connection.

An annotator opens a personal link, fills in all forms before the first item, then for each item
sends two words, follows to page 2, sends a rating and follows to the next page 1. The pages set no
cookies, so that none is sent. The first word of a judgement names its annotator and item.
"""

import asyncio
import re
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode, urljoin, urlsplit

from processes import cpu_seconds, list_processes, read_megabytes

TIMEOUT_SECONDS = 60
MAX_PAGES = 60  # before the first item; more only if the site redirects in circles
PAGE = re.compile(r"/survey/[^/]+/(\d+)/(words|rating)/$")
ITEM = re.compile(r"\balpha(\d+)\b")  # a word that occurs in one text only
FORM = re.compile(r"<form\b([^>]*)>(.*?)</form>", re.DOTALL)
TAG = re.compile(r"<(input|button|textarea|select|option)\b([^>]*)>")
ATTRIBUTE = re.compile(r'([\w:-]+)(?:\s*=\s*"([^"]*)")?')
LINK = re.compile(r'<main.*?<a\b[^>]*href="(/(?:survey|invitation)/[^"]*)"', re.DOTALL)
HEADER = re.compile(r"(?m)^([\w-]+): *(.*?)\r?$")
WORDS = ("lorem", "ipsum", "dolor", "amet")
OK, REDIRECTS, WRONG_ANSWER = 200, (302, 303), 422  # a wrong practice answer is no error screen


class RefusedError(Exception):
    """The site answered, but not as a working page does."""


class Record:
    """The measurements of one run."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {
            kind: [] for kind in ("request", "page", "submit", "turnaround")
        }
        self.acks: list[tuple[str, str, str]] = []
        self.errors: Counter[str] = Counter()
        self.n_bytes = 0
        self.is_counting = False


class Answer(NamedTuple):
    """An HTTP response, and the path from which it came."""

    status: int
    location: str
    text: str
    path: str


class Browser:
    """One annotator's connection, which is opened again when the server has closed it."""

    def __init__(self, base: str, record: Record) -> None:
        self.address, self.record = urlsplit(base), record
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(self, method: str, path: str, fields: dict[str, str] | None = None) -> Answer:
        """Send one request and read the response."""
        body = urlencode(fields or {}) if method == "POST" else ""
        if fields and method == "GET":
            path = f"{path}?{urlencode(fields)}"
        form = "Content-Type: application/x-www-form-urlencoded\r\n" if method == "POST" else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.address.netloc}\r\n{form}"
        sent = f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()
        for is_last in (False, True):
            began = time.perf_counter()
            try:
                async with asyncio.timeout(TIMEOUT_SECONDS):
                    status, headers, content, size = await self._exchange(sent)
            except (OSError, asyncio.IncompleteReadError) as error:
                self.streams = None
                if is_last or isinstance(error, TimeoutError):
                    raise RefusedError(f"no answer: {type(error).__name__}") from error
                self.record.errors["reconnected"] += 1
            else:
                break
        if self.record.is_counting:
            for kind in ("request", "page") if method == "GET" else ("request",):
                self.record.seconds[kind].append(time.perf_counter() - began)
            self.record.n_bytes += size
        if status not in (OK, *REDIRECTS, WRONG_ANSWER):
            self.record.errors[f"http {status}"] += 1
        return Answer(status, headers.get("location", ""), content.decode(), path)

    async def follow(self, method: str, path: str, fields: dict[str, str] | None = None) -> Answer:
        """Send a request and follow redirects, as a browser does."""
        answer = await self.request(method, path, fields)
        for _ in range(10):
            if not answer.location:
                break
            answer = await self.request("GET", urljoin(answer.path, answer.location))
        return answer

    async def _exchange(self, sent: bytes) -> tuple[int, dict[str, str], bytes, int]:
        if self.streams is None:
            opened = asyncio.open_connection(self.address.hostname, self.address.port)
            self.streams = await opened
        reader, writer = self.streams
        writer.write(sent)
        head = await reader.readuntil(b"\r\n\r\n")
        headers = {name.lower(): text for name, text in HEADER.findall(head.decode("latin-1"))}
        if "content-length" in headers:
            content = await reader.readexactly(int(headers["content-length"]))
        else:
            content = b""
            while length := int(await reader.readline(), 16):
                content += (await reader.readexactly(length + 2))[:-2]
            await reader.readline()
        return int(head[9:12]), headers, content, len(head) + len(content)


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
    if not (form := FORM.search(page)):
        return None
    attributes, inside = dict(ATTRIBUTE.findall(form[1])), form[2]
    hidden: dict[str, str] = {}
    filled: dict[str, str] = {}
    radios: dict[str, list[str]] = defaultdict(list)
    words = iter(WORDS)
    select = button = ""
    for tag, written in TAG.findall(inside):
        settings = dict(ATTRIBUTE.findall(written))
        name, value = settings.get("name", ""), settings.get("value", "")
        kind = settings.get("type", "submit" if tag == "button" else "text")
        if tag == "option":
            filled[select] = filled.get(select) or value
        elif tag == "select":
            select = name
        elif kind == "submit":
            if not button:
                button = name or "unnamed"
                attributes["action"] = settings.get("formaction", attributes.get("action", ""))
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


class Annotator:
    """A person with a personal link; the pages of an item come in fixed order."""

    def __init__(self, name: str, browser: Browser) -> None:
        self.name, self.browser, self.record = name, browser, browser.record
        self.path = self.page = self.item = ""

    async def enter(self, link: str) -> None:
        """Follow the personal link through all pages before the first item."""
        self._arrive(await self.browser.follow("GET", link))
        visits: Counter[str] = Counter()
        for _ in range(MAX_PAGES):
            if self.item:
                return
            visits[self.path] += 1
            if form := read_form(self.path, self.page, attempt=visits[self.path] - 1):
                sent = form.method, form.address, form.hidden | form.filled
                self._arrive(await self.browser.follow(*sent))
            elif address := LINK.search(self.page):
                self._arrive(await self.browser.follow("GET", address[1]))
            else:
                raise RefusedError("a page without a form")
        raise RefusedError(f"no item after {MAX_PAGES} pages")

    async def judge(self, number: int) -> None:
        """Answer both pages of an item and load page 1 of the next."""
        if not self.item:
            raise RefusedError("no work left")
        token, item, began = f"{self.name}t{number}", self.item, time.perf_counter()
        words = PAGE.search(self.path)
        typed = {"inspired_word1": token, "inspired_word2": "lorem"}
        self._arrive(await self.browser.follow(*self._fill_in(typed)))
        rating, shown = PAGE.search(self.path), ITEM.search(self.page)
        if not (words and rating and shown) or (rating[1], rating[2]) != (words[1], "rating"):
            raise RefusedError("the words were not accepted")
        if shown[1] != item:
            raise RefusedError("page 2 shows a different text")
        second = time.perf_counter()
        answer = await self.browser.request(*self._fill_in({"rating": str(number % 7)}))
        address = urljoin(self.path, answer.location)
        if answer.status not in REDIRECTS or address == self.path:
            raise RefusedError("the rating was not accepted")
        self.record.acks.append((self.name, item, token))
        self.record.seconds["submit"].append(time.perf_counter() - second)
        self._arrive(await self.browser.follow("GET", address))
        self.record.seconds["turnaround"].append(time.perf_counter() - began)

    def _arrive(self, answer: Answer) -> None:
        """Store the current page and the item of a page 1."""
        self.path, self.page, self.item = answer.path, answer.text, ""
        place, item = PAGE.search(self.path), ITEM.search(self.page)
        if answer.status == OK and place and place[2] == "words" and item:
            self.item = item[1]

    def _fill_in(self, answers: dict[str, str]) -> tuple[str, str, dict[str, str]]:
        form = read_form(self.path, self.page)
        if form is None:
            raise RefusedError("a page of an item without a form")
        return "POST", form.address, form.hidden | answers


def annotate(
    base: str, name: str, links: Sequence[str], n_tasks: int, servers: Sequence[int]
) -> dict[str, Any]:
    """Let annotators come by links; return what they measured, and the servers' CPU time.

    `acks` of the result are the confirmed judgements. Memory is the peak of the first server's.
    """
    return asyncio.run(_annotate(base, name, links, n_tasks, servers))


async def _annotate(
    base: str, name: str, links: Sequence[str], n_tasks: int, servers: Sequence[int]
) -> dict[str, Any]:
    record = Record()
    people = [Annotator(f"{name}{n:03d}", Browser(base, record)) for n in range(len(links))]
    entering = (one.enter(link) for one, link in zip(people, links, strict=True))
    for error in await asyncio.gather(*entering, return_exceptions=True):
        _count(error, record)
    watching = asyncio.create_task(_watch(servers[0]))
    cpu, began, record.is_counting = _cpu(servers), time.perf_counter(), True
    judging = (_judge_all(one, n_tasks) for one in people)
    for error in await asyncio.gather(*judging, return_exceptions=True):
        _count(error, record)
    seconds, cpu = time.perf_counter() - began, _cpu(servers) - cpu
    watching.cancel()
    peak = max([*PEAKS, read_megabytes(list_processes(servers[0]), "VmRSS")])
    done = max(1, len(record.acks))
    return {
        "annotators": len(links),
        "acknowledged": len(record.acks),
        "acks": record.acks,
        "judgements_per_s": len(record.acks) / seconds,
        "requests_per_judgement": len(record.seconds["request"]) / done,
        "bytes_in_per_judgement": record.n_bytes / done,
        **{f"{kind}_ms": _percentiles(taken) for kind, taken in record.seconds.items()},
        "errors": dict(record.errors),
        "server_cpu_ms_per_judgement": 1000 * cpu / done,
        "server_peak_rss_mb": peak,
    }


PEAKS: list[float] = []  # of the server's memory; a run has a process of its own


async def _watch(server: int) -> None:
    while True:
        PEAKS.append(read_megabytes(list_processes(server), "VmRSS"))
        await asyncio.sleep(0.5)


async def _judge_all(annotator: Annotator, n_tasks: int) -> None:
    for number in range(n_tasks):
        await annotator.judge(number)


def _count(error: BaseException | None, record: Record) -> None:
    if isinstance(error, RefusedError):
        record.errors[str(error)] += 1
    elif error:
        raise error


def _cpu(servers: Sequence[int]) -> float:
    return sum(cpu_seconds(list_processes(pid)) for pid in servers)


def _percentiles(seconds: list[float]) -> dict[str, float]:
    """Return percentiles in milliseconds, by nearest rank."""
    ordered = sorted(seconds)
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    return {
        name: 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
        for name, share in shares.items()
        if ordered
    }
