"""Query time-outs per thread; without one a thread waits indefinitely."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import local

_of_thread = local()


def query_timeout() -> float | None:
    """Return the time-out of this thread's queries in seconds, or None."""
    seconds: float | None = getattr(_of_thread, "seconds", None)
    return seconds


@contextmanager
def limiting_queries(seconds: float) -> Iterator[None]:
    """Set a time-out for this thread's queries within the context."""
    before = query_timeout()
    _of_thread.seconds = seconds
    try:
        yield
    finally:
        _of_thread.seconds = before
