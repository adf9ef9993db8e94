from typing import ClassVar

from django.db import models
from django.db.models import F, Q


class Study(models.Model):
    """One data collection: one language, one rating scale, one number of ratings per context."""

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    language = models.CharField(max_length=35, help_text="BCP 47 tag of the texts, such as sl")
    scale_minimum = models.SmallIntegerField(default=0)
    scale_maximum = models.SmallIntegerField(default=6)
    ratings_per_context = models.PositiveSmallIntegerField()
    block_size = models.PositiveSmallIntegerField(help_text="most pairs judged in one sitting")
    lease_hours = models.PositiveSmallIntegerField(
        default=24, help_text="how long a place is held without an answer"
    )
    seed = models.BigIntegerField(default=0, help_text="of blocks, questionnaires and item order")
    stimuli_sha256 = models.CharField(
        max_length=64, help_text="digest of the stimuli in Cosima's own writing (LF, no BOM)"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "studies"
        ordering: ClassVar = ["slug"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(scale_minimum__lt=F("scale_maximum")), name="scale_has_two_ends"
            ),
            models.CheckConstraint(
                condition=Q(ratings_per_context__gte=1, block_size__gte=1, lease_hours__gte=1),
                name="study_asks_for_work",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def scale_points(self) -> range:
        """Every rating that may be given."""
        return range(self.scale_minimum, self.scale_maximum + 1)
