"""A real site for tests: its own database, the real server in its own process, the commands."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
from django.conf import settings

from tests.end_to_end.databases import free_port

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 30


class Site:
    """One installation of Cosima, run by its commands as an operator does.

    It has the static files that were collected for all tests.
    """

    def __init__(self, var: Path, database_url: str) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self.environment = {
            **os.environ,
            "DATABASE_URL": database_url,
            "VAR_DIR": str(var),
            "STATIC_ROOT": str(settings.STATIC_ROOT),
            "SITE_URL": self.url,
        }

    def manage(self, *arguments: str | Path) -> str:
        """What a management command prints; an AssertionError with its errors when it fails."""
        done = subprocess.run(
            [sys.executable, "manage.py", *map(str, arguments)],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a query on the site's database, past the site itself."""
        url = self.environment["DATABASE_URL"]
        if url.startswith("sqlite"):
            with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=30)) as database:
                return database.execute(statement).fetchall()
        with psycopg.connect(url) as connection:
            return connection.execute(statement).fetchall()

    def invite(self, study: str, count: int = 1) -> list[str]:
        return self.manage("invite_annotators", study, "--count", str(count)).split()

    @contextmanager
    def serving(self) -> Iterator[None]:
        try:
            self.start()
            yield
        finally:
            self.kill(signal.SIGTERM)

    def start(self) -> None:
        """Serve as `scripts/serve` does, but with two processes; back when it answers."""
        address = urlsplit(self.url)
        command = [
            sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws",
            "--host", str(address.hostname), "--port", str(address.port), "--workers", "2",
            "--blocking-threads", "2", "--log-level", "warning", "annotation_site.wsgi:application",
        ]  # fmt: skip
        self.server = subprocess.Popen(
            command, cwd=ROOT, env=self.environment, start_new_session=True
        )
        self._wait(self.server)

    def kill(self, how: signal.Signals) -> None:
        """Send a signal to every process of the server and wait for their end."""
        if how != signal.SIGKILL:
            self.server.send_signal(how)
            try:
                self.server.wait(timeout=10)
            except subprocess.TimeoutExpired:  # a browser may hold on to it, as `serve` knows
                how = signal.SIGKILL
        if how == signal.SIGKILL:
            os.killpg(self.server.pid, how)
            self.server.wait(timeout=20)

    def _wait(self, server: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            assert server.poll() is None, "the server ended at its start"
            try:
                httpx.get(self.url)
            except httpx.TransportError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError(f"no answer from {self.url} in {START_SECONDS} seconds")
