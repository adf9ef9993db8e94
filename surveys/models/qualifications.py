from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from surveys.models.recruitment import Provider, Worker
from surveys.models.stimuli import Block
from surveys.models.study import Study


class Qualification(models.Model):
    """A mark that a provider keeps of workers for us: of a block they have had, or of good work."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="qualifications")
    provider = models.CharField(max_length=10, choices=Provider, help_text="the target; set once")
    block = models.ForeignKey(
        Block, models.PROTECT, null=True, blank=True, related_name="qualifications",
        help_text="whose workers it keeps from having it again; empty for a private task",
    )  # fmt: skip
    name = models.CharField(max_length=200)
    qualification_type_id = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("provider", "name"), name="one_qualification_a_name"),
            models.UniqueConstraint(fields=("provider", "block"), name="one_qualification_a_block"),
            models.UniqueConstraint(
                fields=("provider", "qualification_type_id"),
                condition=~Q(qualification_type_id=""),
                name="one_row_a_qualification_type",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Grant(models.Model):
    """A qualification that a worker was given: when, by whom and why."""

    qualification = models.ForeignKey(Qualification, models.PROTECT, related_name="grants")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="grants")
    amount = models.PositiveIntegerField(default=1, help_text="its value at the provider")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+",
        help_text="empty where it follows from a visit",
    )  # fmt: skip
    reason = models.CharField(max_length=200)
    granted_at = models.DateTimeField(auto_now_add=True)
    told_at = models.DateTimeField(null=True, blank=True, help_text="when the provider knew of it")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("qualification", "worker"),
                condition=Q(revoked_at__isnull=True),
                name="granted_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.qualification} for {self.worker}"
