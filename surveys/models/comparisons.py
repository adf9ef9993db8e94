from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from surveys.models.study import Study


class CollectionKind(models.TextChoices):
    """Who gave the ratings of an imported collection."""

    PEOPLE = "people", "people"
    MODEL = "model", "a language model"


class ImportedCollection(models.Model):
    """Ratings of a study's contexts from a file, by other people or by a language model.

    They are compared with the ratings of the study. No other table refers to them, and nothing else
    reads them. `ratings` is a table with the columns pair, context, annotator, rating and, if the
    file has them, group and mark; annotators and groups are numbered.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="imported_collections")
    number = models.PositiveIntegerField(help_text="within the study, from 1")
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=10, choices=CollectionKind)
    model = models.CharField(max_length=200, blank=True, default="", help_text="of a model: name")
    model_version = models.CharField(max_length=200, blank=True, default="")
    prompt_sha256 = models.CharField(max_length=64, blank=True, default="")
    rated_on = models.CharField(
        max_length=10, blank=True, default="", help_text="of a model: a day, such as 2026-05-31"
    )
    language = models.CharField(max_length=35, help_text="BCP 47 tag of the texts, such as sl")
    scale_minimum = models.DecimalField(max_digits=5, decimal_places=2)
    scale_maximum = models.DecimalField(max_digits=5, decimal_places=2)
    scale_step = models.DecimalField(max_digits=5, decimal_places=2)
    ratings = models.TextField(help_text="tab-separated")
    n_ratings = models.PositiveIntegerField()
    n_annotators = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, help_text="digest of the file")
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    imported_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "number"), name="one_collection_a_number"),
            models.UniqueConstraint(fields=("study", "name"), name="one_collection_a_name"),
            models.CheckConstraint(
                condition=Q(kind=CollectionKind.PEOPLE, model="")
                | Q(kind=CollectionKind.MODEL) & ~Q(model=""),
                name="models_have_a_name",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.get_kind_display()}), compared with {self.study}"

    @property
    def is_model(self) -> bool:
        """Whether a language model rated."""
        return self.kind == CollectionKind.MODEL


class Family(models.Model):
    """Studies of one dataset in several languages, whose releases are put side by side."""

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    text = models.TextField(blank=True, default="", help_text="shown below the title")
    studies = models.ManyToManyField(Study, related_name="families")

    class Meta:
        ordering: ClassVar = ["title", "pk"]
        verbose_name_plural = "families"

    def __str__(self) -> str:
        return self.title
