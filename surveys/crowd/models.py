import hashlib
import secrets
import uuid
from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q, Sum

from surveys.models.quota import Reservation
from surveys.models.recruitment import Entrance, Provider, Visit, Worker
from surveys.models.stimuli import Block
from surveys.models.study import Study

MOST_PLACES = 9  # of one HIT: from 10 on the fee doubles
HIGHEST_REWARD_CENTS = 2000  # of one HIT: more is taken for a typing error
DAY = 86_400  # seconds


class Batch(models.Model):
    """Places of a study offered for pay at one provider, with a spending limit.

    Money is committed only under an approved ("armed") batch: a named user typed the total, up to a
    ceiling, until an end. Only `crowd.budget` changes those fields.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="batches")
    number = models.PositiveIntegerField(help_text="within the study, from 1")
    entrance = models.ForeignKey(Entrance, models.PROTECT, related_name="batches")
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True, default="")
    requirements = models.JSONField(
        default=list, blank=True, help_text="of workers, in the provider's format"
    )
    reward_cents = models.PositiveIntegerField()
    fee_cents = models.PositiveIntegerField(
        help_text="the provider's fee for each place, rounded up, as planned"
    )
    billed_fee_cents = models.PositiveIntegerField(
        help_text="the fee as the provider bills it: rounded half up"
    )
    assignment_seconds = models.PositiveIntegerField(help_text="allowed for one assignment")
    lifetime_seconds = models.PositiveIntegerField(
        default=7 * DAY, help_text="how long it is offered to new workers"
    )
    auto_approval_seconds = models.PositiveIntegerField(
        default=3 * DAY, help_text="after which workers are paid without a decision"
    )
    ceiling_cents = models.PositiveIntegerField(null=True, blank=True)
    total_cents = models.PositiveIntegerField(
        null=True, blank=True, help_text="the planned cost, as typed when it was armed"
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
        """The provider that receives every request and payment of this batch."""
        return Provider(self.entrance.provider)

    @property
    def cents_a_place(self) -> int:
        """The cost of one place in cents, including the fee."""
        return self.reward_cents + self.fee_cents

    def is_armed(self, now: datetime) -> bool:
        """Whether money may be committed; after a stop, only for amounts that are owed."""
        return self.armed_until is not None and now < self.armed_until


class HitState(models.TextChoices):
    """The state of a HIT."""

    PLANNED = "planned"
    CREATING = "creating", "creating: asked for, and not yet answered"
    LIVE = "live"
    CLOSING = "closing", "closing: takes nobody new, and some may still hand in"
    CLOSED = "closed"
    UNKNOWN = "unknown", "unknown: whether it was created must be looked up"

    @classmethod
    def committed(cls) -> "tuple[HitState, ...]":
        """Return the states in which the provider may owe, or have paid, for the places."""
        return (cls.CREATING, cls.LIVE, cls.CLOSING, cls.CLOSED, cls.UNKNOWN)

    @classmethod
    def reachable(cls) -> "tuple[HitState, ...]":
        """Return the states in which workers may arrive, perhaps before we know that it exists."""
        return (cls.CREATING, cls.LIVE, cls.CLOSING, cls.UNKNOWN)


class HitQuerySet(models.QuerySet["Hit"]):
    def of_target(self, provider: str) -> Self:
        return self.filter(provider=provider)

    def with_batch(self) -> Self:
        return self.select_related(
            "batch__study", "batch__entrance", "reservation__questionnaire__block",
            "compensates__worker",
        )  # fmt: skip


class Hit(models.Model):
    """Up to nine places of one questionnaire, offered together as one HIT.

    Its reservation lasts from planning until the HIT is closed. The reservation of a compensation
    HIT has no places: the place belongs to the assignment that it pays for.
    """

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="hits")
    reservation = models.OneToOneField(Reservation, models.PROTECT, related_name="hit")
    provider = models.CharField(max_length=10, choices=Provider, help_text="the target; set once")
    n_places = models.PositiveSmallIntegerField()
    n_released = models.PositiveSmallIntegerField(
        default=0, help_text="of them, places that cost nothing since it was closed"
    )
    attempt = models.PositiveSmallIntegerField(default=1)
    token = models.CharField(
        max_length=64, unique=True, help_text="idempotency token of the request"
    )
    first_attempt_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="when the token was first sent; the provider remembers it for a day",
    )
    hit_id = models.CharField(max_length=64, blank=True, default="")
    hit_type_id = models.CharField(max_length=64, blank=True, default="")
    state = models.CharField(max_length=8, choices=HitState, default=HitState.PLANNED)
    error = models.CharField(max_length=500, blank=True, default="")
    compensates = models.ForeignKey(
        Visit, models.PROTECT, null=True, blank=True, related_name="compensations",
        help_text="the visit whose work it pays; it offers no places",
    )  # fmt: skip
    expires_at = models.DateTimeField(null=True, blank=True)
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
        return f"HIT {self.pk} for {self.reservation.questionnaire}"

    @staticmethod
    def make_token(key: uuid.UUID, attempt: int) -> str:
        """Return a request token, which makes the creation of a HIT idempotent."""
        return hashlib.sha256(f"{key}:{attempt}".encode()).hexdigest()


def make_payment_token() -> str:
    return secrets.token_hex(32)


class BatchWork(models.TextChoices):
    """The kinds of background job that send requests to the provider of a batch."""

    PUBLISH = "publish", "publishing of a batch"
    FETCH = "fetch", "fetching of what was handed in"
    PAY = "pay", "payment of a batch"
    STOP = "stop", "end of a batch"


class PaymentKind(models.TextChoices):
    """The subject of a payment."""

    REWARD = "reward"
    BONUS = "bonus"
    COMPENSATION = "compensation", "compensation: finished work that no reward can reach"


class PaymentState(models.TextChoices):
    """The state of a payment. Each state is stored before the step that it permits is taken."""

    INTENDED = "intended"
    SENDING = "sending", "sending: perhaps paid"
    PAID = "paid"
    OUTSIDE = "outside", "paid outside: by the provider itself, or by hand"
    REFUSED = "refused"
    UNKNOWN = "unknown", "unknown: whether it was paid must be looked up"

    @classmethod
    def settled(cls) -> "tuple[PaymentState, ...]":
        """Return the states in which the worker has the money."""
        return (cls.PAID, cls.OUTSIDE)

    @classmethod
    def sent(cls) -> "tuple[PaymentState, ...]":
        """Return the states in which the provider may have received the payment request."""
        return (cls.SENDING, cls.PAID, cls.UNKNOWN)

    @classmethod
    def spent(cls) -> "tuple[PaymentState, ...]":
        """Return the states that count against the ceiling of a batch."""
        return (cls.INTENDED, cls.SENDING, cls.PAID, cls.OUTSIDE, cls.UNKNOWN)


class PaymentQuerySet(models.QuerySet["Payment"]):
    def rewards(self) -> Self:
        return self.filter(kind=PaymentKind.REWARD)

    def spent(self) -> Self:
        return self.filter(state__in=PaymentState.spent())

    def settled(self) -> Self:
        return self.filter(state__in=PaymentState.settled())

    def total_cents(self) -> int:
        """Return the sum of amounts and fees."""
        sums = self.aggregate(total=Sum(F("amount_cents") + F("fee_cents")))
        return sums["total"] or 0


class Payment(models.Model):
    """A line of the payment ledger: one amount, due or paid, for one visit.

    Only `crowd` changes it.
    """

    # without one, only what was paid outside
    batch = models.ForeignKey(Batch, models.PROTECT, null=True, blank=True, related_name="payments")
    visit = models.ForeignKey(Visit, models.PROTECT, related_name="payments")
    provider = models.CharField(max_length=10, choices=Provider, help_text="the target; set once")
    submission = models.CharField(max_length=64, help_text="the visit's submission")
    kind = models.CharField(max_length=12, choices=PaymentKind)
    grant_key = models.CharField(
        max_length=64, unique=True, help_text="the grant's purpose; never granted twice"
    )
    amount_cents = models.PositiveIntegerField()
    fee_cents = models.PositiveIntegerField(default=0)
    token = models.CharField(max_length=64, unique=True, default=make_payment_token)
    state = models.CharField(max_length=8, choices=PaymentState, default=PaymentState.INTENDED)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+",
        help_text="who decided it; empty for a reward that is owed",
    )  # fmt: skip
    reason = models.CharField(max_length=200, blank=True, default="")
    error = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="when it was first sent; the provider remembers its token for a day",
    )
    settled_at = models.DateTimeField(null=True, blank=True)

    objects = PaymentQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("provider", "submission"),
                condition=Q(kind=PaymentKind.REWARD),
                name="one_reward_a_submission",
            ),
            models.CheckConstraint(
                condition=Q(batch__isnull=False) | Q(state=PaymentState.OUTSIDE),
                name="paid_under_a_batch",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=PaymentState.sent()) | Q(sent_at__isnull=False),
                name="sent_at_an_instant",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=PaymentState.settled()) | Q(settled_at__isnull=False),
                name="settled_at_an_instant",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} for {self.visit}"


class Qualification(models.Model):
    """A qualification at the provider, given to workers for a finished block or for good work."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="qualifications")
    provider = models.CharField(max_length=10, choices=Provider, help_text="the target; set once")
    block = models.ForeignKey(
        Block, models.PROTECT, null=True, blank=True, related_name="qualifications",
        help_text="prevents its workers from doing the block again; empty for a private task",
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
    """A qualification given to a worker, with its instant, author and reason."""

    qualification = models.ForeignKey(Qualification, models.PROTECT, related_name="grants")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="grants")
    amount = models.PositiveIntegerField(default=1, help_text="its value at the provider")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+",
        help_text="empty if a visit led to it",
    )  # fmt: skip
    reason = models.CharField(max_length=200)
    granted_at = models.DateTimeField(auto_now_add=True)
    told_at = models.DateTimeField(
        null=True, blank=True, help_text="when the provider confirmed it"
    )
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
