from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import Q
from django.utils.module_loading import import_string

from surveys.models.jobs import Job
from surveys.models.study import Study

if TYPE_CHECKING:
    from django.contrib.sessions.backends.base import SessionBase


class Role(models.TextChoices):
    """A person's role in a study; each role may do everything that the later roles may."""

    OWNER = "owner", "owner: everything, people and personal data included"
    RESEARCHER = "researcher", "researcher: sets up, collects, computes and releases"
    REVIEWER = "reviewer", "reviewer: reads the collection and judges answers"


class Membership(models.Model):
    """The role of one user in one study."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["study", "user__username"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "user"), name="one_role_a_study"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.study}"


class LimitedAccount(models.Model):
    """An account that opens neither the console nor the admin, only the pages of one app."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="limited_account"
    )
    home = models.CharField(max_length=60, help_text="name of its first page, such as app:account")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.user.get_username()


class AccountSession(AbstractBaseSession):
    """A session of a browser; its account is known by a number, so that accounts can be deleted."""

    account_id = models.PositiveIntegerField(null=True, db_index=True)

    @classmethod
    def get_session_store_class(cls) -> "type[SessionBase]":
        engine: type[SessionBase] = import_string(f"{settings.SESSION_ENGINE}.SessionStore")
        return engine


class AuditEntry(models.Model):
    """A decision: its author, instant and subject. Entries are added, never changed."""

    study = models.ForeignKey(
        Study, models.PROTECT, null=True, blank=True, related_name="audit_entries"
    )
    scope = models.CharField(
        max_length=60, blank=True, default="", help_text="other than a study, such as sharedtask:7"
    )
    at = models.DateTimeField(auto_now_add=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    actor = models.CharField(
        max_length=150, help_text="name of the user at that time, or of the program"
    )
    action = models.CharField(max_length=40, help_text="such as study.configured")
    subject = models.CharField(max_length=200, blank=True, default="")
    details = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name_plural = "audit entries"
        indexes: ClassVar = [
            models.Index(fields=("study", "-id"), name="audit_of_a_study"),
            models.Index(fields=("scope", "-id"), name="audit_of_a_scope"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor}: {self.action} {self.subject}".rstrip()


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def valid(self, now: datetime) -> Self:
        """Return tokens that open the API, of users who may sign in."""
        unexpired = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
        return self.filter(unexpired, revoked_at__isnull=True, user__is_active=True)


class ApiToken(models.Model):
    """A token with which a user's programs access the API; only its digest is stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100, help_text="what it is for")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the key")
    scopes = models.JSONField(default=list, help_text="what it may do, such as studies:read")
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="to the minute")
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"


class IdempotencyRecord(models.Model):
    """The answer to a request that created something, returned again when it is repeated."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False
    )
    key = models.CharField(max_length=255, help_text="chosen by the program")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the request")
    status = models.PositiveSmallIntegerField()
    answer = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("user", "key"), name="one_answer_a_key"),
        ]

    def __str__(self) -> str:
        return f"answer to {self.key}"


class WebhookEvent(models.TextChoices):
    """The events that a webhook can subscribe to."""

    ASSIGNMENT_FINISHED = "assignment.finished"
    BLOCK_FINISHED = "block.finished"
    RUN_FINISHED = "run.finished"


class Webhook(models.Model):
    """A URL that is notified of events in a study."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    secret = models.CharField(max_length=64, help_text="signs what is sent; shown once")
    events = models.JSONField(default=list)
    is_active = models.BooleanField(default=True)
    failed_at = models.DateTimeField(null=True, blank=True, help_text="when a message last failed")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"webhook {self.pk} of {self.study}"


class Delivery(models.Model):
    """A webhook message and the result of sending it; while it waits, a job is to send it."""

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries", db_index=False)
    event = models.CharField(max_length=30, choices=WebhookEvent)
    subject = models.CharField(max_length=60, help_text="what it happened to")
    payload = models.JSONField()
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=200, blank=True, default="")
    job = models.OneToOneField(Job, models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name_plural = "deliveries"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("webhook", "event", "subject"), name="one_delivery_an_event"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event}, {self.subject}"

    @property
    def next_at(self) -> datetime | None:
        """When it is tried next; None for never."""
        return self.job.due_at if self.job and self.job.is_under_way else None


class SignInBudget(models.Model):
    """The password checks used by one client address, one known browser or all other clients."""

    key = models.CharField(max_length=80, unique=True, help_text="such as address 203.0.113.9")
    spent_until = models.DateTimeField(
        db_index=True, help_text="when all used checks are available again"
    )

    def __str__(self) -> str:
        return f"password checks of {self.key}"


class SharedMark(models.Model):
    """A mark of the secret key or the files folder, which all servers of a site must share."""

    subject = models.CharField(max_length=20, unique=True)
    mark = models.CharField(max_length=64, help_text="a digest of the key, or what a file contains")

    def __str__(self) -> str:
        return self.subject
