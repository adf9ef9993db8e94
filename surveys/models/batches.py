import hashlib
import uuid
from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from surveys.models.recruitment import Entrance, Provider, Visit
from surveys.models.stimuli import Questionnaire
from surveys.models.study import Study

MOST_PLACES = 9  # of one HIT: from 10 on the fee doubles
DAY = 86_400  # seconds


class Batch(models.Model):
    """Places of a study that are offered for pay at one provider, and how much may be spent.

    Nothing that commits money is done but under a batch that is armed: by a named person who
    typed the total, up to a ceiling, until an end. Only `paying` changes those fields.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="batches")
    number = models.PositiveIntegerField(help_text="within the study, from 1")
    entrance = models.ForeignKey(Entrance, models.PROTECT, related_name="batches")
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True, default="")
    requirements = models.JSONField(
        default=list, blank=True, help_text="of its people, as the provider writes them"
    )
    reward_cents = models.PositiveIntegerField()
    fee_cents = models.PositiveIntegerField(
        help_text="the provider's, for each place, rounded up when the batch was planned"
    )
    billed_fee_cents = models.PositiveIntegerField(
        help_text="the same as the provider bills it: rounded half up"
    )
    assignment_seconds = models.PositiveIntegerField(help_text="that one person may take")
    lifetime_seconds = models.PositiveIntegerField(
        default=7 * DAY, help_text="that it is offered to new people"
    )
    auto_approval_seconds = models.PositiveIntegerField(
        default=3 * DAY, help_text="after which people are paid if nobody decides"
    )
    ceiling_cents = models.PositiveIntegerField(null=True, blank=True)
    total_cents = models.PositiveIntegerField(
        null=True, blank=True, help_text="what it was to cost, as typed when it was armed"
    )
    armed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    armed_at = models.DateTimeField(null=True, blank=True)
    armed_until = models.DateTimeField(null=True, blank=True)
    stopped_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        verbose_name_plural = "batches"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "number"), name="one_batch_a_number"),
            models.CheckConstraint(
                condition=Q(reward_cents__gte=1, assignment_seconds__gte=1), name="batch_pays"
            ),
            models.CheckConstraint(
                condition=Q(
                    armed_by__isnull=True, armed_at__isnull=True, armed_until__isnull=True,
                    ceiling_cents__isnull=True, total_cents__isnull=True,
                )
                | Q(
                    armed_by__isnull=False, armed_at__isnull=False, armed_until__isnull=False,
                    ceiling_cents__isnull=False, total_cents__isnull=False,
                    armed_until__gt=F("armed_at"), ceiling_cents__gte=F("total_cents"),
                ),
                name="armed_by_somebody_with_a_ceiling",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"batch {self.number} of {self.study}"

    @property
    def provider(self) -> Provider:
        """The target: at which everything of this batch is asked and paid."""
        return Provider(self.entrance.provider)

    @property
    def cents_a_place(self) -> int:
        """What one place costs, the fee included."""
        return self.reward_cents + self.fee_cents

    def is_armed(self, now: datetime) -> bool:
        """Whether money may be committed under it; once stopped, for what is owed alone."""
        return self.armed_until is not None and now < self.armed_until


class HitState(models.TextChoices):
    """How far the offer of some places has come."""

    PLANNED = "planned"
    CREATING = "creating", "creating: asked for, and not yet answered"
    LIVE = "live"
    CLOSING = "closing", "closing: takes nobody new, and some may still hand in"
    CLOSED = "closed"
    UNKNOWN = "unknown", "unknown: whether it was created must be looked up"

    @classmethod
    def committed(cls) -> "tuple[HitState, ...]":
        """Those in which the provider may owe, or have paid, for its places."""
        return (cls.CREATING, cls.LIVE, cls.CLOSING, cls.CLOSED, cls.UNKNOWN)

    @classmethod
    def reachable(cls) -> "tuple[HitState, ...]":
        """Those in which somebody may arrive: perhaps before we know that it was created."""
        return (cls.CREATING, cls.LIVE, cls.CLOSING, cls.UNKNOWN)


class HitQuerySet(models.QuerySet["Hit"]):
    def of_target(self, provider: str) -> Self:
        return self.filter(provider=provider)

    def not_closed(self) -> Self:
        """Those whose places are reserved."""
        return self.exclude(state=HitState.CLOSED)

    def with_batch(self) -> Self:
        return self.select_related(
            "batch__study", "batch__entrance", "questionnaire__block", "compensates__worker"
        )


class Hit(models.Model):
    """Up to nine places of one questionnaire, offered together as one HIT.

    The places themselves (`places`) are reserved from when it is planned until it is closed; one
    that compensates for work has none: who did the work holds theirs.
    """

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="hits")
    questionnaire = models.ForeignKey(Questionnaire, models.PROTECT, related_name="hits")
    provider = models.CharField(max_length=10, choices=Provider, help_text="the target; set once")
    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    n_places = models.PositiveSmallIntegerField()
    n_released = models.PositiveSmallIntegerField(
        default=0, help_text="of them, those for which nothing is owed since it was closed"
    )
    attempt = models.PositiveSmallIntegerField(default=1)
    token = models.CharField(max_length=64, unique=True, help_text="of the request, once only")
    first_attempt_at = models.DateTimeField(
        null=True, blank=True, help_text="from when on the provider remembers the token for a day"
    )
    hit_id = models.CharField(max_length=64, blank=True, default="")
    hit_type_id = models.CharField(max_length=64, blank=True, default="")
    state = models.CharField(max_length=8, choices=HitState, default=HitState.PLANNED)
    error = models.CharField(max_length=500, blank=True, default="")
    compensates = models.ForeignKey(
        Visit, models.PROTECT, null=True, blank=True, related_name="compensations",
        help_text="whose finished work it pays, instead of offering places to anybody",
    )  # fmt: skip
    expires_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = HitQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("provider", "hit_id"), condition=~Q(hit_id=""), name="one_row_a_hit"
            ),
            models.CheckConstraint(
                condition=Q(n_places__gte=1, n_places__lte=MOST_PLACES)
                & Q(n_released__lte=F("n_places")),
                name="hit_has_up_to_nine_places",
            ),
            models.CheckConstraint(
                condition=Q(state=HitState.CLOSED) | Q(n_released=0),
                name="places_are_released_by_closing",
            ),
            models.CheckConstraint(
                condition=Q(state__in=(HitState.PLANNED, HitState.CLOSED))
                | Q(first_attempt_at__isnull=False),
                name="asked_for_at_an_instant",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=(HitState.LIVE, HitState.CLOSING)) | ~Q(hit_id=""),
                name="live_has_an_id",
            ),
            models.CheckConstraint(
                condition=Q(compensates__isnull=True) | Q(n_places=1),
                name="compensation_is_for_one",
            ),
            models.UniqueConstraint(
                fields=("compensates",),
                condition=~Q(state=HitState.CLOSED),
                name="one_compensation_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"HIT {self.pk} for {self.questionnaire}"

    @staticmethod
    def make_token(key: uuid.UUID, attempt: int) -> str:
        """What makes a request to create it one request, however often it is sent."""
        return hashlib.sha256(f"{key}:{attempt}".encode()).hexdigest()
