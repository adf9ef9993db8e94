"""The dispatcher of background jobs, and performing those that are queued in the database.

Jobs are stored in the transaction that requests them, and claimed by one process, so that nothing
is lost or done twice if the broker, the workers or the site fail.

Each process that serves pages, and each worker, has a dispatcher: a thread that looks for due
jobs every few seconds, and immediately when this process has stored one. If there are workers it
asks them, otherwise the job process. In that, and where the site is served without its launcher,
it performs the jobs in threads. No request waits for any of them.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from socket import socket
from threading import Lock, Thread, main_thread

from django.conf import settings
from django.db import connection

from surveys.features import Lane
from surveys.jobs import queue as queue_of_jobs
from surveys.jobs.perform import RENEWALS, perform_due
from surveys.jobs.queue import AWAKE, count_due, release_own, requeue_silent
from surveys.operations.broker import BROKER, Broker
from surveys.operations.job_process import JOB_PROCESS, JobProcess, read_messages
from surveys.operations.outages import OUTAGES, log_outage

log = logging.getLogger(__name__)


def perform_long_jobs() -> int:
    """Perform due long jobs. Return their number."""
    return perform_due(Lane.LONG)


def perform_short_jobs() -> int:
    """Perform due short jobs. Return their number."""
    return perform_due(Lane.SHORT)


def perform_mail_jobs() -> int:
    """Send due e-mails. Return their number."""
    return perform_due(Lane.MAIL)


LANES = {
    Lane.MAIL: perform_mail_jobs,
    Lane.LONG: perform_long_jobs,
    Lane.SHORT: perform_short_jobs,
}


TASKS = {task.__name__: task for task in LANES.values()}


class Dispatcher:
    """Looks for due jobs at intervals and when woken, after it was started."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._awake = AWAKE
        self._threads: list[Thread] = []
        self.is_started = False

    @property
    def is_busy(self) -> bool:
        """Return whether a thread of this process performs a job."""
        return any(thread.is_alive() for thread in self._threads)

    def start(self) -> None:
        """Start looking for due jobs in this process; idempotent."""
        with self._lock:
            if self.is_started:
                return
            self.is_started = True
        Thread(target=self._look_repeatedly, name="dispatcher", daemon=True).start()
        if not JOB_PROCESS.is_kept:
            Thread(target=give_runs_back_at_exit, name="end").start()

    def wake(self) -> None:
        """Look immediately."""
        self._awake.set()

    def look(self) -> None:
        """Look once for due jobs, and start them."""
        if not main_thread().is_alive():  # this process is ending
            return
        with thread_connection():
            requeue_silent()
            if settings.BACKGROUND == "workers":
                self._ask(BROKER)
            elif JOB_PROCESS.is_kept:
                self._ask(JOB_PROCESS)
            else:
                self._start_threads()

    def _look_repeatedly(self) -> None:
        """Look from a new thread each time, so that one failure does not end the others."""
        while True:
            self._awake.clear()
            once = Thread(target=self.look, name="look", daemon=True)
            once.start()
            once.join()
            self._awake.wait(settings.RUN_SILENCE / RENEWALS)

    def _ask(self, performer: Broker | JobProcess) -> None:
        """Ask workers, or the job process, for due jobs."""
        performer.ask({LANES[lane] for lane in count_due()})

    def _start_threads(self) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        names = Counter(thread.name for thread in self._threads)
        for lane, n_due in count_due().items():
            name = LANES[lane].__name__
            for _ in range(min(n_due, lane.value - names[name])):
                self._start_thread(LANES[lane], name)

    def _start_thread(self, work: Callable[[], object], name: str) -> None:
        """Start a thread that does the work and then wakes the dispatcher."""

        def do() -> None:
            try:
                with thread_connection():
                    work()
            finally:
                self.wake()

        thread = Thread(target=do, name=name, daemon=True)
        thread.start()
        self._threads.append(thread)


DISPATCHER = Dispatcher()


def perform_asked(receiver: socket) -> None:
    """Do background work as the job process, asked by messages, until it should end."""
    queue_of_jobs.rename_process()
    if settings.BACKGROUND != "workers":
        DISPATCHER.start()
    for _ in read_messages(receiver, lambda: DISPATCHER.is_busy):
        DISPATCHER.wake()


@contextmanager
def thread_connection() -> Iterator[None]:
    """Close this thread's database connection at the end; log an outage instead of raising it."""
    try:
        yield
    except OUTAGES as error:
        log_outage(error)
    finally:
        connection.close()


def give_runs_back_at_exit() -> None:
    """Wait until this process ends, as after SIGTERM, and give its runs back."""
    main_thread().join()
    give_runs_back()


def give_runs_back() -> None:
    """Return the runs that this process performs to the queue.

    During an outage others find them when their leases have run out.
    """
    with thread_connection():
        release_own()
