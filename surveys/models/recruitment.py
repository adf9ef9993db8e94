from typing import Self

from django.db import models

from surveys.models.collection import Annotator, make_token
from surveys.models.study import Study


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def with_study(self) -> Self:
        return self.select_related("study")


class Invitation(models.Model):
    """A personal link. Who starts from it becomes an annotator; who returns goes on."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="invitations")
    token = models.CharField(max_length=22, unique=True, default=make_token)
    annotator = models.OneToOneField(
        Annotator, models.PROTECT, null=True, blank=True, related_name="invitation"
    )
    is_rehearsal = models.BooleanField(default=False, help_text="used by a scripted annotator")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = InvitationQuerySet.as_manager()

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.study}"
