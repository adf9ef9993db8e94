"""Fresh databases: a SQLite file, or a temporary PostgreSQL database; and sites on them."""

import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql
from serving import run

REPOSITORY = Path(__file__).resolve().parent.parent


@contextmanager
def fresh_database(kind: str, folder: Path, cluster: str) -> Iterator[str]:
    """Yield the URL of an empty database: `sqlite` in a folder, or `pg` on a cluster."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'site.sqlite3'}"
        return
    name = f"bench_{secrets.token_hex(6)}"
    with psycopg.connect(f"{cluster}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{cluster}/{name}"
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
            connection.execute(drop.format(sql.Identifier(name)))


@contextmanager
def fresh_site(kind: str, cluster: str, below: Path | None = None) -> Iterator[dict[str, str]]:
    """Yield the environment of a site with tables and static files, on a fresh database.

    Its files are in a temporary folder, `below` another one if that is given.
    """
    with (
        tempfile.TemporaryDirectory(dir=below) as folder,
        fresh_database(kind, Path(folder), cluster) as url,
    ):
        environment = {
            **os.environ, "DATABASE_URL": url, "VAR_DIR": folder,
            "SITE_URL": "http://127.0.0.1:8000", "ENV_FILE": os.devnull,
        }  # fmt: skip
        for words in (("migrate",), ("collectstatic", "--noinput")):
            arguments = sys.executable, "manage.py", *words, "--verbosity", "0"
            run(*arguments, cwd=REPOSITORY, environment=environment)
        yield environment


def is_postgres(url: str) -> bool:
    """Return whether a database URL names PostgreSQL."""
    return urlsplit(url).scheme.startswith("postgres")


def settle(url: str) -> None:
    """Vacuum a PostgreSQL database, as its autovacuum does within minutes after an import.

    Otherwise the autovacuum would be measured along with the first annotators.
    """
    if is_postgres(url):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE)")
            connection.execute("CHECKPOINT")


def find_postmaster(url: str) -> int:
    """Return the process id of the PostgreSQL server of a URL, which must run on this machine."""
    with psycopg.connect(url) as connection:
        backend = connection.execute("SELECT pg_backend_pid()").fetchone()
        status = Path(f"/proc/{backend[0] if backend else 0}/status").read_text()
    return int(status.split("PPid:")[1].split()[0])


def print_by_database(
    kinds: Sequence[str] | None, cluster: str | None, compare: Callable[[str], str]
) -> None:
    """Print the load average, and a table for SQLite and, on a cluster, PostgreSQL."""
    sys.stdout.write(f"Load average before: {os.getloadavg()[0]:.2f}\n\n")
    for kind in kinds or (["sqlite", "pg"] if cluster else ["sqlite"]):
        sys.stdout.write(f"{compare(kind)}\n")
        sys.stdout.flush()
