"""What jobs, requests and visits leave behind that may tell who people are, dropped in time."""

import logging
import shutil
from datetime import timedelta
from pathlib import Path

from axes.models import AccessAttempt, AccessFailureLog
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from surveys.models import IdempotencyRecord, Run, RunKind, RunState

LISTS_KEPT = timedelta(minutes=30)  # after the last sign of life of a job that was broken off
LISTS_WAIT = timedelta(days=1)  # for a job to begin, which may take a broker that is away
ANSWERS_KEPT = timedelta(hours=24)  # to requests of programs, to be given again
ATTEMPTS_KEPT = timedelta(days=30)  # to sign in, with a wrong password: names and addresses
log = logging.getLogger(__name__)
LIST_DROPPED = (
    "The list was dropped with the job. Send it again: those who have a link already keep it."
)


def drop_leftovers() -> None:
    """Drop what is kept for a time only, of all studies; for a timer. Again does no harm."""
    now = timezone.now()
    drop_lists()
    drop_unreferenced_files()
    IdempotencyRecord.objects.filter(created_at__lt=now - ANSWERS_KEPT).delete()
    Session.objects.filter(expire_date__lt=now).delete()
    AccessAttempt.objects.filter(attempt_time__lt=now - ATTEMPTS_KEPT).delete()
    AccessFailureLog.objects.filter(attempt_time__lt=now - ATTEMPTS_KEPT).delete()
    overwrite_dropped_rows()


@transaction.atomic
def drop_lists() -> int:
    """Drop the lists of addresses of jobs that are over, and return the number of those jobs.

    A job counts as over when it is done or has failed, and when it was broken off or did not begin
    for too long: it fails then, since it cannot go on without its list.
    """
    now = timezone.now()
    is_over = (
        Q(state__in=(RunState.DONE, RunState.FAILED))
        | Q(state=RunState.RUNNING, heard_at__lt=now - LISTS_KEPT)
        | Q(state=RunState.WAITING, heard_at__lt=now - LISTS_WAIT)
    )
    listed = Run.objects.filter(is_over, kind=RunKind.LINKS, wishes__has_key="notes")
    found = list(listed.select_for_update(no_key=True).order_by("pk"))
    for run in found:
        run.wishes = {"count": len(run.wishes["notes"]), "list_was_dropped": True}
        if run.state != RunState.DONE:
            run.state, run.error = RunState.FAILED, f"{run.error} {LIST_DROPPED}".strip()
        Run.objects.filter(pk=run.pk).update(
            wishes=run.wishes, state=run.state, error=run.error, lease=""
        )
    return len(found)


def drop_unreferenced_files() -> None:
    """Remove files of runs that no run names: a process that was killed had written them."""
    top = Path(settings.MEDIA_ROOT) / "runs"
    for folder in top.iterdir() if top.is_dir() else ():
        run = Run.objects.filter(pk=folder.name).first() if folder.name.isdecimal() else None
        if run is None:
            shutil.rmtree(folder, ignore_errors=True)
        elif run.state in (RunState.DONE, RunState.FAILED):
            named = {Path(str(file)).name for file in (run.archive, run.ledger) if file}
            for file in folder.iterdir():
                if file.name not in named:
                    file.unlink(missing_ok=True)


def overwrite_dropped_rows() -> None:
    """Have SQLite write its file anew without what was dropped, erased or changed before.

    PostgreSQL does the like by itself (autovacuum). A file that others keep busy stays as it is
    until the next time.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")  # writers wait meanwhile
            cursor.execute("PRAGMA busy_timeout=1000")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except OperationalError as error:
        log.warning("Dropped rows are not overwritten until tomorrow: %s", error)
    connection.close()  # the next one waits for as long as the settings say
