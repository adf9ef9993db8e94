"""Scoring the submissions that wait: in any process, several at once, each stored once."""

import logging
import secrets

from django.db import transaction
from django.db.models import Exists, Max
from django.utils import timezone

from surveys.models.sharedtasks import (
    Scoring,
    ScoringState,
    SharedTask,
    Submission,
    SubmissionState,
    SubtaskScore,
    TaskPart,
)
from surveys.sharedtasks.attempts import lock_team
from surveys.sharedtasks.scoring.counting import count_team
from surveys.sharedtasks.scoring.figures import Golds, compute_figures, make_scores
from surveys.sharedtasks.scoring.flags import Flag, find_flags
from surveys.sharedtasks.scoring.predictions import load_predictions
from surveys.sharedtasks.tasks import lock_task

EARLIEST = 8  # of those that wait; processes choose among them, so that they rarely choose the same
FAILED = (
    "It could not be scored: {}. It does not count as an attempt; the organisers can have it "
    "scored again."
)
log = logging.getLogger(__name__)


def count_waiting(at_most: int | None = None) -> int:
    """Return the number of submissions that wait for their scores."""
    waiting = Submission.objects.filter(state=SubmissionState.STORED)
    return len(waiting.values_list("pk")[:at_most])


def score_waiting() -> int:
    """Score submissions one after another until none waits. Return their number."""
    n_scored = 0
    golds: dict[int, Golds] = {}
    while (submission_id := _choose_waiting()) is not None:
        score_submission(submission_id, golds)
        n_scored += 1
    return n_scored


def score_submission(submission_id: int, golds: dict[int, Golds] | None = None) -> None:
    """Score a waiting submission by the current scoring; a no-op if it no longer waits.

    Nothing is locked while its scores are computed. If two processes do so, those of the first are
    stored. `golds` keeps what was loaded, by the id of the scoring.
    """
    submission = _find(submission_id)
    if submission is None or submission.state != SubmissionState.STORED:
        return
    scoring = find_scoring(submission.phase.shared_task)
    golds = {} if golds is None else golds
    own = golds.setdefault(scoring.pk, Golds(scoring))
    try:
        predictions = load_predictions(submission)
        figures = compute_figures(predictions, submission.phase, own)
        scores = make_scores(submission, figures, own)
        flags = find_flags(submission, predictions)
    except (OSError, ValueError) as error:
        log.exception("submission %s could not be scored", submission_id)
        _fail(submission, type(error).__name__)
        return
    _store(submission, scoring, scores, flags)


def find_scoring(shared_task: SharedTask) -> Scoring:
    """Return the current scoring of a shared task; the first is made when it is needed."""
    current = Scoring.objects.filter(shared_task=shared_task, state=ScoringState.CURRENT)
    return current.first() or _begin_scoring(shared_task)


@transaction.atomic
def _begin_scoring(shared_task: SharedTask) -> Scoring:
    lock_task(shared_task)
    current = Scoring.objects.filter(shared_task=shared_task, state=ScoringState.CURRENT)
    return current.first() or make_scoring(shared_task, state=ScoringState.CURRENT)


def make_scoring(shared_task: SharedTask, **fields: object) -> Scoring:
    """Make the next scoring of a locked shared task, with the gold of its parts."""
    from postprocess.scoring.scoring import SCORER

    last = Scoring.objects.filter(shared_task=shared_task).aggregate(n=Max("number"))["n"] or 0
    parts = TaskPart.objects.filter(shared_task=shared_task)
    made = {
        "number": last + 1,
        "scorer": SCORER,
        "gold_sha256": dict(parts.values_list("language", "gold_sha256")),
        "current_since": timezone.now() if fields.get("state") == ScoringState.CURRENT else None,
    }
    return Scoring.objects.create(shared_task=shared_task, **{**made, **fields})


def _choose_waiting() -> int | None:
    """Return one of the submissions that have waited longest, or None if none waits."""
    waiting = Submission.objects.filter(state=SubmissionState.STORED).order_by("sent_at", "pk")
    earliest = list(waiting.values_list("pk", flat=True)[:EARLIEST])
    return secrets.choice(earliest) if earliest else None


def _find(submission_id: int) -> Submission | None:
    found = Submission.objects.select_related("phase__shared_task", "team")
    return found.filter(pk=submission_id).first()


@transaction.atomic
def _store(
    submission: Submission, scoring: Scoring, scores: list[SubtaskScore], flags: list[Flag]
) -> None:
    """Store a submission's scores, and find its team's submission that counts.

    If another scoring became current meanwhile, for which all teams were locked, it still waits.
    """
    team = lock_team(submission.team_id)
    is_current = Exists(Scoring.objects.filter(pk=scoring.pk, state=ScoringState.CURRENT))
    waiting = Submission.objects.filter(is_current, pk=submission.pk, state=SubmissionState.STORED)
    if not waiting.update(state=SubmissionState.SCORED, flags=flags):
        return  # or another process was first, or it was cancelled or withdrawn meanwhile
    SubtaskScore.objects.bulk_create(scores, ignore_conflicts=True)  # a rescoring may have them
    count_team(team, [submission.phase])


@transaction.atomic
def _fail(submission: Submission, reason: str) -> None:
    """Store that a submission could not be scored, which gives the attempt back."""
    lock_team(submission.team_id)
    waiting = Submission.objects.filter(pk=submission.pk, state=SubmissionState.STORED)
    waiting.update(state=SubmissionState.FAILED, state_reason=FAILED.format(reason))
    count_team(submission.team, [submission.phase])
