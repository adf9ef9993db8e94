"""How long a thread waits for an answer of the database: without end, unless a limit is set."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import local

_of_thread = local()


def longest_wait() -> float | None:
    """Return how many seconds this thread waits for each answer; None for no limit."""
    seconds: float | None = getattr(_of_thread, "seconds", None)
    return seconds


@contextmanager
def waiting_at_most(seconds: float) -> Iterator[None]:
    """Limit how long this thread waits for each answer of the database."""
    before = longest_wait()
    _of_thread.seconds = seconds
    try:
        yield
    finally:
        _of_thread.seconds = before
