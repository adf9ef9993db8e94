"""Leases of runs: renewed by the process that performs a run, and taken back when they expire.

Results of a process without a valid lease are discarded, so that a run is completed once even if
two processes perform it.
"""

import logging
import math
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from surveys.access.webhooks import store_run_messages
from surveys.errors import RunTaken
from surveys.models import Run, RunState
from surveys.models.results import RunQuerySet
from surveys.operations.outages import OUTAGES, log_outage
from surveys.results.run_files import drop_lists

RENEWALS = 6  # within the time after which a lease expires
MAX_DEATHS = 1  # after which a run is retried automatically
PROGRESS_INTERVAL = timedelta(seconds=1)
ESTIMATE_AFTER = timedelta(seconds=5)  # of a stage
RELEASE_PAUSE = timedelta(seconds=2)  # for a process that gives a run back to exit
DIED_TWICE = (
    "The process that performed it ended unexpectedly, twice: it may have been killed or run out "
    "of memory. Try again when the server has room; if that fails, ask an operator for the log."
)
log = logging.getLogger(__name__)


def rename_process() -> None:
    """Give this process leases of its own, apart from those of the process that forked it."""
    global PROCESS_NAME
    PROCESS_NAME = f"{socket.gethostname()[:30]}-{secrets.token_hex(8)}"


PROCESS_NAME = ""  # of this process and its children
rename_process()


def lease_duration() -> timedelta:
    """Return the time without a heartbeat after which the lease of a run expires."""
    return timedelta(seconds=settings.RUN_SILENCE)


def make_lease() -> str:
    """Return a new lease, which identifies this process."""
    return f"{PROCESS_NAME}-{secrets.token_hex(8)}"


def renew_lease(run: Run, **changes: Any) -> None:
    """Renew the lease of a run and store changes. Raises RunTaken if it has lost the lease."""
    if not Run.objects.held_under(run).update(heard_at=timezone.now(), **changes):
        raise RunTaken(f"{run.name} is now performed by another process.")


@contextmanager
def renewing(run: Run) -> Iterator[None]:
    """Renew the lease of a run from a thread until the context ends."""
    if settings.BACKGROUND == "at once":  # no other process would take it
        yield
        return
    ended = Event()
    Thread(target=_renew, args=(run, ended), name=f"lease-{run.pk}", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def report_progress(run: Run) -> Callable[[str, int, int], None]:
    """Return a function that stores the progress of a run, at most once a second per stage.

    After some seconds the stage has the time left. It raises RunTaken if another process has taken
    the run.
    """
    last: dict[str, Any] = {"stage": None, "at": None}

    def report(stage: str, done: int, of: int) -> None:
        now = timezone.now()
        if stage == last["stage"] and now - last["at"] < PROGRESS_INTERVAL:
            return
        if stage != last["stage"]:
            last.update(begun=now, first=done)
        last.update(stage=stage, at=now)
        left = _write_time_left(now - last["begun"], done - last["first"], of - done)
        renew_lease(run, stage=f"{stage}{left}"[:40], share_done=100 * done // max(of, 1))

    return report


def release_run(run: Run) -> None:
    """Return a run of this process to the queue; this does not count as a death."""
    requeue(Run.objects.held_under(run))


def release_own_runs() -> None:
    """Return all runs of this process and its children to the queue."""
    requeue(Run.objects.filter(state=RunState.RUNNING, lease__startswith=f"{PROCESS_NAME}-"))


def requeue_silent_runs() -> None:
    """Return runs with expired leases to the queue; the second time they fail."""
    since = timezone.now() - lease_duration()
    for run in Run.objects.silent(since).select_related("study"):
        still_silent = Run.objects.silent(since).held_under(run)
        if run.n_deaths >= MAX_DEATHS:
            _fail(still_silent, run, DIED_TWICE)
        elif requeue(still_silent, n_deaths=F("n_deaths") + 1):
            log.warning("run %s was interrupted and is retried", run.pk)


def fail_run(run: Run, reason: str) -> None:
    """Store that a run has failed, unless it is over or was taken by another process."""
    _fail(Run.objects.held_under(run), run, reason)


@transaction.atomic
def _fail(found: RunQuerySet, run: Run, reason: str) -> None:
    now = timezone.now()
    if found.update(state=RunState.FAILED, error=reason, lease="", heard_at=now):
        run.state = RunState.FAILED
        drop_lists()
        store_run_messages(run)


def requeue(found: RunQuerySet, *, after: timedelta = RELEASE_PAUSE, **changes: Any) -> int:
    """Return runs to the queue after a pause, with these changes; return their number."""
    now = timezone.now()
    return found.update(
        state=RunState.WAITING, lease="", stage="", share_done=0, heard_at=now,
        due_at=now + after, **changes,
    )  # fmt: skip


def _renew(run: Run, ended: Event) -> None:
    """Renew the lease until the run ends here, also across outages of the database."""
    try:
        while not ended.wait(settings.RUN_SILENCE / RENEWALS):
            try:
                renew_lease(run)
            except OUTAGES as error:
                log_outage(error)
                connection.close()
            except RunTaken:
                return
    finally:
        connection.close()


def _write_time_left(passed: timedelta, n_done: int, n_left: int) -> str:
    """Return the time left in words, if enough was done to estimate it."""
    if passed < ESTIMATE_AFTER or n_done <= 0 or n_left <= 0:
        return ""
    minutes = math.ceil(passed * n_left / n_done / timedelta(minutes=1))
    if minutes == 1:
        return ", less than a minute left"
    hours = math.ceil(minutes / 60)
    return f", about {minutes} minutes left" if minutes < 100 else f", about {hours} h left"
