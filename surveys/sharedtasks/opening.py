"""Opening a shared task, and what its data and limits can be expected to show."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from surveys.access.audit_log import record
from surveys.models import Release
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import Phase, PhaseData, SharedTask, SharedTaskState, TaskPart
from surveys.sharedtasks.phases import expect_probing, refuse_probing
from surveys.sharedtasks.scoring.baselines import request_baselines
from surveys.sharedtasks.scoring.gold import read_gold_file
from surveys.sharedtasks.scoring.tracks import find_tracks
from surveys.sharedtasks.tasks import lock_task


@dataclass(frozen=True)
class Outlook:
    """What the data of a part can show.

    `ceiling`: the score of a system that knew the true changes, None if it is not known; `low` and
    `high`: the 95 % interval to expect of a score of .65; `smallest`: the difference of two such
    systems that a test at 5 % proves.
    """

    part: TaskPart
    ceiling: float | None
    low: float
    high: float
    smallest: float

    @property
    def width(self) -> float:
        """The width of the interval."""
        return self.high - self.low


def expect_figures(shared_task: SharedTask) -> list[Outlook]:
    """Return what the data of each part can show, if a subtask is scored by a correlation."""
    from postprocess.boards.advice.planning import TYPICAL, expect_interval, smallest_difference
    from postprocess.scoring.metrics import METRICS

    outlooks: list[Outlook] = []
    tracks = find_tracks(shared_task).values()
    if not any(METRICS[track.metric].is_correlation for track in tracks):
        return outlooks
    for part in shared_task.parts.all():
        interval = expect_interval(TYPICAL, part.n_pairs)
        ceiling = part.reliability and math.sqrt(part.reliability)
        smallest = smallest_difference(part.n_pairs)
        outlooks.append(Outlook(part, ceiling, interval.low, interval.high, smallest))
    return outlooks


def list_lacking(shared_task: SharedTask, *, now: datetime) -> list[str]:
    """Return what prevents a draft from being opened, each with advice."""
    parts = list(shared_task.parts.select_related("release__study"))
    phases = list(shared_task.phases.all())
    return [
        *_list_lacking_texts(shared_task),
        *_list_lacking_data(shared_task, parts, phases),
        *_list_lacking_phases(phases, now),
    ]


@transaction.atomic
def open_task(
    shared_task: SharedTask, *, now: datetime, accepts_probing: bool = False
) -> SharedTask:
    """Open a shared task and commit to its gold; idempotent.

    Raises SharedTaskRefused with everything that it lacks, and for a large gain by probing unless
    `accepts_probing`.
    """
    shared_task = lock_task(shared_task)
    if shared_task.state != SharedTaskState.DRAFT:
        return shared_task
    if lacking := list_lacking(shared_task, now=now):
        raise SharedTaskRefused("\n".join(lacking))
    if not accepts_probing:
        refuse_probing(expect_probing(shared_task.phases.all()))
    shared_task.state, shared_task.opened_at = SharedTaskState.OPEN, now
    shared_task.commitment = _commit(shared_task)
    shared_task.save(update_fields=["state", "opened_at", "commitment"])
    for phase in shared_task.phases.all():
        request_baselines(phase)
    record("sharedtask.opened", shared_task, commitment=shared_task.commitment)
    return shared_task


def _commit(shared_task: SharedTask) -> str:
    """Return SHA-256 of the salt, followed by the gold files in the order of their languages."""
    from postprocess.boards.commitment import commit_to_gold

    gold = {part.name: read_gold_file(part, practice=False) for part in shared_task.parts.all()}
    return commit_to_gold(bytes.fromhex(shared_task.salt), gold)


def _list_lacking_texts(shared_task: SharedTask) -> Iterator[str]:
    if not shared_task.text.strip():
        yield "The overview has no text. Write what teams predict, and why (Texts and rules)."
    if not shared_task.terms.strip():
        yield "There are no terms yet. Teams accept them when they register (Texts and rules)."
    if not shared_task.contact.strip():
        yield "Give a contact for questions, such as an e-mail address (Texts and rules)."


def _list_lacking_data(
    shared_task: SharedTask, parts: list[TaskPart], phases: list[Phase]
) -> Iterator[str]:
    if not shared_task.tracks.exists():
        yield "There is no subtask. Add one (Data)."
    if not parts:
        yield "Data is missing. Add at least one language (Data)."
        return
    languages = [part.name for part in parts]
    for part in parts:
        for release in _find_public(part):
            yield (
                f"The public page of {release.name} of {release.study.slug} shows the gold of "
                f"{part.name} to everybody. Close it first, under Release."
            )
    if absent := [tag for tag in shared_task.required_languages if tag not in languages]:
        yield f"Languages without data are required: {', '.join(absent)} (Texts and rules)."
    if shared_task.best_of is not None and shared_task.best_of > len(parts):
        yield (
            f"The average is over the best {shared_task.best_of} languages, and there are only "
            f"{len(parts)} (Texts and rules)."
        )
    without = [part.name for part in parts if not part.n_practice]
    if without and any(phase.data == PhaseData.PRACTICE for phase in phases):
        yield (
            f"A phase uses practice data, which these languages lack: {', '.join(without)}. Add "
            "practice data, or remove the phase."
        )


def _find_public(part: TaskPart) -> QuerySet[Release]:
    """Return the releases with a public page of the study that a part's data comes from.

    Each of them has the scores of the same pairs.
    """
    study = part.release.study_id if part.release else None
    releases = Release.objects.filter(study=study, page_opened_at__isnull=False)
    return releases.select_related("study").without_report().order_by("number")


def _list_lacking_phases(phases: list[Phase], now: datetime) -> Iterator[str]:
    if not any(phase.data == PhaseData.TEST for phase in phases):
        yield "No phase uses the test data. Add one, or the phases of GWSC (Phases)."
    for phase in phases:
        if phase.has_ended(now):
            yield f"The phase {phase.name} would be over already. Choose a later end (Phases)."
