"""HTTP requests to webhook endpoints: only to checked addresses, with one overall time limit."""

import socket
import ssl
from collections.abc import Callable, Iterable, Mapping
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

import httpcore

from surveys.webhooks.hosts import may_connect

PATIENCE = 10.0  # seconds for the whole exchange, including the DNS look-up
PROBLEMS = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, ValueError)
Resolver = Callable[[str, int], list[str]]
SocketOptions = Iterable[Any] | None


class NotReached(Exception):
    """A message got no response. The reason is withheld: it would reveal internal networks."""


def resolve(host: str, port: int) -> list[str]:
    """Return the network addresses of a host, in the order to try them."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in addresses))


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float = PATIENCE,
    resolver: Resolver = resolve,
) -> int:
    """Send a POST request and return the status code; the response body is not read.

    Redirects are not followed, and proxies of the environment not used. Raises NotReached if the
    host has an address that is not permitted, or if no response arrives in time.
    """
    import httpx

    parts = httpx.URL(url)  # converts international names for DNS
    target = httpcore.URL(
        scheme=parts.raw_scheme, host=parts.raw_host, port=parts.port, target=parts.raw_path
    )
    backend = _GuardedBackend(parts.host, monotonic() + seconds, resolver)
    sent = {"Host": parts.netloc.decode("ascii"), **headers}
    context = httpx.create_ssl_context(trust_env=False)
    try:
        with (
            httpcore.ConnectionPool(ssl_context=context, network_backend=backend) as pool,
            pool.stream("POST", target, headers=list(sent.items()), content=body) as answer,
        ):
            return answer.status
    except PROBLEMS as error:
        raise NotReached from error


class _GuardedBackend(httpcore.NetworkBackend):
    """Connects only to addresses it has checked, so that DNS cannot change in between."""

    def __init__(self, name: str, deadline: float, resolver: Resolver) -> None:
        self.name, self.deadline, self.resolver = name, deadline, resolver
        self.plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address that accepts; all addresses of a host must be permitted."""
        addresses = self._resolve(host, port)
        if not addresses or not all(may_connect(self.name, address) for address in addresses):
            raise httpcore.ConnectError
        for address in addresses[:-1]:
            try:
                return self._connect(address, port)
            except (httpcore.ConnectError, OSError):
                continue
        return self._connect(addresses[-1], port)

    def _connect(self, address: str, port: int) -> httpcore.NetworkStream:
        stream = self.plain.connect_tcp(address, port, timeout=_left(self.deadline))
        return _TimedStream(stream, self.deadline)

    def _resolve(self, host: str, port: int) -> list[str]:
        """Resolve a name in a thread, since resolving has no time limit."""
        addresses: SimpleQueue[list[str]] = SimpleQueue()

        def look_up() -> None:
            try:
                addresses.put(self.resolver(host, port))
            except (OSError, UnicodeError):
                addresses.put([])

        Thread(target=look_up, daemon=True, name="webhook-name").start()
        try:
            return addresses.get(timeout=_left(self.deadline))
        except Empty as error:
            raise httpcore.ConnectTimeout from error


class _TimedStream(httpcore.NetworkStream):
    """A connection whose operations share the time limit of the whole exchange."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self.stream, self.deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self.stream.read(max_bytes, _left(self.deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.stream.write(buffer, _left(self.deadline))

    def close(self) -> None:
        self.stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = _left(self.deadline)
        return _TimedStream(
            self.stream.start_tls(ssl_context, server_hostname, left), self.deadline
        )

    def get_extra_info(self, info: str) -> Any:
        return self.stream.get_extra_info(info)


def _left(deadline: float) -> float:
    """Return the seconds left. Raises httpcore.ReadTimeout if there are none."""
    left = deadline - monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left
