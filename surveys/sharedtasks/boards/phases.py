"""The phases of a shared task as its overview shows them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from surveys.models.sharedtasks import Phase, SharedTask, Visibility
from surveys.sharedtasks.visibility import Viewer, is_published, may_see_scores


@dataclass(frozen=True)
class ShownPhase:
    """A phase at an instant. `has_boards`: whether the viewer may see its boards."""

    phase: Phase
    is_running: bool
    has_begun: bool
    has_boards: bool
    is_final: bool

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.has_begun and not self.is_running

    @property
    def scores(self) -> str:
        """Who sees its scores, in words."""
        if self.is_final:
            return "published"
        return SCORES[Visibility(self.phase.visibility)]


SCORES = {
    Visibility.HIDDEN: "hidden until the results are published",
    Visibility.OWN: "each team sees its own",
    Visibility.BOARD: "shown to everybody, at once",
}


def list_phases(shared_task: SharedTask, viewer: Viewer, now: datetime) -> list[ShownPhase]:
    """Return the phases of a shared task in the order in which they begin."""
    return list(_show(shared_task, viewer, now))


def _show(shared_task: SharedTask, viewer: Viewer, now: datetime) -> Iterator[ShownPhase]:
    for phase in shared_task.phases.all():
        phase.shared_task = shared_task
        is_final = is_published(phase)
        has_begun = phase.has_begun(now)
        sees = has_begun and (is_final or may_see_scores(phase, viewer))
        yield ShownPhase(phase, phase.is_running(now), has_begun, sees, is_final)


def list_running(shared_task: SharedTask, now: datetime) -> list[Phase]:
    """Return the phases of a shared task that are open at an instant."""
    return [phase for phase in shared_task.phases.all() if phase.is_running(now)]
