"""The gateway between the web server and Django: complete requests within limits."""

import asyncio
import os
import signal
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from functools import partial
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse
from django.utils import timezone

from annotation_site.gateway import SMALL_BODY, Gateway, Limits
from surveys.web.timing import began_at
from tests.end_to_end.commands import start_module
from tests.end_to_end.databases import free_port
from tests.fixtures.plain_site import LARGE
from tests.machine import ROOT

PATIENCE = 30
ESTABLISHED = "01"  # in /proc/net/tcp
PIECES = [b"%06d" % number + b"x" * (SMALL_BODY - 6) for number in range(20)]
LIMITS = Limits(n_threads=1, client_seconds=60, largest_body=3 * SMALL_BODY, memory=4 * SMALL_BODY)
FORM = [(b"content-length", b"4")]
STREAMED = [(b"transfer-encoding", b"chunked")]


class Client:
    """One exchange, from the web server's side: chunks to receive, and what was sent."""

    def __init__(self, *pieces: bytes, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        self.pieces = list(pieces)
        self.sent: list[Any] = []
        self.scope: Any = {
            "type": "http", "method": "POST", "path": "/ä", "query_string": b"q=%20",
            "http_version": "1.1", "scheme": "http", "headers": list(headers),
            "server": ("127.0.0.1", 8000), "client": ("127.0.0.9", 4000),
        }  # fmt: skip

    async def receive(self) -> Any:
        if not self.pieces:
            await asyncio.Event().wait()  # a client that sends no more
        body = self.pieces.pop(0)
        if body is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": body, "more_body": body != b""}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    async def ask(self, gateway: Gateway) -> None:
        await gateway(self.scope, self.receive, self.send)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])


class Site:
    """A WSGI application that records requests and returns a fixed response."""

    def __init__(self, *pieces: bytes, headers: Iterable[tuple[str, str]] = ()) -> None:
        self.pieces, self.headers = pieces, list(headers)
        self.asked: list[tuple[dict[str, Any], bytes]] = []
        self.n_closed = 0

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> "Site":
        self.asked.append((environ, environ["wsgi.input"].read()))
        start_response("200 OK", self.headers)
        return self

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            if piece == b"fault":
                raise ValueError(piece)
            yield piece

    def close(self) -> None:
        self.n_closed += 1


def ask(site: Site, *clients: Client, limits: Limits = LIMITS) -> None:
    """Send the requests of all clients simultaneously."""

    async def at_once() -> None:
        gateway = Gateway(site, limits)
        await asyncio.gather(*(client.ask(gateway) for client in clients))

    asyncio.run(at_once())


def test_a_complete_request_reaches_the_site():
    site, client = Site(b"yes", headers=[("Content-Length", "3")]), Client(
        b"a=", b"12", b"", headers=FORM
    )  # fmt: skip

    ask(site, client)

    ((environ, body),) = site.asked
    assert (body, environ["CONTENT_LENGTH"]) == (b"a=12", "4")
    assert environ["PATH_INFO"] == "/\u00c3\u00a4"
    assert (environ["QUERY_STRING"], environ["REMOTE_ADDR"]) == ("q=%20", "127.0.0.9")
    assert client.status == 200
    assert [message["body"] for message in client.sent[1:]] == [b"yes"]
    assert site.n_closed == 1


def test_a_request_begins_with_its_head(monkeypatch):
    """However long its body takes: what began before the end of a phase is in time."""
    clock = SimpleNamespace(at=1_000.0)
    monkeypatch.setattr("annotation_site.gateway.time", SimpleNamespace(time=lambda: clock.at))
    site, client = Site(b""), Client(b"a=12", b"", headers=FORM)
    receive = client.receive

    async def receive_slowly():
        clock.at += 60
        return await receive()

    client.receive = receive_slowly
    ask(site, client)

    ((environ, _),) = site.asked
    request = WSGIRequest(environ)
    assert began_at(request) == datetime(1970, 1, 1, 0, 16, 40, tzinfo=UTC)
    request.META.pop("cosima.began")
    assert abs(began_at(request) - timezone.now()) < timedelta(minutes=1)


@pytest.mark.parametrize("pieces", [(), (b"a",)])
def test_an_incomplete_body_is_refused_and_occupies_no_thread(pieces):
    site = Site(b"", headers=[("Content-Length", "0")])
    slow = [Client(*pieces, headers=headers) for headers in (FORM, STREAMED) for _ in range(20)]
    other = Client(b"a=12", b"", headers=FORM)

    ask(site, *slow, other, limits=LIMITS._replace(client_seconds=0.2))

    assert len(site.asked) == 1
    assert {client.status for client in slow} == {408}
    assert all((b"connection", b"close") in client.sent[0]["headers"] for client in slow)
    assert other.status == 200


def test_a_large_body_gets_more_time_as_it_grows():
    async def send_slowly() -> AsyncIterator[bytes]:
        yield b"x" * SMALL_BODY
        yield b"x" * SMALL_BODY  # these two grant a minute
        await asyncio.sleep(1.1)
        yield b"x" * SMALL_BODY
        yield b""

    pieces, client = send_slowly(), Client(headers=STREAMED)

    async def receive() -> Any:
        body = await anext(pieces)
        return {"type": "http.request", "body": body, "more_body": body != b""}

    client.receive = receive  # type: ignore[method-assign]
    site = Site(b"", headers=[("Content-Length", "0")])

    ask(site, client, limits=LIMITS._replace(client_seconds=1, min_rate=2000))

    assert client.status == 200
    assert len(site.asked[0][1]) == 3 * SMALL_BODY


def test_a_body_announced_as_too_large_is_refused_unread():
    site, client = Site(), Client(headers=[(b"content-length", b"%d" % (3 * SMALL_BODY + 1))])

    ask(site, client)

    assert client.status == 413
    assert site.asked == []


def test_a_body_that_grows_too_large_is_refused():
    site, client = Site(), Client(*[b"x" * SMALL_BODY] * 4, headers=STREAMED)

    ask(site, client)

    assert client.status == 413
    assert site.asked == []


def test_simultaneous_large_bodies_are_limited_and_small_ones_are_not():
    site = Site(b"", headers=[("Content-Length", "0")])
    large = [Client(*[b"x" * SMALL_BODY] * 3, headers=STREAMED) for _ in range(3)]
    small = Client(b"a=12", b"", headers=FORM)

    ask(site, *large, small, limits=LIMITS._replace(client_seconds=0.2))

    assert sorted({client.status for client in large}) == [408, 503]
    assert small.status == 200


def test_a_disconnected_client_gets_no_response():
    site, client = Site(), Client(None, headers=FORM)  # type: ignore[arg-type]

    ask(site, client)

    assert site.asked == client.sent == []


def test_headers_with_an_underscore_are_dropped():
    headers = [
        (b"x_forwarded_proto", b"https"), (b"x-forwarded-for", b"1.1.1.1"),
        (b"x-forwarded-for", b"2.2.2.2"), (b"cookie", b"a=1"), (b"cookie", b"b=2"),
        (b"content-type", b"text/plain"),
    ]  # fmt: skip
    site = Site(b"", headers=[("Content-Length", "0")])

    ask(site, Client(headers=headers))

    environ = site.asked[0][0]
    assert {name: text for name, text in environ.items() if name.startswith("HTTP_")} == {
        "HTTP_X_FORWARDED_FOR": "1.1.1.1,2.2.2.2", "HTTP_COOKIE": "a=1; b=2",
    }  # fmt: skip
    assert environ["CONTENT_TYPE"] == "text/plain"


def test_a_response_of_unknown_length_is_sent_once_it_is_complete():
    site, client = Site(b"a", b"", b"b"), Client()

    ask(site, client)

    assert [(message["body"], message["more_body"]) for message in client.sent[1:]] == [
        (b"ab", False)
    ]  # fmt: skip
    assert site.n_closed == 1


def test_a_response_that_fails_midway_is_not_begun():
    site, client = Site(b"a", b"fault"), Client()

    with pytest.raises(ValueError, match="fault"):
        ask(site, client)

    assert client.sent == []
    assert site.n_closed == 1


def test_a_large_response_in_pieces_has_a_length():
    site, client = Site(*PIECES), Client()

    ask(site, client)

    assert client.sent[0]["headers"] == [(b"content-length", b"%d" % (20 * SMALL_BODY))]
    assert b"".join(message["body"] for message in client.sent[1:]) == b"".join(PIECES)
    assert [message["more_body"] for message in client.sent[1:]] == [True] * 20 + [False]
    assert site.n_closed == 1


def test_unread_responses_occupy_no_thread_and_are_cut_off(caplog):
    clients = [Client() for _ in range(20)]
    for client in clients:
        client.send = partial(send_first, client)  # type: ignore[method-assign]
    site, other = Site(*PIECES), Client()

    ask(site, *clients, other, limits=LIMITS._replace(client_seconds=0.2))

    assert other.sent[-1]["more_body"] is False
    assert {len(client.sent) for client in clients} == {2}
    assert [record.getMessage() for record in caplog.records] == [
        "POST /\u00c3\u00a4: the client is too slow, cut off after 0 bytes"
    ] * 20
    assert site.n_closed == 21


async def send_first(client: Client, message: Any) -> None:
    """Send the head, and wait for a client that takes nothing of the rest."""
    client.sent.append(message)
    if len(client.sent) > 1:
        await asyncio.Event().wait()


def test_a_response_gets_more_time_as_it_is_taken():
    client = Client()

    async def take_slowly(message: Any) -> None:
        client.sent.append(message)
        if len(client.sent) == 3:  # each piece grants half a minute
            await asyncio.sleep(1.1)

    client.send = take_slowly  # type: ignore[method-assign]

    ask(Site(*PIECES), client, limits=LIMITS._replace(client_seconds=1, min_rate=2000))

    assert client.sent[-1]["more_body"] is False


def test_little_is_read_for_a_client_that_has_gone():
    site, client = Site(*PIECES), Client(None)  # type: ignore[arg-type]

    ask(site, client)

    assert len(client.sent) <= 3  # head, perhaps a piece, end
    assert client.sent[-1]["body"] == b""
    assert site.n_closed == 1


def test_a_file_is_sent_from_where_it_stands(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"skipped" + b"".join(PIECES))
    length = [("Content-Length", str(20 * SMALL_BODY))]

    for file in (path.open("rb"), BytesIO(path.read_bytes())):
        file.seek(len(b"skipped"))
        client = Client()
        ask(Sent(file, headers=length), client)

        assert file.closed
        assert client.sent[0]["headers"] == [(b"content-length", b"%d" % (20 * SMALL_BODY))]
        assert b"".join(message["body"] for message in client.sent[1:]) == b"".join(PIECES)


class Sent(Site):
    """A WSGI application that sends a file."""

    def __init__(self, file: Any, headers: Iterable[tuple[str, str]]) -> None:
        super().__init__(headers=headers)
        self.file = file

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        super().__call__(environ, start_response)
        return environ["wsgi.file_wrapper"](self.file)


def test_the_content_for_a_head_is_not_made():
    site, client = Site(b"fault"), Client()
    client.scope["method"] = "HEAD"

    ask(site, client)

    assert [message.get("body") for message in client.sent] == [None, b""]
    assert site.n_closed == 1


@pytest.mark.parametrize("headers", [[("Content-Length", "4")], []], ids=["length", "none"])
def test_exports_keep_no_page_waiting(headers):
    begun, answered = Event(), Event()

    def export_or_page(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        if environ["QUERY_STRING"] == "page":
            start_response("200 OK", headers)
            begun.wait(PATIENCE)
            answered.set()
            return HttpResponse(b"page")
        start_response("200 OK", [])
        return export()

    def export() -> Iterator[bytes]:
        begun.set()
        yield b"answered" if answered.wait(PATIENCE) else b"waited"

    exporting, reading = Client(), Client()
    reading.scope["query_string"] = b"page"
    ask(export_or_page, exporting, reading)  # type: ignore[arg-type]

    assert exporting.sent[1]["body"] == b"answered"
    assert reading.sent[1]["body"] == b"page"


def test_nothing_is_answered_from_a_full_disk(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))
    site, reading = Site(*PIECES), Client()
    sending = Client(b"x" * 2 * SMALL_BODY, b"", headers=STREAMED)

    ask(site, reading, sending)

    assert (reading.status, sending.status) == (503, 503)
    assert len(site.asked) == site.n_closed == 1
    assert [(record.levelname, record.exc_info) for record in caplog.records] == [
        ("ERROR", None)
    ] * 2


class Served(NamedTuple):
    """A served site, from its client's side."""

    port: int
    log: Path

    def connect(self) -> socket.socket:
        """Connect with small buffers."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(PATIENCE)
        connection.connect(("127.0.0.1", self.port))
        return connection

    def request(self, *paths: str) -> socket.socket:
        """Send requests at once, and read nothing."""
        connection = self.connect()
        for path in paths:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return connection

    def ask(self, path: str, method: str = "GET") -> tuple[int, str | None, bytes]:
        """Return status, length and content of a response."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with closing(connection):
            connection.request(method, path)
            answer = connection.getresponse()
            return answer.status, answer.headers["content-length"], answer.read()

    def await_end(self, *connections: socket.socket) -> None:
        """Wait until the server's side has ended, which a client that reads nothing may not see."""
        deadline = time.monotonic() + PATIENCE
        here = f":{self.port:04X}"
        theirs = {f":{connection.getsockname()[1]:04X}" for connection in connections}
        while any(
            state == ESTABLISHED and local.endswith(here) and remote[-5:] in theirs
            for _, local, remote, state, *_ in map(
                str.split, Path("/proc/net/tcp").read_text().splitlines()
            )
        ):
            assert time.monotonic() < deadline
            time.sleep(0.1)


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Served]:
    """A small site, served by one process with one thread."""
    site = Served(free_port(), tmp_path_factory.mktemp("served") / "log")
    command = ["granian", "--interface", "asginl", "--http", "1", "--no-ws", "--port",
               str(site.port), "--log-level", "warning", "--http1-buffer-size", "65536",
               "--factory", "tests.fixtures.plain_site:make_application"]  # fmt: skip
    server = start_module(command, os.environ, ROOT, site.log)
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                site.ask("/page")
                break
            except ConnectionError:
                assert server.is_alive(), site.log.read_text()
                assert time.monotonic() < deadline
                time.sleep(0.05)
        yield site
    finally:
        os.kill(server.pid or 0, signal.SIGTERM)
        server.join()


def test_clients_that_take_nothing_keep_nobody_waiting_and_are_cut_off(served):
    with ExitStack() as stack:
        paths = ("/file", "/pieces", "/long")
        unread = [stack.enter_context(served.request(path)) for path in paths * 10]
        stack.enter_context(served.request("/page"))

        assert served.ask("/page") == (200, "4", LARGE[:4])
        assert served.ask("/file") == served.ask("/pieces") == (200, str(len(LARGE)), LARGE)
        served.await_end(*unread)
    lines = served.log.read_text().splitlines()
    assert Counter(line.partition(":")[0] for line in lines) == {"GET /file": 10, "GET /pieces": 10}
    assert all("the client is too slow, cut off after" in line for line in lines)


def test_clients_that_close_their_side_are_gone(served):
    with served.request("/file") as connection:
        connection.shutdown(socket.SHUT_WR)

        served.await_end(connection)
        assert served.ask("/page")[0] == 200


def test_requests_sent_at_once_are_answered_in_order(served):
    with served.request("/page", "/file", "/page") as connection, connection.makefile("rb") as file:
        for content in (LARGE[:4], LARGE, LARGE[:4]):
            lines = list(iter(file.readline, b"\r\n"))

            assert b"content-length: %d\r\n" % len(content) in lines
            assert file.read(len(content)) == content


def test_a_head_has_the_length_of_the_content(served):
    assert served.ask("/file", "HEAD") == (200, str(len(LARGE)), b"")
    assert served.ask("/pieces", "HEAD") == (200, None, b"")


def test_an_error_halfway_is_no_success(served):
    status, _, content = served.ask("/fault")

    assert status == 500
    assert content not in LARGE
