"""An ASGI gateway to Django's WSGI application: no thread waits for a client.

The web server (granian) limits the time of request heads, but neither of bodies nor of responses.
Bodies are therefore received, and responses sent, here in the event loop, with limits of time and
size: a slow client occupies a connection but no thread.
"""

import asyncio
import logging
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar
from wsgiref.types import WSGIApplication, WSGIEnvironment
from wsgiref.util import FileWrapper

from annotation_site.exchanges import SMALL_BODY, Exchange, Head, Refused, make_spool, store

if TYPE_CHECKING:
    from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, HTTPScope

CHUNK = 64 * 1024  # bytes of a file that are read and sent at a time
N_READERS = 2  # threads that read files for the event loop
UNSENT = 128 * 1024  # bytes that the kernel takes before a client has room; by default, megabytes
BEGAN = "cosima.began"  # key of the time, in seconds, at which the head of a request arrived
HEADER_SEPARATORS = {"cookie": "; "}  # of repeated headers, other than a comma

Result = TypeVar("Result")
log = logging.getLogger(__name__)


class Limits(NamedTuple):
    """Limits of one process."""

    n_threads: int
    client_seconds: float  # to send a body or to take a response
    largest_body: int  # bytes
    memory: int  # bytes of large bodies that are being received at the same time
    min_rate: float = 50_000  # bytes a second at which a client may continue afterwards


class ClientGone(Exception):
    """The client closed the connection before its request was complete."""


class Threads:
    """A thread pool for calls from the event loop, in order.

    Takes half the time of an executor, which matters since every request uses it.
    """

    def __init__(self, name: str, n_threads: int) -> None:
        self.calls: SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]]] = SimpleQueue()
        for number in range(n_threads):
            Thread(target=self._work, name=f"{name}-{number}", daemon=True).start()

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return what a function returns in a thread. Raises its exception."""
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self.calls.put((call, done))
        return await done

    def _work(self) -> None:
        while True:
            call, done = self.calls.get()
            result = raised = None
            try:
                result = call()
            except BaseException as error:  # noqa: BLE001  (for the waiting request to raise)
                raised = error
            done.get_loop().call_soon_threadsafe(_settle, done, result, raised)


def _settle(done: "asyncio.Future[Any]", result: Any, raised: BaseException | None) -> None:
    if done.cancelled():
        return
    if raised:
        done.set_exception(raised)
    else:
        done.set_result(result)


class Gateway:
    """An ASGI application that passes complete requests to a WSGI application in threads.

    Downloads are read by a few other threads as their clients take them, and exports are made by
    another one, so that neither keeps pages waiting.
    """

    def __init__(self, application: WSGIApplication, limits: Limits) -> None:
        self.application = application
        self.limits = limits
        self.threads = Threads("request", limits.n_threads)
        self.readers = Threads("reader", N_READERS)
        self.exporters = Threads("exporter", 1)
        self.n_held = 0  # bytes of large bodies that are being received
        self.limits_connections = False

    async def __call__(
        self, scope: "HTTPScope", receive: "ASGIReceiveCallable", send: "ASGISendCallable"
    ) -> None:
        """Answer a request."""
        began = time.time()
        if not self.limits_connections:
            self.limits_connections = True
            if sys.platform == "linux" and scope["server"]:
                port = int(scope["server"][1] or 0)
                _limit_connections(port, 2 * self.limits.client_seconds)
        headers = _read_headers(scope)
        try:
            with await self._receive_body(headers, receive) as body:
                environ = _make_environ(scope, headers, body) | {BEGAN: began}
                exchange = Exchange(self.application, environ)
                await self.threads.run(exchange.run)
                if exchange.collect:
                    await self.exporters.run(exchange.collect)
        except Refused as refused:
            head = [(b"connection", b"close"), (b"content-type", b"text/plain; charset=utf-8")]
            await _send_whole(send, (refused.status, head), f"{refused}\n".encode())
        except ClientGone:
            return
        else:
            if isinstance(exchange.content, bytes):
                await _send_whole(send, exchange.head, exchange.content)
            else:
                await self._send_file(exchange, exchange.content, receive, send)

    async def _send_file(
        self,
        exchange: Exchange,
        file: IO[bytes],
        receive: "ASGIReceiveCallable",
        send: "ASGISendCallable",
    ) -> None:
        """Send a response from a file as its client takes it; give up on one that is too slow."""
        clock = asyncio.get_running_loop().time
        gone = asyncio.ensure_future(_wait_until_gone(receive))
        n_sent, seconds = 0, self.limits.client_seconds
        try:
            await send(_start(exchange.head))
            while not gone.done() and (chunk := await self.readers.run(partial(file.read, CHUNK))):
                began = clock()
                async with asyncio.timeout(seconds):
                    await send(_body(chunk, is_last=False))
                n_sent += len(chunk)
                seconds += len(chunk) / self.limits.min_rate - (clock() - began)
            await send(_body(b"", is_last=True))
        except TimeoutError:
            request = exchange.environ["REQUEST_METHOD"], exchange.environ["PATH_INFO"]
            log.warning("%s %s: the client is too slow, cut off after %d bytes", *request, n_sent)
        finally:
            gone.cancel()
            file.close()

    async def _receive_body(
        self, headers: dict[str, str], receive: "ASGIReceiveCallable"
    ) -> IO[bytes]:
        """Return the complete body of a request. Raises Refused if it is too large or too slow."""
        length = int(headers.get("content-length", 0))
        if length > self.limits.largest_body:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        if not length and "transfer-encoding" not in headers:
            return BytesIO()
        body = BytesIO() if 0 < length <= SMALL_BODY else make_spool()
        try:
            async with asyncio.timeout(self.limits.client_seconds) as limit:
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
                store(body, message["body"])
                n_received += len(message["body"])
                if n_received > self.limits.largest_body:
                    raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
                if n_received > SMALL_BODY:
                    self.n_held += n_received - n_held
                    n_held = n_received
                if n_held and self.n_held > self.limits.memory:
                    raise Refused(HTTPStatus.SERVICE_UNAVAILABLE)
                if n_received == length or not message["more_body"]:
                    store(body, b"", is_last=True)
                    return
                limit.reschedule(deadline + n_received / self.limits.min_rate)
        finally:
            self.n_held -= n_held


async def _send_whole(send: "ASGISendCallable", head: Head, body: bytes) -> None:
    await send(_start(head))
    await send(_body(body, is_last=True))


async def _wait_until_gone(receive: "ASGIReceiveCallable") -> None:
    """Return once a client whose request is complete has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _limit_connections(port: int, seconds: float) -> None:
    """Let the kernel close connections to a port whose clients take nothing for that long.

    The web server learns only that the kernel took a response, not whether the client did, and
    closes no connection to which it cannot write. New connections inherit the limits from the
    socket that listens, which the web server opens after the start of the application.
    """
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            connection = socket.socket(fileno=int(descriptor.name))
        except OSError:  # not a socket, or closed meanwhile
            continue
        with suppress(OSError):
            if connection.getsockname()[1:2] == (port,):
                limit = round(1000 * seconds)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, limit)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)
        connection.detach()  # it is not closed here


def _start(head: Head) -> Any:
    return {"type": "http.response.start", "status": head[0], "headers": head[1]}


def _body(body: bytes, *, is_last: bool) -> Any:
    return {"type": "http.response.body", "body": body, "more_body": not is_last}


def _read_headers(scope: "HTTPScope") -> dict[str, str]:
    """Return a request's headers by name, with repeated headers joined.

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
        "wsgi.file_wrapper": FileWrapper,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
