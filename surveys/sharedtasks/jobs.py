"""Background jobs of shared tasks: scoring again, and final boards.

A job is its own queue entry. One process performs it; if that ends without a sign of life, another
begins again, and the job's last step stores everything or nothing.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.dispatch import Signal
from django.utils import timezone

from surveys.access.audit_log import SITE, acting
from surveys.errors import SurveyError
from surveys.models.results import RunState
from surveys.models.sharedtasks import SharedTask, TaskJob, TaskJobKind
from surveys.operations.outages import OUTAGES, log_outage
from surveys.results.run_leases import RENEWALS
from surveys.sharedtasks.errors import SharedTaskRefused

Progress = Callable[[int, int], None]  # steps that are done, of how many
Maker = Callable[[TaskJob, Progress], None]
PROGRESS_INTERVAL = timedelta(seconds=1)
UNDER_WAY = (RunState.WAITING, RunState.RUNNING)
INTERRUPTED = "It was interrupted. Try again; if that does not help, ask an operator for the log."
job_stored = Signal()  # sent within the transaction that stores a job
log = logging.getLogger(__name__)


class JobTaken(SharedTaskRefused):
    """Another process performs the job now, or it is over."""


def request_job(shared_task: SharedTask, kind: TaskJobKind, by: User | None) -> TaskJob:
    """Store a job of a locked shared task. Raises SharedTaskRefused while one is under way."""
    if is_busy(shared_task):
        raise SharedTaskRefused("A job of this shared task is in progress. Wait until it is done.")
    job = TaskJob.objects.create(shared_task=shared_task, kind=kind, requested_by=by)
    job_stored.send(TaskJob)
    return job


def is_busy(shared_task: SharedTask) -> bool:
    """Return whether a job of a shared task waits or is performed."""
    return TaskJob.objects.filter(shared_task=shared_task, state__in=UNDER_WAY).exists()


def find_due_job() -> int | None:
    """Return the id of the job that has waited longest, or None."""
    waiting = TaskJob.objects.filter(state=RunState.WAITING).order_by("pk")
    return waiting.values_list("pk", flat=True).first()


def requeue_silent_jobs() -> int:
    """Let jobs wait again whose process gave no sign of life for a time; return their number."""
    since = timezone.now() - timedelta(seconds=settings.RUN_SILENCE)
    silent = TaskJob.objects.filter(state=RunState.RUNNING, heard_at__lt=since)
    if not silent.exists():  # an update locks the database of SQLite, even if it finds nothing
        return 0
    n_silent = silent.update(state=RunState.WAITING, share_done=0)
    if n_silent:
        log.warning("jobs of shared tasks were interrupted and are repeated: %s", n_silent)
    return n_silent


def perform_job(job_id: int, makers: Mapping[TaskJobKind, Maker]) -> None:
    """Perform a waiting job; if several processes try, one of them does.

    `makers` has for each kind the function that does the work. Its refusals are stored as the
    job's error.
    """
    found = TaskJob.objects.filter(pk=job_id)
    begun = found.filter(state=RunState.WAITING).update(
        state=RunState.RUNNING, heard_at=timezone.now(), error=""
    )
    if not begun:
        return
    job = found.select_related("shared_task", "requested_by").get()
    error = INTERRUPTED
    try:
        with acting(job.requested_by or SITE), _signs_of_life(job):
            makers[TaskJobKind(job.kind)](job, _report_progress(job))
        error = ""
    except JobTaken:
        error = ""
        log.warning("job %s was taken by another process", job_id)
    except (SurveyError, OSError, ValueError) as refusal:
        log.exception("job %s of a shared task failed", job_id)
        error = str(refusal) or type(refusal).__name__
    finally:
        if error:
            _end(job, RunState.FAILED, error)


@transaction.atomic
def finish_job(job: TaskJob) -> None:
    """Store that a job is done, in the transaction that stores its results. Raises JobTaken."""
    if not _end(job, RunState.DONE):
        raise JobTaken("The job is performed by another process.")


def _end(job: TaskJob, state: RunState, error: str = "") -> bool:
    running = TaskJob.objects.filter(pk=job.pk, state=RunState.RUNNING)
    share = {"share_done": 100} if state == RunState.DONE else {}
    return bool(running.update(state=state, error=error, finished_at=timezone.now(), **share))


@contextmanager
def _signs_of_life(job: TaskJob) -> Iterator[None]:
    """Store from a thread, until the context ends, that this process is alive."""
    if settings.BACKGROUND == "at once":  # no other process would take the job
        yield
        return
    ended = Event()
    Thread(target=_stay_alive, args=(job, ended), name=f"task-job-{job.pk}", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _stay_alive(job: TaskJob, ended: Event) -> None:
    try:
        while not ended.wait(settings.RUN_SILENCE / RENEWALS):
            try:
                running = TaskJob.objects.filter(pk=job.pk, state=RunState.RUNNING)
                running.update(heard_at=timezone.now())
            except OUTAGES as error:
                log_outage(error)
                connection.close()
    finally:
        connection.close()


def _report_progress(job: TaskJob) -> Progress:
    """Return a function that stores the progress of a job, at most once a second."""
    last: list[datetime] = []

    def report(done: int, of: int) -> None:
        now = timezone.now()
        if last and now - last[0] < PROGRESS_INTERVAL:
            return
        last[:] = [now]
        running = TaskJob.objects.filter(pk=job.pk, state=RunState.RUNNING)
        if not running.update(heard_at=now, share_done=100 * done // max(of, 1)):
            raise JobTaken("The job is performed by another process.")

    return report
