"""The tracks of a shared task: what teams predict, and how it is scored."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import prefetch_related_objects

from surveys.access.audit_log import record
from surveys.sharedtasks import models
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.tasks import lock_task

if TYPE_CHECKING:
    from postprocess.scoring.metrics import Track


def find_tracks(shared_task: models.SharedTask) -> "dict[int, Track]":
    """Return the tracks of a shared task by their numbers, which are read once."""
    from postprocess.scoring.metrics import Metric, Track

    prefetch_related_objects([shared_task], "tracks")
    return {
        row.number: Track(
            row.number, row.title, Metric(row.metric),
            (row.column, row.column2) if row.column2 else (row.column,), row.is_percent,
        )
        for row in shared_task.tracks.all()
    }  # fmt: skip


def has_contexts(shared_task: models.SharedTask) -> bool:
    """Return whether the data are pairs of words in two contexts, as in CoSimLex."""
    return all(track.is_of_contexts for track in find_tracks(shared_task).values())


@transaction.atomic
def add_track(shared_task: models.SharedTask, fields: Mapping[str, Any]) -> models.Track:
    """Add a track to a draft without data, given by its fields.

    Raises SharedTaskRefused for fields that cannot be stored, and beside pairs in contexts.
    """
    shared_task = _lock(shared_task)
    track = models.Track(shared_task=shared_task, **fields)
    try:
        track.full_clean()
    except ValidationError as error:
        raise SharedTaskRefused("\n".join(error.messages)) from error
    track.save()
    if len({of.is_of_contexts for of in find_tracks(shared_task).values()}) > 1:
        raise SharedTaskRefused(
            "Changes and similarities of pairs in contexts cannot be mixed with other subtasks, "
            "which have other data. Remove the other subtasks first."
        )
    record("sharedtask.track_added", shared_task, str(track), metric=track.metric)
    return track


@transaction.atomic
def remove_track(track: models.Track) -> None:
    """Remove a track from a draft without data. Raises SharedTaskRefused while a phase has it."""
    shared_task = _lock(track.shared_task)
    for phase in shared_task.phases.all():
        if track.number in phase.subtasks:
            raise SharedTaskRefused(f"The phase {phase.name} has this subtask. Change it first.")
    track.delete()
    record("sharedtask.track_removed", shared_task, str(track))


def _lock(shared_task: models.SharedTask) -> models.SharedTask:
    shared_task = lock_task(shared_task)
    if shared_task.state != models.SharedTaskState.DRAFT or shared_task.parts.exists():
        raise SharedTaskRefused("Subtasks stay as they are once there are data. Remove data first.")
    return shared_task
