"""Django's PostgreSQL backend with query time-outs on the client.

`connect_timeout` limits connecting, and TCP notices a machine that is gone; neither helps with a
server or proxy that accepts queries and does not respond.
"""

import time
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg.errors import _WaitTimeout

from surveys.operations.patience import query_timeout

PAUSE = 2.0  # seconds without new attempts after a failed connection


class Connection(psycopg.Connection[Any]):
    """A connection that is closed when a query exceeds the thread's time-out."""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for a response. Raises OperationalError after the time-out."""
        limit = query_timeout() if timeout is None else timeout
        try:
            return super().wait(gen, interval, limit)
        except _WaitTimeout as error:
            if timeout is not None:
                raise
            self.pgconn.finish()  # a late response would be read as that of the next query
            raise psycopg.OperationalError(f"no response in {limit:g} seconds") from error


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection wrapper; after a failure new connections fail at once for a moment.

    Otherwise every thread of the site would wait for a server that does not respond.
    """

    _failed: tuple[float, str] = (0.0, "")

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect. Raises OperationalError."""
        failed_at, reason = self._failed
        if query_timeout() is not None and reason and time.monotonic() - failed_at < PAUSE:
            raise psycopg.OperationalError(reason)
        try:
            connection = super().get_new_connection(conn_params)
        except psycopg.OperationalError as error:
            DatabaseWrapper._failed = time.monotonic(), str(error)
            raise
        DatabaseWrapper._failed = 0.0, ""
        return connection


class _Driver:
    """psycopg with our connection class."""

    connect = Connection.connect

    def __getattr__(self, name: str) -> Any:
        return getattr(psycopg, name)


DatabaseWrapper.Database = _Driver()  # type: ignore[assignment]
