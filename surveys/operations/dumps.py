"""The site's database as one file and back: copied while people answer, restored in one step."""

import os
import secrets
import shutil
import sqlite3
import subprocess  # nosec B404
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from surveys.errors import BackupRefused

Ask = Callable[[str], list[tuple[Any, ...]]]
KINDS = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
OF_LIBPQ = ("host", "port", "user", "dbname", "service", "sslmode", "sslrootcert", "sslcert",
            "sslkey", "connect_timeout")  # fmt: skip
LONGEST_WAIT = "-c lock_timeout=60000"  # milliseconds, for what the site holds


class Dump(NamedTuple):
    """What a copy of the database holds: rows a table, migrations, and the files that it names."""

    rows: dict[str, int]
    migrations: list[str]
    named_files: set[str]


def dump_database(path: Path) -> Dump:
    """Write the database as it is at one instant into a new file, while others go on writing."""
    if connection.vendor == "sqlite":
        return _dump_sqlite(path)
    return _dump_postgres(path)


def restore_database(path: Path) -> None:
    """Put a dump in the place of all that the database holds, in one transaction."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(path)) as dump:
            dump.backup(connection.connection)
    else:
        tables = connection.introspection.table_names()
        _load_into_postgres(path, connection, tables)
    connection.close()


def try_dump(path: Path) -> Dump:
    """Restore a dump beside the site, return what it holds then, and remove it again."""
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(path)) as dump:
            return _describe(lambda asked: dump.execute(asked).fetchall())
    with _scratch_database() as scratch:
        _load_into_postgres(path, scratch, [])
        with scratch.cursor() as cursor:
            return _describe(_asking(cursor))


def is_in_use() -> bool:
    """Whether the database holds a study or an account."""
    kept = {"surveys_study", "auth_user"} & set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        ask = _asking(cursor)
        return any(
            ask(f"SELECT 1 FROM {table} LIMIT 1")  # noqa: S608  # nosec B608 # (our own names)
            for table in sorted(kept)
        )


def _describe(ask: Ask) -> Dump:
    """Return what a database holds, by a function that answers queries."""
    if connection.vendor == "sqlite":
        listed = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    else:
        listed = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    tables = sorted(table for (table,) in ask(listed))
    rows = {
        table: ask(f'SELECT COUNT(*) FROM "{table}"')[0][0]  # noqa: S608  # nosec B608
        for table in tables  # named by the database
    }
    if not {"django_migrations", "surveys_run"} <= rows.keys():
        return Dump(rows, [], set())
    applied = ask("SELECT app, name FROM django_migrations ORDER BY id")
    runs = ask("SELECT archive, ledger FROM surveys_run")
    migrations = [f"{app}.{name}" for app, name in applied]
    return Dump(rows, migrations, {file for run in runs for file in run if file})


def _asking(cursor: Any) -> Ask:
    def ask(asked: str) -> list[tuple[Any, ...]]:
        cursor.execute(asked)
        return list(cursor.fetchall())

    return ask


def _dump_sqlite(path: Path) -> Dump:
    """Copy all pages under one read transaction, those of the write-ahead log included."""
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as copy:
        connection.connection.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        (found,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise BackupRefused(f"The database is damaged: {found}. No backup was made.")
        return _describe(lambda asked: copy.execute(asked).fetchall())


def _dump_postgres(path: Path) -> Dump:
    """Have pg_dump write what a transaction of ours sees, which counts the rows meanwhile."""
    reader = connection.copy()
    try:
        reader.set_autocommit(False)
        with reader.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            ask = _asking(cursor)
            snapshot = ask("SELECT pg_export_snapshot()")[0][0]
            _run_client(
                reader, "pg_dump", "--format=custom", "--no-owner", "--no-privileges",
                f"--snapshot={snapshot}", f"--file={path}",
            )  # fmt: skip
            return _describe(ask)
    finally:
        reader.close()


def _load_into_postgres(path: Path, target: BaseDatabaseWrapper, tables: list[str]) -> None:
    """Drop tables and load a dump, in one transaction."""
    script = path.with_suffix(".sql")
    _run_client(None, "pg_restore", "--no-owner", "--no-privileges", f"--file={script}", str(path))
    dropped = ", ".join(f'"{table}"' for table in tables)
    first = ["--command", f"DROP TABLE IF EXISTS {dropped} CASCADE"] if tables else []
    try:
        _run_client(
            target, "psql", "--no-psqlrc", "--quiet", "--single-transaction",
            "--set=ON_ERROR_STOP=1", *first, "--file", str(script),
        )  # fmt: skip
    finally:
        script.unlink()


@contextmanager
def _scratch_database() -> Iterator[BaseDatabaseWrapper]:
    """Make a database on the same server for a moment. Raises BackupRefused without the right."""
    name = f"cosima_check_{secrets.token_hex(4)}"
    scratch = connection.copy()
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    except DatabaseError as error:
        raise BackupRefused(
            f"PostgreSQL made no database to try the backup in: {str(error).strip()}. Give "
            "the user of DATABASE_URL the right to (ALTER ROLE … CREATEDB), or check elsewhere."
        ) from error
    scratch.settings_dict = {**connection.settings_dict, "NAME": name}
    try:
        yield scratch
    finally:
        scratch.close()
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name}")


def _run_client(target: BaseDatabaseWrapper | None, program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL's on a database. Raises BackupRefused with what it says."""
    found = shutil.which(program)
    if found is None:
        raise BackupRefused(
            f"{program} is missing. Install PostgreSQL's client, of the server's version or later: "
            "sudo apt-get install postgresql-client"
        )
    environment, where = dict(os.environ), []
    if target is not None:
        given = target.get_connection_params()
        environment["PGPASSWORD"] = str(given.get("password") or "")
        environment["PGOPTIONS"] = LONGEST_WAIT
        named = [f"{name}='{_quoted(given[name])}'" for name in OF_LIBPQ if given.get(name)]
        where = ["--dbname", " ".join(named)]
    # a program of PostgreSQL's, with our own arguments
    done = subprocess.run(  # noqa: S603  # nosec B603
        [found, *where, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it says nothing"]
        raise BackupRefused(f"{program} failed: {said[0].removeprefix(f'{program}: error: ')}")


def _quoted(value: object) -> str:
    return str(value).replace("\\", "\\\\").replace("'", "\\'")
