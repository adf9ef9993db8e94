"""Submissions: sent by teams, cancelled, withdrawn, and chosen for the board."""

import hashlib
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from surveys.access.audit_log import record
from surveys.sharedtasks.errors import SubmissionRefused
from surveys.sharedtasks.models import (
    CountedSubmission,
    Counting,
    FrozenBoard,
    Phase,
    Submission,
    SubmissionState,
    Upload,
)
from surveys.sharedtasks.scoring.counting import count_team
from surveys.sharedtasks.scoring.score import request_score
from surveys.sharedtasks.teams.attempts import (
    find_earlier,
    lock_team,
    refuse_beyond,
    refuse_phase,
    refuse_repeated,
    refuse_team,
    weigh_sent,
)

MOST_NOTED = 300  # characters


def submit(
    upload: Upload, *, now: datetime, by: User | None, phase: Phase | None = None, note: str = ""
) -> Submission:
    """Submit checked files in their phase, or in a later one; idempotent. Uses an attempt.

    `now` is the instant at which the request began. Raises SubmissionRefused for a team that may
    not submit, no attempt that is left, predictions that were submitted before, and files that were
    dropped meanwhile; TooLate, with the phases in which they may be submitted, after the end.
    """
    phase = phase or upload.phase
    sha256 = _digest_file(upload)  # before the lock, which on SQLite everybody waits for
    return _submit(upload, phase, sha256, now=now, by=by, note=note)


def _digest_file(upload: Upload) -> str | None:
    """Return the SHA-256 of checked files, or None if they were dropped."""
    try:
        with upload.file.open("rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except FileNotFoundError:
        return None


@transaction.atomic
def _submit(
    upload: Upload, phase: Phase, sha256: str | None, *, now: datetime, by: User | None, note: str
) -> Submission:
    team = lock_team(upload.team_id)
    stored = Upload.objects.select_for_update().filter(pk=upload.pk).first()
    sent = list(
        Submission.objects.filter(team=team, phase=phase).defer("contents", "warnings", "flags")
    )
    if submitted := next((s for s in sent if s.file.name == upload.file.name), None):
        return submitted
    if stored is None or sha256 is None:
        raise SubmissionRefused("These files were checked more than a day ago. Send them again.")
    refuse_team(team)
    refuse_phase(team, phase, now)
    _refuse_other_data(stored, phase)
    attempts = [attempt for attempt in sent if attempt.is_attempt]
    refuse_repeated(next((a for a in attempts if a.digest == stored.digest), None))
    instants = [attempt.sent_at for attempt in attempts]
    refuse_beyond(weigh_sent(team, phase, instants, now), phase)
    number = 1 + max((submission.number for submission in sent), default=0)
    submission = Submission(
        phase=phase, team=team, number=number, sent_at=now, sent_by=by, file=stored.file.name,
        file_sha256=sha256, digest=stored.digest, contents=stored.contents,
        warnings=stored.warnings, note=note.strip()[:MOST_NOTED],
    )  # fmt: skip
    submission.save()
    request_score(submission)
    return submission


def _refuse_other_data(upload: Upload, phase: Phase) -> None:
    """Raise SubmissionRefused if files were checked for other data than the phase's."""
    subtasks = {file["subtask"] for file in upload.contents}
    is_other = upload.phase_id != phase.pk and upload.phase.data != phase.data
    if is_other or not subtasks <= set(phase.subtasks):
        raise SubmissionRefused(
            f"The files were checked for the phase {upload.phase.name}. Send them again for the "
            f"phase {phase.name}."
        )


@transaction.atomic
def cancel_submission(submission: Submission, reason: str) -> Submission:
    """Cancel a submission by the organisers, which gives the attempt back; idempotent.

    Raises SubmissionRefused without a reason, and once the board of its phase is final.
    """
    submission = _lock(submission)
    if submission.state == SubmissionState.CANCELLED:
        return submission
    if not reason.strip():
        raise SubmissionRefused("Write why it is cancelled; the team reads it.")
    refuse_final(submission.phase)
    _end(submission, SubmissionState.CANCELLED, reason)
    name = name_submission(submission)
    record("submission.cancelled", submission.phase.shared_task, name, reason=reason)
    return submission


@transaction.atomic
def rescore_failed(submission: Submission) -> Submission:
    """Have a submission that could not be scored scored again; a no-op for others.

    It is an attempt again. Raises SubmissionRefused if its team has sent the same predictions
    since, and once the board of its phase is final.
    """
    submission = _lock(submission)
    if submission.state != SubmissionState.FAILED:
        return submission
    refuse_final(submission.phase)
    if repeated := find_earlier(submission.team, submission.phase, submission.digest):
        raise SubmissionRefused(
            f"The team has sent the same predictions again as submission {repeated.number}. Cancel "
            "this submission."
        )
    submission.state, submission.state_reason = SubmissionState.STORED, ""
    submission.save(update_fields=["state", "state_reason"])
    record("submission.rescored", submission.phase.shared_task, name_submission(submission))
    request_score(submission)
    return submission


@transaction.atomic
def withdraw_submission(submission: Submission) -> Submission:
    """Withdraw a submission by its team, which does not give the attempt back; idempotent.

    Raises SubmissionRefused for one that was cancelled, or that could not be scored.
    """
    submission = _lock(submission)
    if submission.state == SubmissionState.WITHDRAWN:
        return submission
    if submission.state == SubmissionState.FAILED:  # withdrawn, it would be an attempt
        raise SubmissionRefused(
            "This submission could not be scored. It uses no attempt and counts for no board."
        )
    if submission.state == SubmissionState.CANCELLED:
        raise SubmissionRefused("The organisers have cancelled this submission.")
    _end(submission, SubmissionState.WITHDRAWN, "")
    return submission


@transaction.atomic
def choose_submission(submission: Submission, subtask: int, now: datetime) -> CountedSubmission:
    """Choose the submission on the board of a subtask, until its phase ends; idempotent.

    Raises SubmissionRefused where the best one counts, after the end, and for a submission that was
    withdrawn or cancelled or has no results of the subtask.
    """
    submission = _lock(submission)
    phase = submission.phase
    if phase.counting == Counting.BEST:
        raise SubmissionRefused("In this phase the submission with the highest score counts.")
    refuse_phase(submission.team, phase, now)
    if submission.state not in (SubmissionState.STORED, SubmissionState.SCORED):
        raise SubmissionRefused(f"Submission {submission.number} no longer counts.")
    if subtask not in {file["subtask"] for file in submission.contents}:
        raise SubmissionRefused(f"Submission {submission.number} has no results of this subtask.")
    counted, _ = CountedSubmission.objects.update_or_create(
        phase=phase, subtask=subtask, team=submission.team,
        defaults={"submission": submission, "is_chosen": True},
    )  # fmt: skip
    count_team(submission.team, [phase])
    counted.refresh_from_db()
    return counted


@transaction.atomic
def note_submission(submission: Submission, note: str) -> Submission:
    """Store a team's own note on a submission."""
    submission.note = note.strip()[:MOST_NOTED]
    submission.save(update_fields=["note"])
    return submission


def refuse_final(phase: Phase) -> None:
    """Raise SubmissionRefused once the boards of a phase are final."""
    if FrozenBoard.objects.filter(phase=phase).exists():
        raise SubmissionRefused(f"The boards of the phase {phase.name} are final.")


def name_submission(submission: Submission) -> str:
    """Return how the log names a submission."""
    phase = submission.phase.name
    return f"submission {submission.number} of {submission.team.name} in {phase}"


def _lock(submission: Submission) -> Submission:
    """Lock the team of a submission, and return the submission as it is stored."""
    lock_team(submission.team_id)
    return Submission.objects.select_related("phase__shared_task", "team").get(pk=submission.pk)


def _end(submission: Submission, state: SubmissionState, reason: str) -> None:
    submission.state, submission.state_reason = state, reason.strip()[:MOST_NOTED]
    submission.save(update_fields=["state", "state_reason"])
    count_team(submission.team, [submission.phase])
