"""Which results are not ranked on a final board, and why; and what forbids final boards yet."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from surveys.sharedtasks.models import (
    CountedSubmission,
    Phase,
    PhaseData,
    SharedTask,
    SharedTaskState,
    Submission,
    SubmissionState,
    TeamKind,
    TeamState,
)
from surveys.sharedtasks.scoring.rescoring import find_unused, name_scoring
from surveys.sharedtasks.tasks import is_busy
from surveys.sharedtasks.teams.attempts import count_attempts

LATE = "late"
NO_DESCRIPTION = "incomplete description"
OVER_LIMIT = "over the limit"
ORGANISERS = "organisers’ own"
EXCLUDED = "excluded"
WITHDRAWN = "withdrawn"
NONE_ENDED = "No phase of test data has ended."


class UnrankedSubmission(NamedTuple):
    """A counted submission that is not ranked, and why. `is_shown`: outside the ranking."""

    counted: CountedSubmission
    reason: str
    is_shown: bool

    @property
    def key(self) -> str:
        """What identifies it and its reason while an organiser decides."""
        return f"{self.counted.submission_id}-{self.counted.subtask}-{self.reason}"


def list_final_phases(shared_task: SharedTask, now: datetime) -> list[Phase]:
    """Return the phases whose boards are final once the task is finalised: of test data, ended."""
    ended = shared_task.phases.filter(data=PhaseData.TEST, closes_at__lte=now)
    return list(ended.select_related("shared_task"))


def list_obstacles(shared_task: SharedTask, now: datetime) -> list[str]:
    """Return why boards cannot be final yet, for the organiser."""
    if shared_task.state == SharedTaskState.DRAFT:
        return ["The shared task is a draft."]
    return list(_find_obstacles(shared_task, now))


def _find_obstacles(shared_task: SharedTask, now: datetime) -> Iterator[str]:
    final = list_final_phases(shared_task, now)
    if not final:
        yield NONE_ENDED
    for phase in shared_task.phases.filter(data=PhaseData.TEST).exclude(closes_at__lte=now):
        if phase.closes_at is not None:
            yield (
                f"The phase {phase.name} ends on {phase.closes_at:%Y-%m-%d at %H:%M:%S} UTC. Only "
                "phases without an end go on after the boards are final."
            )
    sent = Submission.objects.filter(phase__in=final)
    if n_waiting := sent.filter(state=SubmissionState.STORED).count():
        yield f"Submissions that wait for their scores: {n_waiting}."
    if n_failed := sent.filter(state=SubmissionState.FAILED).count():
        yield (
            f"Submissions that could not be scored: {n_failed}. Have them scored again, or cancel "
            "them."
        )
    if scoring := find_unused(shared_task):
        yield f"It is not decided whether {name_scoring(scoring)} is used."
    if is_busy(shared_task):
        yield "A job of this shared task is in progress."


def list_unranked(shared_task: SharedTask, now: datetime) -> list[UnrankedSubmission]:
    """Return the counted submissions that final boards do not rank, each with its reason."""
    return [
        UnrankedSubmission(counted, reason, is_shown=reason not in (EXCLUDED, WITHDRAWN))
        for phase in list_final_phases(shared_task, now)
        for counted in list_counted(phase)
        if (reason := find_reason(counted, phase))
    ]


def list_counted(phase: Phase) -> list[CountedSubmission]:
    """Return a phase's counted submissions, without baselines."""
    rows = CountedSubmission.objects.filter(phase=phase).exclude(team__kind=TeamKind.BASELINE)
    return list(rows.select_related("team", "submission").order_by("subtask", "team__name_key"))


def find_reason(counted: CountedSubmission, phase: Phase) -> str:
    """Return why a counted submission is not ranked, or an empty text if it is."""
    team, submission = counted.team, counted.submission
    if team.kind != TeamKind.TEAM:
        return ORGANISERS
    if team.state != TeamState.ACCEPTED:
        return WITHDRAWN if team.state == TeamState.WITHDRAWN else EXCLUDED
    if phase.has_ended(submission.sent_at):
        return LATE
    if _is_over_limit(counted, phase):
        return OVER_LIMIT
    if phase.shared_task.requires_description and team.described_at is None:
        return NO_DESCRIPTION
    return ""


def _is_over_limit(counted: CountedSubmission, phase: Phase) -> bool:
    """Return whether a submission came after as many as the limit in all allows."""
    if phase.attempts_total is None or counted.n_attempts <= phase.attempts_total:
        return False
    submission = counted.submission
    limit = count_attempts(counted.team, phase, submission.sent_at).limit
    sent = Submission.objects.filter(team=counted.team, phase=phase).attempts()
    n_before = sent.filter(number__lt=submission.number).count()
    return limit is not None and n_before >= limit
