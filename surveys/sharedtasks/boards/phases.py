"""The phases of a shared task as its overview shows them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from surveys.sharedtasks.models import Phase, SharedTask, Visibility
from surveys.sharedtasks.scoring.visibility import Viewer, is_published, may_see_scores


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
        is_public = self.phase.closes_at is None and self.phase.shared_task.is_published
        return SCORES[Visibility.BOARD if is_public else Visibility(self.phase.visibility)]


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


@dataclass(frozen=True)
class Timeline:
    """The progress of a shared task at an instant: its running, coming and ended phases."""

    shared_task: SharedTask
    running: list[Phase]
    coming: list[Phase]
    n_over: int

    @property
    def may_submit(self) -> bool:
        """Whether teams can submit now or later."""
        return bool(self.running or self.coming)

    @property
    def is_over(self) -> bool:
        """Whether all its phases have ended, and there are any."""
        return bool(self.n_over) and not self.may_submit

    @property
    def state(self) -> str:
        """The state of the shared task, in a few words."""
        if self.shared_task.is_published:
            return "Results published"
        if self.running:
            return "Open"
        if self.coming:
            return "Between phases" if self.n_over else "Opens later"
        if not self.n_over:
            return "Announced"
        return "Results taken back" if self.shared_task.retracted_at else "Results not published"


def find_timeline(shared_task: SharedTask, now: datetime) -> Timeline:
    """Return how far a shared task is at an instant."""
    phases = list(shared_task.phases.all())
    running = [phase for phase in phases if phase.is_running(now)]
    coming = [phase for phase in phases if not phase.has_begun(now)]
    return Timeline(shared_task, running, coming, len(phases) - len(running) - len(coming))
