"""Progress of a long run on the terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postprocess.steps.post_process import Progress


@contextmanager
def showing_progress() -> "Iterator[Progress]":
    """Yield a function that shows stage and share on one line; a no-op without a terminal.

    The share is omitted if the total is 0, for a stage whose length is not known.
    """
    width = 0

    def show(stage: str, done: int, of: int) -> None:
        nonlocal width
        line = f"{stage} … {100 * done // of} %" if of else f"{stage} …"
        width = max(width, len(line))
        sys.stderr.write(f"\r{line:<{width}}")
        sys.stderr.flush()

    def ignore(stage: str, done: int, of: int) -> None:
        """Show nothing."""

    try:
        yield show if sys.stderr.isatty() else ignore
    finally:
        if width:
            sys.stderr.write(f"\r{'':<{width}}\r")
