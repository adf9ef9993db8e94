"""The gateway between the web server and Django: complete requests within limits."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.utils import timezone

from annotation_site.gateway import SMALL_BODY, Gateway, Limits
from surveys.web.timing import began_at

LIMITS = Limits(n_threads=1, body_seconds=60, largest_body=3 * SMALL_BODY, memory=4 * SMALL_BODY)
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

    ask(site, *slow, other, limits=LIMITS._replace(body_seconds=0.2))

    assert len(site.asked) == 1
    assert {client.status for client in slow} == {408}
    assert all((b"connection", b"close") in client.sent[0]["headers"] for client in slow)
    assert other.status == 200


def test_a_large_body_gets_more_time_as_it_grows():
    async def send_slowly() -> AsyncIterator[bytes]:
        yield b"x" * SMALL_BODY
        yield b"x" * SMALL_BODY  # these two grant 2.6 seconds
        await asyncio.sleep(1.1)
        yield b"x" * SMALL_BODY
        yield b""

    pieces, client = send_slowly(), Client(headers=STREAMED)

    async def receive() -> Any:
        body = await anext(pieces)
        return {"type": "http.request", "body": body, "more_body": body != b""}

    client.receive = receive  # type: ignore[method-assign]
    site = Site(b"", headers=[("Content-Length", "0")])

    ask(site, client, limits=LIMITS._replace(body_seconds=1))

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

    ask(site, *large, small, limits=LIMITS._replace(body_seconds=0.2))

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


def test_a_response_of_unknown_length_is_streamed():
    site, client = Site(b"a", b"", b"b"), Client()

    ask(site, client)

    assert [(message["body"], message["more_body"]) for message in client.sent[1:]] == [
        (b"a", True), (b"b", True), (b"", False),
    ]  # fmt: skip
    assert site.n_closed == 1


def test_a_response_that_fails_midway_is_not_completed():
    site, client = Site(b"a", b"fault"), Client()

    with pytest.raises(ValueError, match="fault"):
        ask(site, client)

    assert [message.get("more_body") for message in client.sent] == [None, True]
    assert site.n_closed == 1
