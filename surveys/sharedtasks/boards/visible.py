"""The boards that a reader may see: final boards once published, live boards before.

Organisers see final boards before, to check them.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from surveys.access.roles import AnyUser
from surveys.sharedtasks.boards.live import make_live_board
from surveys.sharedtasks.models import FrozenBoard, Phase, ScoringState, SharedTask, SharedTaskState
from surveys.sharedtasks.scoring.visibility import (
    ANYBODY,
    Viewer,
    is_gold_public,
    is_published,
    may_see_scores,
)
from surveys.sharedtasks.tasks import may_organise
from surveys.sharedtasks.teams.members import find_membership

if TYPE_CHECKING:
    from postprocess.boards.board import Board

KEPT = 16  # final boards in the memory of a process


@dataclass(frozen=True)
class VisibleBoard:
    """The board of a phase and subtask as it is shown. `frozen`: its row if it is final."""

    phase: Phase
    subtask: int
    board: "Board"
    frozen: FrozenBoard | None = None

    @property
    def is_final(self) -> bool:
        """Whether the board is frozen and no longer changes."""
        return self.frozen is not None

    @property
    def is_public(self) -> bool:
        """Whether everybody may see it."""
        if self.is_final:
            return is_published(self.phase)
        return may_see_scores(self.phase, ANYBODY)

    @property
    def is_gold_public(self) -> bool:
        """Whether files of the board have all digits, intervals and tests."""
        return is_gold_public(self.phase)


def find_viewer(shared_task: SharedTask, user: AnyUser) -> Viewer:
    """Return the role of a user in a shared task: member of a team, organiser or visitor."""
    if not user.is_authenticated:
        return ANYBODY
    if member := find_membership(shared_task.slug, user):
        return Viewer(team=member.team)
    return Viewer(is_organiser=may_organise(shared_task, user))


def find_board(phase: Phase, subtask: int, viewer: Viewer, *, now: datetime) -> VisibleBoard | None:
    """Return the board of a phase and subtask, or None if the viewer may not see it.

    Before a phase begins, only organisers see what they have sent in it.
    """
    if subtask not in phase.subtasks:
        return None
    if frozen := _find_frozen(phase, subtask, viewer):
        return VisibleBoard(phase, subtask, _show_frozen(frozen, phase), frozen)
    if not may_see_scores(phase, viewer):
        return None
    if not (viewer.is_organiser or phase.has_begun(now)):
        return None
    return VisibleBoard(phase, subtask, make_live_board(phase, subtask))


def find_phase(slug: str, name: str) -> Phase | None:
    """Return a phase of a public shared task by its name, or None."""
    public = SharedTask.objects.public()
    phases = Phase.objects.filter(shared_task__in=public, shared_task__slug=slug, name=name)
    return phases.select_related("shared_task").first()


def is_frozen(phase: Phase, subtask: int) -> bool:
    """Return whether there is a final board, published or not."""
    return FrozenBoard.objects.filter(phase=phase, subtask=subtask).exists()


def _find_frozen(phase: Phase, subtask: int, viewer: Viewer) -> FrozenBoard | None:
    """Return the final board, without its large body, once it is published.

    Organisers see it before, unless scores were corrected since.
    """
    boards = FrozenBoard.objects.filter(phase=phase, subtask=subtask)
    if not phase.shared_task.is_published:
        if not viewer.is_organiser or phase.shared_task.state != SharedTaskState.FINALISED:
            return None
        boards = boards.filter(scoring__state=ScoringState.CURRENT)
    return boards.defer("body").select_related("scoring").first()


def _show_frozen(frozen: FrozenBoard, phase: Phase) -> "Board":
    """Return a final board, without digests of the gold until it is public."""
    board = _read_frozen(frozen.sha256)
    if is_gold_public(phase):
        return board
    return replace(board, rules=replace(board.rules, gold_sha256={}))


@lru_cache(maxsize=KEPT)
def _read_frozen(sha256: str) -> "Board":
    """Return the board whose file has this digest, so that it is read once."""
    from postprocess.boards.exports.freezing import read_board

    frozen = FrozenBoard.objects.filter(sha256=sha256).only("body")[0]
    return read_board(frozen.body.encode())
