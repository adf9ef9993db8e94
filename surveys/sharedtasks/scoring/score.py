"""Scoring a submission: a background job of its own, stored with the submission."""

import logging
from functools import partial

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from surveys.jobs.perform import Progress, Store
from surveys.jobs.queue import enqueue
from surveys.models import Job, JobState
from surveys.sharedtasks.models import (
    Scoring,
    ScoringState,
    SharedTask,
    Submission,
    SubmissionState,
    SubtaskScore,
    TaskPart,
)
from surveys.sharedtasks.scoring.counting import count_team
from surveys.sharedtasks.scoring.figures import Golds, compute_figures, make_scores
from surveys.sharedtasks.scoring.flags import Flag, find_flags
from surveys.sharedtasks.scoring.predictions import load_predictions
from surveys.sharedtasks.tasks import lock_task
from surveys.sharedtasks.teams.attempts import lock_team

SCORE = "sharedtasks.score"  # the kind of job
FAILED = (
    "It could not be scored: {}. It does not count as an attempt; the organisers can have it "
    "scored again."
)
log = logging.getLogger(__name__)


def request_score(submission: Submission) -> None:
    """Queue the scoring of a submission, once more if it has begun."""
    scope, key = submission.phase.shared_task.scope, f"{SCORE}:{submission.pk}"
    enqueue(SCORE, {"submission": submission.pk}, scope=scope, key=key)


def score_submission(job: Job, progress: Progress) -> Store | None:
    """Score a submission by the current scoring, unless it no longer waits.

    Nothing is locked while its scores are computed.
    """
    waiting = Submission.objects.filter(state=SubmissionState.STORED)
    with_team = waiting.select_related("phase__shared_task", "team")
    submission = with_team.filter(pk=job.request["submission"]).first()
    if submission is None:
        return None
    scoring = find_scoring(submission.phase.shared_task)
    golds = Golds(scoring)
    try:
        predictions = load_predictions(submission)
        figures = compute_figures(predictions, submission.phase, golds)
        scores = make_scores(submission, figures, golds)
        flags = find_flags(submission, predictions)
    except (OSError, ValueError) as error:
        log.exception("submission %s could not be scored", submission.pk)
        return partial(_fail, submission.pk, type(error).__name__)
    return partial(_store, submission, scoring, scores, flags)


def end_scoring(job: Job) -> None:
    """Store that a submission could not be scored, if its job has failed."""
    if job.state == JobState.FAILED:
        _fail(job.request["submission"], "it was interrupted")


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
        "gold_sha256": dict(parts.values_list("name", "gold_sha256")),
        "current_since": timezone.now() if fields.get("state") == ScoringState.CURRENT else None,
    }
    return Scoring.objects.create(shared_task=shared_task, **{**made, **fields})


def _store(
    submission: Submission, scoring: Scoring, scores: list[SubtaskScore], flags: list[Flag]
) -> None:
    """Store a submission's scores, and find its team's submission that counts.

    If another scoring became current meanwhile, for which all teams were locked, it is scored
    again.
    """
    team = lock_team(submission.team_id)
    if not Scoring.objects.filter(pk=scoring.pk, state=ScoringState.CURRENT).exists():
        request_score(submission)
        return
    waiting = Submission.objects.filter(pk=submission.pk, state=SubmissionState.STORED)
    if not waiting.update(state=SubmissionState.SCORED, flags=flags):
        return  # it was cancelled or withdrawn meanwhile
    SubtaskScore.objects.bulk_create(scores, ignore_conflicts=True)  # a rescoring may have them
    count_team(team, [submission.phase])


def _fail(submission_id: int, reason: str) -> None:
    """Store that a waiting submission could not be scored, which gives the attempt back."""
    submission = Submission.objects.select_related("phase").get(pk=submission_id)
    team = lock_team(submission.team_id)
    waiting = Submission.objects.filter(pk=submission.pk, state=SubmissionState.STORED)
    waiting.update(state=SubmissionState.FAILED, state_reason=FAILED.format(reason))
    count_team(team, [submission.phase])
