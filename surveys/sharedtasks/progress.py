"""What the organisers of a shared task do next."""

from datetime import datetime
from typing import NamedTuple

from surveys.models.sharedtasks import SharedTask, SharedTaskState, TeamKind, TeamState


class Step(NamedTuple):
    """The next step: the name of its page, the label of the link to it, and the reason."""

    page: str
    label: str
    reason: str


def find_next_step(shared_task: SharedTask, *, now: datetime) -> Step | None:
    """Return the next step, or None if nothing is to be done at present."""
    match shared_task.state:
        case SharedTaskState.DRAFT:
            return _prepare(shared_task)
        case SharedTaskState.OPEN:
            return _run(shared_task, now)
        case SharedTaskState.FINALISED:
            return Step("scores", "Publish the results", "The boards are final.")
    return None


def _prepare(shared_task: SharedTask) -> Step:
    if not shared_task.parts.exists():
        return Step("data", "Add data", "The shared task has no data yet.")
    if not shared_task.phases.exists():
        return Step("phases", "Add phases", "There are no dates yet.")
    if not shared_task.text.strip() or not shared_task.terms.strip():
        return Step("rules", "Write the texts", "The overview or the terms are missing.")
    return Step("opening", "Open the shared task", "See what the data and the limits can show.")


def _run(shared_task: SharedTask, now: datetime) -> Step | None:
    if n_pending := shared_task.teams.filter(state=TeamState.PENDING).count():
        what = "A team waits" if n_pending == 1 else f"{n_pending} teams wait"
        return Step("teams", "See the teams", f"{what} to be accepted.")
    ending = shared_task.phases.exclude(closes_at=None)
    if ending.exists() and not ending.filter(closes_at__gt=now).exists():
        return Step("scores", "Finalise the boards", "All phases that end are over.")
    if not shared_task.teams.filter(kind=TeamKind.TEAM).exists():
        return Step("teams", "Invite teams", "No team takes part yet.")
    return None
