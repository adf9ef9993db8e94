"""Outages of the database: told from faults of the site, and logged once in a while."""

import logging
import sqlite3
import time
from threading import Lock

from django.db import InterfaceError, OperationalError, connection

OUTAGES = (InterfaceError, OperationalError)
RETRY_AFTER = 10  # seconds, as programs and proxies are told
BETWEEN_LINES = 5.0  # seconds between log lines of a process: a site has a few processes
log = logging.getLogger(__name__)


class Limiter:
    """Lets something happen once in so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._next = 0.0

    def is_allowed(self) -> bool:
        """Return whether it may happen now; if so, not again for a while."""
        with self._lock:
            now = time.monotonic()
            if now < self._next:
                return False
            self._next = now + self._seconds
            return True

    def reset(self) -> None:
        """Let it happen at once."""
        with self._lock:
            self._next = 0.0


LINES = Limiter(BETWEEN_LINES)


class OutageFilter(logging.Filter):
    """Keeps a log short during an outage: one line in a few seconds, and no traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if is_outage(error):
            record.msg, record.args = describe(error), ()
            record.exc_info = record.exc_text = None
        elif error or getattr(record, "status_code", None) != 503:
            return True
        return LINES.is_allowed()


def is_outage(error: BaseException | None) -> bool:
    """Return whether an error says that the database cannot be used now, not that we misused it.

    SQLite reports a missing table by the same class as a full disk.
    """
    if not isinstance(error, OUTAGES):
        return False
    code: int | None = getattr(error.__cause__, "sqlite_errorcode", None)
    return code is None or code & 0xFF != sqlite3.SQLITE_ERROR


def log_outage(error: BaseException) -> None:
    """Log that the database cannot be used, unless that was logged a moment ago."""
    if LINES.is_allowed():
        log.error("%s", describe(error))


def describe(error: BaseException | None) -> str:
    """Return what an outage is, in a line."""
    first, *_ = str(error).strip().splitlines() or [type(error).__name__]
    return f"the database cannot be used: {first[:200]}"


def ask_database() -> None:
    """Ask the database for nothing, for pages that need nothing else. Raises OperationalError."""
    try:
        _ask()
    except OUTAGES:  # a connection that was dropped while nobody used it
        connection.close()
        _ask()


def _ask() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
