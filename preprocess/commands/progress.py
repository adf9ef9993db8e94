"""Progress of a long step on the terminal, with the time left."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WAIT = 2.0  # seconds before the time left is estimated


@contextmanager
def showing_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows stage, share and time left on one line.

    It shows nothing without a terminal.
    """
    shown = ""
    begun: dict[str, tuple[float, int]] = {}

    def show(stage: str, done: int, of: int) -> None:
        nonlocal shown
        if not sys.stderr.isatty():
            return
        start, first = begun.setdefault(stage, (time.monotonic(), done))
        passed = time.monotonic() - start
        line = f"{stage} … {100 * done // max(of, 1)} %"
        if passed > WAIT and done > first:
            line += f", {write_duration(passed * (of - done) / (done - first))} left"
        if line == shown:
            return
        sys.stderr.write(f"\r{line:<{len(shown)}}")
        sys.stderr.flush()
        shown = line

    try:
        yield show
    finally:
        if shown:
            sys.stderr.write(f"\r{'':<{len(shown)}}\r")


def write_duration(seconds: float) -> str:
    """Write a duration as one says it.

    >>> write_duration(8), write_duration(200), write_duration(7500)
    ('8 s', '3 min', '2 h 5 min')
    """
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
