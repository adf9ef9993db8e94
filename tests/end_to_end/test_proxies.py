"""The files of Caddy and nginx in `deploy/`, in front of the site and of a server that echoes."""

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import httpx
import pytest

from tests.end_to_end.annotators import PATIENCE_SECONDS
from tests.end_to_end.databases import free_port
from tests.end_to_end.site import open_site
from tests.machine import ROOT, lack

SPOOFED = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http", "X_Forwarded_For": "9"}
ARRIVAL = "/join/tokenofalink/?PROLIFIC_PID=personid"
TEST_OPTIONS = """{{
	http_port {http}
	https_port {https}
	admin off
	local_certs
	skip_install_trust
	storage file_system {folder}
"""
NGINX = """daemon off;
user root;
pid {folder}/pid;
error_log stderr crit;
events {{}}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    include {folder}/site.conf;
}}
"""


class Proxy(NamedTuple):
    """A proxy in front of a server on this machine."""

    process: "subprocess.Popen[bytes]"
    http: int
    https: int
    log: Path

    def ask(self, path: str, **options: Any) -> httpx.Response:
        method = "POST" if "content" in options else "GET"
        url = f"https://localhost:{self.https}{path}"
        options = {"timeout": PATIENCE_SECONDS, "verify": False, **options}
        return httpx.request(method, url, **options)


Start = Callable[[int], Proxy]


class Echo(BaseHTTPRequestHandler):
    """Answers with the headers and the size of what it received."""

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        sent = json.dumps({**{k.lower(): v for k, v in self.headers.items()}, "size": len(body)})
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent.encode())

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def echoing(port: int = 0) -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", port), Echo) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def caddy_command(folder: Path, served: int, http: int, https: int) -> list[str]:
    text = (ROOT / "deploy/Caddyfile").read_text(encoding="utf-8")
    options = TEST_OPTIONS.format(http=http, https=https, folder=folder)
    text = text.replace("{\n", options, 1)
    text = text.replace("{$DOMAIN:cosima.example.org}", "localhost")
    text = text.replace("{$UPSTREAM:127.0.0.1:8000}", f"127.0.0.1:{served}")
    (folder / "Caddyfile").write_text(text)
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


def nginx_command(folder: Path, served: int, http: int, https: int) -> list[str]:
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
         "-keyout", key, "-out", certificate], check=True, capture_output=True,
    )  # fmt: skip
    text = (ROOT / "deploy/nginx.conf").read_text(encoding="utf-8")
    for written, tested in (
        ("/etc/letsencrypt/live/cosima.example.org/fullchain.pem", certificate),
        ("/etc/letsencrypt/live/cosima.example.org/privkey.pem", key),
        ("/var/log/nginx/cosima.log", folder / "log"),
        ("/var/log/nginx/cosima.error.log", folder / "log"),
        ("cosima.example.org;", "localhost;"),
        ("127.0.0.1:8000", f"127.0.0.1:{served}"),
        ("listen 80;", f"listen 127.0.0.1:{http};"),
        ("listen 443 ", f"listen 127.0.0.1:{https} "),
        ("    listen [::]:80;\n", ""),
        ("    listen [::]:443 ssl http2;\n", ""),
    ):
        assert written in text
        text = text.replace(written, str(tested))
    (folder / "site.conf").write_text(text)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder))
    command = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    return command


COMMANDS = {"caddy": caddy_command, "nginx": nginx_command}


@pytest.fixture(params=COMMANDS)
def start(request, tmp_path) -> Iterator[Start]:
    """Return a function that starts a proxy in front of a port."""
    if not shutil.which(request.param):
        lack(request.param)
    folder = tmp_path / "proxy"
    folder.mkdir()
    running = []

    def run(served: int) -> Proxy:
        http, https, log = free_port(), free_port(), folder / "log"
        command = COMMANDS[request.param](folder, served, http, https)
        with log.open("a") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out)
        running.append(process)
        proxy = Proxy(process, http, https, log)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                proxy.ask("/")
            except httpx.TransportError:
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            else:
                return proxy

    yield run
    for process in running:
        process.terminate()
        process.wait(timeout=60)


def test_a_proxy_passes_on_what_the_site_needs_and_logs_no_ids(start):
    with echoing() as served:
        proxy = start(served)
        headers = proxy.ask(ARRIVAL, headers={**SPOOFED, "Referer": "/join/tokenofalink/"}).json()
        largest = proxy.ask("/", content=bytes(20 * 2**20)).json()
        plain = httpx.get(f"http://localhost:{proxy.http}/join/", follow_redirects=False)

    away = proxy.ask(ARRIVAL)
    assert headers["host"].partition(":")[0] == "localhost"
    assert (headers["x-forwarded-proto"], headers["x-forwarded-for"]) == ("https", "127.0.0.1")
    assert "x_forwarded_for" not in headers
    assert largest["size"] == 20 * 2**20
    assert plain.status_code in {HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.PERMANENT_REDIRECT}
    assert plain.headers["location"].startswith("https://localhost")
    assert away.status_code in {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE}
    logged = proxy.log.read_text()
    assert "/join/" in logged
    assert [part for part in ("PROLIFIC", "personid", "tokenofalink") if part in logged] == []


def test_caddy_lets_requests_wait_for_a_server_that_restarts(start):
    port = free_port()
    with echoing(port):
        proxy = start(port)
    if "caddy" not in proxy.process.args:
        pytest.skip("behind nginx requests wait in the socket")
    asked: list[httpx.Response] = []
    person = Thread(target=lambda: asked.append(proxy.ask("/", content=b"3")))
    person.start()
    time.sleep(1)

    with echoing(port):
        person.join()

    assert asked[0].json()["size"] == 1


def test_the_site_answers_through_a_proxy(start, pristine, tmp_path):
    https = {"SITE_URL": "https://localhost", "TRUSTED_PROXIES": "127.0.0.1"}
    with open_site(pristine, tmp_path, **https) as site:
        proxy = start(httpx.URL(site.url).port)

        answer = proxy.ask("/", headers={"Host": "localhost"})
        too_large = proxy.ask("/", headers={"Host": "localhost"}, content=bytes(21 * 10**6))

        assert (answer.status_code, answer.url.scheme) == (200, "https")
        assert too_large.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        assert "max-age" in answer.headers["strict-transport-security"]
        assert "TRUSTED_PROXIES" not in site.log.read_text()
