import secrets
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q, Sum

from surveys.models.batches import Batch
from surveys.models.recruitment import Provider, Visit


def make_payment_token() -> str:
    return secrets.token_hex(32)


class PaymentKind(models.TextChoices):
    """What is paid for."""

    REWARD = "reward"
    BONUS = "bonus"
    COMPENSATION = "compensation", "compensation: finished work that no reward can reach"


class PaymentState(models.TextChoices):
    """How far a payment has come. Each state is stored before what it allows is done."""

    INTENDED = "intended"
    SENDING = "sending", "sending: perhaps paid"
    PAID = "paid"
    OUTSIDE = "outside", "paid outside: by the provider itself, or by hand"
    REFUSED = "refused"
    UNKNOWN = "unknown", "unknown: whether it was paid must be looked up"

    @classmethod
    def settled(cls) -> "tuple[PaymentState, ...]":
        """Those in which the person has the money."""
        return (cls.PAID, cls.OUTSIDE)

    @classmethod
    def sent(cls) -> "tuple[PaymentState, ...]":
        """Those in which the provider may know of it from us."""
        return (cls.SENDING, cls.PAID, cls.UNKNOWN)

    @classmethod
    def spent(cls) -> "tuple[PaymentState, ...]":
        """Those that count against the ceiling of their batch."""
        return (cls.INTENDED, cls.SENDING, cls.PAID, cls.OUTSIDE, cls.UNKNOWN)


class PaymentQuerySet(models.QuerySet["Payment"]):
    def rewards(self) -> Self:
        return self.filter(kind=PaymentKind.REWARD)

    def spent(self) -> Self:
        return self.filter(state__in=PaymentState.spent())

    def settled(self) -> Self:
        return self.filter(state__in=PaymentState.settled())

    def total_cents(self) -> int:
        """The sum of amounts and fees."""
        found = self.aggregate(total=Sum(F("amount_cents") + F("fee_cents")))
        return found["total"] or 0


class Payment(models.Model):
    """A line of the ledger: what is to be paid, or was, for one visit. Only `paying` changes it."""

    # without one, only what was paid outside
    batch = models.ForeignKey(Batch, models.PROTECT, null=True, blank=True, related_name="payments")
    visit = models.ForeignKey(Visit, models.PROTECT, related_name="payments")
    provider = models.CharField(max_length=10, choices=Provider, help_text="the target; set once")
    submission = models.CharField(max_length=64, help_text="that of the visit")
    kind = models.CharField(max_length=12, choices=PaymentKind)
    grant_key = models.CharField(
        max_length=64, unique=True, help_text="what it is for: never granted twice"
    )
    amount_cents = models.PositiveIntegerField()
    fee_cents = models.PositiveIntegerField(default=0)
    token = models.CharField(max_length=64, unique=True, default=make_payment_token)
    state = models.CharField(max_length=8, choices=PaymentState, default=PaymentState.INTENDED)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+",
        help_text="who decided it; empty for what is owed anyway",
    )  # fmt: skip
    reason = models.CharField(max_length=200, blank=True, default="")
    error = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(
        null=True, blank=True, help_text="when it was sent first; its token is known for a day"
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
