"""Background jobs: one table, which is their queue."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from surveys.models.study import Study


class JobState(models.TextChoices):
    """The states of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


UNDER_WAY = (JobState.WAITING, JobState.RUNNING)


class JobQuerySet(models.QuerySet["Job"]):
    def under_way(self) -> Self:
        return self.filter(state__in=UNDER_WAY)

    def due(self, now: datetime) -> Self:
        """Return waiting jobs that may be begun now, the longest due first."""
        return self.filter(state=JobState.WAITING, due_at__lte=now).order_by("due_at", "pk")

    def held_under(self, job: "Job") -> Self:
        """Return the job while it is performed under the lease with which it was begun."""
        return self.filter(pk=job.pk, state=JobState.RUNNING, lease=job.lease)

    def silent(self, since: datetime) -> Self:
        """Return running jobs whose lease was not renewed since an instant."""
        return self.filter(state=JobState.RUNNING, heard_at__lt=since)


class Job(models.Model):
    """Background work: its own queue entry, performed by one process under a lease."""

    kind = models.CharField(max_length=40, help_text="such as sharedtasks.finalise")
    scope = models.CharField(max_length=60, blank=True, default="", help_text="what it is for")
    study = models.ForeignKey(
        Study, models.CASCADE, null=True, blank=True, related_name="jobs", help_text="for access"
    )
    key = models.CharField(
        max_length=80, blank=True, default="", help_text="at most one under way has it"
    )
    request = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=JobState, default=JobState.WAITING)
    stage = models.CharField(max_length=40, blank=True, default="")
    share_done = models.PositiveSmallIntegerField(default=0, help_text="of the stage, per cent")
    error = models.TextField(blank=True, default="")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    requested_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField(default=timezone.now, help_text="earliest start")
    begun_at = models.DateTimeField(null=True, blank=True, help_text="last")
    heard_at = models.DateTimeField(default=timezone.now, help_text="last sign of life")
    lease = models.CharField(
        max_length=80, blank=True, default="", help_text="of the process that performs it"
    )
    n_deaths = models.PositiveSmallIntegerField(
        default=0, help_text="processes that died while performing it"
    )
    n_tries = models.PositiveSmallIntegerField(
        default=0, help_text="each was postponed, since a service did not respond"
    )
    is_wanted_again = models.BooleanField(
        default=False, help_text="requested again while it was under way"
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("key",),
                condition=Q(state__in=UNDER_WAY) & ~Q(key=""),
                name="one_job_under_way_a_key",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=("due_at",), condition=Q(state__in=UNDER_WAY), name="jobs_under_way"
            ),
            models.Index(fields=("scope", "-id"), name="jobs_of_a_scope"),
            models.Index(fields=("finished_at",), name="finished_jobs"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.scope}, {self.state}"

    @property
    def is_under_way(self) -> bool:
        """Whether it waits or is being performed."""
        return self.state in UNDER_WAY


class TimerRun(models.Model):
    """When a command for a timer of the operator's machine succeeded last."""

    name = models.CharField(max_length=20, unique=True)
    ran_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
