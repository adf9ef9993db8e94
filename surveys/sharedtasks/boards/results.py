"""Results: what the page of one submission shows, for ever."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from surveys.sharedtasks.boards.live import hides_systems, name_on_boards
from surveys.sharedtasks.boards.live_rows import make_cells
from surveys.sharedtasks.boards.visible import VisibleBoard, find_board
from surveys.sharedtasks.models import (
    FrozenBoard,
    ScoringState,
    SharedTask,
    Submission,
    SubmissionState,
    SubtaskScore,
    TeamState,
    Visibility,
)
from surveys.sharedtasks.scoring.counting import describe_score
from surveys.sharedtasks.scoring.tracks import find_tracks
from surveys.sharedtasks.scoring.visibility import Viewer, is_gold_public, may_see_scores

if TYPE_CHECKING:
    from postprocess.boards.board import Cell, Place
    from postprocess.scoring.metrics import Track


@dataclass(frozen=True)
class SubtaskResult:
    """The figures of a submission for a subtask by column, and its places if it counts."""

    subtask: int
    track: "Track"
    cells: "dict[str, Cell]"
    places: "dict[str, Place]"
    scorer: str
    gold_sha256: dict[str, str]
    file_sha256: dict[str, str]
    board: VisibleBoard | None = None
    outside: str = ""


@dataclass(frozen=True)
class Result:
    """A submission as a viewer may see it. `team` is the name on boards, which may be a code."""

    submission: Submission
    team: str
    subtasks: list[SubtaskResult]

    @property
    def is_described(self) -> bool:
        """Whether the page has the description of the system."""
        team = self.submission.team
        left_unnamed = team.hides_name and team.state == TeamState.WITHDRAWN
        is_hidden = left_unnamed or hides_systems(team.shared_task)
        return team.described_at is not None and not is_hidden

    @property
    def has_links(self) -> bool:
        """Whether the page may link to paper and code, which name the team."""
        return self.is_described and not self.submission.team.hides_name

    @property
    def is_withdrawn(self) -> bool:
        """Whether the team has withdrawn the submission, or itself."""
        return is_withdrawn(self.submission)


def find_result(
    shared_task: SharedTask, code: str, viewer: Viewer, *, now: datetime
) -> Result | None:
    """Return the result with a code, or None if the viewer may not see its scores.

    The public sees the results on boards that it may see, and those that were there in phases whose
    scores everybody sees; a team also its other submissions.
    """
    submissions = Submission.objects.filter(phase__shared_task=shared_task, code=code)
    shown = submissions.filter(state__in=(SubmissionState.SCORED, SubmissionState.WITHDRAWN))
    submission = shown.select_related("phase", "team").first()
    if submission is None:
        return None
    submission.phase.shared_task = submission.team.shared_task = shared_task
    subtasks = list(_list_subtasks(submission, viewer, now))
    name = name_on_boards(submission.team, shared_task)
    return Result(submission, name, subtasks) if subtasks else None


def was_final(shared_task: SharedTask, code: str) -> bool:
    """Return whether the result with a code is of a phase with final boards."""
    frozen = FrozenBoard.objects.filter(phase__shared_task=shared_task)
    return frozen.filter(phase__submissions__code=code).exists()


def is_withdrawn(submission: Submission) -> bool:
    """Return whether a submission, or its team, was withdrawn."""
    states = submission.state, submission.team.state
    return states[0] == SubmissionState.WITHDRAWN or states[1] == TeamState.WITHDRAWN


def list_withdrawn(codes: list[str]) -> set[str]:
    """Return the result codes whose submissions or teams have withdrawn."""
    submissions = Submission.objects.filter(code__in=codes)
    withdrawn = submissions.filter(state=SubmissionState.WITHDRAWN) | submissions.filter(
        team__state=TeamState.WITHDRAWN
    )
    return set(withdrawn.order_by().values_list("code", flat=True))


def _list_subtasks(
    submission: Submission, viewer: Viewer, now: datetime
) -> Iterator[SubtaskResult]:
    sees_all = _sees_all(submission, viewer, now)
    for subtask in sorted({file["subtask"] for file in submission.contents}):
        counted = _find_counted(submission, subtask, viewer, now)
        if counted:
            yield counted
        elif sees_all and (scored := _find_scores(submission, subtask)):
            yield scored


def _sees_all(submission: Submission, viewer: Viewer, now: datetime) -> bool:
    """Return whether a viewer may see the scores of a submission that is on no board.

    Where everybody sees all scores, the address of a result stays good when a later one counts.
    """
    phase, team = submission.phase, submission.team
    if viewer.is_organiser or viewer.team == team:
        return may_see_scores(phase, viewer, team)
    stands = submission.state == SubmissionState.SCORED and team.state == TeamState.ACCEPTED
    return stands and phase.visibility == Visibility.BOARD and phase.has_begun(now)


def _find_counted(
    submission: Submission, subtask: int, viewer: Viewer, now: datetime
) -> SubtaskResult | None:
    """Return the result as the board has it, if the viewer may see that."""
    visible = find_board(submission.phase, subtask, viewer, now=now)
    rows = visible.board.rows if visible else ()
    row = next((row for row in rows if row.result == submission.code), None)
    if visible is None or row is None:
        return None
    rules = visible.board.rules
    return SubtaskResult(
        subtask,
        rules.track,
        {column: row.cells[column] for column in visible.board.columns if column in row.cells},
        dict(row.places),
        rules.scorer,
        dict(rules.gold_sha256),
        list_digests(submission, subtask),
        visible,
        row.outside,
    )


def _find_scores(submission: Submission, subtask: int) -> SubtaskResult | None:
    """Return the scores of a submission that does not count."""
    stored = SubtaskScore.objects.filter(submission=submission, subtask=subtask)
    current = stored.filter(scoring__state=ScoringState.CURRENT).select_related("part", "scoring")
    scores = list(current.exclude(score=None).order_by("part__name"))
    if not scores:
        return None
    is_public = is_gold_public(submission.phase)
    figures = {score.part.name: describe_score(score) for score in scores}
    track = find_tracks(submission.phase.shared_task)[subtask]
    cells = make_cells(figures, metric=track.metric, is_gold_public=is_public)
    digests = list_digests(submission, subtask)
    return SubtaskResult(subtask, track, cells, {}, scores[0].scoring.scorer, {}, digests)


def list_digests(submission: Submission, subtask: int) -> dict[str, str]:
    """Return the SHA-256 of a submission's files for a subtask, by language."""
    contents = [file for file in submission.contents if file["subtask"] == subtask]
    return {file["language"]: file["sha256"] for file in contents}
