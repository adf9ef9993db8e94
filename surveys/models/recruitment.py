from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from surveys.models.jobs import UNDER_WAY, Job, JobState
from surveys.models.participation import Annotator, Assignment, make_token
from surveys.models.study import Study, StudyText, TextKind


class Provider(models.TextChoices):
    """The channel through which annotators arrive; also the target of requests and payments.

    Each MTurk target has its own ids, which never coincide with those of another.
    """

    LINK = "link", "open link"
    PROLIFIC = "prolific", "Prolific"
    SIMULATOR = "simulator", "MTurk simulator"
    SANDBOX = "sandbox", "MTurk sandbox"
    PRODUCTION = "production", "MTurk"


class Entrance(models.Model):
    """A link that many annotators may use: the open link of a study, or its Prolific address."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="entrances")
    provider = models.CharField(max_length=10, choices=Provider, default=Provider.LINK)
    token = models.CharField(max_length=22, unique=True, default=make_token)
    cap = models.PositiveIntegerField(
        null=True, blank=True, help_text="how many may start here; empty for no separate limit"
    )
    n_arrived = models.PositiveIntegerField(default=0, help_text="annotators who started here")
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
    """A start through an entrance within the last hour, by keyed digest of the network address.

    Used by the arrival limits only, linked to no annotator, and deleted after the hour.
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
        """Annotate with `latest_state`, the state of the annotator's last assignment, or None."""
        latest = Assignment.objects.filter(annotator=models.OuterRef("annotator")).order_by("-pk")
        return self.annotate(latest_state=models.Subquery(latest.values("state")[:1]))

    def by_people(self, study: Study) -> Self:
        """Return a study's invitations of people, without invitations of a rehearsal."""
        return self.filter(study=study, is_rehearsal=False)

    def personal(self, study: Study) -> Self:
        """Return invitations created for one person each, not by an entrance."""
        return self.by_people(study).filter(entrance__isnull=True)

    def with_link_state(self) -> Self:
        """Annotate with `link_state`: revoked, unused, or the state of the last assignment."""
        states = models.Case(
            models.When(revoked_at__isnull=False, then=models.Value(REVOKED)),
            models.When(annotator__isnull=True, then=models.Value(UNUSED)),
            default=models.F("latest_state"),
            output_field=models.CharField(),
        )
        return self.with_latest_state().annotate(link_state=states)

    def noted(self, text: str, *, sees_addresses: bool) -> Self:
        """Return invitations with a text in their note; addresses if they may be seen."""
        matches = self.filter(note__icontains=text)
        if sees_addresses:
            return matches
        is_id = Q(note__iregex=PROVIDER_ID) | Q(note__regex=WORKER_ID)
        return matches.exclude(Q(note__contains="@") | is_id)


class Invitation(models.Model):
    """A personal link. Starting from it creates an annotator; returning resumes the assignment.

    Annotators who come through an entrance get one when they start, too.
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
        max_length=200, blank=True, default="", help_text="its recipient: a label or an address"
    )
    note_digest = models.CharField(
        max_length=64, blank=True, default="", help_text="in place of a note that was dropped"
    )
    is_rehearsal = models.BooleanField(default=False, help_text="used by a scripted annotator")
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_because = models.CharField(max_length=200, blank=True, default="")
    no_mail_since = models.DateTimeField(
        null=True, blank=True, help_text="when its recipient asked for no more e-mail"
    )
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


class MailDeliveryQuerySet(models.QuerySet["MailDelivery"]):
    def failed(self) -> Self:
        """Return the e-mails that are no longer tried, and surely did not arrive."""
        over = self.filter(sent_at=None).exclude(error="")
        return over.exclude(job__state__in=UNDER_WAY)


class MailDelivery(models.Model):
    """An e-mail to the recipient of a personal link: queued, sent, or failed with the reason.

    An address gets at most one of a kind in a study. The address itself is in the link's note.
    While the e-mail waits, a job is to send it.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="mails", db_index=False)
    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="mails")
    text = models.ForeignKey(StudyText, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=12, choices=TextKind)
    address_digest = models.CharField(max_length=64, help_text="keyed, of the address")
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    attempted_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=200, blank=True, default="")
    job = models.OneToOneField(Job, models.SET_NULL, null=True, blank=True, related_name="mail")

    objects = MailDeliveryQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        verbose_name_plural = "mail deliveries"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("study", "kind", "address_digest"), name="one_mail_of_a_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} by {self.invitation}"

    @property
    def changed_at(self) -> datetime:
        """When it was sent, last attempted, or queued."""
        return self.sent_at or self.attempted_at or self.created_at

    @property
    def state(self) -> str:
        """Whether it is sent, waiting, being sent, failed, or interrupted."""
        if self.sent_at:
            return "sent"
        if self.job and self.job.is_under_way:
            return "waiting" if self.job.state == JobState.WAITING else "being sent"
        return "failed" if self.error else "interrupted"


class Worker(models.Model):
    """The identity of an annotator at a provider; no other table stores a provider's id.

    After the id is dropped, a keyed digest for one study is stored instead: a returning worker is
    recognised, and nobody can be found by it.
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
    """The state of a submission as the provider reports it; empty if it reports none."""

    RESERVED = "reserved"
    ACTIVE = "active"
    SUBMITTED = "submitted", "submitted, to be paid or rejected"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"
    TIMED_OUT = "timed out"
    SCREENED_OUT = "screened out"


class ReconciliationResult(models.TextChoices):
    """What to do about a visit after reconciliation with the provider; empty: nothing yet."""

    PAYABLE = "payable"
    HELD = "held", "held: a person decides"
    SETTLED = "settled", "settled: paid, or rejected by a person"
    UNPAID = "unpaid", "unpaid work: finished, and not to be paid the usual way"
    EXPIRED = "expired", "expired: its place is open again"


class VisitQuerySet(models.QuerySet["Visit"]):
    def current(self) -> Self:
        """Return visits whose place was not taken over; all others are never handed in."""
        return self.filter(returned_at__isnull=True)

    def on_submission(self, entrance: Entrance, submission: str) -> Self:
        """Return all visits on one submission of a provider, which may reuse its ids."""
        return self.filter(entrance=entrance, submission=submission)


class Visit(models.Model):
    """An arrival from a provider, with the provider's ids, and the resulting assignment.

    For MTurk `provider_study` is the id of the HIT, `submission` that of MTurk's own assignment.
    """

    # no index: that of the constraint begins with this column
    entrance = models.ForeignKey(Entrance, models.PROTECT, related_name="visits", db_index=False)
    reservation = models.ForeignKey(
        "surveys.Reservation", models.PROTECT, null=True, blank=True, related_name="visits"
    )
    provider_study = models.CharField(max_length=64)
    submission = models.CharField(max_length=64)
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="visits")
    assignment = models.ForeignKey(
        Assignment, models.PROTECT, null=True, blank=True, related_name="visits",
        help_text="empty for work submitted at the provider without an arrival here",
    )  # fmt: skip
    completion_code = models.CharField(max_length=40, blank=True, default="")
    arrived_at = models.DateTimeField(auto_now_add=True)
    deadline_at = models.DateTimeField(
        null=True, blank=True, help_text="deadline for handing in at the provider"
    )
    returned_at = models.DateTimeField(
        null=True, blank=True, help_text="when another worker was found to have taken the place"
    )
    provider_state = models.CharField(
        max_length=12, choices=ProviderState, blank=True, default="", help_text="last known"
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    handed_in_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True, help_text="approved or rejected")
    standing = models.CharField(max_length=8, choices=ReconciliationResult, blank=True, default="")
    has_wrong_code = models.BooleanField(
        default=False, help_text="handed in with a wrong code or none"
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
