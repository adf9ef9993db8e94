from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from surveys.models.participation import Assignment, Response
from surveys.models.study import Study

if TYPE_CHECKING:
    from surveys.models.later_rounds import SecondAnswer

DRAWS = 10_000
LONGEST_REASON = 500
THIRD = 3  # the opinion that settles what two reviewers see differently

# Not `response__isnull=True`: SQLite would use the unique index of `response`, and read the reviews
# of all assignments, instead of an index that begins with what else is asked for.
IS_WHOLE = ~Q(response__isnull=False)
# The study of a claim or a verdict, as a sum: SQLite would begin with all reviews of the study.
OF_STUDY = F("review__study_id") + 0


class ReviewSettings(models.Model):
    """The review settings of a study. The row also serves as the lock of the review queue."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="review_settings")
    sample_percent = models.PositiveSmallIntegerField(
        "Answers without evidence that are judged, in per cent", default=100,
        validators=[MaxValueValidator(100)],
        help_text="Answers with evidence are always judged. With 20, a random fifth of the others "
        "is judged, too.",
    )  # fmt: skip
    double_percent = models.PositiveSmallIntegerField(
        "Answers judged by two reviewers, in per cent", default=0,
        validators=[MaxValueValidator(100)],
        help_text="Neither sees the other’s verdict; where they differ, a third reviewer decides.",
    )  # fmt: skip

    class Meta:
        verbose_name_plural = "review settings"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(sample_percent__lte=100, double_percent__lte=100),
                name="review_shares_are_percents",
            ),
        ]

    def __str__(self) -> str:
        return f"review of {self.study}"


class VerdictKind(models.TextChoices):
    """A reviewer's verdict on an answer, or on all answers of an assignment."""

    GOOD = "good", "good"
    UNUSED = "unused", "pay, exclude from data"
    REJECTED = "rejected", "reject"

    @classmethod
    def against(cls) -> "tuple[VerdictKind, ...]":
        """Return the verdicts that exclude ratings from the dataset."""
        return (cls.UNUSED, cls.REJECTED)


class ReviewState(models.TextChoices):
    """The states of a review."""

    OPEN = "open", "to be judged"
    NOT_DRAWN = "not drawn", "not in the sample"
    DISPUTED = "disputed", "judged differently by two reviewers"
    DECIDED = "decided", "judged"
    COVERED = "covered", "judged with its whole questionnaire"
    WITHDRAWN = "withdrawn", "withdrawn by the annotator"


class ReviewQuerySet(models.QuerySet["Review"]):
    def answers(self, study: Study) -> Self:
        """Return reviews of single answers."""
        return self.filter(study=study, response__isnull=False)

    def assignments(self, study: Study) -> Self:
        """Return reviews of whole assignments."""
        return self.filter(IS_WHOLE, study=study)

    def unwanted(self, study: Study) -> Self:
        """Return reviews whose ratings are excluded from the dataset."""
        return self.filter(study=study, outcome__in=VerdictKind.against())

    def judged_wholes(self) -> Self:
        """Return reviews of whole assignments, in all studies, that are decided."""
        return self.filter(IS_WHOLE, outcome__in=VerdictKind.values).order_by()

    def unwanted_wholes(self) -> QuerySet[Any]:
        """Return the ids of assignments, in all studies, whose ratings are all excluded."""
        wholes = self.filter(IS_WHOLE, outcome__in=VerdictKind.against())
        return wholes.order_by().values("assignment")

    def by_risk(self) -> Self:
        return self.order_by("-risk", "pk")

    def waiting_for(self, reviewer_id: int, now: datetime) -> Self:
        """Return reviews that still need this reviewer's opinion and that no other has open."""
        standing = Verdict.objects.standing().filter(review=OuterRef("pk"))
        claims = ReviewClaim.objects.filter(review=OuterRef("pk"), until__gt=now)
        n_taken = _count(standing) + _count(claims.exclude(reviewer=reviewer_id))
        is_mine = Exists(standing.filter(reviewer=reviewer_id))
        return self.filter(~is_mine, n_wanted__gt=n_taken, state=ReviewState.OPEN)

    def disputes_for(self, study: Study, reviewer_id: int) -> Self:
        """Return reviews on which two other reviewers disagreed."""
        given = Verdict.objects.standing().filter(review=OuterRef("pk"), reviewer=reviewer_id)
        return self.disputed(study).filter(~Exists(given))

    def disputed(self, study: Study) -> Self:
        """Return reviews on which two reviewers disagree."""
        return self.filter(study=study, n_wanted=2, state=ReviewState.DISPUTED)

    def with_answers(self) -> Self:
        """Select everything that a page of reviews shows.

        `whole_id` is the id of the review of the whole assignment.
        """
        wholes = Review.objects.filter(IS_WHOLE, assignment=OuterRef("assignment")).order_by()
        return self.select_related(
            "study", "response__context", "response__pair", "response__second_answer",
            "assignment__annotator", "assignment__round", "assignment__questionnaire__block",
        ).annotate(whole_id=Subquery(wholes.values("pk")[:1]))  # fmt: skip

    def count_states(self, study: Study) -> dict[str, int]:
        """Return the number of single answers in each state."""
        counts = self.answers(study).order_by().values_list("state").annotate(n=Count("pk"))
        return {**dict.fromkeys(ReviewState.values, 0), **dict(counts)}


class Review(models.Model):
    """A single answer in the review queue, or a whole assignment if `response` is empty.

    `evidence` holds what the automatic checks found, without the words themselves; `outcome` is the
    verdict that counts. Only `review` changes it.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="reviews", db_index=False)
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="reviews")
    response = models.OneToOneField(
        Response, models.PROTECT, null=True, blank=True, related_name="review"
    )
    evidence = models.JSONField(default=list, blank=True)
    risk = models.PositiveSmallIntegerField(default=0, help_text="weight of the evidence")
    draw = models.PositiveSmallIntegerField(
        help_text="random; decides about sample and second reviewer"
    )
    n_wanted = models.PositiveSmallIntegerField(default=1, help_text="reviewers, 1 or 2")
    state = models.CharField(max_length=10, choices=ReviewState, default=ReviewState.OPEN)
    outcome = models.CharField(max_length=10, choices=VerdictKind, blank=True, default="")
    filed_at = models.DateTimeField(auto_now_add=True)

    objects = ReviewQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("assignment",),
                condition=Q(response__isnull=True),
                name="one_review_a_whole_assignment",
            ),
            models.CheckConstraint(
                condition=Q(n_wanted__in=(1, 2), draw__lt=DRAWS), name="one_or_two_reviewers"
            ),
            models.CheckConstraint(
                condition=(Q(state="decided") & ~Q(outcome=""))
                | (~Q(state="decided") & Q(outcome="")),
                name="decided_has_an_outcome",
            ),
        ]
        indexes: ClassVar = [
            # not of state alone: SQLite would read it for the queue, wholes first
            models.Index(
                fields=("study", "n_wanted", "state", "-risk", "id"), name="reviews_by_two"
            ),
            models.Index(fields=("study", "outcome", "assignment", "id"), name="unwanted_reviews"),
            # reviews of whole assignments have the highest risks, but one is in twenty
            models.Index(
                fields=("study", "state", "-risk", "id"),
                condition=Q(response__isnull=False),
                name="answers_in_the_queue",
            ),
            models.Index(
                fields=("study", "-risk", "id", "state"), condition=IS_WHOLE, name="wholes_by_risk"
            ),
            models.Index(
                fields=("outcome", "assignment"), condition=IS_WHOLE, name="wholes_by_outcome"
            ),
        ]

    def __str__(self) -> str:
        return f"review of {self.response or self.assignment}"

    @property
    def is_whole(self) -> bool:
        """Whether it is the review of a whole assignment."""
        return self.response_id is None

    @property
    def valid_answer(self) -> "Response | SecondAnswer | None":
        """The answer that counts: after a second look if there was one. None for a whole."""
        again: SecondAnswer | None = getattr(self.response, "second_answer", None)
        return again if again and again.answered_at else self.response

    @property
    def rating_before(self) -> Decimal | None:
        """The rating before a second look that changed it; None if none did."""
        before, valid = self.response, self.valid_answer
        return before.rating if before and valid and valid.rating != before.rating else None


class VerdictQuerySet(models.QuerySet["Verdict"]):
    def standing(self) -> Self:
        """Return verdicts that were not undone."""
        return self.filter(undone_at__isnull=True)

    def latest_of(self, study: Study, reviewer_id: int) -> "Verdict | None":
        """Return a reviewer's last verdict that was not undone."""
        verdicts = self.standing().filter(review__study=study, reviewer=reviewer_id)
        return verdicts.select_related("review__response").order_by("-pk").first()

    def double(self, study: Study) -> list[tuple[int, int, str]]:
        """Return review, reviewer and kind of blind double verdicts, the earlier one first."""
        second = self.standing().filter(opinion=2).order_by().values("review")
        both = self.standing().alias(of_study=OF_STUDY).filter(of_study=study.pk)
        blind = both.filter(review__in=second, opinion__in=(1, 2))
        return list(blind.order_by("review", "opinion").values_list("review", "reviewer", "kind"))


class Verdict(models.Model):
    """A reviewer's decision. Verdicts are only added; an undone verdict is marked `undone_at`."""

    review = models.ForeignKey(Review, models.PROTECT, related_name="verdicts", db_index=False)
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="verdicts", db_index=False
    )
    opinion = models.PositiveSmallIntegerField(
        help_text="1 or 2: an independent verdict; 3: settles a dispute of the two"
    )
    kind = models.CharField(max_length=10, choices=VerdictKind)
    reason = models.CharField(max_length=LONGEST_REASON, blank=True, default="")
    at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    objects = VerdictQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("review", "opinion"),
                condition=Q(undone_at__isnull=True),
                name="one_standing_verdict_an_opinion",
            ),
            models.UniqueConstraint(
                fields=("review", "reviewer"),
                condition=Q(undone_at__isnull=True),
                name="one_standing_verdict_a_reviewer",
            ),
            models.CheckConstraint(
                condition=Q(opinion__in=(1, 2, THIRD)), name="opinion_is_1_2_or_3"
            ),
            models.CheckConstraint(
                condition=~Q(kind=VerdictKind.REJECTED) | ~Q(reason=""),
                name="rejected_for_a_reason",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=("review", "opinion"), name="verdicts_of_a_review"),
            models.Index(fields=("reviewer", "-id"), name="verdicts_of_a_reviewer"),
            models.Index(fields=("opinion", "review"), name="verdicts_by_opinion"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} by {self.reviewer}"


class ReviewClaim(models.Model):
    """A review that a reviewer has open, so that other reviewers get other reviews meanwhile."""

    review = models.ForeignKey(Review, models.CASCADE, related_name="claims", db_index=False)
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    until = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("review", "reviewer"), name="one_claim_each"),
        ]

    def __str__(self) -> str:
        return f"{self.review}, before {self.reviewer}"


def _count(rows: QuerySet[Any]) -> Coalesce:
    """Return an expression: the number of these rows about a review."""
    counted = rows.order_by().values("review").annotate(n=Count("pk"))
    return Coalesce(Subquery(counted.values("n")), 0)
