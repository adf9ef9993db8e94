"""The simulator's one address, on this machine alone, with its three doors behind it."""

import re
import secrets
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from surveys.rehearsal.simulator import api_door, control_door, worker_door
from surveys.rehearsal.simulator.market import Market
from surveys.rehearsal.simulator.screens import render
from surveys.rehearsal.simulator.web import NotUnderstood, Reply, Request, reply_json

MOST_BYTES = 20_000_000  # a snapshot is the largest that comes
LOOPBACK_NUMBERS = {"127.0.0.1", "::1"}
LOCAL_NAMES = {"localhost", "127.0.0.1", "[::1]"}
SECURITY_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class NotLoopback(Exception):
    """An address that others could reach."""


class SimulatorServer(ThreadingHTTPServer):
    """Serves a market on a loopback address; port 0 stands for a free one.

    Raises NotLoopback.
    """

    daemon_threads = True
    block_on_close = False  # a browser may hold on to its connection
    request_queue_size = 128  # a crowd may come at once

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
            raise NotLoopback(f"{host} is no loopback address: others could reach the simulator.")
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.market, self.platform = market, platform
        self.control_token = control_token or secrets.token_urlsafe()
        super().__init__((host, port), Handler)

    def server_bind(self) -> None:
        """Bind without asking for the name of the address, which can take long."""
        TCPServer.server_bind(self)

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        name = str(host)
        return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"

    def start(self) -> None:
        """Serve in a thread of its own, until `stop`."""
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self.shutdown()
        self.server_close()
        self.market.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of an error, but not of a client that no longer waits for its answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def answer(self, request: Request) -> Reply:
        """What the door says for which a request is."""
        try:
            if "x-amz-target" in request.headers and request.path == "/":
                return api_door.answer(self.market, request)
            if refused := _refuse_stranger(request):
                return refused
            if request.path.startswith("/control/"):
                return control_door.answer(self.market, request, self.control_token)
            return worker_door.answer(self.market, request)
        except NotUnderstood as fault:
            if request.is_json:
                return reply_json({"error": str(fault)}, 400)
            return render("fault.html", status=400, message=str(fault))


def _refuse_stranger(request: Request) -> Reply | None:
    """Refuse another site that uses this machine's browser: by its own name, or by its form.

    A task's form comes from its frame, from another origin or from none at all.
    """
    host = request.headers.get("host", "")
    origin = request.headers.get("origin")
    is_local = re.sub(r":[0-9]+$", "", host) in LOCAL_NAMES
    is_own = origin in {None, f"http://{host}"} or request.path == worker_door.SUBMIT_PATH
    if is_local and (request.method == "GET" or is_own):
        return None
    return render("fault.html", status=403, message="This came from another site.")


class Handler(BaseHTTPRequestHandler):
    """One connection; several requests may come by it."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "MTurkSimulator", ""
    wbufsize = -1  # head and body leave together
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        server = cast(SimulatorServer, self.server)
        size = self.headers.get("Content-Length", "0")
        if not size.isdecimal() or int(size) > MOST_BYTES:
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

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  as it is called
        """Keep no log: addresses hold workers' ids."""
