"""The bundle with which a subtask of a shared task is set up on Codabench. It holds the gold."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from surveys.access.audit_log import record
from surveys.access.roles import AnyUser
from surveys.operations.job_process import in_job_process
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.kits.kit import describe_phase, describe_task, pack_instructions
from surveys.sharedtasks.models import Counting, Phase, Scoring, ScoringState, SharedTask, TaskPart
from surveys.sharedtasks.parts import list_usable_releases, read_data_file
from surveys.sharedtasks.scoring.gold import read_gold_file
from surveys.sharedtasks.scoring.tracks import find_tracks

if TYPE_CHECKING:
    from postprocess.bundles.task import BundlePart
    from postprocess.kits.rules import PhaseRules

PAUSE = timedelta(seconds=1)  # between two phases, which Codabench does not let overlap


def may_read_gold(shared_task: SharedTask, user: AnyUser) -> bool:
    """Return whether an organiser may have the gold of a shared task.

    It is public in the end. Before, they may if they could download each release that it comes
    from; files that organisers uploaded are their own.
    """
    releases = set(shared_task.parts.exclude(release=None).values_list("release", flat=True))
    if shared_task.is_published or not releases:
        return True
    return list_usable_releases(user).filter(pk__in=releases).distinct().count() == len(releases)


def list_bundled(shared_task: SharedTask) -> list[int]:
    """Return the subtasks that phases use; each has a bundle."""
    return sorted({number for phase in shared_task.phases.all() for number in phase.subtasks})


def list_shortened(shared_task: SharedTask) -> list[Phase]:
    """Return the phases that end earlier on Codabench, when the next one opens."""
    shortened = {
        phase.pk: phase
        for subtask in list_bundled(shared_task)
        for phase, following in pairwise(_list_phases(shared_task, subtask))
        if phase.closes_at is None or phase.closes_at > following.opens_at
    }
    return list(shortened.values())


def make_bundle(shared_task: SharedTask, subtask: int, user: AnyUser) -> bytes:
    """Return the archive that sets up a subtask on Codabench; the same input, the same bytes.

    Raises SharedTaskRefused for an organiser who may not read the gold, and for what Codabench
    would refuse.
    """
    if not may_read_gold(shared_task, user):
        raise SharedTaskRefused(
            "The bundle holds the gold, which you may not read: you are no researcher of the "
            "studies that it comes from."
        )
    bundle = _write(shared_task, subtask)
    record("sharedtask.bundle_made", shared_task, f"subtask {subtask}")
    return bundle


@in_job_process
def _write(shared_task: SharedTask, subtask: int) -> bytes:
    from postprocess.bundles.codabench_bundle import write_bundle
    from postprocess.bundles.task import BundleTask

    phases = _list_phases(shared_task, subtask)
    scoring = shared_task.scorings.filter(state=ScoringState.CURRENT).first()
    task = BundleTask(
        describe_task(shared_task),
        tuple(_describe_part(part, scoring) for part in shared_task.parts.order_by("name")),
        tuple(_arrange(phases)),
        rule="Force_Best" if _counts_best(phases) else "Add_And_Delete",
    )
    try:
        return write_bundle(task, find_tracks(shared_task)[subtask])
    except ValueError as error:  # BundleError, GoldError, KitError, ReleaseError, TableError
        raise SharedTaskRefused(f"Codabench would refuse the bundle.\n{error}") from error


def _list_phases(shared_task: SharedTask, subtask: int) -> list[Phase]:
    phases = shared_task.phases.select_related("shared_task")
    return [phase for phase in phases if subtask in phase.subtasks]


def _arrange(phases: list[Phase]) -> "Iterator[PhaseRules]":
    """Yield the phases' rules, each phase ending before the next opens."""
    ends = [following.opens_at - PAUSE for following in phases[1:]]
    for phase, end in zip(phases, [*ends, None], strict=True):
        closes_at = min((at for at in (phase.closes_at, end) if at is not None), default=None)
        yield replace(describe_phase(phase), closes_at=closes_at)


def _counts_best(phases: list[Phase]) -> bool:
    return all(phase.counting == Counting.BEST for phase in phases)


def _describe_part(part: TaskPart, scoring: Scoring | None) -> "BundlePart":
    """Return the files of a part, with its gold as corrected by the current scoring."""
    from postprocess.bundles.task import BundlePart

    return BundlePart(
        part.name,
        read_data_file(part, practice=False),
        read_gold_file(part, practice=False, scoring=scoring),
        read_data_file(part, practice=True) if part.n_practice else None,
        read_gold_file(part, practice=True) if part.n_practice else None,
        instructions=pack_instructions(part),
    )
