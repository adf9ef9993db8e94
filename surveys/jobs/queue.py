"""The queue of background jobs: each is a row, stored in the transaction that requests it."""

import logging
import secrets
import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Count, F, Max, Q
from django.utils import timezone
from django.utils.module_loading import import_string

from surveys.errors import JobBusy
from surveys.features import Lane
from surveys.jobs.kinds import find_kind, list_kinds
from surveys.models import Job, JobState, Study
from surveys.models.jobs import UNDER_WAY, JobQuerySet

RELEASE_PAUSE = timedelta(seconds=2)  # for a process that gives a job back to exit
DIED_TWICE = (
    "The process that performed it ended unexpectedly, twice: it may have been killed or run out "
    "of memory. Try again when the server has room; if that fails, ask an operator for the log."
)
BUSY = "This is already in progress. Wait until it ends."
INTERRUPTED = "It was interrupted. Try again; if that does not help, ask an operator for the log."
AWAKE = Event()  # the dispatcher waits for it
log = logging.getLogger(__name__)


def rename_process() -> None:
    """Give this process its own leases, apart from its parent's."""
    global PROCESS_NAME
    PROCESS_NAME = f"{socket.gethostname()[:30]}-{secrets.token_hex(8)}"


PROCESS_NAME = ""  # of this process and its children
rename_process()


def make_lease() -> str:
    """Return a new lease, which identifies this process."""
    return f"{PROCESS_NAME}-{uuid4().hex[:16]}"


def wake() -> None:
    """Let this process's dispatcher look for due jobs immediately."""
    AWAKE.set()


@transaction.atomic
def enqueue(
    kind: str,
    request: Mapping[str, Any] | None = None,
    *,
    scope: str = "",
    key: str = "",
    study: Study | None = None,
    by: User | None = None,
    due_at: datetime | None = None,
) -> Job:
    """Store a job in the caller's transaction.

    Raises JobBusy if another job with its key is under way. A kind that drains joins that one,
    which is performed once more if it has begun.
    """
    under_way = Job.objects.under_way().filter(key=key)
    # an update locks the row, so that the job does not begin or end before what it drains is stored
    if key and find_kind(kind).drains:
        if under_way.update(is_wanted_again=True):
            return under_way.get()
    elif key and under_way.exists():  # an insert would wait for the transaction that ends it
        raise JobBusy(BUSY)
    with _refusing_second():
        job = Job.objects.create(
            kind=kind, request=request or {}, scope=scope, key=key, study=study,
            requested_by=by, due_at=due_at or timezone.now(),
        )  # fmt: skip
    transaction.on_commit(wake)
    return job


@transaction.atomic
def enqueue_many(kind: str, n: int, *, scope: str, study: Study) -> list[Job]:
    """Store jobs without a key in the caller's transaction."""
    now = timezone.now()
    transaction.on_commit(wake)
    return Job.objects.bulk_create(
        Job(kind=kind, scope=scope, study=study, due_at=now) for _ in range(n)
    )


def move(jobs: JobQuerySet, due_at: datetime) -> None:
    """Let waiting jobs be due at an instant."""
    jobs.filter(state=JobState.WAITING).update(due_at=due_at)
    transaction.on_commit(wake)


def list_due(lane: Lane, at_most: int | None = None) -> list[int]:
    """Return the ids of a lane's due jobs, the longest due first."""
    due = find_in_lane(lane).due(timezone.now())
    return list(due.values_list("pk", flat=True)[:at_most])


def count_due() -> Counter[Lane]:
    """Return the numbers of due jobs by lane."""
    lanes = {kind.name: kind.lane for kind in list_kinds()}
    due = Job.objects.due(timezone.now()).filter(kind__in=lanes).order_by()
    n_due: Counter[Lane] = Counter()
    for kind, n in due.values_list("kind").annotate(n=Count("pk")):
        n_due[lanes[kind]] += n
    return n_due


def find_in_lane(lane: Lane) -> JobQuerySet:
    """Return a lane's jobs."""
    return Job.objects.filter(kind__in=[kind.name for kind in list_kinds(lane)])


def seconds_until_mail() -> float:
    """Return when the next e-mail may be sent: after those under way, and by the rate limit."""
    now = timezone.now()
    interval = timedelta(minutes=1) / settings.EMAIL_PER_MINUTE
    # without rows that cannot have begun within the interval: both conditions have an index
    recent = Q(state__in=UNDER_WAY) | Q(finished_at__gt=now - interval)
    counts = find_in_lane(Lane.MAIL).filter(recent).aggregate(
        begun_at=Max("begun_at"), n_running=Count("pk", filter=Q(state=JobState.RUNNING))
    )  # fmt: skip
    wait = 0.0
    if counts["begun_at"]:
        wait = max(0.0, (counts["begun_at"] + interval - now).total_seconds())
    return max(wait, 1.0) if counts["n_running"] else wait


@transaction.atomic
def cancel(job: Job) -> bool:
    """Cancel a waiting or running job; return False if the job has ended."""
    return end_job(Job.objects.under_way().filter(pk=job.pk), job, JobState.CANCELLED)


def retry(job: Job) -> bool:
    """Queue a job again that failed or fell silent; return False for any other. Raises JobBusy.

    Also False if the app of its kind is not installed: nobody would perform it.
    """
    if job.kind not in {kind.name for kind in list_kinds()}:  # its app is switched off
        return False
    over = (Job.objects.filter(state=JobState.FAILED) | find_silent()).filter(pk=job.pk)
    afresh = {"error": "", "n_deaths": 0, "n_tries": 0, "finished_at": None}
    with _refusing_second():
        n_again = requeue(over, after=timedelta(), **afresh)
    transaction.on_commit(wake)
    return bool(n_again)


def find_silent() -> JobQuerySet:
    """Return the running jobs of registered kinds whose leases have expired."""
    registered = Job.objects.filter(kind__in=[kind.name for kind in list_kinds()])
    return registered.silent(timezone.now() - timedelta(seconds=settings.JOB_SILENCE))


def requeue_silent() -> None:
    """Return jobs with expired leases to the queue; they fail after too many deaths."""
    for job in find_silent():
        still_silent = find_silent().held_under(job)
        kind = find_kind(job.kind)
        if not kind.is_repeatable:
            end_job(still_silent, job, JobState.FAILED, INTERRUPTED)
        elif job.n_deaths >= kind.max_deaths:
            end_job(still_silent, job, JobState.FAILED, DIED_TWICE)
        elif requeue(still_silent, n_deaths=F("n_deaths") + 1):
            log.warning("job %s was interrupted and is repeated", job.pk)


def release(job: Job) -> None:
    """Return a job of this process to the queue, without a death; it fails if not repeatable."""
    held = Job.objects.held_under(job)
    if find_kind(job.kind).is_repeatable:
        requeue(held)
    else:
        end_job(held, job, JobState.FAILED, INTERRUPTED)


def release_own() -> None:
    """Release all jobs of this process and its children."""
    running = Job.objects.filter(state=JobState.RUNNING, lease__startswith=f"{PROCESS_NAME}-")
    for job in running:
        release(job)


def requeue(jobs: JobQuerySet, *, after: timedelta = RELEASE_PAUSE, **changes: Any) -> int:
    """Return jobs to the queue after a pause, with these changes; return their number."""
    now = timezone.now()
    return jobs.update(
        state=JobState.WAITING, lease="", stage="", share_done=0, heard_at=now,
        due_at=now + after, **changes,
    )  # fmt: skip


@transaction.atomic
def end_job(jobs: JobQuerySet, job: Job, state: JobState, error: str = "") -> bool:
    """Store the end of a job if it is still in a queryset; return whether it was."""
    now = timezone.now()
    changes: dict[str, Any] = {"state": state, "error": error, "lease": "", "finished_at": now}
    if state == JobState.DONE:
        changes |= {"stage": "", "share_done": 100}
    if not jobs.update(**changes, heard_at=now):
        return False
    for name, value in changes.items():
        setattr(job, name, value)
    if ended := find_kind(job.kind).ended:
        import_string(ended)(job)
    return True


def drop_finished() -> None:
    """Delete finished jobs that are no longer kept."""
    now = timezone.now()
    for kind in list_kinds():
        if kind.kept is not None:
            Job.objects.filter(kind=kind.name, finished_at__lt=now - kind.kept).delete()


@contextmanager
def _refusing_second() -> Iterator[None]:
    """Raise JobBusy if another job with the same key is under way."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        raise JobBusy(BUSY) from error
