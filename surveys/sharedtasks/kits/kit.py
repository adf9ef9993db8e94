"""The kit of a phase: what teams download to take part."""

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from django.urls import reverse

from surveys.operations.job_process import in_job_process
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import Phase, PhaseData, SharedTask, TaskPart
from surveys.sharedtasks.parts import read_data_file
from surveys.sharedtasks.scoring.gold import read_gold_file
from surveys.sharedtasks.scoring.tracks import find_tracks

if TYPE_CHECKING:
    from postprocess.kits.rules import KitPart, PhaseRules, TaskRules

KEPT_SECONDS = 24 * 3600
LARGEST_KEPT = 50_000_000  # bytes; such a kit takes many seconds to make
INSTRUCTIONS = "instructions.md"


def name_kit(shared_task: SharedTask, phase_name: str) -> str:
    """Return the name of the archive of a phase's kit, without its ending."""
    return f"{shared_task.slug}_{phase_name}_kit"


def pack_kit(phase: Phase, *, now: datetime) -> bytes:
    """Return the archive of a phase's kit; the same bytes from the same data and rules.

    Raises SharedTaskRefused before the phase begins: its data is not public yet.
    """
    if not phase.has_begun(now):
        raise SharedTaskRefused(f"The phase {phase.name} has not begun, so its kit is not out yet.")
    return _pack(phase)


def pack_kit_for_organisers(phase: Phase) -> bytes:
    """Return the archive of a phase's kit before it begins, for organisers to look at."""
    return _pack(phase)


def _pack(phase: Phase) -> bytes:
    rules, limits = describe_task(phase.shared_task), describe_phase(phase)
    parts = list(phase.shared_task.parts.order_by("name"))
    contents = (rules, limits, [_identify(part) for part in parts])
    key = f"kit-{hashlib.sha256(repr((phase.pk, contents)).encode()).hexdigest()}"
    kit: bytes | None = cache.get(key)
    if kit is None:
        kit = _write(parts, phase)
        if len(kit) <= LARGEST_KEPT:
            cache.set(key, kit, KEPT_SECONDS)
    return kit


@in_job_process
def _write(parts: list[TaskPart], phase: Phase) -> bytes:
    from postprocess.kits.kit import write_kit

    kit_parts = [_describe_part(part, phase) for part in parts]
    rules, limits = describe_task(phase.shared_task), describe_phase(phase)
    return write_kit(kit_parts, rules, limits, folder=name_kit(phase.shared_task, phase.name))


def _identify(part: TaskPart) -> tuple[str | None, ...]:
    """Return what differs if any content of a part does: a stored file keeps its random name."""
    files = part.data, part.practice_data, part.practice_gold
    return part.name, part.instructions, *(file.name for file in files)


def describe_task(shared_task: SharedTask) -> "TaskRules":
    """Return the rules of a shared task as far as teams must know them."""
    from postprocess.kits.rules import TaskRules

    return TaskRules(
        title=shared_task.title,
        text=shared_task.text,
        terms=shared_task.terms,
        contact=shared_task.contact,
        address=f"{settings.SITE_URL}{reverse('sharedtasks:overview', args=[shared_task.slug])}",
        zone=shared_task.zone,
        required=tuple(shared_task.required_languages),
        best_of=shared_task.best_of,
    )


def describe_phase(phase: Phase) -> "PhaseRules":
    """Return the rules of a phase as far as teams must know them."""
    from postprocess.kits.rules import PhaseRules, Visibility

    tracks = find_tracks(phase.shared_task)
    return PhaseRules(
        name=phase.name,
        is_practice=phase.data == PhaseData.PRACTICE,
        opens_at=phase.opens_at,
        closes_at=phase.closes_at,
        attempts_total=phase.attempts_total,
        attempts_a_day=phase.attempts_a_day,
        visibility=Visibility(phase.visibility),
        tracks=tuple(tracks[number] for number in sorted(phase.subtasks)),
    )


def _describe_part(part: TaskPart, phase: Phase) -> "KitPart":
    from postprocess.kits.rules import KitPart

    practice = phase.data == PhaseData.PRACTICE
    return KitPart(
        part.name,
        read_data_file(part, practice=practice),
        read_gold_file(part, practice=True) if practice else None,
        pack_instructions(part),
    )


def pack_instructions(part: TaskPart) -> dict[str, bytes]:
    """Return a part's instructions for annotators by file name, or an empty mapping."""
    return {INSTRUCTIONS: part.instructions.encode()} if part.instructions.strip() else {}
