"""Leases of runs: renewed by the process that performs a run; one that ran out is found.

What a process makes without a valid lease is dropped, so that a run is done once though two
processes perform it.
"""

import logging
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from surveys.access.webhooks import tell_of_run
from surveys.errors import RunTaken
from surveys.models import Run, RunState
from surveys.models.running import RunQuerySet
from surveys.operations.outages import OUTAGES, log_outage
from surveys.results.run_files import drop_lists

HERE = f"{socket.gethostname()[:30]}-{secrets.token_hex(8)}"  # this process, and its children
RENEWALS = 6  # within the time after which a lease runs out
MOST_DEATHS = 1  # after which a run is tried again by itself
BEFORE_THE_NEXT = timedelta(seconds=2)  # for a process that gives a run back to end
DIED_TWICE = (
    "The process that did it ended without a word, twice: killed perhaps, or out of memory. "
    "Try again when the server has room, and ask an operator for its log if that does not help."
)
log = logging.getLogger(__name__)


def silence() -> timedelta:
    """Return how long a run may give no sign of life before its lease runs out."""
    return timedelta(seconds=settings.RUN_SILENCE)


def make_lease() -> str:
    """Return a new lease, which names this process."""
    return f"{HERE}-{secrets.token_hex(8)}"


def note_sign_of_life(run: Run, **changes: Any) -> None:
    """Renew the lease of a run, and store how far it is. Raises RunTaken if it has none by now."""
    if not Run.objects.held_under(run).update(heard_at=timezone.now(), **changes):
        raise RunTaken(f"{run.name} is done by another process by now.")


@contextmanager
def renewing(run: Run) -> Iterator[None]:
    """Renew the lease of a run from a thread until the block ends."""
    if settings.BACKGROUND == "at once":  # nobody else would take it
        yield
        return
    ended = Event()
    Thread(target=_renew, args=(run, ended), name=f"lease-{run.pk}", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def release_run(run: Run) -> None:
    """Let a run that is performed here wait for another process; it counts as no death."""
    _give_back(Run.objects.held_under(run))


def release_all() -> None:
    """Let everything that is performed by this process or its children wait for another one."""
    _give_back(Run.objects.filter(state=RunState.RUNNING, lease__startswith=f"{HERE}-"))


def take_back_silent_runs() -> None:
    """Let runs wait again whose process has ended without a word; the second time they fail."""
    since = timezone.now() - silence()
    for run in Run.objects.silent(since).select_related("study"):
        still_silent = Run.objects.silent(since).held_under(run)
        if run.n_deaths >= MOST_DEATHS:
            _fail(still_silent, run, DIED_TWICE)
        elif _give_back(still_silent, n_deaths=F("n_deaths") + 1):
            log.warning("run %s was broken off and is tried again", run.pk)


def fail_run(run: Run, reason: str) -> None:
    """Store that a run has failed, unless it is over or another process performs it."""
    _fail(Run.objects.held_under(run), run, reason)


@transaction.atomic
def _fail(found: RunQuerySet, run: Run, reason: str) -> None:
    now = timezone.now()
    if found.update(state=RunState.FAILED, error=reason, lease="", heard_at=now):
        run.state = RunState.FAILED
        drop_lists()
        tell_of_run(run)


def _give_back(found: RunQuerySet, **changes: Any) -> int:
    now = timezone.now()
    return found.update(
        state=RunState.WAITING, lease="", stage="", share_done=0, heard_at=now,
        due_at=now + BEFORE_THE_NEXT, **changes,
    )  # fmt: skip


def _renew(run: Run, ended: Event) -> None:
    """Give signs of life until a run ends here, whatever happens to the database meanwhile."""
    try:
        while not ended.wait(settings.RUN_SILENCE / RENEWALS):
            try:
                note_sign_of_life(run)
            except OUTAGES as error:
                log_outage(error)
                connection.close()
            except RunTaken:
                return
    finally:
        connection.close()
