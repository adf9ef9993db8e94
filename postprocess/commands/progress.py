"""Progress of a long run, told on the terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from postprocess.steps.post_process import Progress


@contextmanager
def telling_progress() -> Iterator[Progress]:
    """A function that tells the stage and its share on one line, where a person is watching."""
    width = 0

    def tell(stage: str, done: int, of: int) -> None:
        nonlocal width
        line = f"{stage} … {100 * done // of} %"
        width = max(width, len(line))
        sys.stderr.write(f"\r{line:<{width}}")
        sys.stderr.flush()

    def say_nothing(stage: str, done: int, of: int) -> None:
        """Nobody is watching."""

    try:
        yield tell if sys.stderr.isatty() else say_nothing
    finally:
        if width:
            sys.stderr.write(f"\r{'':<{width}}\r")
