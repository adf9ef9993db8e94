"""A real site for tests: its own database, the real server in its own process, the commands."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 30


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Site:
    """One installation of Cosima, run by its commands as an operator does."""

    def __init__(self, var: Path, database_url: str) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self.environment = {
            **os.environ,
            "DATABASE_URL": database_url,
            "VAR_DIR": str(var),
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

    def invite(self, study: str, count: int = 1) -> list[str]:
        return self.manage("invite_annotators", study, "--count", str(count)).split()

    @contextmanager
    def serving(self) -> Iterator[None]:
        self.start()
        try:
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
        if how == signal.SIGKILL:
            os.killpg(self.server.pid, how)
        else:
            self.server.send_signal(how)
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


@contextmanager
def fresh_database(
    like: dict[str, str], folder: Path, *, copy_of: str | None = None
) -> Iterator[str]:
    """The URL of a new database of the kind the tests run on; it is gone afterwards.

    It is empty, or a copy of the one at another such URL.
    """
    if like["ENGINE"] == "django.db.backends.sqlite3":
        if copy_of:
            shutil.copy(copy_of.removeprefix("sqlite:///"), folder / "site.sqlite3")
        yield f"sqlite:///{folder / 'site.sqlite3'}"
        return
    user, password = like["USER"], like["PASSWORD"]
    host, port = like["HOST"] or "127.0.0.1", like["PORT"] or "5432"
    server = f"postgres://{user}:{password}@{host}:{port}"
    name = f"cosima_{secrets.token_hex(6)}"
    template = copy_of.rpartition("/")[2] if copy_of else "template0"
    names = sql.Identifier(name), sql.Identifier(template)
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*names))
        try:
            yield f"{server}/{name}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(names[0]))
