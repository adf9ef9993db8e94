"""Databases for tests: fresh ones on the servers that are there, and a server of our own."""

import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

import psycopg
from psycopg import sql

from tests.machine import lack


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class OwnPostgres:
    """A separate PostgreSQL server, so that it can be killed.

    It does not wait for the disk: the system keeps what a killed process has written.
    """

    def __init__(self) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not found:
            lack("a PostgreSQL server that may be killed")
        self.programs = found[-1].parent
        self.port = free_port()
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="cosima-postgres-"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self._run("initdb", "--no-sync", "--username", "postgres", "--auth", "trust")
        self._start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._run("pg_ctl", "--mode", "immediate", "stop")
        shutil.rmtree(self.folder)

    def copy_database(self) -> str:
        """Copy this server's first database; return the URL of the copy."""
        name = f"cosima_{secrets.token_hex(6)}"
        copying = sql.SQL("CREATE DATABASE {} TEMPLATE postgres").format(sql.Identifier(name))
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(copying)
        return f"{self.url.removesuffix('postgres')}{name}"

    def kill_and_restart(self) -> None:
        """Kill every process of the server at once, as a crash of the machine would."""
        postmaster = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for process in (postmaster, *map(int, children)):
            os.kill(process, signal.SIGKILL)
        while any(_is_alive(process) for process in (postmaster, *map(int, children))):
            time.sleep(0.01)
        # a process that nobody has collected would pass for a server that still runs
        (self.folder / "data/postmaster.pid").unlink()
        self._start()

    def _start(self) -> None:
        settings = ("listen_addresses=127.0.0.1", "unix_socket_directories=''", "fsync=off")
        options = " ".join([f"-p {self.port}", *(f"-c {one}" for one in settings)])
        log = str(self.folder / "log")
        self._run("pg_ctl", "--wait", "--log", log, "--options", options, "start")

    def _run(self, program: str, *arguments: str) -> None:
        """As the user postgres where we are root: the server refuses to run as root."""
        owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*owner, str(self.programs / program), "-D", str(self.folder / "data")]
        subprocess.run([*command, *arguments], cwd="/", check=True, stdout=subprocess.DEVNULL)


def _is_alive(process: int) -> bool:
    """Whether a process is there and is more than an entry that nobody has collected."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


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


@contextmanager
def shared_database(
    like: dict[str, str], folder: Path, prepare: Callable[[str], None]
) -> Iterator[str]:
    """The URL of a database that is prepared once for all who use it, in processes side by side.

    The worker that prepared it waits for the others at the end and then drops it.
    """
    named = folder / "url"
    with (folder / "users").open("w") as users, ExitStack() as end:
        fcntl.flock(users, fcntl.LOCK_SH)
        if not named.exists():
            fcntl.flock(users, fcntl.LOCK_EX)
            if not named.exists():  # nor was it made meanwhile
                url = end.enter_context(fresh_database(like, folder))
                prepare(url)
                named.write_text(url)
                end.callback(named.unlink)
                end.callback(fcntl.flock, users, fcntl.LOCK_EX)
            fcntl.flock(users, fcntl.LOCK_SH)
        yield named.read_text()
