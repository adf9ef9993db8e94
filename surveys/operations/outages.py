"""Outages of the database: distinguished from bugs, and logged at a limited rate."""

import logging
import sqlite3
import time
from threading import Lock

from django.db import InterfaceError, OperationalError, connection

OUTAGES = (InterfaceError, OperationalError)
RETRY_AFTER = 10  # seconds, in the response header
LOG_INTERVAL = 5.0  # seconds, in each of the few processes of a site
LOCK_INTERVAL = 60.0  # seconds, in which background work meets at most one lock that passes
log = logging.getLogger(__name__)


class Limiter:
    """A rate limit of one event in a number of seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._next = 0.0

    def is_allowed(self) -> bool:
        """Return whether the event is allowed now; if so, it counts."""
        with self._lock:
            now = time.monotonic()
            if now < self._next:
                return False
            self._next = now + self._seconds
            return True

    def reset(self) -> None:
        """Allow the next event immediately."""
        with self._lock:
            self._next = 0.0


LINES = Limiter(LOG_INTERVAL)
PASSING_LOCKS = Limiter(LOCK_INTERVAL)


class OutageFilter(logging.Filter):
    """Limits the log during an outage to one line in a few seconds, without tracebacks."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if is_outage(error):
            record.msg, record.args = describe(error), ()
            record.exc_info = record.exc_text = None
        elif error or getattr(record, "status_code", None) != 503:
            return True
        return LINES.is_allowed()


def is_outage(error: BaseException | None) -> bool:
    """Return whether an error is an outage of the database, not a bug.

    SQLite uses the same class for a missing table and a full disk.
    """
    if not isinstance(error, OUTAGES):
        return False
    code: int | None = getattr(error.__cause__, "sqlite_errorcode", None)
    return code is None or code & 0xFF != sqlite3.SQLITE_ERROR


def log_outage(error: BaseException) -> None:
    """Log that the database cannot be used, at a limited rate.

    The first lock of SQLite within a minute is not logged: the caller tries again in a moment.
    """
    code = getattr(error.__cause__, "sqlite_errorcode", 0)
    if code & 0xFF == sqlite3.SQLITE_BUSY and PASSING_LOCKS.is_allowed():
        return
    if LINES.is_allowed():
        log.error("%s", describe(error))


def describe(error: BaseException | None) -> str:
    """Return a one-line description of an outage."""
    first, *_ = str(error).strip().splitlines() or [type(error).__name__]
    return f"the database cannot be used: {first[:200]}"


def ask_database() -> None:
    """Run an empty query, for pages without others. Raises OperationalError in an outage."""
    try:
        _ask()
    except OUTAGES:  # the connection may have been dropped while idle
        connection.close()
        _ask()


def _ask() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
