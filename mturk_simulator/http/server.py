"""The simulator's HTTP server, on a loopback address only, with its three interfaces."""

import re
import secrets
import socket
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from mturk_simulator.doors import api as api_door
from mturk_simulator.doors import control as control_door
from mturk_simulator.doors import worker as worker_door
from mturk_simulator.http.messages import Reply, Request
from mturk_simulator.http.screens import refuse
from mturk_simulator.market.market import Market
from mturk_simulator.refusals import PageRefused

MAX_BYTES = 20_000_000  # a snapshot is the largest request
LOOPBACK_NUMBERS = {"127.0.0.1", "::1"}
LOCAL_NAMES = {"localhost", "127.0.0.1", "[::1]"}
SECURITY_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class NotLoopback(Exception):
    """An address that other machines could reach."""


class SimulatorServer(ThreadingHTTPServer):
    """Serve a market on a loopback address; port 0 chooses a free port.

    Raises NotLoopback.
    """

    daemon_threads = True
    block_on_close = False  # a browser may keep its connection open
    request_queue_size = 128  # many workers may connect at once

    def __init__(
        self,
        market: Market,
        port: int = 0,
        *,
        host: str = "127.0.0.1",
        platform: str = "",
        control_token: str = "",
    ) -> None:
        if host not in LOOPBACK_NUMBERS:
            raise NotLoopback(f"{host} is not a loopback address: other machines could reach it.")
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.market, self.platform = market, platform
        self.control_token = control_token or secrets.token_urlsafe()
        super().__init__((host, port), Handler)

    def server_bind(self) -> None:
        """Bind without a reverse DNS lookup, which can be slow."""
        TCPServer.server_bind(self)

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        name = str(host)
        return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"

    @property
    def control_link(self) -> str:
        return f"{self.url}/control/?token={self.control_token}"

    def server_close(self) -> None:
        """Close the socket and the state."""
        super().server_close()
        self.market.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log an error, unless the client has closed the connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def answer(self, request: Request) -> Reply:
        """Return the reply of the interface that a request is for."""
        try:
            if "x-amz-target" in request.headers and request.path == "/":
                return api_door.answer(self.market, request)
            _refuse_cross_site(request)
            if request.path.startswith("/control/"):
                return control_door.answer(self.market, request, self.control_token)
            return worker_door.answer(self.market, request)
        except PageRefused as refusal:
            return refuse(request, refusal)


def _refuse_cross_site(request: Request) -> None:
    """Raise PageRefused for a cross-site request.

    The form of a task is allowed: it comes from a frame, of another origin or without one.
    """
    host = request.headers.get("host", "")
    origin = request.headers.get("origin")
    is_local = re.sub(r":[0-9]+$", "", host) in LOCAL_NAMES
    is_own = origin in {None, f"http://{host}"} or request.path == worker_door.SUBMIT_PATH
    if not is_local or not (request.method == "GET" or is_own):
        raise PageRefused("This came from another site.", status=403)


class Handler(BaseHTTPRequestHandler):
    """Handler of one connection, which may carry several requests."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "MTurkSimulator", ""
    wbufsize = -1  # send head and body together
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        server = cast(SimulatorServer, self.server)
        size = self.headers.get("Content-Length", "0")
        if not size.isdecimal() or int(size) > MAX_BYTES:
            self.close_connection = True
            self.send_error(413)
            return
        address = urlsplit(self.path)
        request = Request(
            method=self.command,
            path=unquote(address.path),
            query=address.query,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(int(size)),
            origin=server.url,
            platform=server.platform,
        )
        reply = server.answer(request)
        time.sleep(reply.delay_seconds)
        if reply.is_cut:
            self._cut()
        else:
            self._send(reply)

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.media_type)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in {**SECURITY_HEADERS, **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (name of the base class)
        """Write no log: URLs contain workers' ids."""
