"""A real site for tests: its own database, the real server in its own process, the commands."""

import os
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from django.conf import settings

from tests.end_to_end.commands import run_commands, share_static_files, start_module
from tests.end_to_end.databases import free_port, fresh_database
from tests.machine import ROOT

START_SECONDS = 120
SHOWN = ("--organisation", "University of Examples", "--contact", "lab@example.org")
LOG_END = 5000  # characters


def opening(study: str) -> list[str]:
    """The command that opens a draft, with all that it needs."""
    return ["open_study", study, *SHOWN, "--consent-reviewed-by", "ana"]


class Site:
    """One installation of Cosima, run by its commands as an operator does.

    It has the static files that were collected for all tests.
    """

    def __init__(
        self, var: Path, database_url: str, n_processes: int = 1, *, host: str = "127.0.0.1",
        **chosen: str,
    ) -> None:  # fmt: skip
        self.n_processes = n_processes
        self.url = f"http://{host}:{free_port()}"
        self.log = var / "server.log"
        share_static_files(var)
        self.environment = {
            **os.environ,
            "DATABASE_URL": database_url,
            "VAR_DIR": str(var),
            "SITE_URL": self.url,
            **chosen,
        }

    def manage(self, *arguments: str | Path) -> str:
        """What a management command prints; an AssertionError with its errors when it fails."""
        return self.manage_all(arguments)

    def manage_all(self, *commands: Sequence[str | Path]) -> str:
        """What management commands print that one process does one after another, to save time."""
        wanted = [[str(argument) for argument in command] for command in commands]
        done = run_commands(wanted, self.environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def make_study(self, stimuli: str | Path, study: str, *options: str | Path) -> None:
        """Import stimuli and open the study, for annotators to come."""
        imported = ["import_stimuli", stimuli, "--study", study, *options]
        self.manage_all(imported, opening(study))

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a query on the site's database, past the site itself."""
        url = self.environment["DATABASE_URL"]
        if url.startswith("sqlite"):
            with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=60)) as database:
                return database.execute(statement).fetchall()
        with psycopg.connect(url) as connection:
            return connection.execute(statement).fetchall()

    def invite(self, study: str, count: int = 1) -> list[str]:
        return self.manage("invite_annotators", study, "--count", str(count)).split()

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serve meanwhile. What the server said is shown with a test that fails."""
        try:
            self.start()
            yield
        finally:
            self.kill(signal.SIGTERM)
            sys.stdout.write(self.log.read_text()[-LOG_END:])

    def start(self) -> None:
        """Serve as `scripts/serve` does; back when it answers."""
        address = urlsplit(self.url)
        command = [
            "annotation_site.launcher", "127.0.0.1", str(address.port), str(self.n_processes), "30",
        ]  # fmt: skip
        self.server = start_module(command, self.environment, ROOT, self.log)
        self._wait(self.server)

    def kill(self, how: signal.Signals) -> None:
        """Send a signal to every process of the server and wait for their end."""
        if how != signal.SIGKILL and self.server.is_alive():
            os.kill(self.server.pid, how)
            self.server.join(timeout=10)  # a browser may hold on to it, as `serve` knows
        if self.server.is_alive():
            os.killpg(self.server.pid, signal.SIGKILL)
            self.server.join(timeout=60)

    def _wait(self, server: BaseProcess) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            assert server.is_alive(), self.log.read_text()
            connection = HTTPConnection("127.0.0.1", urlsplit(self.url).port, timeout=START_SECONDS)
            try:
                connection.request("GET", "/")
                connection.getresponse()
            except (OSError, HTTPException):
                time.sleep(0.05)
            else:
                return
            finally:
                connection.close()
        raise AssertionError(f"no answer from {self.url} in {START_SECONDS} seconds")


@contextmanager
def open_site(pristine: str, var: Path, n_processes: int = 1, **chosen: str) -> Iterator[Site]:
    """A site that serves on its own copy of a database."""
    with fresh_database(settings.DATABASES["default"], var, copy_of=pristine) as own_url:
        site = Site(var, own_url, n_processes, **chosen)
        with site.serving():
            yield site
