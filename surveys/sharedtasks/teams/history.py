"""A team's submissions, as its members see them: visible scores, and what counts."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from surveys.sharedtasks.models import (
    CountedSubmission,
    Counting,
    FrozenBoard,
    Phase,
    ScoringState,
    Submission,
    SubmissionState,
    SubtaskScore,
    Team,
    Upload,
)
from surveys.sharedtasks.scoring.counting import describe_score
from surveys.sharedtasks.scoring.visibility import Viewer, may_see_scores, show_figures
from surveys.sharedtasks.teams.attempts import Attempts, count_attempts


class PhaseOfTeam(NamedTuple):
    """A phase, the attempts of a team in it, and whether the team may see its boards."""

    phase: Phase
    is_running: bool
    is_over: bool
    attempts: Attempts
    shows_boards: bool


class ShownSubmission(NamedTuple):
    """A submission, its scores as far as a viewer may see them, and the subtasks it counts for.

    `shows_scores`: whether the viewer may see its scores, once there are any.
    """

    submission: Submission
    scores: list[dict[str, Any]]
    counts_for: list[int]
    shows_scores: bool


class Choice(NamedTuple):
    """The submissions of a team that can count for a phase and subtask.

    `counted` is the one that does, or None.
    """

    phase: Phase
    subtask: int
    candidates: list[Submission]
    counted: CountedSubmission | None
    is_open: bool


def list_phases(team: Team, now: datetime) -> list[PhaseOfTeam]:
    """Return the phases of a shared task in the order in which they open."""
    return [
        PhaseOfTeam(
            phase=phase,
            is_running=phase.is_running(now),
            is_over=phase.has_ended(now),
            attempts=count_attempts(team, phase, now),
            shows_boards=phase.has_begun(now) and may_see_scores(phase, Viewer(team=team)),
        )
        for phase in team.shared_task.phases.select_related("shared_task")
    ]


def find_submitted(upload: Upload, phase: Phase | None = None) -> Submission | None:
    """Return the submission made of checked files, or None."""
    sent = Submission.objects.filter(team=upload.team_id, file=upload.file.name)
    submissions = sent.filter(phase=phase) if phase else sent
    return submissions.select_related("phase").first()


def show_submissions(viewer: Viewer, submissions: Collection[Submission]) -> list[ShownSubmission]:
    """Return submissions of a viewer's team, each as the viewer may see it."""
    phases = {submission.phase_id: submission.phase for submission in submissions}
    visible = {pk: may_see_scores(phase, viewer, viewer.team) for pk, phase in phases.items()}
    scores = _list_scores([sent for sent in submissions if visible[sent.phase_id]])
    counted = _list_counted(viewer.team) if viewer.team else set()
    return [
        ShownSubmission(
            submission,
            scores.get(submission.pk, []),
            sorted(subtask for pk, subtask in counted if pk == submission.pk),
            visible[submission.phase_id],
        )
        for submission in submissions
    ]


def _list_scores(submissions: Collection[Submission]) -> dict[int, list[dict[str, Any]]]:
    """Return the figures of submissions as they may leave the server, by the submission's id."""
    rows = SubtaskScore.objects.filter(
        submission__in=[sent.pk for sent in submissions], scoring__state=ScoringState.CURRENT
    ).select_related("part")
    phase_of = {submission.pk: submission.phase for submission in submissions}
    shown = defaultdict(list)
    for row in rows.order_by("subtask", "part__name"):
        figures = show_figures(describe_score(row), phase_of[row.submission_id])
        named = {"subtask": row.subtask, "language": row.part.name}
        shown[row.submission_id].append(figures | named)
    return dict(shown)


def _list_counted(team: Team) -> set[tuple[int, int]]:
    """Return the submissions that count, as ids with subtasks.

    Where the best one counts, it is included only if the team may see its scores.
    """
    rows = CountedSubmission.objects.filter(team=team).select_related("phase__shared_task")
    return {
        (row.submission_id, row.subtask)
        for row in rows
        if row.phase.counting != Counting.BEST or may_see_scores(row.phase, Viewer(team=team), team)
    }


def list_choices(team: Team, now: datetime) -> list[Choice]:
    """Return the phases and subtasks for which submissions of a team can count."""
    phases = team.shared_task.phases.filter(submissions__team=team).distinct()
    choices = []
    for phase in phases.select_related("shared_task"):
        is_open = phase.is_running(now) and phase.counting == Counting.CHOSEN
        is_open = is_open and not FrozenBoard.objects.filter(phase=phase).exists()
        sent = phase.submissions.filter(
            team=team, state__in=(SubmissionState.STORED, SubmissionState.SCORED)
        ).order_by("number")
        counted = {row.subtask: row for row in phase.counted_submissions.filter(team=team)}
        for subtask in phase.subtasks:
            candidates = [s for s in sent if subtask in {file["subtask"] for file in s.contents}]
            if candidates:
                choices.append(
                    Choice(phase, subtask, candidates, counted.get(subtask), is_open=is_open)
                )
    return choices
