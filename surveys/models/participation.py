import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Case, F, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce, Greatest
from django.db.models.lookups import IsNull
from django.utils import timezone

from surveys.models.stimuli import Context, Pair, Questionnaire, Round
from surveys.models.study import (
    OWN,
    ConsentNotice,
    ScaleLayout,
    Study,
    StudyText,
    Variant,
    Writes,
)

if TYPE_CHECKING:
    from surveys.models.recruitment import Invitation

ANNOTATOR_CODE = "[0-9A-Za-z]{1,16}"
LONGEST_WORD = 50
LONGEST_WRITTEN = 200
LONGEST_TRANSLATION = 100  # as words of stimuli
LONGEST_COMMENT = 500


def make_annotator_code() -> str:
    return secrets.token_hex(8)


def make_token() -> str:
    """Return an unguessable token for a link: 128 random bits in 22 URL-safe characters.

    It never begins with a hyphen, which commands would read as an option.
    """
    while (token := secrets.token_urlsafe(16)).startswith("-"):
        pass
    return token


class Annotator(models.Model):
    """A person in a study, identified by a random code only, with their consent and its instant."""

    # no index here and below: that of a unique constraint begins with this column
    study = models.ForeignKey(Study, models.PROTECT, related_name="annotators", db_index=False)
    code = models.CharField(max_length=16, unique=True, default=make_annotator_code)
    worker = models.ForeignKey(
        "surveys.Worker", models.PROTECT, null=True, blank=True, related_name="annotators"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    consent = models.ForeignKey(
        StudyText, models.PROTECT, null=True, related_name="+",
        help_text="the version that was agreed to",
    )  # fmt: skip
    notice = models.ForeignKey(
        ConsentNotice, models.PROTECT, null=True, blank=True, related_name="annotators",
        help_text="the notice that they consented to; empty for consent before notices were stored",
    )  # fmt: skip
    erases_withdrawn = models.BooleanField(
        default=True, help_text="agreed to: withdrawing erases the answers"
    )
    publishes_words = models.BooleanField(
        default=False, help_text="agreed to: the words they write are published"
    )
    retention_days = models.PositiveSmallIntegerField(
        null=True, blank=True,
        help_text="agreed to: longest time in days after payment before ids and notes are dropped",
    )  # fmt: skip
    instructed_at = models.DateTimeField(null=True, blank=True)
    practised_at = models.DateTimeField(null=True, blank=True)
    variant = models.CharField(
        max_length=10, choices=[*Variant.choices, (OWN, OWN)], blank=True, default="",
        help_text="of the instructions, practice and check that they have read",
    )  # fmt: skip
    n_check_tries = models.PositiveSmallIntegerField(default=0)
    checked_at = models.DateTimeField(null=True, blank=True)
    paid_at = models.DateTimeField(
        null=True, blank=True, help_text="when an owner recorded the payment"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    first_rated_at = models.DateTimeField(
        null=True, blank=True, help_text="kept after a withdrawal, as results contain it"
    )
    erased_at = models.DateTimeField(
        null=True, blank=True, help_text="when an owner erased them at their request"
    )

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "worker"), name="one_annotator_a_worker"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=("study", "withdrawn_at", "first_rated_at"),
                condition=Q(withdrawn_at__isnull=False),
                name="withdrawn_from_a_study",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class AssignmentState(models.TextChoices):
    """The states of an assignment."""

    OFFERED = "offered"
    STARTED = "started"
    SUBMITTED = "submitted"
    EXPIRED = "expired"
    RETURNED = "returned"
    WITHDRAWN = "withdrawn"

    @classmethod
    def leased(cls) -> "tuple[AssignmentState, ...]":
        """Return the states in which a place is held for a limited time."""
        return (cls.OFFERED, cls.STARTED)

    @classmethod
    def unfinished(cls) -> "tuple[AssignmentState, ...]":
        """Return the states in which the annotator may continue."""
        return (*cls.leased(), cls.EXPIRED)


def _last_answer() -> Subquery:
    """Return the instant of an assignment's last answer; they are given in the texts' order."""
    answers = Response.objects.filter(assignment=OuterRef("pk"), engaged_at__isnull=False)
    answered_at = Coalesce("rated_at", "engaged_at")
    return Subquery(answers.order_by("-position").values(at=answered_at)[:1])


def _is_stranger() -> Q:
    """Return the condition that an assignment's annotator came by an entrance, without answers."""
    first = Response.objects.filter(assignment=OuterRef("pk"), position=1).values("engaged_at")
    entrance = Annotator.objects.filter(pk=OuterRef("annotator")).values("invitation__entrance")
    # looked up in indexes: PostgreSQL would answer EXISTS by reading all responses and annotators
    return Q(IsNull(Subquery(first), True)) & Q(IsNull(Subquery(entrance), False))


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def latest_from(self, invitation: "Invitation") -> "Assignment | None":
        """Return the last assignment of the annotator with this personal link, or None."""
        return self.with_study().filter(annotator__invitation=invitation).order_by("-pk").first()

    def for_study(self, study: Study) -> Self:
        return self.filter(study=study)

    def narrowed(self, *, state: str = "", code: str = "") -> Self:
        """Filter by state and by the beginning of the annotator's code; empty values match all."""
        assignments = self.filter(state=state) if state else self
        return assignments.filter(annotator__code__startswith=code) if code else assignments

    def submitted(self) -> Self:
        return self.filter(state=AssignmentState.SUBMITTED)

    def unfiled(self) -> Self:
        """Return submitted assignments that are not in the review queue yet (partial index)."""
        return self.submitted().filter(submitted_at__isnull=False, filed_at__isnull=True)

    def counted(self) -> Self:
        """Return assignments whose ratings make up the dataset: submitted, in a current round."""
        return self.submitted().filter(round__is_current=True)

    def leased(self) -> Self:
        return self.filter(state__in=AssignmentState.leased())

    def unfinished(self) -> Self:
        return self.filter(state__in=AssignmentState.unfinished())

    def silent(self, lease_hours: int, now: datetime) -> Self:
        """Return open assignments without activity, apart from answers, for as long as any hold."""
        shortest = min(timedelta(hours=lease_hours), timedelta(minutes=settings.HOLD_MINUTES))
        return self.leased().filter(active_at__lt=now - shortest)

    def unheld(self, lease_hours: int, now: datetime) -> Self:
        """Return open assignments without activity, apart from answers, for as long as their hold.

        The hold is the lease, or the shorter `settings.HOLD_MINUTES` for annotators who came
        through an entrance and have not answered a text yet.
        """
        is_over = Q(active_at__lt=now - timedelta(hours=lease_hours))
        return self.silent(lease_hours, now).filter(is_over | _is_stranger())

    def quiet(self, study: Study, now: datetime) -> Self:
        """Return a study's open assignments without activity, apart from answers."""
        return self.filter(study=study).unheld(study.lease_hours, now)

    def lapsed(self, study: Study, now: datetime) -> Self:
        """Return a study's assignments whose lease has ended: no activity of their annotator."""
        lease = timedelta(hours=study.lease_hours)
        answered_at = Coalesce(_last_answer(), Value(now - 2 * lease))  # long ago, if never
        silent = self.filter(study=study).silent(study.lease_hours, now)
        # in this order: answers are looked up for few assignments
        is_over = Q(active_at__lt=now - lease) & Q(answered_at__lt=now - lease)
        return silent.alias(answered_at=answered_at).filter(is_over | _is_stranger())

    def note_answers(self) -> None:
        """Count the last answers as activity, as if `active_at` had been updated with each."""
        self.update(active_at=Greatest("active_at", Coalesce(_last_answer(), "active_at")))

    def scripted(self) -> Self:
        """Return assignments done by scripted annotators of a rehearsal."""
        return self.filter(annotator__invitation__is_rehearsal=True)

    def by_people(self) -> Self:
        return self.filter(annotator__invitation__is_rehearsal=False)

    def with_study(self) -> Self:
        return self.select_related("study", "annotator")


class Assignment(models.Model):
    """One annotator doing one questionnaire. Only `participation` changes its `state`."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="assignments", db_index=False)
    questionnaire = models.ForeignKey(
        Questionnaire, models.PROTECT, related_name="assignments", db_index=False
    )
    round = models.ForeignKey(Round, models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="assignments")
    token = models.CharField(max_length=22, unique=True, default=make_token)
    state = models.CharField(
        max_length=10, choices=AssignmentState, default=AssignmentState.OFFERED
    )
    reason = models.CharField(
        max_length=200, blank=True, default="", help_text="why this questionnaire"
    )
    seed = models.BigIntegerField(default=0, help_text="of the choice and the order of the items")
    n_items = models.PositiveSmallIntegerField(help_text="texts laid out")
    is_over_quota = models.BooleanField(
        default=False, help_text="resumed after its place was given to another annotator"
    )
    ended_because = models.CharField(max_length=200, blank=True, default="")
    offered_at = models.DateTimeField(default=timezone.now)
    active_at = models.DateTimeField(
        default=timezone.now, help_text="the last sign of life, answers apart"
    )
    started_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    filed_at = models.DateTimeField(
        null=True, blank=True, help_text="when its answers were queued for review"
    )

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("questionnaire", "annotator"), name="sitting_once"),
            models.CheckConstraint(
                condition=~Q(state=AssignmentState.SUBMITTED) | Q(submitted_at__isnull=False),
                name="submitted_has_an_instant",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=(AssignmentState.STARTED, AssignmentState.SUBMITTED))
                | Q(started_at__isnull=False),
                name="started_has_an_instant",
            ),
        ]
        indexes: ClassVar = [
            # without a condition: SQLite takes no index whose condition compares with a value
            models.Index(fields=("study", "state", "active_at"), name="state_by_activity"),
            models.Index(
                fields=("study", "state", "questionnaire"),
                condition=Q(submitted_at__isnull=False, filed_at__isnull=True),
                name="submitted_and_not_filed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.questionnaire} by {self.annotator}"

    @property
    def has_answers(self) -> bool:
        """Whether the annotator has answered a text, or the first page of one."""
        return self.responses.filter(engaged_at__isnull=False).exists()

    @property
    def is_unfinished(self) -> bool:
        """Whether the annotator may continue."""
        return self.state in AssignmentState.unfinished()


IS_ENGAGED = Q(engaged_at__isnull=False)
FAILS_CHECKPOINT = Q(rating__lt=F("context__checkpoint__lowest")) | Q(
    rating__gt=F("context__checkpoint__highest")
)


class ResponseQuerySet(models.QuerySet["Response"]):
    def unanswered(self) -> Self:
        """Return responses whose second page is not answered yet."""
        return self.filter(rated_at__isnull=True)

    def with_valid_rating(self, study: Study | None = None) -> Self:
        """Annotate with the answer that counts: `valid_rating`, and the like of the other fields.

        An answer of a second look takes the place of the one before, which stays as it is. If all
        are of a study without a second look, no table is joined.
        """
        names = ("rating", "is_unjudgeable", "comment")
        if study and study.second_look_above is None:
            return self.annotate(**{f"valid_{name}": F(name) for name in names})
        is_again = Q(second_answer__answered_at__isnull=False)
        cases = {name: When(is_again, then=f"second_answer__{name}") for name in names}
        return self.annotate(**{f"valid_{name}": Case(cases[name], default=name) for name in names})

    def rated(self, study: Study | None = None) -> Self:
        return self.with_valid_rating(study).filter(valid_rating__isnull=False)

    def for_study(self, study: Study) -> Self:
        return self.filter(annotator__study=study)

    def given(self, study: Study) -> Self:
        """Return answers to the scale, in all rounds and states; not those that were withdrawn."""
        answered = self.for_study(study).filter(rated_at__isnull=False)
        given = answered.filter(annotator__withdrawn_at__isnull=True)
        return given.exclude(assignment__state=AssignmentState.WITHDRAWN)

    def current(self, study: Study) -> Self:
        """Return the given answers of submitted assignments in current rounds."""
        assignments = Assignment.objects.for_study(study).counted()
        return self.given(study).filter(assignment__in=assignments)

    def counted(self, study: Study) -> Self:
        """Return the ratings among the current answers, also those that reviewers rejected."""
        return self.current(study).rated(study)

    def failed_checkpoints(self) -> Self:
        """Return responses to checkpoint items with a rating outside the accepted range."""
        return self.filter(FAILS_CHECKPOINT, pair__is_checkpoint=True)

    def on_stimuli(self) -> Self:
        """Exclude responses to checkpoint items."""
        return self.filter(pair__is_checkpoint=False)


class Response(models.Model):
    """The answer to one context in one assignment: what is written, and a rating.

    It is created empty with the assignment, so that the database itself refuses a second context of
    a pair to the same annotator. Only `participation.answers` fills it, once, and only
    `participation.corrections` changes a rating, until the next text is answered.
    """

    assignment = models.ForeignKey(
        Assignment, models.PROTECT, related_name="responses", db_index=False
    )
    annotator = models.ForeignKey(
        Annotator, models.PROTECT, related_name="responses", db_index=False
    )
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="responses", db_index=False)
    # no index: its scattered pages would slow down each start
    context = models.ForeignKey(Context, models.PROTECT, related_name="responses", db_index=False)
    position = models.PositiveSmallIntegerField(help_text="from 1")
    writes = models.CharField(
        max_length=12, choices=Writes, default=Writes.ASSOCIATIONS, help_text="as the study says"
    )
    written1 = models.CharField(max_length=LONGEST_WRITTEN, blank=True)
    written2 = models.CharField(max_length=LONGEST_WRITTEN, blank=True)
    engaged_at = models.DateTimeField(null=True, blank=True, help_text="when page 1 was answered")
    rating = models.DecimalField(max_digits=5, decimal_places=2, null=True, blank=True)
    is_unjudgeable = models.BooleanField(default=False, help_text="the annotator cannot judge")
    comment = models.CharField(max_length=LONGEST_COMMENT, blank=True, default="")
    rated_at = models.DateTimeField(null=True, blank=True, help_text="when page 2 was answered")
    first_rating = models.DecimalField(
        max_digits=5, decimal_places=2, null=True, blank=True,
        help_text="before the annotator changed it; empty if they could not judge at first",
    )  # fmt: skip
    changed_at = models.DateTimeField(
        null=True, blank=True, help_text="when the annotator last changed the answer to page 2"
    )
    words_shown_at = models.DateTimeField(null=True, blank=True)
    rating_shown_at = models.DateTimeField(null=True, blank=True)
    words_visible_seconds = models.FloatField(null=True, blank=True)
    rating_visible_seconds = models.FloatField(null=True, blank=True)
    scale_layout = models.CharField(
        max_length=6, choices=ScaleLayout, blank=True, default="",
        help_text="reported by the rating's page",
    )  # fmt: skip
    has_pasted_word1 = models.BooleanField(default=False)
    has_pasted_word2 = models.BooleanField(default=False)
    is_erased = models.BooleanField(default=False, help_text="at the annotator's request")

    objects = ResponseQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["assignment", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("annotator", "pair"), name="one_context_per_pair_per_annotator"
            ),
            models.UniqueConstraint(fields=("assignment", "position"), name="one_item_a_place"),
            models.CheckConstraint(
                condition=Q(engaged_at__isnull=True, written1="", written2="")
                | IS_ENGAGED & Q(writes=Writes.NOTHING, written1="", written2="")
                | IS_ENGAGED & ~Q(writes=Writes.NOTHING) & ~Q(written1="") & ~Q(written2="")
                | IS_ENGAGED
                & Q(
                    writes__in=(Writes.SUBSTITUTES, Writes.TRANSLATIONS),
                    is_unjudgeable=True,
                    written1="",
                    written2="",
                ),
                name="engaged_has_what_is_written",
            ),
            models.CheckConstraint(
                condition=Q(writes=Writes.ASSOCIATIONS)
                | Q(engaged_at__isnull=True, rated_at__isnull=True)
                | IS_ENGAGED & Q(rated_at__isnull=False, engaged_at=F("rated_at")),
                name="one_page_at_one_instant",
            ),
            models.CheckConstraint(
                condition=Q(rated_at__isnull=True, rating__isnull=True, is_unjudgeable=False)
                | IS_ENGAGED
                & Q(rated_at__isnull=False)
                & ~Q(writes=Writes.TRANSLATIONS)
                & (Q(rating__isnull=False) ^ Q(is_unjudgeable=True))
                | IS_ENGAGED
                & Q(rated_at__isnull=False, writes=Writes.TRANSLATIONS, rating__isnull=True),
                name="rated_after_engaged",
            ),
            models.CheckConstraint(
                condition=Q(changed_at__isnull=True, first_rating__isnull=True)
                | Q(changed_at__isnull=False, rated_at__isnull=False),
                name="changed_after_rated",
            ),
            models.CheckConstraint(
                condition=Q(is_erased=False) | Q(engaged_at__isnull=True), name="erased_is_empty"
            ),
            models.CheckConstraint(
                condition=Q(comment="") | Q(is_unjudgeable=True), name="comment_says_why_not"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment}, item {self.position}"
