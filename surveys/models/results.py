import secrets
from datetime import datetime
from functools import cached_property
from pathlib import PurePath
from typing import ClassVar, Self, TypeVar

from django.db import models
from django.db.models import BooleanField, Case, Count, F, IntegerField, OuterRef, Q, Subquery, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce

from surveys.models.jobs import UNDER_WAY, Job, JobState
from surveys.models.participation import Annotator
from surveys.models.study import Study

Row = TypeVar("Row", bound=models.Model)


def make_key() -> str:
    """Return the key from which the annotators' ids of a release follow: 256 random bits."""
    return secrets.token_hex(32)


class CollectedQuerySet(models.QuerySet[Row]):
    """Rows made of the ratings that a study had at the instant `collected_at`."""

    def with_withdrawn_since(self) -> Self:
        """Annotate with `n_withdrawn_since`, its annotators who withdrew or were erased since.

        And with the `counts` of its report.
        """
        withdrawn = Annotator.objects.filter(
            study=OuterRef("study"),
            withdrawn_at__gte=OuterRef("collected_at"),
            first_rated_at__lt=OuterRef("collected_at"),
        )
        counted = withdrawn.order_by().values("study").annotate(n=Count("pk"))
        n_withdrawn = Coalesce(Subquery(counted.values("n")), 0)
        return self.annotate(n_withdrawn_since=n_withdrawn, counts=F("report__counts"))

    def without_report(self) -> Self:
        """Load rows without their reports, which may have megabytes, and mark scripted rows."""
        n_scripted = Cast(KT("report__counts__ratings_scripted"), IntegerField())
        rows = self.alias(n_scripted=Coalesce(n_scripted, 0)).defer("report")
        is_rehearsal = Case(
            When(n_scripted__gt=0, then=True), default=False, output_field=BooleanField()
        )
        return rows.annotate(is_rehearsal=is_rehearsal)


class ReleaseQuerySet(CollectedQuerySet["Release"]):
    def without_differences(self) -> Self:
        """Return releases that are not known to differ from what their ratings give."""
        return self.exclude(n_differences__gt=0)


class Release(models.Model):
    """Dataset files written once from a study; `report` names inputs, settings and code."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="releases")
    number = models.PositiveIntegerField(help_text="within the study, from 1; its run's number")
    created_at = models.DateTimeField(auto_now_add=True)
    collected_at = models.DateTimeField(
        null=True, blank=True, help_text="just before the ratings were read"
    )
    report = models.JSONField()
    key = models.CharField(
        max_length=64, default=make_key, help_text="secret: decides the annotators' ids"
    )

    page_opened_at = models.DateTimeField(
        null=True, blank=True, help_text="when its public page was opened; empty: closed"
    )

    verified_at = models.DateTimeField(
        null=True, blank=True, help_text="when its figures were last recomputed; empty: never"
    )
    n_figures = models.PositiveIntegerField(
        null=True, blank=True, help_text="distinct figures that can be recomputed from its ratings"
    )
    n_differences = models.PositiveIntegerField(
        null=True, blank=True, help_text="places in its files that differ when recomputed"
    )
    differences = models.JSONField(
        default=list, blank=True, help_text="the first of them: file, place, both values"
    )
    reservations = models.JSONField(
        default=list, blank=True, help_text="parts of its files that could not be checked, in words"
    )

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "number"), name="one_release_a_number"),
            models.CheckConstraint(
                condition=Q(verified_at=None, n_figures=None, n_differences=None)
                | Q(verified_at__isnull=False, n_figures__isnull=False)
                & Q(n_differences__isnull=False),
                name="verified_releases_have_figures",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.study}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def name(self) -> str:
        """The name on pages and in the log, such as "release 2"."""
        return f"release {self.number}"

    @cached_property
    def is_rehearsal(self) -> bool:
        """Whether it contains scripted ratings; older reports do not say."""
        return bool(self.report.get("counts", {}).get("ratings_scripted"))

    @property
    def n_pairs(self) -> int:
        """The number of pairs in the dataset."""
        return int(self.report["table1"]["figures"]["pairs"])

    @property
    def is_confirmed(self) -> bool:
        """Whether all figures of its files were found equal, without reservations."""
        return self.n_differences == 0 and not self.reservations

    @property
    def verification(self) -> str:
        """The result of its last verification in a sentence, as the library words it."""
        if self.n_differences is None:
            return "Not verified yet."
        if self.n_differences:
            noun = "difference" if self.n_differences == 1 else "differences"
            return f"{self.n_differences:,} {noun} from what the ratings give."
        follow = f"{self.n_figures:,} different figures follow from the ratings"
        if self.is_confirmed:
            return f"All {follow}."
        return f"Confirmed with reservations: {follow}, but {'; '.join(self.reservations)}."


class RepositoryKind(models.TextChoices):
    """The repositories for data at which this site can create drafts."""

    ZENODO = "zenodo", "Zenodo"
    HUB = "huggingface", "Hugging Face"


class Deposit(models.Model):
    """The draft of a study's dataset in a repository, with the release whose files it holds.

    A study has one draft at each host; a later release replaces the files. Only a person
    publishes it, in the repository.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="deposits")
    release = models.ForeignKey(Release, models.PROTECT, related_name="deposits")
    repository = models.CharField(max_length=12, choices=RepositoryKind)
    host = models.CharField(max_length=200, help_text="such as sandbox.zenodo.org")
    remote_id = models.CharField(max_length=200, help_text="of the draft, in the repository")
    url = models.URLField(max_length=500, help_text="where its owner sees it")
    doi = models.CharField(max_length=200, blank=True, default="", help_text="reserved for it")
    file_names = models.JSONField(default=list, blank=True, help_text="sent by this site")
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(
        null=True, blank=True, help_text="when all files had arrived; empty: not yet"
    )

    class Meta:
        ordering: ClassVar = ["repository", "host"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("study", "repository", "host"), name="one_draft_a_study_and_host"
            ),
        ]

    def __str__(self) -> str:
        return f"draft of {self.study} at {self.host}"


class RunKind(models.TextChoices):
    """The core's kinds of background job that make runs; apps have others."""

    RESULTS = "results", "results to look at"
    RELEASE = "release", "a release to publish"
    LINKS = "links", "personal links"
    EXPORT = "export", "a file of the answers"
    VERIFY = "verify", "verification of a release"
    DEPOSIT = "deposit", "draft of a release in a repository"
    REHEARSE = "rehearse", "a rehearsal by scripted annotators"
    COMPARE = "compare", "comparison with another collection"
    FAMILY = "family", "comparison of studies in several languages"


NOUNS: dict[str, str] = {  # before the number of a run; of other kinds, the kind
    RunKind.RESULTS: "run",
    RunKind.REHEARSE: "rehearsal",
    RunKind.VERIFY: "verification",
    RunKind.COMPARE: "comparison",
    RunKind.FAMILY: "family comparison",
}
# not everybody who may see the results of their study may see these
OF_SEVERAL_STUDIES = (RunKind.COMPARE, RunKind.FAMILY)


def name_file(run: "Run", name: str) -> str:
    """Return the path of a run's file below MEDIA_ROOT."""
    return f"runs/{run.pk}/{PurePath(name).name}"


class WrittenDescription(models.Model):
    """What researchers wrote about a study for its releases, complete or not."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="written_description")
    body = models.TextField(blank=True, default="", help_text="TOML")
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"description of {self.study}"


class RunQuerySet(CollectedQuerySet["Run"]):
    def results(self) -> Self:
        return self.filter(kind=RunKind.RESULTS)

    def releases(self) -> Self:
        return self.filter(kind=RunKind.RELEASE)

    def comparisons(self) -> Self:
        """Return comparisons with another collection; who may see one depends on that, too."""
        return self.filter(kind=RunKind.COMPARE)

    def jobs(self) -> Self:
        """Return the kinds that are not post-processing."""
        return self.exclude(kind__in=(RunKind.RESULTS, RunKind.RELEASE, *OF_SEVERAL_STUDIES))

    def under_way(self) -> Self:
        return self.filter(job__state__in=UNDER_WAY)

    def with_file(self) -> Self:
        return self.done().exclude(archive="")

    def with_recipe(self) -> Self:
        """Return runs that post-process ratings: results and releases."""
        return self.exclude(recipe="")

    def done(self) -> Self:
        return self.filter(job__state=JobState.DONE)


_RunManager = models.Manager.from_queryset(RunQuerySet)


class RunManager(_RunManager["Run"]):
    def get_queryset(self) -> RunQuerySet:
        """Return runs with their jobs, which have their states."""
        return RunQuerySet(self.model, using=self._db).select_related("job")


def _of_job(name: str) -> property:
    return property(lambda run: getattr(run.job, name), doc="As of its job.")


class Run(models.Model):
    """The result of a study's background job, usually post-processing of ratings by a recipe."""

    job = models.OneToOneField(Job, models.CASCADE, related_name="run")
    study = models.ForeignKey(Study, models.PROTECT, related_name="runs")
    kind = models.CharField(max_length=10, choices=RunKind, help_text="or a kind of an app")
    number = models.PositiveIntegerField(help_text="within the study and the kind, from 1")
    recipe = models.TextField(help_text="TOML", blank=True, default="")
    recipe_name = models.CharField(max_length=60, blank=True, default="")
    collected_at = models.DateTimeField(
        null=True, blank=True, help_text="just before the ratings were read"
    )
    report = models.JSONField(null=True, blank=True)
    archive = models.FileField(upload_to=name_file, blank=True)
    ledger = models.FileField(upload_to=name_file, blank=True)
    release = models.OneToOneField(
        Release, models.PROTECT, null=True, blank=True, related_name="run"
    )

    objects = RunManager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "kind", "number"), name="one_run_a_number"),
        ]

    request, state, stage = _of_job("request"), _of_job("state"), _of_job("stage")
    share_done, error = _of_job("share_done"), _of_job("error")
    requested_by, requested_at = _of_job("requested_by"), _of_job("requested_at")
    is_under_way = _of_job("is_under_way")

    def __str__(self) -> str:
        return f"{self.name} of {self.study}: {self.recipe_name or self.kind}, {self.state}"

    @cached_property
    def is_rehearsal(self) -> bool:
        """Whether its result contains scripted ratings; older reports do not say."""
        counts = (self.report or {}).get("counts") or {}
        return bool(counts.get("ratings_scripted"))

    @property
    def n_current(self) -> int:
        """How many of the answers that it read are current: of the finished in current rounds."""
        counts = (self.report or {}).get("counts") or {}
        others = ("questionnaire unfinished", "round replaced", "withdrawn")
        left_out = counts.get("ratings_left_out", {})
        return int(counts.get("ratings", 0) - sum(left_out.get(reason, 0) for reason in others))

    @property
    def finished_at(self) -> datetime | None:
        """When its result was stored; None for a run that failed."""
        return self.job.finished_at if self.state == JobState.DONE else None

    @property
    def has_lost_list(self) -> bool:
        """Whether the list of addresses for which links were requested was deleted."""
        return bool(self.request.get("list_was_dropped"))

    @property
    def name(self) -> str:
        """The name on pages and in the log, such as "run 1", "release 2" or "export 1"."""
        return f"{NOUNS.get(self.kind, self.kind)} {self.number}"
