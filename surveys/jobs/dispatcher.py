"""The dispatcher: a thread that looks for due jobs and has them performed.

Each process that serves pages, and each worker, has one. It looks every few seconds, and
immediately when its process has stored a job. If there are workers it asks them, otherwise the job
process. In that, and where the site is served without its launcher, it performs jobs in threads. No
request waits for any of them.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from socket import socket
from threading import Thread, main_thread

from django.conf import settings
from django.db import connection

from surveys.features import Lane
from surveys.jobs.perform import RENEWALS, perform_due
from surveys.jobs.queue import (
    AWAKE,
    count_due,
    release_own,
    rename_process,
    requeue_silent,
    wake,
)
from surveys.operations.broker import BROKER
from surveys.operations.job_process import JOB_PROCESS, read_messages
from surveys.operations.outages import OUTAGES, log_outage


class Dispatcher:
    """Looks for due jobs at intervals and when woken, after it was started."""

    def __init__(self) -> None:
        self._threads: list[Thread] = []

    @property
    def is_busy(self) -> bool:
        """Return whether a thread of this process performs a job."""
        return any(thread.is_alive() for thread in self._threads)

    def start(self) -> None:
        """Start looking for due jobs in this process."""
        Thread(target=self._look_repeatedly, name="dispatcher", daemon=True).start()
        if not JOB_PROCESS.is_kept:
            Thread(target=_release_at_exit, name="end").start()

    def look(self) -> None:
        """Look once for due jobs, and have them performed."""
        if not main_thread().is_alive():  # this process is ending
            return
        with _closing_connection():
            requeue_silent()
            n_due = count_due()
            if settings.BACKGROUND == "workers":
                BROKER.ask(n_due)
            elif not JOB_PROCESS.is_kept:
                self._start_threads(n_due)
            elif n_due:
                JOB_PROCESS.wake()

    def _look_repeatedly(self) -> None:
        """Look from a new thread each time, so that a failure does not end later looks."""
        while True:
            AWAKE.clear()
            once = Thread(target=self.look, name="look", daemon=True)
            once.start()
            once.join()
            AWAKE.wait(settings.JOB_SILENCE / RENEWALS)

    def _start_threads(self, n_due: Counter[Lane]) -> None:
        """Start a thread for each due job, as far as its lane has any."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        n_busy = Counter(thread.name for thread in self._threads)
        for lane, n_jobs in n_due.items():
            for _ in range(min(n_jobs, lane.value - n_busy[lane.name])):
                thread = Thread(target=_perform, args=(lane,), name=lane.name, daemon=True)
                thread.start()
                self._threads.append(thread)


DISPATCHER = Dispatcher()


def perform_asked(receiver: socket) -> None:
    """Perform jobs as the job process, woken by messages, until it should end."""
    rename_process()
    if settings.BACKGROUND != "workers":
        DISPATCHER.start()
    for _ in read_messages(receiver, lambda: DISPATCHER.is_busy):
        wake()


def give_jobs_back() -> None:
    """Return the jobs that this process performs to the queue.

    During an outage others find them when their leases have expired.
    """
    with _closing_connection():
        release_own()


def _release_at_exit() -> None:
    """Wait until this process ends, as after SIGTERM, and give its jobs back."""
    main_thread().join()
    give_jobs_back()


def _perform(lane: Lane) -> None:
    """Perform a lane's due jobs, and then have the dispatcher look again."""
    try:
        with _closing_connection():
            perform_due(lane)
    finally:
        wake()


@contextmanager
def _closing_connection() -> Iterator[None]:
    """Close this thread's database connection at the end; log an outage instead of raising it."""
    try:
        yield
    except OUTAGES as error:
        log_outage(error)
    finally:
        connection.close()
