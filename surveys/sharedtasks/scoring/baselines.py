"""The baselines *distance* and *form*, which are on each board from the opening of its phase.

They are submissions of the organisers: scored, scored again and counted as all others, never as
those of a team, and never ranked.
"""

import logging
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User
from django.utils import timezone

from surveys.jobs.perform import Progress, Store
from surveys.jobs.queue import cancel, enqueue, move
from surveys.models import Job, JobState
from surveys.models.jobs import JobQuerySet
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import FrozenBoard, Phase, PhaseData, SharedTask, TeamKind
from surveys.sharedtasks.parts import read_data_file
from surveys.sharedtasks.scoring.tracks import has_contexts
from surveys.sharedtasks.tasks import as_requester
from surveys.sharedtasks.teams.attempts import find_earlier
from surveys.sharedtasks.teams.organisers_team import find_organisers_team, submit_for_organisers
from surveys.sharedtasks.uploads import list_parts, read_files

BASELINES = "sharedtasks.baselines"  # the kind of job
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


def request_baselines(phase: Phase) -> None:
    """Queue the baselines of a phase of an open shared task, for when the phase opens."""
    enqueue(
        BASELINES, {"phase": phase.pk}, scope=phase.shared_task.scope, key=_key(phase),
        due_at=phase.opens_at,
    )  # fmt: skip


def move_baselines(phase: Phase) -> None:
    """Let the queued baselines of a phase wait for its changed opening."""
    move(_find_queued(phase), phase.opens_at)


def cancel_baselines(phase: Phase) -> None:
    """Cancel the queued baselines of a phase."""
    for job in _find_queued(phase):
        cancel(job)


def submit_baselines(job: Job, progress: Progress) -> Store:
    """Compute the baselines of a phase that has opened, and submit them as the site."""
    phase = Phase.objects.select_related("shared_task").get(pk=job.request["phase"])
    try:
        files = {name: render_baseline(name, phase) for name in NAMES}
    except (OSError, ValueError) as error:
        raise SharedTaskRefused("The data of the phase cannot be read.") from error
    return as_requester(job, partial(_send_all, phase, files, now=timezone.now()))


def report_failure(job: Job) -> None:
    """Log that a phase's baselines could not be submitted; organisers can submit them by hand."""
    if job.state == JobState.FAILED:
        log.error(
            "the baselines of the phase %s could not be submitted: %s",
            job.request["phase"], job.error,
        )  # fmt: skip


def render_baseline(name: str, phase: Phase) -> Files:
    """Return the result files of a baseline for a phase's data and subtasks, if of contexts."""
    from postprocess.baselines.results import render_results
    from postprocess.baselines.texts import predict_distance, predict_form
    from postprocess.formats.stimuli import parse_stimuli

    predict = dict(zip(NAMES, (predict_distance, predict_form), strict=True))[name]
    is_practice = phase.data == PhaseData.PRACTICE
    files: Files = []
    if not has_contexts(phase.shared_task):
        return files
    for part in list_parts(phase):
        pairs = parse_stimuli(read_data_file(part, practice=is_practice)).pairs
        rendered = render_results(predict(pairs), part.name).items()
        files += [
            (path, content)
            for path, content in rendered
            if any(f"_subtask{subtask}_" in path for subtask in phase.subtasks)
        ]
    return files


def _key(phase: Phase) -> str:
    return f"{BASELINES}:{phase.pk}"


def _find_queued(phase: Phase) -> JobQuerySet:
    return Job.objects.under_way().filter(key=_key(phase))


def _send_all(phase: Phase, files: dict[str, Files], *, now: datetime) -> None:
    for name, rendered in files.items():
        _send(phase, name, rendered, by=None, now=now)


def _send(phase: Phase, name: str, files: Files, *, by: User | None, now: datetime) -> bool:
    if not files:
        return False
    team = find_organisers_team(phase.shared_task, TeamKind.BASELINE, name)
    if find_earlier(team, phase, read_files(phase, files).digest):
        return False
    submit_for_organisers(phase.shared_task, phase, files, by=by, now=now, baseline=name)
    return True
