"""Django's PostgreSQL, with a limit to how long a thread waits for a server that does not answer.

`connect_timeout` limits the connecting, and the system notices a machine that is gone; neither
helps with a server, or something before it, that takes what is sent and says nothing.
"""

import time
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg.errors import _WaitTimeout

from surveys.operations.patience import longest_wait

PAUSE = 2.0  # seconds after a failed connection in which no other one is tried


class Connection(psycopg.Connection[Any]):
    """A connection that is given up when an answer takes longer than the thread waits."""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for an answer. Raises OperationalError when it does not come in time."""
        limit = longest_wait() if timeout is None else timeout
        try:
            return super().wait(gen, interval, limit)
        except _WaitTimeout as error:
            if timeout is not None:
                raise
            self.pgconn.finish()  # an answer that came later would be taken for that of the next
            raise psycopg.OperationalError(f"no answer in {limit:g} seconds") from error


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection of Django's. After one failed the next ones fail at once, for a moment.

    Else each thread of the site would wait for a server that does not answer.
    """

    _failed: tuple[float, str] = (0.0, "")

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect. Raises OperationalError."""
        failed_at, reason = self._failed
        if longest_wait() is not None and reason and time.monotonic() - failed_at < PAUSE:
            raise psycopg.OperationalError(reason)
        try:
            made = super().get_new_connection(conn_params)
        except psycopg.OperationalError as error:
            DatabaseWrapper._failed = time.monotonic(), str(error)
            raise
        DatabaseWrapper._failed = 0.0, ""
        return made


class _Driver:
    """psycopg, but for what makes a connection."""

    connect = Connection.connect

    def __getattr__(self, name: str) -> Any:
        return getattr(psycopg, name)


DatabaseWrapper.Database = _Driver()  # type: ignore[assignment]
