"""Fresh databases: a SQLite file, or a temporary PostgreSQL database."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

KINDS = {"sqlite": "SQLite", "pg": "PostgreSQL"}
# The options of scripts that measure on either or both.
DATABASES = (["sqlite"], "sqlite, pg or both; pg needs --cluster", list(KINDS))
CLUSTER = ("", "a PostgreSQL server, such as postgres://postgres@127.0.0.1:5432")


@contextmanager
def fresh_database(kind: str, folder: Path, cluster: str) -> Iterator[str]:
    """Yield the URL of an empty database: `sqlite` in a folder, or `pg` on a cluster."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'site.sqlite3'}"
        return
    if not cluster:
        raise SystemExit("PostgreSQL is measured on the server of --cluster postgres://…")
    name = f"bench_{secrets.token_hex(6)}"
    with psycopg.connect(f"{cluster}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{cluster}/{name}"
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
            connection.execute(drop.format(sql.Identifier(name)))


def settle(url: str) -> None:
    """Vacuum a PostgreSQL database, as its autovacuum does within minutes after an import.

    Otherwise the autovacuum would be measured along with the first annotators.
    """
    if url.startswith("postgres"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE)")
            connection.execute("CHECKPOINT")


def find_postmaster(url: str) -> list[int]:
    """Return the id of a URL's PostgreSQL server process on this machine; None for SQLite."""
    if not url.startswith("postgres"):
        return []
    with psycopg.connect(url) as connection:
        backend = connection.execute("SELECT pg_backend_pid()").fetchone()
        status = Path(f"/proc/{backend[0] if backend else 0}/status").read_text()
    return [int(status.split("PPid:")[1].split()[0])]
