"""Finalising a shared task: its boards are computed, frozen under a digest, and archived."""

import hashlib
from collections.abc import Collection
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.jobs.perform import Progress, Store
from surveys.models import Job
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.final_results.archive import drop_archive, make_archive
from surveys.sharedtasks.final_results.eligibility import (
    NONE_ENDED,
    list_final_phases,
    list_obstacles,
    list_unranked,
)
from surveys.sharedtasks.final_results.entries import (
    Results,
    list_entries,
    make_rules,
    predict_baselines,
)
from surveys.sharedtasks.models import (
    CountedSubmission,
    FrozenBoard,
    Phase,
    SharedTask,
    SharedTaskState,
    Submission,
    SubmissionState,
)
from surveys.sharedtasks.scoring.figures import Golds
from surveys.sharedtasks.scoring.flags import flag_similar_teams
from surveys.sharedtasks.scoring.score import find_scoring
from surveys.sharedtasks.tasks import (
    FINALISE,
    as_requester,
    find_shared_task,
    lock_task,
    request_job,
)
from surveys.sharedtasks.teams.attempts import lock_teams

if TYPE_CHECKING:
    from postprocess.boards.board import Board

OF_TEAMS = (
    "pk", "kind", "state", "name", "hides_name", "described_at", "system", "summary", "models_used",
    "resources", "paper_url", "code_url", "publishes_scores", "publishes_files",
)  # fmt: skip
STEPS_OF_ARCHIVE = 3  # as many boards take as long


@transaction.atomic
def request_finalising(
    shared_task: SharedTask, *, settled: Collection[str], now: datetime, by: User | None
) -> Job:
    """Queue the making of final boards. `settled`: keys that `list_unranked` returned.

    Once more after finalising, the boards are made again, such as after a correction. Raises
    SharedTaskRefused with all that forbids it.
    """
    shared_task = lock_task(shared_task)
    problems = list_obstacles(shared_task, now)
    unranked = list_unranked(shared_task, now)
    for row in unranked:
        if row.key not in settled:
            problems.append(
                f"Decide about {row.counted.team.name} in subtask {row.counted.subtask} of "
                f"{row.counted.phase.name}, which would not be ranked: {row.reason}."
            )
    if problems:
        raise SharedTaskRefused("\n".join(problems))
    names = ", ".join(f"{row.counted.team.name} ({row.reason})" for row in unranked)
    record("sharedtask.finalising", shared_task, unranked=names)
    return request_job(shared_task, FINALISE, by)


def perform_finalising(job: Job, progress: Progress) -> Store:
    """Make the final boards and the archive of a job's shared task."""
    return as_requester(job, finalise(find_shared_task(job), progress, now=timezone.now()))


def finalise(shared_task: SharedTask, progress: Progress, *, now: datetime) -> Store:
    """Make final boards and the archive; return the function that stores both.

    Nothing is locked until both are rendered. Raises SharedTaskRefused if no phase has ended,
    or something arrived meanwhile.
    """
    from postprocess.boards.exports.freezing import render_board

    phases = list_final_phases(shared_task, now)
    if not phases:
        raise SharedTaskRefused(NONE_ENDED)
    seen = read_input(phases)
    golds = Golds(find_scoring(shared_task))
    places = [(phase, subtask) for phase in phases for subtask in phase.subtasks]
    n_steps = len(places) + STEPS_OF_ARCHIVE
    boards: dict[tuple[Phase, int], Board] = {}
    for phase in phases:
        flag_similar_teams(phase)
    baselines = predict_baselines(golds)
    results = {phase: Results(phase, golds, baselines) for phase in phases}
    for number, (phase, subtask) in enumerate(places):
        progress("making boards", number, n_steps)
        boards[phase, subtask] = make_final_board(results[phase], subtask)
    progress("making the archive", len(places), n_steps)
    archive = make_archive(shared_task, boards, results, golds)
    bodies = {place: render_board(board, is_gold_public=True) for place, board in boards.items()}
    return partial(_store, golds, bodies, archive, seen, now=now)


def make_final_board(results: Results, subtask: int) -> "Board":
    """Return a phase's board in a subtask, with tests between all ranked teams."""
    from postprocess.boards.making import make_board

    rules = make_rules(results.phase, subtask, results.golds)
    return make_board(rules, list(list_entries(results, subtask)))


def _store(
    golds: Golds,
    bodies: dict[tuple[Phase, int], bytes],
    archive: bytes,
    seen: list[object],
    *,
    now: datetime,
) -> None:
    """Store final boards, given as JSON, and the archive, or nothing.

    `seen` is what `read_input` returned before they were made.
    """
    shared_task = lock_task(golds.scoring.shared_task)
    lock_teams(shared_task)
    _refuse_late_changes(golds, [phase for phase, _ in bodies], seen)
    FrozenBoard.objects.filter(phase__shared_task=shared_task).delete()
    for (phase, subtask), body in bodies.items():
        FrozenBoard.objects.create(
            phase=phase, subtask=subtask, scoring=golds.scoring, body=body.decode(),
            sha256=hashlib.sha256(body).hexdigest(),
        )  # fmt: skip
    drop_archive(shared_task)
    shared_task.archive.save("archive.zip", ContentFile(archive), save=False)
    shared_task.archive_sha256 = hashlib.sha256(archive).hexdigest()
    shared_task.finalised_at = now
    if shared_task.state == SharedTaskState.OPEN:
        shared_task.state = SharedTaskState.FINALISED
    shared_task.save(update_fields=["archive", "archive_sha256", "finalised_at", "state"])
    record(
        "sharedtask.finalised", shared_task, n_boards=len(bodies), sha256=shared_task.archive_sha256
    )


def read_input(phases: list[Phase]) -> list[object]:
    """Return what the final boards of phases and the archive are made of: rules, results, teams.

    It is compared before and after, since a team may withdraw or change its mind meanwhile.
    """
    final = Phase.objects.filter(pk__in=[phase.pk for phase in phases]).order_by("pk")
    counted = CountedSubmission.objects.filter(phase__in=final).order_by("pk")
    of_task = [f"shared_task__{name}" for name in ("title", "text", "best_of")]
    return [
        *final.values_list("closes_at", "shared_task__requires_description", *of_task),
        *counted.values_list("submission", *(f"team__{name}" for name in OF_TEAMS)),
    ]


def _refuse_late_changes(golds: Golds, phases: list[Phase], seen: list[object]) -> None:
    """Raise SharedTaskRefused if the boards do not fit the stored data."""
    waiting = Submission.objects.filter(phase__in=phases, state=SubmissionState.STORED)
    is_current = find_scoring(golds.scoring.shared_task) == golds.scoring
    if waiting.exists() or not is_current or read_input(phases) != seen:
        raise SharedTaskRefused(
            "Submissions, teams or scores changed while the boards were made. Finalise again."
        )
