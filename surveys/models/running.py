from datetime import datetime
from pathlib import PurePath
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from surveys.models.publication import Release, count_withdrawn_since
from surveys.models.study import Study


class RunKind(models.TextChoices):
    """What is made in the background."""

    RESULTS = "results", "results to look at"
    RELEASE = "release", "a release to publish"
    LINKS = "links", "personal links"
    EXPORT = "export", "a file of the answers"
    PUBLISH = "publish", "publishing of a batch"
    FETCH = "fetch", "fetching of what was handed in"
    PAY = "pay", "payment of a batch"
    STOP = "stop", "end of a batch"

    @property
    def noun(self) -> str:
        """The word before the number of a run of this kind."""
        return "run" if self == RunKind.RESULTS else str(self.value)

    @classmethod
    def of_batches(cls) -> "tuple[RunKind, ...]":
        """What asks the provider of a batch."""
        return (cls.PUBLISH, cls.FETCH, cls.PAY, cls.STOP)


class RunState(models.TextChoices):
    """How far a run has come."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


def name_file(run: "Run", name: str) -> str:
    """Where a file of a run is kept, below MEDIA_ROOT."""
    return f"runs/{run.pk}/{PurePath(name).name}"


class RunQuerySet(models.QuerySet["Run"]):
    def results(self) -> Self:
        return self.filter(kind=RunKind.RESULTS)

    def releases(self) -> Self:
        return self.filter(kind=RunKind.RELEASE)

    def errands(self) -> Self:
        """What is no post-processing."""
        return self.filter(kind__in=(RunKind.LINKS, RunKind.EXPORT, *RunKind.of_batches()))

    def under_way(self) -> Self:
        return self.filter(state__in=(RunState.WAITING, RunState.RUNNING))

    def due(self, now: datetime) -> Self:
        """Runs that wait to be performed and may be begun now, the longest due first."""
        return self.filter(state=RunState.WAITING, due_at__lte=now).order_by("due_at", "pk")

    def held_under(self, run: "Run") -> Self:
        """The run, as long as it is performed under the lease with which it was begun."""
        return self.filter(pk=run.pk, state=RunState.RUNNING, lease=run.lease)

    def silent(self, since: datetime) -> Self:
        """Runs that are performed and whose lease was not renewed since an instant."""
        return self.filter(state=RunState.RUNNING, heard_at__lt=since)

    def with_file(self) -> Self:
        return self.filter(state=RunState.DONE).exclude(archive="")

    def done(self) -> Self:
        return self.filter(state=RunState.DONE)

    def with_withdrawn_since(self) -> Self:
        """Annotated with `n_withdrawn_since`: annotators in it who withdrew or were erased."""
        return self.annotate(n_withdrawn_since=count_withdrawn_since())


class Run(models.Model):
    """Something that is made in the background, most often of ratings as they were, by a recipe.

    A run that waits is its own order: any process that finds it due performs it, under a lease.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="runs")
    kind = models.CharField(max_length=10, choices=RunKind)
    number = models.PositiveIntegerField(help_text="within the study and the kind, from 1")
    recipe = models.TextField(help_text="TOML", blank=True, default="")
    recipe_name = models.CharField(max_length=60, blank=True, default="")
    wishes = models.JSONField(default=dict, blank=True, help_text="what else was asked for")
    state = models.CharField(max_length=10, choices=RunState, default=RunState.WAITING)
    stage = models.CharField(max_length=40, blank=True, default="")
    share_done = models.PositiveSmallIntegerField(default=0, help_text="of the stage, per cent")
    error = models.TextField(blank=True, default="")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    requested_at = models.DateTimeField(auto_now_add=True)
    heard_at = models.DateTimeField(auto_now=True, help_text="last sign of life")
    due_at = models.DateTimeField(default=timezone.now, help_text="when it may be begun")
    lease = models.CharField(
        max_length=80, blank=True, default="", help_text="of the process that performs it"
    )
    n_deaths = models.PositiveSmallIntegerField(
        default=0, help_text="processes that ended without a word while they performed it"
    )
    collected_at = models.DateTimeField(
        null=True, blank=True, help_text="just before the ratings were read"
    )
    finished_at = models.DateTimeField(null=True, blank=True)
    report = models.JSONField(null=True, blank=True)
    archive = models.FileField(upload_to=name_file, blank=True)
    ledger = models.FileField(upload_to=name_file, blank=True)
    release = models.OneToOneField(
        Release, models.PROTECT, null=True, blank=True, related_name="run"
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "kind", "number"), name="one_run_a_number"),
            models.CheckConstraint(
                condition=~Q(state=RunState.DONE) | Q(report__isnull=False),
                name="done_runs_have_a_report",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=("due_at",),
                condition=Q(state__in=(RunState.WAITING, RunState.RUNNING)),
                name="runs_under_way",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.study}: {self.recipe_name or self.kind}, {self.state}"

    @property
    def is_rehearsal(self) -> bool:
        """Whether what it made holds ratings by scripts; older reports do not say."""
        counts = (self.report or {}).get("counts") or {}
        return bool(counts.get("ratings_scripted"))

    @property
    def has_lost_list(self) -> bool:
        """Whether the addresses that links were to be made for are dropped: it cannot go on."""
        return bool(self.wishes.get("list_was_dropped"))

    @property
    def name(self) -> str:
        """The name on pages and in the log, such as "run 1", "release 2" or "export 1"."""
        return f"{RunKind(self.kind).noun} {self.number}"
