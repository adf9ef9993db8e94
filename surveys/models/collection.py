import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar, Self

from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from surveys.models.stimuli import Context, Item, Pair, Questionnaire
from surveys.models.study import Study

if TYPE_CHECKING:
    from surveys.models.recruitment import Invitation


def make_annotator_code() -> str:
    return secrets.token_hex(8)


def make_token() -> str:
    """What makes a link unguessable: 128 random bits in 22 URL-safe characters."""
    return secrets.token_urlsafe(16)


class Annotator(models.Model):
    """A person, known by a random code alone."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="annotators")
    code = models.CharField(max_length=16, unique=True, default=make_annotator_code)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.code


class AssignmentState(models.TextChoices):
    """Where an assignment stands."""

    STARTED = "started"
    SUBMITTED = "submitted"
    EXPIRED = "expired"

    @classmethod
    def live(cls) -> "tuple[AssignmentState, ...]":
        """Those in which an assignment holds a place in its questionnaire's quota."""
        return (cls.STARTED, cls.SUBMITTED)


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def started_from(self, invitation: "Invitation") -> "Assignment | None":
        """The assignment that began with a personal link, if it was used."""
        return self.filter(annotator__invitation=invitation).first()

    def for_study(self, study: Study) -> Self:
        return self.filter(questionnaire__block__study=study)

    def submitted(self) -> Self:
        return self.filter(state=AssignmentState.SUBMITTED)

    def live(self) -> Self:
        """Those that hold a place in their questionnaire's quota."""
        return self.filter(state__in=AssignmentState.live(), is_over_quota=False)

    def lapsed(self, study: Study, now: datetime) -> Self:
        """Started ones of a study without an answer for longer than its lease."""
        cutoff = now - timedelta(hours=study.lease_hours)
        is_recent = Q(responses__engaged_at__gte=cutoff) | Q(responses__rated_at__gte=cutoff)
        started = self.for_study(study).filter(state=AssignmentState.STARTED)
        return started.filter(started_at__lt=cutoff).exclude(is_recent)

    def scripted(self) -> Self:
        """Those done by a rehearsal's annotators, not by people."""
        return self.filter(annotator__invitation__is_rehearsal=True)

    def by_people(self) -> Self:
        return self.filter(annotator__invitation__is_rehearsal=False)

    def with_study(self) -> Self:
        return self.select_related("questionnaire__block__study")


class Assignment(models.Model):
    """One annotator doing one questionnaire. Only `assigning` moves its `state`."""

    questionnaire = models.ForeignKey(Questionnaire, models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="assignments")
    token = models.CharField(max_length=22, unique=True, default=make_token)
    state = models.CharField(
        max_length=10, choices=AssignmentState, default=AssignmentState.STARTED
    )
    reason = models.CharField(
        max_length=200, blank=True, default="", help_text="why this questionnaire"
    )
    seed = models.BigIntegerField(default=0, help_text="of the order of the items")
    is_over_quota = models.BooleanField(
        default=False, help_text="taken up again when its place had been given away"
    )
    started_at = models.DateTimeField(auto_now_add=True)
    submitted_at = models.DateTimeField(null=True, blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("questionnaire", "annotator"), name="sitting_once"),
            models.CheckConstraint(
                condition=Q(state=AssignmentState.SUBMITTED, submitted_at__isnull=False)
                | (~Q(state=AssignmentState.SUBMITTED) & Q(submitted_at__isnull=True)),
                name="submitted_has_an_instant",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.questionnaire} by {self.annotator}"


class ResponseQuerySet(models.QuerySet["Response"]):
    def unrated(self) -> Self:
        return self.filter(rating__isnull=True)

    def rated(self) -> Self:
        return self.filter(rating__isnull=False)

    def for_study(self, study: Study) -> Self:
        return self.filter(assignment__questionnaire__block__study=study)

    def due(self, token: str) -> "Response | None":
        """The first response still to be rated in the assignment behind a link; None at its end."""
        return self.filter(assignment__token=token).unrated().with_page().first()

    def with_page(self) -> Self:
        """Everything that an annotator's page shows, in the same query."""
        n_items = (
            Response.objects.filter(assignment=OuterRef("assignment"))
            .order_by()
            .values("assignment")
            .annotate(n=models.Count("*"))
            .values("n")
        )
        return self.select_related("context", "assignment__questionnaire__block__study").annotate(
            n_items=Coalesce(Subquery(n_items), 0)
        )


class Response(models.Model):
    """The answer to one context in one assignment: two inspired words, then a rating.

    It is laid out empty when the assignment starts, so that the database itself refuses a second
    context of a pair to the same annotator. Only `answering` fills it, once.
    """

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="responses")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="responses")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="responses")
    context = models.ForeignKey(Context, models.PROTECT, related_name="responses")
    position = models.PositiveIntegerField(help_text="from 1")
    inspired_word1 = models.CharField(max_length=60, blank=True)
    inspired_word2 = models.CharField(max_length=60, blank=True)
    engaged_at = models.DateTimeField(null=True, blank=True)
    rating = models.SmallIntegerField(null=True, blank=True)
    rated_at = models.DateTimeField(null=True, blank=True)

    n_items: int
    objects = ResponseQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["assignment", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("annotator", "pair"), name="one_context_per_pair_per_annotator"
            ),
            models.UniqueConstraint(fields=("assignment", "position"), name="one_item_a_place"),
            models.CheckConstraint(
                condition=Q(engaged_at__isnull=True, inspired_word1="", inspired_word2="")
                | (Q(engaged_at__isnull=False) & ~Q(inspired_word1="") & ~Q(inspired_word2="")),
                name="engaged_has_two_words",
            ),
            models.CheckConstraint(
                condition=Q(rating__isnull=True, rated_at__isnull=True)
                | Q(rating__isnull=False, rated_at__isnull=False, engaged_at__isnull=False),
                name="rated_after_engaged",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment}, item {self.position}"

    @classmethod
    def laid_out(cls, assignment: Assignment, item: Item, position: int) -> Self:
        """The empty answer to an item; its annotator and pair follow from assignment and item."""
        return cls(
            assignment=assignment,
            annotator_id=assignment.annotator_id,
            pair_id=item.context.pair_id,
            context=item.context,
            position=position,
        )

    @property
    def study(self) -> Study:
        return self.assignment.questionnaire.block.study

    @property
    def n_pages_done(self) -> int:
        """Pages of the assignment that lie behind whoever is due at this response, two an item."""
        return 2 * (self.position - 1) + (self.engaged_at is not None)

    @property
    def n_pages(self) -> int:
        """Pages of the whole assignment. Only after `with_page`."""
        return 2 * self.n_items
