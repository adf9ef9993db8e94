"""The baselines *distance* and *form*, which are on each board from the opening of its phase.

They are submissions of the organisers: scored, scored again and counted as all others, never as
those of a team, and never ranked.
"""

import logging
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from surveys.access.audit_log import SITE, acting
from surveys.errors import SurveyError
from surveys.models.sharedtasks import (
    FrozenBoard,
    Phase,
    PhaseData,
    SharedTask,
    SharedTaskState,
    TeamKind,
)
from surveys.sharedtasks.attempts import find_earlier
from surveys.sharedtasks.parts import read_data_file
from surveys.sharedtasks.tasks import lock_task
from surveys.sharedtasks.uploads import list_parts, read_files
from surveys.sharedtasks.watching.own import find_own_team, send_own

NAMES = ("distance", "form")
Files = list[tuple[str, bytes]]  # name and content
log = logging.getLogger(__name__)


def send_baselines(shared_task: SharedTask, *, by: User | None, now: datetime) -> int:
    """Submit the baselines in each phase that lacks them, also before it opens.

    Return the number of submissions; twice does no harm.
    """
    final = FrozenBoard.objects.filter(phase__shared_task=shared_task).values("phase")
    return sum(
        _send(phase, name, render_baseline(name, phase), by=by, now=now)
        for phase in shared_task.phases.exclude(pk__in=final)
        for name in NAMES
    )


def count_due_phases(now: datetime) -> int:
    """Return the number of phases that have opened and wait for their baselines."""
    return _find_due(now).count()


def send_due_baselines() -> int:
    """Submit the baselines in the phases that have opened since. Return the number of phases.

    If several processes do so, one submits. Baselines that cannot be computed are not tried again:
    organisers can have them submitted.
    """
    now = timezone.now()
    due = list(_find_due(now).select_related("shared_task"))
    for phase in due:
        try:
            _send_once(phase, {name: render_baseline(name, phase) for name in NAMES}, now)
        except (SurveyError, OSError, ValueError):
            log.exception("the baselines of the phase %s could not be submitted", phase.pk)
            Phase.objects.filter(pk=phase.pk).update(baselines_at=now)
    return len(due)


def render_baseline(name: str, phase: Phase) -> Files:
    """Return the result files of a baseline for the data and subtasks of a phase."""
    from postprocess.baselines.results import render_results
    from postprocess.baselines.texts import predict_distance, predict_form
    from postprocess.formats.stimuli import parse_stimuli

    predict = dict(zip(NAMES, (predict_distance, predict_form), strict=True))[name]
    is_practice = phase.data == PhaseData.PRACTICE
    files: Files = []
    for part in list_parts(phase):
        pairs = parse_stimuli(read_data_file(part, practice=is_practice)).pairs
        rendered = render_results(predict(pairs), part.language).items()
        files += [
            (path, content)
            for path, content in rendered
            if any(f"_subtask{subtask}_" in path for subtask in phase.subtasks)
        ]
    return files


def _find_due(now: datetime) -> QuerySet[Phase]:
    opened = Phase.objects.filter(opens_at__lte=now, baselines_at=None, frozen_boards=None)
    return opened.exclude(shared_task__state=SharedTaskState.DRAFT)


@transaction.atomic
def _send_once(phase: Phase, files: dict[str, Files], now: datetime) -> None:
    """Submit the baselines of a phase, unless another process has done so meanwhile."""
    lock_task(phase.shared_task)
    if not Phase.objects.filter(pk=phase.pk, baselines_at=None).exists():
        return
    with acting(SITE):
        for name, rendered in files.items():
            _send(phase, name, rendered, by=None, now=now)
    Phase.objects.filter(pk=phase.pk).update(baselines_at=now)


def _send(phase: Phase, name: str, files: Files, *, by: User | None, now: datetime) -> bool:
    if not files:
        return False
    team = find_own_team(phase.shared_task, TeamKind.BASELINE, name)
    if find_earlier(team, phase, read_files(phase, files).digest):
        return False
    send_own(phase.shared_task, phase, files, by=by, now=now, baseline=name)
    return True
