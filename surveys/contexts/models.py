import re
from datetime import datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Case, Count, F, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from surveys.models.stimuli import SpannedText
from surveys.models.study import Study

ADDRESS = re.compile(r"https?://[^\s<>\"']+")  # of a page


class SearchKind(models.TextChoices):
    """The kind of background job that searches."""

    SEARCH = "search", "search for texts in corpora"


class CandidateSet(models.Model):
    """The candidates of a study, all from one file, and how experts choose among them."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="candidate_set")
    file_name = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64, help_text="digest of the file")
    model_names = models.JSONField(default=list, help_text="of the models that scored them")
    n_wanted = models.PositiveSmallIntegerField(help_text="most candidates of a pair")
    origin = models.JSONField(
        default=dict, blank=True, help_text="how they were found, as in origin_<lang>.json"
    )
    is_double = models.BooleanField(
        default=False, help_text="two experts choose for each pair, a third where they differ"
    )
    shows_scores = models.BooleanField(
        default=False, help_text="scores and distances are shown before the choice"
    )
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    imported_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"candidates of {self.study}"


class SelectionState(models.TextChoices):
    """How far the choice for a pair is."""

    OPEN = "open", "open"
    DISPUTED = "disputed", "disputed"
    CHOSEN = "chosen", "chosen"
    SKIPPED = "skipped", "skipped"


class CandidatePairQuerySet(models.QuerySet["CandidatePair"]):
    def undecided(self) -> Self:
        """Return the pairs for which a choice is still to be made."""
        return self.filter(state__in=(SelectionState.OPEN, SelectionState.DISPUTED))

    def open_to(self, expert: User, now: datetime, *, is_double: bool) -> Self:
        """Return the pairs for which an expert may choose, without those that others have open."""
        standing = ContextChoice.objects.standing().filter(pair=models.OuterRef("pk"))
        claims = ContextClaim.objects.filter(pair=models.OuterRef("pk"), until__gt=now)
        n_wanted = Case(When(state=SelectionState.DISPUTED, then=3), default=2 if is_double else 1)
        n_taken = _count(standing) + _count(claims.exclude(expert=expert))
        has_chosen = models.Exists(standing.filter(expert=expert))
        return self.undecided().annotate(n_taken=n_taken).filter(~has_chosen, n_taken__lt=n_wanted)


class CandidatePair(models.Model):
    """Two words with the candidates for their contexts. `choices` sets `state`."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="candidate_pairs")
    number = models.PositiveIntegerField(help_text="within the study, from 1")
    word1 = models.TextField()
    word2 = models.TextField()
    n_candidates = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=SelectionState, default=SelectionState.OPEN)

    objects = CandidatePairQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "number"), name="candidate_pair_once"),
        ]

    def __str__(self) -> str:
        return f"{self.word1} – {self.word2}"

    @property
    def is_decided(self) -> bool:
        """Whether contexts are chosen for the pair, or it is skipped."""
        return self.state in (SelectionState.CHOSEN, SelectionState.SKIPPED)


class Candidate(SpannedText, models.Model):
    """A window of a corpus that experts may choose as a context of its pair."""

    pair = models.ForeignKey(
        CandidatePair, models.CASCADE, related_name="candidates", db_index=False
    )
    number = models.PositiveSmallIntegerField(help_text="within the pair, from 1")
    window = models.CharField(max_length=64, help_text="its identifier in the file")
    text = models.TextField()
    word1_start = models.PositiveIntegerField()
    word1_end = models.PositiveIntegerField()
    word2_start = models.PositiveIntegerField()
    word2_end = models.PositiveIntegerField()
    distance = models.PositiveIntegerField(help_text="words from one target word to the other")
    picked = models.TextField(help_text="why it is a candidate, such as e5: most similar")
    scores = models.JSONField(default=dict, help_text="by the name of the model")
    file = models.TextField(blank=True)
    document = models.TextField(blank=True)
    title = models.TextField(blank=True)
    url = models.TextField(blank=True)
    revision = models.TextField(blank=True)
    licence = models.TextField(blank=True)
    first_sentence = models.PositiveIntegerField(help_text="of the document, from 1")
    last_sentence = models.PositiveIntegerField()
    first_id = models.TextField(blank=True, help_text="sent_id of its first sentence")
    last_id = models.TextField(blank=True)

    class Meta:
        ordering: ClassVar = ["pair", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("pair", "number"), name="candidate_once"),
            models.UniqueConstraint(fields=("pair", "window"), name="window_once_a_pair"),
        ]

    def __str__(self) -> str:
        return f"{self.pair}, candidate {self.number}"

    @property
    def word1(self) -> str:
        """Dictionary form of word 1."""
        return self.pair.word1

    @property
    def word2(self) -> str:
        """Dictionary form of word 2."""
        return self.pair.word2

    @property
    def link(self) -> str:
        """The address of its document; empty unless it is one of a page."""
        return self.url if ADDRESS.fullmatch(self.url) else ""


class SkipReason(models.TextChoices):
    """Why no contexts are chosen for a pair."""

    NO_TEXT = "no_text", "no good text"
    SENSE = "sense", "wrong sense"
    NAME = "name", "a name"
    BROKEN = "broken", "broken text"


class ContextChoiceQuerySet(models.QuerySet["ContextChoice"]):
    def standing(self) -> Self:
        """Return the choices that were not undone."""
        return self.filter(undone_at=None)


class ContextChoice(models.Model):
    """What an expert chose for a pair: two candidates, or to skip it.

    The decisive choice of a pair is the one whose texts become its contexts.
    """

    pair = models.ForeignKey(CandidatePair, models.PROTECT, related_name="choices")
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    opinion = models.PositiveSmallIntegerField(help_text="1 or 2; 3 decides between two others")
    candidate1 = models.ForeignKey(
        Candidate, models.PROTECT, null=True, blank=True, related_name="+"
    )
    candidate2 = models.ForeignKey(
        Candidate, models.PROTECT, null=True, blank=True, related_name="+"
    )
    reason = models.CharField(max_length=10, blank=True, choices=SkipReason, default="")
    is_decisive = models.BooleanField(default=False)
    chosen_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    objects = ContextChoiceQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("pair", "opinion"), condition=Q(undone_at=None), name="opinion_once"
            ),
            models.UniqueConstraint(
                fields=("pair", "expert"), condition=Q(undone_at=None), name="one_choice_an_expert"
            ),
            models.UniqueConstraint(
                fields=("pair",), condition=Q(is_decisive=True), name="one_decisive_choice"
            ),
            models.CheckConstraint(
                condition=Q(candidate1__isnull=False, candidate2__isnull=False, reason="")
                & ~Q(candidate1=F("candidate2"))
                | Q(candidate1=None, candidate2=None) & ~Q(reason=""),
                name="two_contexts_or_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(undone_at=None) | Q(is_decisive=False), name="undone_decides_nothing"
            ),
            models.CheckConstraint(condition=Q(opinion__in=(1, 2, 3)), name="opinion_is_1_to_3"),
        ]

    def __str__(self) -> str:
        return f"{self.pair}, opinion {self.opinion}"

    @property
    def verdict(self) -> tuple[int | None, int | None, str]:
        """What experts agree on: both candidates in order, and the reason to skip."""
        return self.candidate1_id, self.candidate2_id, self.reason


class ContextEdit(SpannedText, models.Model):
    """A text as its expert changed it; the candidate keeps the original."""

    choice = models.ForeignKey(ContextChoice, models.CASCADE, related_name="edits")
    number = models.PositiveSmallIntegerField(help_text="of the context: 1 or 2")
    text = models.TextField()
    word1_start = models.PositiveIntegerField()
    word1_end = models.PositiveIntegerField()
    word2_start = models.PositiveIntegerField()
    word2_end = models.PositiveIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("choice", "number"), name="edit_once_a_context"),
            models.CheckConstraint(condition=Q(number__in=(1, 2)), name="edit_is_of_1_or_2"),
        ]

    def __str__(self) -> str:
        return f"{self.choice}, context {self.number}"


class ContextClaim(models.Model):
    """A pair that an expert has open, so that other experts get other pairs meanwhile."""

    pair = models.ForeignKey(CandidatePair, models.CASCADE, related_name="claims", db_index=False)
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    until = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("pair", "expert"), name="one_context_claim_each"),
        ]

    def __str__(self) -> str:
        return f"{self.pair}, before {self.expert}"


def _count(rows: QuerySet[Any]) -> Coalesce:
    """Return an expression: the number of these rows about a pair."""
    counted = rows.order_by().values("pair").annotate(n=Count("pk"))
    return Coalesce(Subquery(counted.values("n")), Value(0))
