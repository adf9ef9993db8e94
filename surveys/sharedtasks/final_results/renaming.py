"""Names of teams on final boards: a team that withdraws may have its code there instead."""

import hashlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import QuerySet

from surveys.access.audit_log import record
from surveys.jobs.perform import Progress, Store
from surveys.models import Job
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.final_results.archive import drop_archive, make_archive
from surveys.sharedtasks.final_results.entries import Results, predict_baselines
from surveys.sharedtasks.models import (
    FrozenBoard,
    SharedTask,
    SharedTaskState,
    Team,
)
from surveys.sharedtasks.scoring.figures import Golds
from surveys.sharedtasks.tasks import as_requester, find_shared_task, lock_task, request_new_archive

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
    codes = set(team.submissions.values_list("code", flat=True))
    n_renamed = 0
    for frozen in FrozenBoard.objects.filter(phase__shared_task=shared_task):
        board = read_board(frozen.body.encode())
        if not any(row.result in codes and row.name == team.name for row in board.rows):
            continue
        body = render_board(_rename(board, team.name, team.code), is_gold_public=True)
        frozen.body, frozen.sha256 = body.decode(), hashlib.sha256(body).hexdigest()
        frozen.save(update_fields=["body", "sha256"])
        n_renamed += 1
    if n_renamed:
        record("team.name_hidden", shared_task, team.name, n_boards=n_renamed)
        drop_archive(shared_task)
        shared_task.save(update_fields=["archive", "archive_sha256"])
        request_new_archive(shared_task, by)


@transaction.atomic
def request_archive(shared_task: SharedTask, by: User | None) -> None:
    """Queue the making of an archive that is missing; idempotent.

    Raises SharedTaskRefused for a shared task without final boards.
    """
    shared_task = lock_task(shared_task)
    if shared_task.state not in (SharedTaskState.FINALISED, SharedTaskState.PUBLISHED):
        raise SharedTaskRefused(NOT_FINAL)
    if not shared_task.archive:
        request_new_archive(shared_task, by)


def perform_archiving(job: Job, progress: Progress) -> Store:
    """Make the archive of final boards as they are stored."""
    shared_task = find_shared_task(job)
    frozen = list(_find_frozen(shared_task))
    progress("making the archive", 0, 1)
    archive = _make(shared_task, frozen)
    return as_requester(job, partial(_store, shared_task, frozen, archive))


def _find_frozen(shared_task: SharedTask) -> QuerySet[FrozenBoard]:
    boards = FrozenBoard.objects.filter(phase__shared_task=shared_task)
    return boards.select_related("phase__shared_task", "scoring").order_by("phase", "subtask")


def _make(shared_task: SharedTask, frozen: list[FrozenBoard]) -> bytes:
    """Return the archive of final boards. Raises SharedTaskRefused if there are none."""
    from postprocess.boards.exports.freezing import read_board

    if not frozen:
        raise SharedTaskRefused(NOT_FINAL)
    golds = Golds(frozen[0].scoring)
    baselines = predict_baselines(golds)
    results = {board.phase: Results(board.phase, golds, baselines) for board in frozen}
    boards = {(board.phase, board.subtask): read_board(board.body.encode()) for board in frozen}
    return make_archive(shared_task, boards, results, golds)


def _store(shared_task: SharedTask, frozen: list[FrozenBoard], archive: bytes) -> None:
    """Store the archive of final boards; nothing if others are stored, which request their own."""
    shared_task = lock_task(shared_task)
    if [board.sha256 for board in _find_frozen(shared_task)] != [board.sha256 for board in frozen]:
        return
    drop_archive(shared_task)
    shared_task.archive.save("archive.zip", ContentFile(archive), save=False)
    shared_task.archive_sha256 = hashlib.sha256(archive).hexdigest()
    shared_task.save(update_fields=["archive", "archive_sha256"])
    record("sharedtask.archived", shared_task, sha256=shared_task.archive_sha256)


def _rename(board: "Board", name: str, code: str) -> "Board":
    """Return a board with a row renamed to a code, without its system's name."""
    rows = (replace(row, name=code, system="") if row.name == name else row for row in board.rows)
    differences = {
        column: replace(tests, names=tuple(code if old == name else old for old in tests.names))
        for column, tests in board.differences.items()
    }
    return replace(board, rows=tuple(rows), differences=differences)
