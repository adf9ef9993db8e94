"""Background jobs of shared tasks: scoring again, final boards and their archive."""

from collections.abc import Callable

from django.contrib.auth.models import User

from surveys.access.audit_log import SITE, acting
from surveys.jobs.queue import enqueue
from surveys.models import Job
from surveys.models.jobs import JobQuerySet
from surveys.models.sharedtasks import SharedTask
from surveys.sharedtasks.errors import SharedTaskRefused

RESCORE, FINALISE, ARCHIVE = "sharedtasks.rescore", "sharedtasks.finalise", "sharedtasks.archive"


def request_job(shared_task: SharedTask, kind: str, by: User | None) -> Job:
    """Queue a job of a locked shared task. Raises SharedTaskRefused while one is under way."""
    if is_busy(shared_task):
        raise SharedTaskRefused("A job of this shared task is in progress. Wait until it is done.")
    return _enqueue(shared_task, kind, by)


def request_new_archive(shared_task: SharedTask, by: User | None) -> None:
    """Queue the making of the archive of a locked shared task, once more if it has begun."""
    _enqueue(shared_task, ARCHIVE, by)


def is_busy(shared_task: SharedTask) -> bool:
    """Return whether a job of a shared task waits or is performed."""
    return find_jobs(shared_task).under_way().exists()


def find_jobs(shared_task: SharedTask) -> JobQuerySet:
    """Return the jobs of a shared task, latest first."""
    return Job.objects.filter(scope=shared_task.scope, kind__in=(RESCORE, FINALISE, ARCHIVE))


def find_shared_task(job: Job) -> SharedTask:
    """Return the shared task of a job."""
    return SharedTask.objects.get(pk=job.request["shared_task"])


def as_requester(job: Job, store: Callable[[], object]) -> Callable[[], None]:
    """Return a function that stores a result and is logged under the requester's name."""

    def store_as_requester() -> None:
        with acting(job.requested_by or SITE):
            store()

    return store_as_requester


def _enqueue(shared_task: SharedTask, kind: str, by: User | None) -> Job:
    scope = shared_task.scope
    key = f"{scope}:archive" if kind == ARCHIVE else scope
    return enqueue(kind, {"shared_task": shared_task.pk}, scope=scope, key=key, by=by)
