"""Between the web server and Django: a thread answers a request only when all of it is there.

The web server (granian) limits how long the head of a request may take, but not its body. Bodies
are therefore received here, in the event loop, within limits of time and size: a client that
sends slowly, or never, holds a connection and no thread.
"""

import asyncio
import sys
from collections.abc import Callable, Iterable
from http import HTTPStatus
from io import BytesIO
from queue import SimpleQueue
from tempfile import SpooledTemporaryFile
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast
from wsgiref.types import WSGIApplication, WSGIEnvironment

if TYPE_CHECKING:
    from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, HTTPScope

SMALL_BODY = 64 * 1024  # bytes: larger ones are kept on disk
SLOWEST_RATE = 50_000  # bytes a second at which a body may go on after the time limit
WHOLE_ANSWER = 1024 * 1024  # bytes: longer answers, and those of unknown length, are streamed
SEND_SECONDS = 60  # for a piece of an answer to be taken
JOINED = {"cookie": "; "}  # what repeated headers are joined by, other than a comma

Head = tuple[int, list[tuple[bytes, bytes]]]


class Limits(NamedTuple):
    """What one process grants to requests."""

    n_threads: int
    body_seconds: float
    largest_body: int  # bytes
    room: int  # bytes of larger bodies that are being received at the same time


class Refused(Exception):
    """A request that is answered without Django."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class ClientGone(Exception):
    """The client closed the connection before its request was there."""


class Threads:
    """Threads that carry out what the event loop hands them, in the order in which it does.

    What an executor does, for half of its price, which every request pays.
    """

    def __init__(self, n_threads: int) -> None:
        self.calls: SimpleQueue[tuple[Callable[[], None], asyncio.Future[None]]] = SimpleQueue()
        for number in range(n_threads):
            Thread(target=self._work, name=f"request-{number}", daemon=True).start()

    async def carry_out(self, call: Callable[[], None]) -> None:
        """Wait until a thread has made a call. Raises what the call raised."""
        done = asyncio.get_running_loop().create_future()
        self.calls.put((call, done))
        await done

    def _work(self) -> None:
        while True:
            call, done = self.calls.get()
            fault = None
            try:
                call()
            except BaseException as error:  # noqa: BLE001  (for the waiting request to raise)
                fault = error
            done.get_loop().call_soon_threadsafe(_settle, done, fault)


def _settle(done: "asyncio.Future[None]", fault: BaseException | None) -> None:
    if done.cancelled():
        return
    if fault:
        done.set_exception(fault)
    else:
        done.set_result(None)


class Gateway:
    """An ASGI application that lets a WSGI application answer whole requests in threads."""

    def __init__(self, application: WSGIApplication, limits: Limits) -> None:
        self.application = application
        self.limits = limits
        self.threads = Threads(limits.n_threads)
        self.n_held = 0  # bytes of larger bodies that are being received

    async def __call__(
        self, scope: "HTTPScope", receive: "ASGIReceiveCallable", send: "ASGISendCallable"
    ) -> None:
        """Answer a request."""
        headers = _read_headers(scope)
        try:
            body = await self._receive_body(headers, receive)
        except Refused as refused:
            head = [(b"connection", b"close"), (b"content-type", b"text/plain; charset=utf-8")]
            await _send_whole(send, (refused.status, head), f"{refused}\n".encode())
            return
        except ClientGone:
            return
        exchange = _Exchange(self.application, scope, headers, body, send)
        await self.threads.carry_out(exchange.carry_out)
        if exchange.whole is not None:
            await _send_whole(send, exchange.head, exchange.whole)

    async def _receive_body(
        self, headers: dict[str, str], receive: "ASGIReceiveCallable"
    ) -> IO[bytes]:
        """Return the whole body of a request. Raises Refused when it is too large or too slow."""
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
        """Write what is received; grant more time as it grows."""
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
                if n_held and self.n_held > self.limits.room:
                    raise Refused(HTTPStatus.SERVICE_UNAVAILABLE)
                if n_received == length or not message["more_body"]:
                    return
                limit.reschedule(deadline + n_received / SLOWEST_RATE)
        finally:
            self.n_held -= n_held


class _Exchange:
    """A request that is there, and its answer: `whole`, unless it was streamed."""

    def __init__(
        self,
        application: WSGIApplication,
        scope: "HTTPScope",
        headers: dict[str, str],
        body: IO[bytes],
        send: "ASGISendCallable",
    ) -> None:
        self.application, self.body, self.send = application, body, send
        self.loop = asyncio.get_running_loop()
        self.environ = _describe(scope, headers, body)
        self.head: Head = (500, [])
        self.whole: bytes | None = None

    def carry_out(self) -> None:
        """Let the WSGI application answer, in one of the threads."""
        with self.body:
            pieces = self.application(self.environ, self._start_response)
            try:
                length = dict(self.head[1]).get(b"content-length")
                if length is not None and int(length) <= WHOLE_ANSWER:
                    self.whole = b"".join(pieces)
                else:
                    self._stream(pieces)
            finally:
                if hasattr(pieces, "close"):
                    pieces.close()

    def _start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: object = None, /
    ) -> Any:
        told = [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers]
        self.head = int(status[:3]), told

    def _stream(self, pieces: Iterable[bytes]) -> None:
        """Send an answer piece by piece. Raises TimeoutError when the client does not take it."""
        self._send_now(_start(self.head))
        for piece in pieces:
            if piece:
                self._send_now(_piece(piece, is_last=False))
        self._send_now(_piece(b"", is_last=True))

    def _send_now(self, message: Any) -> None:
        asyncio.run_coroutine_threadsafe(_send(self.send, message), self.loop).result()


async def _send(send: "ASGISendCallable", message: Any) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await send(message)


async def _send_whole(send: "ASGISendCallable", head: Head, body: bytes) -> None:
    await send(_start(head))
    await send(_piece(body, is_last=True))


def _make_large_body() -> IO[bytes]:
    return cast("IO[bytes]", SpooledTemporaryFile(SMALL_BODY))


def _start(head: Head) -> Any:
    return {"type": "http.response.start", "status": head[0], "headers": head[1]}


def _piece(body: bytes, *, is_last: bool) -> Any:
    return {"type": "http.response.body", "body": body, "more_body": not is_last}


def _read_headers(scope: "HTTPScope") -> dict[str, str]:
    """Return the headers of a request by their names, repeated ones joined.

    Names with an underscore are left out: in WSGI they would pass for those with a hyphen, such
    as the ones that a proxy sets and overwrites.
    """
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if "_" in name:
            continue
        if name in headers:
            value = f"{headers[name]}{JOINED.get(name, ',')}{value}"
        headers[name] = value
    return headers


def _describe(scope: "HTTPScope", headers: dict[str, str], body: IO[bytes]) -> WSGIEnvironment:
    """Return the environment by which WSGI describes a request."""
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
