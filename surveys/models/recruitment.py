from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from surveys.models.collection import Annotator, Assignment, make_token
from surveys.models.study import Study


class Provider(models.TextChoices):
    """Who sends people through an entrance: the target of whatever is asked of it or paid there.

    Each target has ids of its own, which never meet those of another.
    """

    LINK = "link", "nobody: a link that is passed on"
    PROLIFIC = "prolific", "Prolific"
    SIMULATOR = "simulator", "MTurk simulator"
    SANDBOX = "sandbox", "MTurk sandbox"
    PRODUCTION = "production", "MTurk"


class Entrance(models.Model):
    """An address by which many may come: the open link of a study, or its place on Prolific."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="entrances")
    provider = models.CharField(max_length=10, choices=Provider, default=Provider.LINK)
    token = models.CharField(max_length=22, unique=True, default=make_token)
    cap = models.PositiveIntegerField(
        null=True, blank=True, help_text="how many may start here; empty for no limit of its own"
    )
    n_arrived = models.PositiveIntegerField(default=0, help_text="who have started here")
    completion_code = models.CharField(max_length=40, blank=True, default="")
    no_place_code = models.CharField(
        max_length=40, blank=True, default="", help_text="when no place is left, or screened out"
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "provider"), name="one_entrance_a_provider"),
        ]

    def __str__(self) -> str:
        return f"{self.get_provider_display()} to {self.study}"


class Arrival(models.Model):
    """A start through an entrance within the last hour, by a keyed digest of its network address.

    For the brakes on entrances alone, and tied to nobody; deleted when the hour is over.
    """

    entrance = models.ForeignKey(Entrance, models.CASCADE, related_name="arrivals", db_index=False)
    address_digest = models.CharField(max_length=64)
    arrived_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=("entrance", "arrived_at"), name="recent_arrivals"),
        ]

    def __str__(self) -> str:
        return f"arrival {self.pk} by {self.entrance}"


REVOKED, UNUSED = "revoked", "unused"
PROVIDER_ID = "[0-9a-f]{24}"  # as Prolific writes those of people and of their submissions
WORKER_ID = "A[0-9A-Z]{9,63}"  # as MTurk writes those of people


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def with_study(self) -> Self:
        return self.select_related("study", "annotator")

    def with_latest_state(self) -> Self:
        """Annotated with `latest_state`, that of its annotator's last assignment, or None."""
        latest = Assignment.objects.filter(annotator=models.OuterRef("annotator")).order_by("-pk")
        return self.annotate(latest_state=models.Subquery(latest.values("state")[:1]))

    def by_people(self, study: Study) -> Self:
        """Those of a study that are for people, not for a rehearsal."""
        return self.filter(study=study, is_rehearsal=False)

    def personal(self, study: Study) -> Self:
        """Those that were made for somebody, not those of who came through an entrance."""
        return self.by_people(study).filter(entrance__isnull=True)

    def with_whereabouts(self) -> Self:
        """Annotated with `whereabouts`: revoked, unused, or the state of the last assignment."""
        states = models.Case(
            models.When(revoked_at__isnull=False, then=models.Value(REVOKED)),
            models.When(annotator__isnull=True, then=models.Value(UNUSED)),
            default=models.F("latest_state"),
            output_field=models.CharField(),
        )
        return self.with_latest_state().annotate(whereabouts=states)

    def noted(self, text: str, *, sees_addresses: bool) -> Self:
        """Those whose note holds a text. Addresses are not found by who may not see them."""
        found = self.filter(note__icontains=text)
        if sees_addresses:
            return found
        is_id = Q(note__iregex=PROVIDER_ID) | Q(note__regex=WORKER_ID)
        return found.exclude(Q(note__contains="@") | is_id)


class Invitation(models.Model):
    """A personal link. Who starts from it becomes an annotator; who returns goes on.

    Whoever comes through an entrance gets one, too, when they start.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="invitations")
    token = models.CharField(max_length=22, unique=True, default=make_token)
    annotator = models.OneToOneField(
        Annotator, models.PROTECT, null=True, blank=True, related_name="invitation"
    )
    entrance = models.ForeignKey(
        Entrance, models.PROTECT, null=True, blank=True, related_name="invitations"
    )
    note = models.CharField(
        max_length=200, blank=True, default="", help_text="whom it is for: a label or an address"
    )
    note_digest = models.CharField(
        max_length=64, blank=True, default="", help_text="in place of a note that was dropped"
    )
    is_rehearsal = models.BooleanField(default=False, help_text="used by a scripted annotator")
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_because = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("study", "note"),
                condition=~Q(note="") & Q(revoked_at__isnull=True),
                name="one_invitation_a_note",
            ),
            models.UniqueConstraint(
                fields=("study", "note_digest"),
                condition=~Q(note_digest="") & Q(revoked_at__isnull=True),
                name="one_invitation_a_dropped_note",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.study}"


class Worker(models.Model):
    """Who somebody is at a provider. The only place where a provider's id of a person stands.

    Once dropped, a keyed digest stands in its place, of one study: whoever comes again is known,
    and nobody can be found by it.
    """

    provider = models.CharField(max_length=10, choices=Provider)
    worker_id = models.CharField(max_length=64)
    is_digest = models.BooleanField(default=False, help_text="the id was dropped")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("provider", "worker_id"), name="one_row_a_worker"),
        ]

    def __str__(self) -> str:
        return f"worker {self.pk}"


class ProviderState(models.TextChoices):
    """What a provider says about a submission; empty where it says nothing."""

    RESERVED = "reserved"
    ACTIVE = "active"
    SUBMITTED = "submitted", "submitted, to be paid or rejected"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"
    TIMED_OUT = "timed out"
    SCREENED_OUT = "screened out"


class Standing(models.TextChoices):
    """What is to be done about a visit, once the provider was asked; empty: nothing yet."""

    PAYABLE = "payable"
    HELD = "held", "held: a person decides"
    SETTLED = "settled", "settled: paid, or rejected by a person"
    UNPAID = "unpaid", "unpaid work: finished, and not to be paid the usual way"
    EXPIRED = "expired", "expired: its place is open again"


class VisitQuerySet(models.QuerySet["Visit"]):
    def current(self) -> Self:
        """Those that nobody else has taken over; the others are never handed in."""
        return self.filter(returned_at__isnull=True)

    def on_submission(self, entrance: Entrance, submission: str) -> Self:
        """Everybody who has come on one submission of a provider, which may use its ids again."""
        return self.filter(entrance=entrance, submission=submission)


class Visit(models.Model):
    """An arrival from a provider, as the provider names it, and what it led to.

    For MTurk `provider_study` is the id of the HIT, `submission` that of its own assignment.
    """

    # without an index of its own: that of the constraint begins with it
    entrance = models.ForeignKey(Entrance, models.PROTECT, related_name="visits", db_index=False)
    hit = models.ForeignKey(
        "surveys.Hit", models.PROTECT, null=True, blank=True, related_name="visits"
    )
    provider_study = models.CharField(max_length=64)
    submission = models.CharField(max_length=64)
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="visits")
    assignment = models.ForeignKey(
        Assignment, models.PROTECT, null=True, blank=True, related_name="visits",
        help_text="empty for who handed in at the provider and never came here",
    )  # fmt: skip
    completion_code = models.CharField(max_length=40, blank=True, default="")
    arrived_at = models.DateTimeField(auto_now_add=True)
    deadline_at = models.DateTimeField(
        null=True, blank=True, help_text="until when the provider takes what they hand in"
    )
    returned_at = models.DateTimeField(
        null=True, blank=True, help_text="when it was found that somebody else has their place"
    )
    provider_state = models.CharField(
        max_length=12, choices=ProviderState, blank=True, default="", help_text="last known"
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    handed_in_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True, help_text="approved or rejected")
    standing = models.CharField(max_length=8, choices=Standing, blank=True, default="")
    has_wrong_code = models.BooleanField(
        default=False, help_text="handed in with another code, or with none"
    )
    held_because = models.CharField(max_length=200, blank=True, default="")

    objects = VisitQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("entrance", "provider_study", "submission", "worker"), name="one_visit_each"
            ),
        ]

    def __str__(self) -> str:
        return f"visit {self.pk} by {self.entrance}"
