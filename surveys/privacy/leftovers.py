"""Deletion of expired records that may identify people: sessions, sign-ins, uploaded lists."""

import logging
from datetime import timedelta

from axes.models import AccessAttempt, AccessFailureLog
from django.db import OperationalError, connection
from django.utils import timezone

from surveys.access.idempotency import RETENTION
from surveys.models import AccountSession, IdempotencyRecord
from surveys.results.run_files import drop_lists, drop_unreferenced_files

ATTEMPTS_KEPT = timedelta(days=30)  # failed sign-ins: user names and IP addresses
log = logging.getLogger(__name__)


def drop_leftovers() -> None:
    """Delete expired records and files of the whole site; idempotent, called by a timer."""
    now = timezone.now()
    drop_lists()
    drop_unreferenced_files()
    IdempotencyRecord.objects.filter(created_at__lt=now - RETENTION).delete()
    AccountSession.objects.filter(expire_date__lt=now).delete()
    AccessAttempt.objects.filter(attempt_time__lt=now - ATTEMPTS_KEPT).delete()
    AccessFailureLog.objects.filter(attempt_time__lt=now - ATTEMPTS_KEPT).delete()
    overwrite_dropped_rows()


def overwrite_dropped_rows() -> None:
    """Have SQLite rewrite its file without deleted and overwritten rows.

    PostgreSQL does so by itself (autovacuum). A busy file is left for the next time.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")  # writers wait meanwhile
            cursor.execute("PRAGMA busy_timeout=1000")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except OperationalError as error:
        log.warning("Deleted rows are not overwritten until the next run: %s", error)
    connection.close()  # a new connection has the timeout of the settings
