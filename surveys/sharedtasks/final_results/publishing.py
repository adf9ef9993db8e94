"""Publishing the boards, the gold and the archive of a shared task, and taking them back."""

from datetime import datetime

from django.db import transaction

from surveys.access.audit_log import record
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import FrozenBoard, ScoringState, SharedTask, SharedTaskState
from surveys.sharedtasks.tasks import is_busy, lock_task


def are_boards_stale(shared_task: SharedTask) -> bool:
    """Return whether scores were corrected after final boards were made."""
    boards = FrozenBoard.objects.filter(phase__shared_task=shared_task)
    return boards.exclude(scoring__state=ScoringState.CURRENT).exists()


@transaction.atomic
def publish(shared_task: SharedTask, now: datetime) -> SharedTask:
    """Make final boards, gold, salt and archive public; idempotent.

    Raises SharedTaskRefused unless the shared task is finalised, and while a job is in progress.
    """
    shared_task = lock_task(shared_task)
    if shared_task.is_published:
        return shared_task
    if shared_task.state != SharedTaskState.FINALISED:
        raise SharedTaskRefused("Finalise the shared task first: its boards must be final.")
    if is_busy(shared_task):
        raise SharedTaskRefused("A job of this shared task is in progress. Wait until it ends.")
    if are_boards_stale(shared_task):
        raise SharedTaskRefused("Scores were corrected after the boards were made. Finalise again.")
    if not shared_task.archive:
        raise SharedTaskRefused("The archive is missing. Make it again first.")
    if shared_task.phases.filter(closes_at__gt=now, visibility="hidden", data="test").exists():
        raise SharedTaskRefused("A phase that hides its scores has not ended.")
    shared_task.state = SharedTaskState.PUBLISHED
    shared_task.published_at, shared_task.retracted_at = now, None
    shared_task.save(update_fields=["state", "published_at", "retracted_at"])
    record("sharedtask.published", shared_task, sha256=shared_task.archive_sha256)
    return shared_task


@transaction.atomic
def retract(shared_task: SharedTask, reason: str, now: datetime) -> SharedTask:
    """Take back what was published; idempotent. Its address says so.

    Raises SharedTaskRefused without a reason, and for a shared task that is not published.
    """
    shared_task = lock_task(shared_task)
    if shared_task.retracted_at and shared_task.state == SharedTaskState.FINALISED:
        return shared_task
    if not shared_task.is_published:
        raise SharedTaskRefused("The shared task is not published.")
    if not reason.strip():
        raise SharedTaskRefused("Write why it is taken back.")
    shared_task.state, shared_task.retracted_at = SharedTaskState.FINALISED, now
    shared_task.save(update_fields=["state", "retracted_at"])
    record("sharedtask.retracted", shared_task, reason=reason)
    return shared_task
