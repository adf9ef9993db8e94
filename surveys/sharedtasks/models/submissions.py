from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q

from surveys.sharedtasks.models.tasks import Phase, SharedTask, TaskPart, name_private_file
from surveys.sharedtasks.models.teams import CODE_LETTERS, Team, make_code

DIGEST = "SHA-256 of the predictions"


class Upload(models.Model):
    """Files that were checked and may be submitted with one more click; deleted after a day."""

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="uploads")
    team = models.ForeignKey(Team, models.CASCADE, related_name="uploads")
    sent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    file = models.FileField(upload_to=name_private_file)
    digest = models.CharField(max_length=64, help_text=DIGEST)
    contents = models.JSONField(default=list, help_text="subtask and language of each file")
    warnings = models.JSONField(default=list)
    checked_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"checked files of {self.team}"


class RefusedUpload(models.Model):
    """Files that could not be scored, and why. They are no attempt and are not kept."""

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="refused_uploads")
    team = models.ForeignKey(Team, models.CASCADE, related_name="refused_uploads")
    reasons = models.JSONField(default=list, help_text="the first findings, as the team saw them")
    refused_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"refused files of {self.team}"


class SubmissionState(models.TextChoices):
    """How far a submission is. All but cancelled and failed submissions are attempts."""

    STORED = "stored", "waits for its scores"
    SCORED = "scored", "scored"
    FAILED = "failed", "could not be scored: a fault of this site"
    CANCELLED = "cancelled", "cancelled by the organisers"
    WITHDRAWN = "withdrawn", "withdrawn by the team"


NO_ATTEMPTS = (SubmissionState.CANCELLED, SubmissionState.FAILED)


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def attempts(self) -> Self:
        """Return the submissions that count against the limit."""
        return self.exclude(state__in=NO_ATTEMPTS)

    def standing(self) -> Self:
        """Return the submissions that a board may show."""
        return self.filter(state=SubmissionState.SCORED)

    def since(self, instant: datetime) -> Self:
        """Return the submissions from an instant on."""
        return self.filter(sent_at__gte=instant)

    def without_scores(self, scoring: "Scoring") -> Self:
        """Return the submissions that a scoring has not scored yet."""
        scores = SubtaskScore.objects.filter(submission=OuterRef("pk"), scoring=scoring)
        scored_states = (SubmissionState.STORED, SubmissionState.SCORED, SubmissionState.WITHDRAWN)
        return self.filter(
            ~Exists(scores), phase__shared_task=scoring.shared_task, state__in=scored_states
        )


class Submission(models.Model):
    """The result files that a team sent at one time in one phase."""

    phase = models.ForeignKey(Phase, models.PROTECT, related_name="submissions")
    team = models.ForeignKey(Team, models.PROTECT, related_name="submissions")
    number = models.PositiveIntegerField(help_text="of the team in the phase, from 1")
    code = models.CharField(
        max_length=CODE_LETTERS, unique=True, default=make_code, help_text="of its result page"
    )
    sent_at = models.DateTimeField(help_text="when its request began")
    sent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    state = models.CharField(max_length=10, choices=SubmissionState, default=SubmissionState.STORED)
    state_reason = models.CharField(max_length=300, blank=True, default="")
    file = models.FileField(upload_to=name_private_file, help_text="a zip of its result files")
    file_sha256 = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, help_text=DIGEST)
    contents = models.JSONField(default=list, help_text="subtask and language of each file")
    warnings = models.JSONField(default=list)
    flags = models.JSONField(default=list, help_text="what organisers should look at")
    note = models.CharField(max_length=300, blank=True, default="", help_text="the team's own")

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-sent_at", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("phase", "team", "number"), name="one_submission_a_number"
            ),
            models.UniqueConstraint(
                fields=("phase", "team", "digest"),
                condition=~Q(state__in=(SubmissionState.CANCELLED, SubmissionState.FAILED)),
                name="same_predictions_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=("phase",),
                condition=Q(state=SubmissionState.STORED),
                name="submissions_to_score",
            ),
        ]

    def __str__(self) -> str:
        return f"submission {self.number} of {self.team} in {self.phase}"

    @property
    def is_attempt(self) -> bool:
        """Whether it counts against the limit."""
        return self.state not in NO_ATTEMPTS


class ScoringState(models.TextChoices):
    """How far a scoring is. One of a shared task is current."""

    COMPUTING = "computing", "being computed"
    READY = "ready", "computed, not in use yet"
    CURRENT = "current", "current"
    REPLACED = "replaced", "replaced by a later one"
    DISCARDED = "discarded", "discarded"


class Scoring(models.Model):
    """One version of scorer and gold, with which all submissions are scored."""

    shared_task = models.ForeignKey(SharedTask, models.CASCADE, related_name="scorings")
    number = models.PositiveIntegerField(help_text="of the shared task, from 1")
    state = models.CharField(max_length=10, choices=ScoringState, default=ScoringState.COMPUTING)
    scorer = models.CharField(max_length=20, help_text="version of the scorer")
    gold_sha256 = models.JSONField(default=dict, help_text="by language")
    gold_files = models.JSONField(
        default=dict, blank=True, help_text="names of corrected gold files by language"
    )
    reason = models.CharField(max_length=300, blank=True, default="")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    current_since = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("shared_task", "number"), name="scoring_once"),
            models.UniqueConstraint(
                fields=("shared_task",),
                condition=Q(state=ScoringState.CURRENT),
                name="one_current_scoring",
            ),
        ]

    def __str__(self) -> str:
        return f"scoring {self.number} of {self.shared_task}"


class SubtaskScore(models.Model):
    """The figure of one submission for one subtask and language, in all digits.

    `reason` says why a score is 0, or why there is none: constant, or not positive.
    """

    submission = models.ForeignKey(
        Submission, models.CASCADE, related_name="scores", db_index=False
    )
    part = models.ForeignKey(TaskPart, models.PROTECT, related_name="scores")
    subtask = models.PositiveSmallIntegerField()
    scoring = models.ForeignKey(Scoring, models.CASCADE, related_name="scores")
    score = models.FloatField(null=True, blank=True)
    pearson = models.FloatField(null=True, blank=True)
    spearman = models.FloatField(null=True, blank=True)
    n = models.PositiveIntegerField(help_text="pairs")
    error = models.FloatField(
        null=True, blank=True, help_text="its standard error; empty until it is computed"
    )
    low = models.FloatField(null=True, blank=True, help_text="of the 95 % interval")
    high = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=20, blank=True, default="")
    file_sha256 = models.CharField(max_length=64)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("submission", "part", "subtask", "scoring"), name="scored_once"
            ),
            models.CheckConstraint(condition=Q(subtask__gte=1), name="score_of_a_track"),
            models.CheckConstraint(
                condition=Q(score__isnull=False) | ~Q(reason=""), name="no_score_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.submission}, subtask {self.subtask}, {self.part.name}"


class CountedSubmission(models.Model):
    """The submission of a team that the board of a phase and subtask shows.

    `scores` by language, and their average, are of the current scoring.
    """

    phase = models.ForeignKey(
        Phase, models.CASCADE, related_name="counted_submissions", db_index=False
    )
    subtask = models.PositiveSmallIntegerField()
    team = models.ForeignKey(Team, models.CASCADE, related_name="counted_submissions")
    submission = models.ForeignKey(Submission, models.CASCADE, related_name="counted_submissions")
    is_chosen = models.BooleanField(default=False, help_text="the team chose it")
    average = models.FloatField(null=True, blank=True)
    average_low = models.FloatField(null=True, blank=True)
    average_high = models.FloatField(null=True, blank=True)
    scores = models.JSONField(
        default=dict, help_text="by language: score, low, high, pearson, spearman, n, reason"
    )
    n_attempts = models.PositiveIntegerField(default=0, help_text="of the team in the phase")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("phase", "subtask", "team"), name="counted_once"),
        ]

    def __str__(self) -> str:
        return f"{self.submission} on the board of subtask {self.subtask}"


class FrozenBoard(models.Model):
    """The board of a phase and subtask as it was when the shared task was finalised."""

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="frozen_boards", db_index=False)
    subtask = models.PositiveSmallIntegerField()
    scoring = models.ForeignKey(Scoring, models.PROTECT, related_name="+")
    body = models.TextField(help_text="board.json, with all digits")
    sha256 = models.CharField(max_length=64, help_text="of the body")
    frozen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("phase", "subtask"), name="frozen_once"),
        ]

    def __str__(self) -> str:
        return f"board of {self.phase}, subtask {self.subtask}"
