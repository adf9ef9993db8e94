"""Performing a background job: claimed under a lease by one process, and ended once.

Results of a process without a valid lease are discarded, so that a job is completed once even if
two processes perform it.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from postprocess.errors import UserError
from surveys.errors import JobTaken, SurveyError, TooEarly, TryLater
from surveys.features import Kind, Lane
from surveys.jobs.kinds import find_kind
from surveys.jobs.queue import (
    INTERRUPTED,
    drop_finished,
    end_job,
    find_in_lane,
    list_due,
    make_lease,
    release,
    requeue,
    seconds_until_mail,
)
from surveys.models import Job, JobState
from surveys.operations.outages import OUTAGES, Limiter, describe, is_outage, log_outage

Progress = Callable[[str, int, int], None]  # stage, what is done of it, of how much
Store = Callable[[], object]  # writes the result
Maker = Callable[[Job, Progress], Store | None]
RENEWALS = 6  # within the time after which a lease expires
PROGRESS_INTERVAL = timedelta(seconds=1)
ESTIMATE_AFTER = timedelta(seconds=5)  # of a stage
CLEANING = Limiter(3600)  # of rows of finished jobs
MAILING_SECONDS = 60
log = logging.getLogger(__name__)


def perform_due(lane: Lane) -> int:
    """Perform a lane's jobs one after another until none is due. Return their number.

    E-mails wait for the rate limit; after a minute this ends, so that a worker can do other jobs.
    """
    if CLEANING.is_allowed():
        drop_finished()
    n_jobs, until = 0, time.monotonic() + MAILING_SECONDS
    while due := list_due(lane, 1):
        if lane == Lane.MAIL:
            wait = seconds_until_mail()
            if time.monotonic() + wait > until:
                break
            time.sleep(wait)
        n_jobs += perform(due[0])
    return n_jobs


def perform(job_id: int) -> bool:
    """Perform a waiting job; of several processes that try, one does. Return whether this did.

    The maker computes without a transaction. What it returns is called in the transaction that
    ends the job. Refusals of an action or the library are stored as the job's error.
    """
    job = _claim(job_id)
    if job is None:
        return False
    kind = find_kind(job.kind)
    maker: Maker = import_string(kind.make)
    with _storing_failure(job, kind), _renewing(job):
        store = maker(job, report_progress(job))
        renew_lease(job)
        _finish(job, store)
    return True


def renew_lease(job: Job, **changes: Any) -> None:
    """Renew the lease of a job and store changes. Raises JobTaken if it has lost the lease."""
    if not Job.objects.held_under(job).update(heard_at=timezone.now(), **changes):
        raise JobTaken(f"Job {job.pk} is now performed by another process, or over.")


def report_progress(job: Job) -> Progress:
    """Return a function that stores the progress of a job, at most once a second per stage.

    After some seconds the stage has the time left. It raises JobTaken if another process has taken
    the job, or it was cancelled.
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
        renew_lease(job, stage=f"{stage}{left}"[:40], share_done=100 * done // max(of, 1))

    return report


@transaction.atomic
def _claim(job_id: int) -> Job | None:
    """Begin a due job under a new lease; None if it is due no longer, or other e-mails are sent."""
    mails = find_in_lane(Lane.MAIL)
    if mails.filter(pk=job_id).exists():
        # other processes wait for the lock of the first e-mail, and then see this one
        mails.under_way().order_by("pk").select_for_update(no_key=True).first()
        if seconds_until_mail():
            return None
    now = timezone.now()
    begun = {"state": JobState.RUNNING, "heard_at": now, "begun_at": now, "lease": make_lease()}
    if not Job.objects.due(now).filter(pk=job_id).update(**begun, is_wanted_again=False):
        return None
    return Job.objects.select_related("study", "requested_by").get(pk=job_id)


@transaction.atomic
def _finish(job: Job, store: Store | None) -> None:
    """Store the results of a job and its end, or nothing. Raises JobTaken."""
    if store:
        store()
    held = Job.objects.held_under(job)
    is_over = end_job(held.filter(is_wanted_again=False), job, JobState.DONE)
    if not is_over and not requeue(held, after=timedelta(), is_wanted_again=False):
        raise JobTaken(f"Job {job.pk} is now performed by another process, or over.")


@contextmanager
def _storing_failure(job: Job, kind: Kind) -> Iterator[None]:
    """Mark a job as failed if its work ends early, with the reason if there is one.

    A process that is terminated (SIGTERM to a worker) returns it to the queue instead.
    """
    reason = INTERRUPTED
    held = Job.objects.held_under(job)
    try:
        yield
        reason = ""
    except (SystemExit, KeyboardInterrupt):
        reason = ""
        release(job)
        raise
    except JobTaken as error:
        reason = ""
        log.warning("%s", error)
    except TooEarly as error:
        reason = ""
        requeue(held, after=error.due_at - timezone.now())
    except TryLater as error:
        reason = _postpone(job, kind, str(error))
    except OUTAGES as error:
        if not (kind.is_repeatable and is_outage(error)):
            raise
        log_outage(error)
        if not connection.in_atomic_block:  # a caller's transaction cannot go on elsewhere
            connection.close()  # a lost connection stays lost
        reason = _postpone(job, kind, describe(error))
    except (SurveyError, UserError) as error:
        reason = str(error)
    finally:
        if reason:
            end_job(held, job, JobState.FAILED, reason)


def _postpone(job: Job, kind: Kind, reason: str) -> str:
    """Return a job to the queue after its kind's next pause; return the reason if it had none."""
    pauses = kind.pauses[job.n_tries : job.n_tries + 1]
    if not pauses:
        return reason
    held = Job.objects.held_under(job)
    requeue(held, after=pauses[0], error=reason, n_tries=job.n_tries + 1)
    return ""


@contextmanager
def _renewing(job: Job) -> Iterator[None]:
    """Renew the lease of a job from a thread until the context ends."""
    if settings.BACKGROUND == "at once":  # no other process would take it
        yield
        return
    ended = Event()
    Thread(target=_renew, args=(job, ended), name=f"lease-{job.pk}", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _renew(job: Job, ended: Event) -> None:
    """Renew the lease until the job ends here, also across outages of the database."""
    try:
        while not ended.wait(settings.JOB_SILENCE / RENEWALS):
            try:
                renew_lease(job)
            except OUTAGES as error:
                log_outage(error)
                connection.close()
            except JobTaken:
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
