"""The simulator's state in a separate SQLite file, or in memory if none is named."""

import json
import secrets
import sqlite3
import string
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mturk_simulator.refusals import Refused, missing

SCHEMA = Path(__file__).with_name("schema.sql")
ID_LETTERS = string.ascii_uppercase + string.digits
ID_LENGTH = 30
MEMORY = ":memory:"
Fields = dict[str, Any]  # of an operation's arguments or answer, as in the model


class InvalidSnapshot(Exception):
    """A snapshot that was not made by this simulator."""


class StoreUnreadable(Exception):
    """A file that cannot be written, or was not made by the simulator."""


class Store:
    """Rows of the state, used by one thread at a time; the market ensures that."""

    def __init__(self, path: Path | None = None) -> None:
        """Open a file, creating it if needed. Raises StoreUnreadable."""
        try:
            self._connection = sqlite3.connect(
                path or MEMORY, isolation_level=None, check_same_thread=False
            )
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA journal_mode = WAL")
            # a killed process loses nothing
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(SCHEMA.read_text(encoding="utf-8"))
        except sqlite3.Error as error:
            raise StoreUnreadable(f"Cannot keep the state in {path}: {error}.") from error

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit the block's changes, or roll them back after an error."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield

    def rows(self, statement: str, *values: Any) -> list[sqlite3.Row]:
        return self._connection.execute(statement, values).fetchall()

    def row(self, statement: str, *values: Any) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self._connection.execute(statement, values).fetchone()
        return row

    def number(self, statement: str, *values: Any) -> int:
        """Return the single number of a query, 0 if there is none."""
        (number,) = self._connection.execute(statement, values).fetchone() or (0,)
        return int(number or 0)

    def write(self, statement: str, *values: Any) -> None:
        self._connection.execute(statement, values)

    def insert(self, table: str, **values: Any) -> None:
        """Add a row. The names of table and columns come from our code, never from a request."""
        columns, marks = ", ".join(values), ", ".join("?" * len(values))
        statement = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608  # nosec B608
        self._connection.execute(statement, tuple(values.values()))

    def setting(self, name: str, default: Any) -> Any:
        row = self.row("SELECT value FROM setting WHERE name = ?", name)
        return json.loads(row["value"]) if row else default

    def set(self, name: str, value: Any) -> None:
        self.write("INSERT OR REPLACE INTO setting VALUES (?, ?)", name, json.dumps(value))

    def snapshot(self) -> dict[str, list[dict[str, Any]]]:
        """Return every row of every table."""
        statements = {name: f"SELECT * FROM {name}" for name in self._tables()}  # noqa: S608  # nosec B608
        return {
            name: [dict(row) for row in self.rows(statement)]
            for name, statement in statements.items()
        }

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Replace all rows by a snapshot's rows; an empty snapshot deletes everything.

        Raises InvalidSnapshot; the caller's transaction is then rolled back.
        """
        names = self._tables()
        if not set(snapshot) <= set(names):
            raise InvalidSnapshot("It has tables that the simulator does not know.")
        for name in names:
            self.write(f"DELETE FROM {name}")  # noqa: S608  # nosec B608
        try:
            for name, rows in snapshot.items():
                for values in rows:
                    self._insert_again(name, values)
        except (TypeError, sqlite3.Error) as error:
            raise InvalidSnapshot("Its rows are not the simulator's.") from error

    def _insert_again(self, table: str, values: Mapping[str, Any]) -> None:
        columns = {row["name"] for row in self.rows(f"PRAGMA table_info({table})")}
        if set(values) != columns:
            raise InvalidSnapshot(f"The columns of {table} are not the simulator's.")
        self.insert(table, **values)

    def _tables(self) -> list[str]:
        statement = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        return [row["name"] for row in self.rows(statement)]


class Moment:
    """The state during one request, and the time of the request."""

    def __init__(self, store: Store, now: float) -> None:
        self.store, self.now = store, now

    def read(self, kind: str, statement: str, identifier: str, *values: Any) -> sqlite3.Row:
        """Return the row of an object by its id. Raises Refused if there is none."""
        if row := self.store.row(statement, identifier, *values):
            return row
        raise missing(kind, identifier)

    def refuse_used(self, requester: str, operation: str, token: str | None) -> None:
        """Raise Refused for a token that the operation was given within the last day."""
        if token and self.made_with(requester, operation, token) is not None:
            raise Refused(
                f'The idempotency token "{token}" has already been processed.', "DuplicateRequest"
            )

    def made_with(self, requester: str, operation: str, token: str) -> str | None:
        """Return the id of the object created with a token in the last day, or None."""
        row = self.store.row(
            "SELECT made FROM token WHERE requester = ? AND operation = ? AND token = ?"
            " AND used_at > ?",
            requester, operation, token, self.now - 24 * 3600,
        )  # fmt: skip
        return row["made"] if row else None

    def use(self, requester: str, operation: str, token: str | None, made: str = "") -> None:
        """Store the token of an operation, if it has one, and what the operation created."""
        if token:
            statement = "INSERT OR REPLACE INTO token VALUES (?, ?, ?, ?, ?)"
            self.store.write(statement, requester, operation, token, self.now, made)


def make_id() -> str:
    """Return a new id in the format of the service."""
    return "3" + "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH - 1))


def read_instant(seconds: float) -> datetime:
    """Return a stored instant, in seconds since 1970, as in the model."""
    return datetime.fromtimestamp(seconds, UTC)
