import secrets
from typing import ClassVar

from django.db import models

from surveys.models.study import Study


def make_key() -> str:
    """What decides the annotators' ids of a release: 256 random bits."""
    return secrets.token_hex(32)


class Release(models.Model):
    """Dataset files written once from a study: `report` names inputs, settings and code."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="releases")
    created_at = models.DateTimeField(auto_now_add=True)
    report = models.JSONField()
    key = models.CharField(
        max_length=64, default=make_key, help_text="secret: decides the annotators' ids"
    )

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.study}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def n_pairs(self) -> int:
        """Pairs in the dataset."""
        return int(self.report["counts"]["pairs"])
