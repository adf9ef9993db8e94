from typing import ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db import models

from surveys.models.study import Study


class Role(models.TextChoices):
    """What somebody is to a study; whoever comes earlier may do all that the later ones may."""

    OWNER = "owner", "owner: everything, people and personal data included"
    RESEARCHER = "researcher", "researcher: sets up, collects, computes and releases"
    REVIEWER = "reviewer", "reviewer: reads the collection and judges answers"


class MembershipQuerySet(models.QuerySet["Membership"]):
    def of(self, user: User | AbstractBaseUser | AnonymousUser) -> Self:
        return self.filter(user_id=user.pk)


class Membership(models.Model):
    """Somebody's role in a study."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["study", "user__username"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "user"), name="one_role_a_study"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.study}"


class AuditEntry(models.Model):
    """Something that was decided: by whom, when, about what. Entries are added, never changed."""

    study = models.ForeignKey(
        Study, models.PROTECT, null=True, blank=True, related_name="audit_entries"
    )
    at = models.DateTimeField(auto_now_add=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    actor = models.CharField(max_length=150, help_text="the user's name then, or what acted")
    action = models.CharField(max_length=40, help_text="such as study.configured")
    subject = models.CharField(max_length=200, blank=True, default="")
    details = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name_plural = "audit entries"
        indexes: ClassVar = [models.Index(fields=("study", "-id"), name="audit_of_a_study")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor}: {self.action} {self.subject}".rstrip()
