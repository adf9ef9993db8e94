"""Lists and files of runs, deleted when no longer needed."""

from collections.abc import Iterable
from datetime import timedelta
from functools import partial

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from surveys.models import Job, JobState, Run, RunKind, Study
from surveys.models.jobs import UNDER_WAY
from surveys.operations.stored_files import delete_below, list_files, list_folder

LISTS_KEPT = timedelta(minutes=30)  # after the last heartbeat of an interrupted job
LISTS_WAIT = timedelta(days=1)  # for a job to start, for example when the broker is away
LIST_DROPPED = (
    "The list was deleted with the job. Send it again: annotators who have a link keep it."
)


@transaction.atomic
def drop_lists() -> int:
    """Delete the e-mail lists of finished jobs, and return the number of these jobs.

    Jobs that were interrupted or have not started for too long fail, since they cannot continue
    without the list.
    """
    now = timezone.now()
    is_over = (
        ~Q(state__in=UNDER_WAY)
        | Q(state=JobState.RUNNING, heard_at__lt=now - LISTS_KEPT)
        | Q(state__in=UNDER_WAY, due_at__lt=now - LISTS_WAIT)
    )
    listed = Job.objects.filter(is_over, kind=RunKind.LINKS, request__has_key="notes")
    jobs = list(listed.select_for_update(no_key=True).order_by("pk"))
    for job in jobs:
        job.request = {"count": len(job.request["notes"]), "list_was_dropped": True}
        if job.state != JobState.DONE:
            job.state, job.error = JobState.FAILED, f"{job.error} {LIST_DROPPED}".strip()
        job.lease = ""
        job.save(update_fields=["request", "state", "error", "lease"])
    return len(jobs)


def drop_exports(study: Study) -> None:
    """Delete the exported files of a study when the transaction is committed.

    Also deletes files that no run refers to, because a process was killed.
    """
    drop_files(study, RunKind.EXPORT)
    transaction.on_commit(drop_unreferenced_files)


def delete_runs(runs: Iterable[Run]) -> None:
    """Delete runs with their jobs, and their files once that is committed."""
    jobs = []
    for run in runs:
        jobs.append(run.job_id)
        for file in (run.archive, run.ledger):
            if file:
                transaction.on_commit(partial(file.storage.delete, str(file)))
    Job.objects.filter(pk__in=jobs).delete()


def drop_files(study: Study, kind: str) -> None:
    """Delete the files of a study's runs of a kind when the transaction is committed."""
    for run in Run.objects.filter(study=study, kind=kind).with_file():
        remove = partial(run.archive.storage.delete, str(run.archive))
        Run.objects.filter(pk=run.pk).update(archive="")
        transaction.on_commit(remove)


def drop_unreferenced_files() -> None:
    """Delete files that no run refers to; killed processes leave them."""
    for number in list_folder("runs")[0]:
        folder = f"runs/{number}/"
        run = Run.objects.filter(pk=number).first() if number.isdecimal() else None
        if run is None:
            delete_below(folder)
        elif not run.is_under_way:
            named = {str(file) for file in (run.archive, run.ledger) if file}
            for name in set(list_files(folder)) - named:
                default_storage.delete(name)
