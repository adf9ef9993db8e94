"""Names of teams on final boards: a team that withdraws may have its code there instead."""

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import QuerySet

from surveys.access.audit_log import record
from surveys.models.sharedtasks import (
    FrozenBoard,
    SharedTask,
    SharedTaskState,
    TaskJob,
    TaskJobKind,
    Team,
)
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.finishing.archiving import drop_archive, make_archive
from surveys.sharedtasks.finishing.entries import Results, predict_baselines
from surveys.sharedtasks.jobs import UNDER_WAY, Progress, finish_job, job_stored
from surveys.sharedtasks.scoring.figures import Golds
from surveys.sharedtasks.tasks import lock_task

if TYPE_CHECKING:
    from postprocess.boards.board import Board


NOT_FINAL = "The boards are not final yet."


def hide_name(team: Team, by: User | None = None) -> None:
    """Replace the name of a team on final boards by its code, if it is there.

    The shared task and the team are locked. The archive has the name in many files, so it is
    deleted and made again in the background.
    """
    from postprocess.boards.exports.freezing import read_board, render_board

    shared_task = team.shared_task
    own = set(team.submissions.values_list("code", flat=True))
    n_renamed = 0
    for frozen in FrozenBoard.objects.filter(phase__shared_task=shared_task):
        board = read_board(frozen.body.encode())
        if not any(row.result in own and row.name == team.name for row in board.rows):
            continue
        body = render_board(_rename(board, team.name, team.code), is_gold_public=True)
        frozen.body, frozen.sha256 = body.decode(), hashlib.sha256(body).hexdigest()
        frozen.save(update_fields=["body", "sha256"])
        n_renamed += 1
    if n_renamed:
        record("team.name_hidden", scope=shared_task.scope, subject=team.name, n_boards=n_renamed)
        drop_archive(shared_task)
        shared_task.save(update_fields=["archive", "archive_sha256"])
        _request(shared_task, by)


@transaction.atomic
def request_archive(shared_task: SharedTask, by: User | None) -> None:
    """Queue the making of an archive that is missing; idempotent.

    Raises SharedTaskRefused for a shared task without final boards.
    """
    shared_task = lock_task(shared_task)
    if shared_task.state not in (SharedTaskState.FINALISED, SharedTaskState.PUBLISHED):
        raise SharedTaskRefused(NOT_FINAL)
    if not shared_task.archive:
        _request(shared_task, by)


def perform_archiving(job: TaskJob, progress: Progress) -> None:
    """Make the archive of final boards as they are stored; again if they change meanwhile."""
    is_stored = False
    while not is_stored:
        frozen = list(_find_frozen(job.shared_task))
        progress(0, 1)
        is_stored = _store(job, frozen, _make(job.shared_task, frozen))


def _find_frozen(shared_task: SharedTask) -> QuerySet[FrozenBoard]:
    found = FrozenBoard.objects.filter(phase__shared_task=shared_task)
    return found.select_related("phase__shared_task", "scoring").order_by("phase", "subtask")


def _make(shared_task: SharedTask, frozen: list[FrozenBoard]) -> bytes:
    """Return the archive of final boards. Raises SharedTaskRefused if there are none."""
    from postprocess.boards.exports.freezing import read_board

    if not frozen:
        raise SharedTaskRefused(NOT_FINAL)
    golds = Golds(frozen[0].scoring)
    baselines = predict_baselines(golds)
    results = {one.phase: Results(one.phase, golds, baselines) for one in frozen}
    boards = {(one.phase, one.subtask): read_board(one.body.encode()) for one in frozen}
    return make_archive(shared_task, boards, results, golds)


@transaction.atomic
def _store(job: TaskJob, frozen: list[FrozenBoard], archive: bytes) -> bool:
    """Store the archive of final boards; return whether they are still the same."""
    shared_task = lock_task(job.shared_task)
    if [one.sha256 for one in _find_frozen(shared_task)] != [one.sha256 for one in frozen]:
        return False
    finish_job(job)
    drop_archive(shared_task)
    shared_task.archive.save("archive.zip", ContentFile(archive), save=False)
    shared_task.archive_sha256 = hashlib.sha256(archive).hexdigest()
    shared_task.save(update_fields=["archive", "archive_sha256"])
    record("sharedtask.archived", scope=shared_task.scope, sha256=shared_task.archive_sha256)
    return True


def _request(shared_task: SharedTask, by: User | None) -> None:
    """Queue the making of the archive of a locked shared task, if it is not queued."""
    kind = TaskJobKind.ARCHIVE
    waiting = TaskJob.objects.filter(shared_task=shared_task, kind=kind, state__in=UNDER_WAY)
    if not waiting.exists():
        TaskJob.objects.create(shared_task=shared_task, kind=kind, requested_by=by)
        job_stored.send(TaskJob)


def _rename(board: "Board", name: str, code: str) -> "Board":
    """Return a board on which a row has another name, and not that of its system."""
    rows = (replace(row, name=code, system="") if row.name == name else row for row in board.rows)
    differences = {
        column: replace(tests, names=tuple(code if one == name else one for one in tests.names))
        for column, tests in board.differences.items()
    }
    return replace(board, rows=tuple(rows), differences=differences)
