from typing import ClassVar

from django.db import models

from surveys.models.study import Study


class Release(models.Model):
    """Dataset files written once from a study: `report` names inputs, settings and code."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="releases")
    created_at = models.DateTimeField(auto_now_add=True)
    report = models.JSONField()

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.study}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def n_pairs(self) -> int:
        """Pairs in the dataset."""
        return int(self.report["counts"]["pairs"])
