"""What jobs, requests and visits leave behind that may tell who people are, dropped in time."""

import logging
from datetime import timedelta

from axes.models import AccessAttempt, AccessFailureLog
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from django.utils import timezone

from surveys.access.idempotency import ANSWERS_KEPT
from surveys.models import IdempotencyRecord
from surveys.results.run_files import drop_lists, drop_unreferenced_files

ATTEMPTS_KEPT = timedelta(days=30)  # to sign in, with a wrong password: names and addresses
log = logging.getLogger(__name__)


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
