"""Dumps of the site's database: written while the site runs, and restored in one transaction."""

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
from surveys.features import find_file_fields

Query = Callable[[str], list[tuple[Any, ...]]]
KINDS = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
LOCK_TIMEOUT = "-c lock_timeout=60000"  # milliseconds to wait for locks of the site


class Dump(NamedTuple):
    """The contents of a dump: rows per table, migrations, and the files it refers to."""

    rows: dict[str, int]
    migrations: list[str]
    named_files: set[str]


def dump_database(path: Path) -> Dump:
    """Write a consistent copy of the database into a new file, without blocking writers."""
    if connection.vendor == "sqlite":
        return _dump_sqlite(path)
    return _dump_postgres(path)


def restore_database(path: Path) -> None:
    """Replace the contents of the database with a dump, in one transaction."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(path)) as dump:
            dump.backup(connection.connection)
    else:
        tables = connection.introspection.table_names()
        _load_into_postgres(path, connection, tables)
    connection.close()


def check_dump(path: Path) -> Dump:
    """Restore a dump to a temporary database, and return its contents."""
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(path)) as dump:
            return _describe(lambda sql: dump.execute(sql).fetchall())
    with _scratch_database() as scratch:
        _load_into_postgres(path, scratch, [])
        with scratch.cursor() as cursor:
            return _describe(_query_function(cursor))


def is_in_use() -> bool:
    """Return whether the database has a study or an account."""
    tables = {"surveys_study", "auth_user"} & set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        query = _query_function(cursor)
        return any(
            query(f"SELECT 1 FROM {table} LIMIT 1")  # noqa: S608  # nosec B608 # (our own names)
            for table in sorted(tables)
        )


def _describe(query: Query) -> Dump:
    """Return the contents of a database, using a function that runs queries."""
    if connection.vendor == "sqlite":
        listed = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    else:
        listed = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    tables = sorted(table for (table,) in query(listed))
    rows = {
        table: query(f'SELECT COUNT(*) FROM "{table}"')[0][0]  # noqa: S608  # nosec B608
        for table in tables  # named by the database
    }
    if not {"django_migrations", "surveys_run"} <= rows.keys():
        return Dump(rows, [], set())
    applied = query("SELECT app, name FROM django_migrations ORDER BY id")
    migrations = [f"{app}.{name}" for app, name in applied]
    files = {
        file
        for model, names in find_file_fields().items()
        if (table := model._meta.db_table) in rows
        for row in query(f'SELECT {", ".join(names)} FROM "{table}"')  # noqa: S608  # nosec B608
        for file in row
        if file
    }
    return Dump(rows, migrations, files)


def _query_function(cursor: Any) -> Query:
    def query(sql: str) -> list[tuple[Any, ...]]:
        cursor.execute(sql)
        return list(cursor.fetchall())

    return query


def _dump_sqlite(path: Path) -> Dump:
    """Copy all pages in one read transaction, the write-ahead log included."""
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as copy:
        connection.connection.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a separate log
        (result,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
        if result != "ok":
            raise BackupRefused(f"The database is damaged: {result}. No backup was made.")
        return _describe(lambda sql: copy.execute(sql).fetchall())


def _dump_postgres(path: Path) -> Dump:
    """Run pg_dump on the snapshot of a transaction that also counts the rows."""
    reader = connection.copy()
    try:
        reader.set_autocommit(False)
        with reader.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            query = _query_function(cursor)
            snapshot = query("SELECT pg_export_snapshot()")[0][0]
            _run_client(
                reader, "pg_dump", "--format=custom", "--no-owner", "--no-privileges",
                f"--snapshot={snapshot}", f"--file={path}",
            )  # fmt: skip
            return _describe(query)
    finally:
        reader.close()


def _load_into_postgres(path: Path, target: BaseDatabaseWrapper, tables: list[str]) -> None:
    """Drop tables and load a dump in one transaction."""
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
    """Create a temporary database on the same server. Raises BackupRefused without permission."""
    name = f"cosima_check_{secrets.token_hex(4)}"
    scratch = connection.copy()
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    except DatabaseError as error:
        raise BackupRefused(
            f"PostgreSQL cannot create a database to check the backup in: {str(error).strip()}. "
            "Allow the user of DATABASE_URL to (ALTER ROLE … CREATEDB), or check elsewhere."
        ) from error
    scratch.settings_dict = {**connection.settings_dict, "NAME": name}
    try:
        yield scratch
    finally:
        scratch.close()
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name}")


def _run_client(target: BaseDatabaseWrapper | None, program: str, *arguments: str) -> None:
    """Run a PostgreSQL client program on a database. Raises BackupRefused with its error."""
    path = shutil.which(program)
    if path is None:
        raise BackupRefused(
            f"{program} is missing. Install PostgreSQL's client in the server's version or later: "
            "sudo apt-get install postgresql-client"
        )
    environment, given = dict(os.environ), list(arguments)
    if target is not None:
        (_psql, *given), access = target.client.settings_to_cmd_args_env(
            target.settings_dict, given
        )
        environment |= {**(access or {}), "PGOPTIONS": LOCK_TIMEOUT}
    # a PostgreSQL program with our own arguments
    done = subprocess.run(  # noqa: S603  # nosec B603
        [path, *given], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no error message"]
        raise BackupRefused(f"{program} failed: {lines[0].removeprefix(f'{program}: error: ')}")
