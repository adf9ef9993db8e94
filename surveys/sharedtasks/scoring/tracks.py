"""The tracks of a shared task: what teams predict, and how it is scored."""

from typing import TYPE_CHECKING

from surveys.sharedtasks.models import SharedTask

if TYPE_CHECKING:
    from postprocess.scoring.metrics import Track


def find_tracks(shared_task: SharedTask) -> "dict[int, Track]":
    """Return the tracks of a shared task by their numbers."""
    from postprocess.scoring.metrics import GWSC

    return {track.number: track for track in GWSC}
