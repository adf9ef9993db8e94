"""An ASGI gateway to Django's WSGI application: threads get only complete requests.

The web server (granian) limits the time of request heads, but not of bodies. Bodies are therefore
received here, in the event loop, with limits of time and size: a slow client occupies a connection
but no thread.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from io import BytesIO
from queue import SimpleQueue
from tempfile import SpooledTemporaryFile
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast
from wsgiref.types import WSGIApplication, WSGIEnvironment

if TYPE_CHECKING:
    from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, HTTPScope

SMALL_BODY = 64 * 1024  # bytes; larger bodies are stored on disk
MIN_RATE = 50_000  # bytes a second at which a body may continue after the time limit
MAX_WHOLE_RESPONSE = 1024 * 1024  # bytes; longer ones, and those of unknown length, are streamed
SEND_SECONDS = 60  # for a client to accept a chunk of a response
BEGAN = "cosima.began"  # key of the time, in seconds, at which the head of a request arrived
HEADER_SEPARATORS = {"cookie": "; "}  # of repeated headers, other than a comma

Head = tuple[int, list[tuple[bytes, bytes]]]


class Limits(NamedTuple):
    """Limits of one process."""

    n_threads: int
    body_seconds: float
    largest_body: int  # bytes
    memory: int  # bytes of large bodies that are being received at the same time


class Refused(Exception):
    """A request that is refused without Django."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class ClientGone(Exception):
    """The client closed the connection before its request was complete."""


class Threads:
    """A thread pool for calls from the event loop, in order.

    Takes half the time of an executor, which matters since every request uses it.
    """

    def __init__(self, n_threads: int) -> None:
        self.calls: SimpleQueue[tuple[Callable[[], None], asyncio.Future[None]]] = SimpleQueue()
        for number in range(n_threads):
            Thread(target=self._work, name=f"request-{number}", daemon=True).start()

    async def run(self, call: Callable[[], None]) -> None:
        """Wait until a thread has run a function. Raises its exception."""
        done = asyncio.get_running_loop().create_future()
        self.calls.put((call, done))
        await done

    def _work(self) -> None:
        while True:
            call, done = self.calls.get()
            raised = None
            try:
                call()
            except BaseException as error:  # noqa: BLE001  (for the waiting request to raise)
                raised = error
            done.get_loop().call_soon_threadsafe(_settle, done, raised)


def _settle(done: "asyncio.Future[None]", raised: BaseException | None) -> None:
    if done.cancelled():
        return
    if raised:
        done.set_exception(raised)
    else:
        done.set_result(None)


class Gateway:
    """An ASGI application that passes complete requests to a WSGI application in threads."""

    def __init__(self, application: WSGIApplication, limits: Limits) -> None:
        self.application = application
        self.limits = limits
        self.threads = Threads(limits.n_threads)
        self.n_held = 0  # bytes of large bodies that are being received

    async def __call__(
        self, scope: "HTTPScope", receive: "ASGIReceiveCallable", send: "ASGISendCallable"
    ) -> None:
        """Answer a request."""
        began = time.time()
        headers = _read_headers(scope)
        try:
            body = await self._receive_body(headers, receive)
        except Refused as refused:
            head = [(b"connection", b"close"), (b"content-type", b"text/plain; charset=utf-8")]
            await _send_whole(send, (refused.status, head), f"{refused}\n".encode())
            return
        except ClientGone:
            return
        environ = _make_environ(scope, headers, body) | {BEGAN: began}
        exchange = _Exchange(self.application, environ, body, send)
        await self.threads.run(exchange.run)
        if exchange.whole is not None:
            await _send_whole(send, exchange.head, exchange.whole)

    async def _receive_body(
        self, headers: dict[str, str], receive: "ASGIReceiveCallable"
    ) -> IO[bytes]:
        """Return the complete body of a request. Raises Refused if it is too large or too slow."""
        length = int(headers.get("content-length", 0))
        if length > self.limits.largest_body:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        if not length and "transfer-encoding" not in headers:
            return BytesIO()
        body = BytesIO() if 0 < length <= SMALL_BODY else _make_large_body()
        try:
            async with asyncio.timeout(self.limits.body_seconds) as limit:
                await self._fill(body, length, receive, limit)
        except TimeoutError as error:
            body.close()
            raise Refused(HTTPStatus.REQUEST_TIMEOUT) from error
        except BaseException:
            body.close()
            raise
        return body

    async def _fill(
        self,
        body: IO[bytes],
        length: int,
        receive: "ASGIReceiveCallable",
        limit: asyncio.Timeout,
    ) -> None:
        """Receive a body; extend the time limit as it grows."""
        deadline = limit.when() or 0.0
        n_received = n_held = 0
        try:
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise ClientGone
                body.write(message["body"])
                n_received += len(message["body"])
                if n_received > self.limits.largest_body:
                    raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
                if n_received > SMALL_BODY:
                    self.n_held += n_received - n_held
                    n_held = n_received
                if n_held and self.n_held > self.limits.memory:
                    raise Refused(HTTPStatus.SERVICE_UNAVAILABLE)
                if n_received == length or not message["more_body"]:
                    return
                limit.reschedule(deadline + n_received / MIN_RATE)
        finally:
            self.n_held -= n_held


@dataclass
class _Exchange:
    """A complete request and its response: `whole`, unless it is streamed."""

    application: WSGIApplication
    environ: WSGIEnvironment
    body: IO[bytes]
    send: "ASGISendCallable"
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    head: Head = (500, [])
    whole: bytes | None = None

    def run(self) -> None:
        """Call the WSGI application in a thread."""
        with self.body:
            chunks = self.application(self.environ, self._start_response)
            try:
                length = dict(self.head[1]).get(b"content-length")
                if length is not None and int(length) <= MAX_WHOLE_RESPONSE:
                    self.whole = b"".join(chunks)
                else:
                    self._stream(chunks)
            finally:
                if hasattr(chunks, "close"):
                    chunks.close()

    def _start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: object = None, /
    ) -> Any:
        encoded = [
            (name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers
        ]
        self.head = int(status[:3]), encoded

    def _stream(self, chunks: Iterable[bytes]) -> None:
        """Send a response in chunks. Raises TimeoutError if the client does not accept one."""
        self._send_now(_start(self.head))
        for chunk in chunks:
            if chunk:
                self._send_now(_body(chunk, is_last=False))
        self._send_now(_body(b"", is_last=True))

    def _send_now(self, message: Any) -> None:
        asyncio.run_coroutine_threadsafe(_send(self.send, message), self.loop).result()


async def _send(send: "ASGISendCallable", message: Any) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await send(message)


async def _send_whole(send: "ASGISendCallable", head: Head, body: bytes) -> None:
    await send(_start(head))
    await send(_body(body, is_last=True))


def _make_large_body() -> IO[bytes]:
    return cast("IO[bytes]", SpooledTemporaryFile(SMALL_BODY))


def _start(head: Head) -> Any:
    return {"type": "http.response.start", "status": head[0], "headers": head[1]}


def _body(body: bytes, *, is_last: bool) -> Any:
    return {"type": "http.response.body", "body": body, "more_body": not is_last}


def _read_headers(scope: "HTTPScope") -> dict[str, str]:
    """Return the headers of a request by name, with repeated ones joined.

    Names with an underscore are dropped: WSGI cannot distinguish them from names with a hyphen,
    such as those that proxies set.
    """
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if "_" in name:
            continue
        if name in headers:
            value = f"{headers[name]}{HEADER_SEPARATORS.get(name, ',')}{value}"
        headers[name] = value
    return headers


def _make_environ(scope: "HTTPScope", headers: dict[str, str], body: IO[bytes]) -> WSGIEnvironment:
    length = body.seek(0, 2)
    body.seek(0)
    server, client = scope["server"] or ("localhost", None), scope["client"] or ("", 0)
    fields = {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in headers.items()}
    fields.pop("HTTP_CONTENT_LENGTH", None)
    content_type = fields.pop("HTTP_CONTENT_TYPE", "")
    return {
        **fields,
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(length),
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1] or 80),
        "REMOTE_ADDR": client[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
