"""What is asked about ratings once every place is finished: second looks and adjudications."""

from decimal import Decimal
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from surveys.models.participation import LONGEST_COMMENT, LONGEST_WRITTEN, Response
from surveys.models.review import LONGEST_REASON
from surveys.models.stimuli import Context
from surveys.models.study import Study


class SecondLook(models.Model):
    """The annotators of a study look once more at ratings far from the others'."""

    study = models.OneToOneField(Study, models.PROTECT, related_name="second_look")
    above = models.DecimalField(
        max_digits=5, decimal_places=2,
        help_text="difference to the others' mean beyond which a rating is shown again",
    )  # fmt: skip
    ratings_digest = models.CharField(max_length=64, help_text="SHA-256 of the ratings compared")
    opened_at = models.DateTimeField(auto_now_add=True)
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, closed_by__isnull=True)
                | Q(closed_at__isnull=False, closed_by__isnull=False),
                name="second_look_is_closed_by_a_person",
            ),
        ]

    def __str__(self) -> str:
        return f"second look of {self.study}"


class SecondAnswerQuerySet(models.QuerySet["SecondAnswer"]):
    def of_study(self, study: Study) -> Self:
        """Return a study's, without those of annotators who withdrew."""
        return self.filter(response__annotator__study=study, response__annotator__withdrawn_at=None)

    def due(self) -> Self:
        """Return those that are not answered, while their second look is open."""
        return self.filter(
            answered_at=None, response__annotator__study__second_look__closed_at=None
        )

    def with_items(self) -> Self:
        """Select the items, in the order in which their annotators saw them."""
        items = ("response__context", "response__pair", "response__annotator__study")
        return self.select_related(*items).order_by("response__assignment", "response__position")


class SecondAnswer(models.Model):
    """A rating that is shown once more, and what its annotator then says; no answer keeps it."""

    response = models.OneToOneField(Response, models.PROTECT, related_name="second_answer")
    others_sum = models.DecimalField(max_digits=9, decimal_places=2, help_text="of their ratings")
    n_others = models.PositiveIntegerField(help_text="ratings by others, at least 2")
    shown_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    rating = models.DecimalField(max_digits=5, decimal_places=2, null=True, blank=True)
    is_unjudgeable = models.BooleanField(default=False, help_text="the annotator cannot judge")
    comment = models.CharField(max_length=LONGEST_COMMENT, blank=True, default="")

    objects = SecondAnswerQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(answered_at__isnull=True, rating__isnull=True, is_unjudgeable=False)
                | Q(answered_at__isnull=False, rating__isnull=False, is_unjudgeable=False)
                | Q(answered_at__isnull=False, rating__isnull=True, is_unjudgeable=True),
                name="second_answer_has_an_instant",
            ),
            models.CheckConstraint(
                condition=Q(is_unjudgeable=True) | Q(comment=""),
                name="second_comment_says_why_not",
            ),
            models.CheckConstraint(condition=Q(n_others__gte=2), name="two_others_disagree"),
        ]

    def __str__(self) -> str:
        return f"second look at {self.response}"

    @property
    def decision(self) -> str:
        """Return what the annotator did: kept or changed the rating, or gave no answer."""
        if self.answered_at is None:
            return "no answer"
        return "kept" if self.rating == self.response.rating else "changed"


class AdjudicationQuerySet(models.QuerySet["Adjudication"]):
    def standing(self, study: Study) -> Self:
        """Return a study's adjudications that no later one replaced."""
        return self.filter(context__pair__study=study, is_standing=True)


class Adjudication(models.Model):
    """A person's decision on an item without a majority: an annotator's answer, or another.

    Decisions are only added; a later one on the same item takes the place of the earlier.
    """

    context = models.ForeignKey(
        Context, models.PROTECT, related_name="adjudications", db_index=False
    )
    response = models.ForeignKey(
        Response, models.PROTECT, null=True, blank=True, related_name="adjudications",
        help_text="the answer that was taken; empty for another answer",
    )  # fmt: skip
    rating = models.DecimalField(max_digits=5, decimal_places=2, null=True, blank=True)
    written1 = models.CharField(max_length=LONGEST_WRITTEN, blank=True, default="")
    written2 = models.CharField(max_length=LONGEST_WRITTEN, blank=True, default="")
    reason = models.CharField(max_length=LONGEST_REASON)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    is_standing = models.BooleanField(default=True)

    objects = AdjudicationQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("context",),
                condition=Q(is_standing=True),
                name="one_standing_adjudication",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="adjudicated_for_a_reason"),
            models.CheckConstraint(
                condition=Q(response__isnull=False, rating__isnull=True, written1="", written2="")
                | Q(response__isnull=True, rating__isnull=False, written1="", written2="")
                | Q(response__isnull=True, rating__isnull=True) & ~Q(written1="") & ~Q(written2=""),
                name="adjudicated_by_one_answer",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=("context",), name="adjudications_of_a_context")]

    def __str__(self) -> str:
        return f"decision on {self.context}"

    @property
    def given(self) -> "Response | Adjudication | None":
        """What has the answer: the response that was taken, or else the decision itself.

        None if the annotator has withdrawn that response.
        """
        if self.response and self.response.annotator.withdrawn_at:
            return None
        return self.response or self

    @property
    def answer(self) -> Decimal | tuple[str, str]:
        """The other answer, if no annotator's was taken: a rating or two translations."""
        return (self.written1, self.written2) if self.rating is None else self.rating
