"""Celery workers for tests, on the Redis that is there, and waiting for what they do."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess

from tests.end_to_end.commands import start_module
from tests.end_to_end.site import LOG_END, Site
from tests.machine import ROOT

BROKER = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/15")
SECONDS = 120  # more than anything here takes on a busy machine


@contextmanager
def working(site: Site) -> Iterator[BaseProcess]:
    """A Celery worker, started with the documented options, in its own process group."""
    command = ["celery", "-A", "annotation_site", "worker", "--concurrency", "1",
               "--loglevel", "warning"]  # fmt: skip
    worker = start_module(command, site.environment, ROOT, site.log)
    try:
        yield worker
    finally:
        worker.terminate()
        worker.join(timeout=60)
        if worker.is_alive():
            os.killpg(worker.pid, signal.SIGKILL)
        sys.stdout.write(site.log.read_text()[-LOG_END:])


def wait_until(is_so: Callable[[], bool], tell: Callable[[], object] = lambda: "") -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"it does not happen: {tell()}"
        time.sleep(0.05)
