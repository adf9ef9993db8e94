import secrets
from typing import ClassVar, Self

from django.db import models
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from surveys.models.collection import Annotator
from surveys.models.study import Study


def make_key() -> str:
    """What decides the annotators' ids of a release: 256 random bits."""
    return secrets.token_hex(32)


def count_withdrawn_since() -> Coalesce:
    """For something made of a study's ratings: how many whose ratings it holds withdrew since."""
    withdrawn = Annotator.objects.filter(
        study=OuterRef("study"),
        withdrawn_at__gte=OuterRef("collected_at"),
        first_rated_at__lt=OuterRef("collected_at"),
    )
    counted = withdrawn.order_by().values("study").annotate(n=Count("pk"))
    return Coalesce(Subquery(counted.values("n")), 0)


class ReleaseQuerySet(models.QuerySet["Release"]):
    def with_withdrawn_since(self) -> Self:
        """Annotated with `n_withdrawn_since`: annotators in it who withdrew or were erased."""
        return self.annotate(n_withdrawn_since=count_withdrawn_since())


class Release(models.Model):
    """Dataset files written once from a study: `report` names inputs, settings and code."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="releases")
    number = models.PositiveIntegerField(
        help_text="within the study, from 1; that of the run which made it"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    collected_at = models.DateTimeField(
        null=True, blank=True, help_text="just before the ratings were read"
    )
    report = models.JSONField()
    key = models.CharField(
        max_length=64, default=make_key, help_text="secret: decides the annotators' ids"
    )

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "number"), name="one_release_a_number"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.study}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def name(self) -> str:
        """The name on pages and in the log, such as "release 2"."""
        return f"release {self.number}"

    @property
    def is_rehearsal(self) -> bool:
        """Whether it holds ratings by scripts; older reports do not say."""
        return bool(self.report.get("counts", {}).get("ratings_scripted"))

    @property
    def n_pairs(self) -> int:
        """Pairs in the dataset."""
        return int(self.report["counts"]["pairs"])
