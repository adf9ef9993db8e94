import secrets
from decimal import Decimal
from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q

MOST_ASKED_FOR = 10_000  # ratings per context, pairs in a block; more is a typing error


def make_revision() -> str:
    return secrets.token_hex(8)


def _words(most: int, explained: str) -> "models.CharField[str, str]":
    """Return the field of a text on annotators' pages, empty for none."""
    return models.CharField(max_length=most, blank=True, default="", help_text=explained)


def write_point(point: Decimal) -> str:
    """Return a point of a scale in as few digits as it needs.

    >>> write_point(Decimal("4.00")), write_point(Decimal("10")), write_point(Decimal("2.50"))
    ('4', '10', '2.5')
    """
    return f"{point.normalize():f}"


class AssigningPolicy(models.TextChoices):
    """The policy that assigns questionnaires to arriving annotators."""

    BALANCED = "balanced", "all questionnaires fill up evenly"
    BLOCKWISE = "blockwise", "a block is filled before the next begins"
    RANDOM = "random", "any free place, by chance"


class QuestionForms(models.TextChoices):
    """The forms in which the question on page 2 names the two words of a pair."""

    DICTIONARY = "dictionary", "dictionary forms"
    TEXT = "text", "the forms used in the text"


class Variant(models.TextChoices):
    """Variants of Cosima's texts and of an item's two pages."""

    PLAIN = "plain", "plain: the rule, in the wording of CoSimLex"
    TRAINED = "trained", "trained: with examples whose similarity changes between two texts"


OWN = "own"  # in place of a variant: written by researchers, or of more than one variant


class Digits(models.TextChoices):
    """The digits of annotators' pages, named as in BCP 47; empty: as usual in the language."""

    WESTERN = "latn", "0 1 2 3"
    ARABIC = "arab", "٠ ١ ٢ ٣"
    PERSIAN = "arabext", "۰ ۱ ۲ ۳"


class ScaleLayout(models.TextChoices):
    """How page 2 showed the scale's points; stored whatever the screen."""

    ROW = "row", "one line"
    COLUMN = "column", "one below the other"
    FIELD = "field", "a field for the number"
    SLIDER = "slider", "a field for the number, and a slider"


class Study(models.Model):
    """One data collection: one language, one rating scale, one number of ratings per context."""

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    public_title = _words(200, "named to annotators; empty for none")
    language = models.CharField(max_length=35, help_text="BCP 47 tag of the texts, such as sl")
    scale_minimum = models.DecimalField(max_digits=5, decimal_places=2, default=Decimal(0))
    scale_maximum = models.DecimalField(max_digits=5, decimal_places=2, default=Decimal(6))
    scale_step = models.DecimalField(max_digits=5, decimal_places=2, default=Decimal(1))
    scale_labels = models.JSONField(
        default=dict, blank=True, help_text='words for points of the scale, such as {"0": "…"}'
    )
    question_forms = models.CharField(
        max_length=10, choices=QuestionForms, default=QuestionForms.DICTIONARY,
        help_text="forms of the two words that the question names",
    )  # fmt: skip
    variant = models.CharField(
        max_length=10, choices=Variant, default=Variant.PLAIN,
        help_text="of the default texts, the labels of the scale and the question",
    )  # fmt: skip
    digits = models.CharField(
        max_length=7, choices=Digits, blank=True, default="",
        help_text="digits of the pages in Arabic and Persian; empty: as usual in the language",
    )  # fmt: skip
    ratings_per_context = models.PositiveSmallIntegerField()
    block_size = models.PositiveSmallIntegerField(help_text="most pairs judged in one sitting")
    lease_hours = models.PositiveSmallIntegerField(
        default=24, help_text="how long a place is held without an answer"
    )
    seed = models.BigIntegerField(default=0, help_text="of blocks and questionnaires")
    stimuli_sha256 = models.CharField(
        max_length=64, help_text="digest of the stimuli in Cosima's own writing (LF, no BOM)"
    )
    assigning_policy = models.CharField(
        max_length=10, choices=AssigningPolicy, default=AssigningPolicy.BALANCED
    )
    contact = _words(200, "contact for questions of annotators")
    organisation = _words(200, "who runs the study; shown to annotators")
    ethics = _words(300, "ethics approval or its reference; shown to annotators")
    legal_basis = _words(
        300, "for storing personal data, such as consent (GDPR, article 6(1)(a)); shown"
    )
    authority = _words(
        300, "to which annotators may complain about the use of their data; shown to them"
    )
    data_protection_officer = _words(300, "name or address; shown to annotators")
    pay = _words(
        100, "what annotators are paid, such as £2.50; shown to them; empty: not mentioned"
    )
    pay_for_more = _words(100, "what they are paid for a further block; empty: nothing")
    allows_unjudgeable = models.BooleanField(
        default=False, help_text="annotators may say that they cannot judge"
    )
    sends_choice = models.BooleanField(
        default=False, help_text="choosing a number sends it after a moment, with an undo"
    )
    allows_more_blocks = models.BooleanField(
        default=False, help_text="annotators who finish a block may do another"
    )
    erases_withdrawn = models.BooleanField(
        default=True, help_text="withdrawing erases the answers; else they are kept, unused"
    )
    publishes_words = models.BooleanField(
        default=False, help_text="consent says that the words annotators write are published"
    )
    n_check_tries = models.PositiveSmallIntegerField(
        default=0, help_text="tries for the comprehension check; 0 for no check"
    )
    n_checkpoints = models.PositiveSmallIntegerField(
        default=0, help_text="checkpoint items mixed into each assignment"
    )
    seconds_per_item = models.PositiveSmallIntegerField(
        default=45, help_text="for the estimate of how long an assignment takes"
    )
    revision = models.CharField(
        max_length=16, default=make_revision, help_text="changes whenever the study does"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(
        null=True, blank=True, help_text="from when on annotators may come; empty for a draft"
    )
    closed_at = models.DateTimeField(
        null=True, blank=True, help_text="from when on nobody new may begin; empty while open"
    )
    archived_at = models.DateTimeField(
        null=True, blank=True, help_text="when a draft or closed study left the list of studies"
    )
    retention_days = models.PositiveSmallIntegerField(
        null=True, blank=True,
        help_text="after payment, until provider ids and notes are dropped; empty for never",
    )  # fmt: skip
    settled_at = models.DateTimeField(
        null=True, blank=True, help_text="when it was over and everybody had been paid"
    )

    class Meta:
        verbose_name_plural = "studies"
        ordering: ClassVar = ["slug"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(scale_minimum__lt=F("scale_maximum"), scale_step__gt=0),
                name="scale_has_two_ends",
            ),
            models.CheckConstraint(
                condition=Q(ratings_per_context__gte=1, block_size__gte=1, lease_hours__gte=1),
                name="study_asks_for_work",
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None) | Q(opened_at__isnull=False),
                name="only_open_studies_close",
            ),
            models.CheckConstraint(
                condition=Q(archived_at=None) | Q(opened_at=None) | Q(closed_at__isnull=False),
                name="studies_that_collect_are_not_archived",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    def save(self, **options: Any) -> None:
        """Store the study under a new revision, which invalidates the caches of all processes."""
        self.revision = make_revision()
        if options.get("update_fields") is not None:
            options["update_fields"] = {*options["update_fields"], "revision"}
        super().save(**options)

    @property
    def is_draft(self) -> bool:
        """Whether stimuli and design may still change, and nobody can take part."""
        return self.opened_at is None

    @property
    def is_closed(self) -> bool:
        """Whether no new annotator may begin; the others may finish."""
        return self.closed_at is not None

    @property
    def scale_points(self) -> list[Decimal]:
        """Every rating of the scale, in ascending order."""
        lowest, highest, step = map(
            Decimal, (self.scale_minimum, self.scale_maximum, self.scale_step)
        )
        return [lowest + n * step for n in range(int((highest - lowest) / step) + 1)]


class TextKind(models.TextChoices):
    """The kinds of text of a study: two are TOML, two are mails, all others are Markdown."""

    CONSENT = "consent"
    INSTRUCTIONS = "instructions"
    PRACTICE = "practice", "practice (TOML)"
    CHECK = "check", "comprehension check (TOML)"
    INVITATION = "invitation", "invitation (mail)"
    REMINDER = "reminder", "reminder (mail)"

    @classmethod
    def mails(cls) -> "tuple[TextKind, ...]":
        """Return the kinds that researchers send; the others are pages of the survey."""
        return cls.INVITATION, cls.REMINDER


class StudyText(models.Model):
    """A version of a text that annotators read. Versions are added, never changed.

    A study opens when a researcher has reviewed the current version of its consent text.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="texts")
    kind = models.CharField(max_length=12, choices=TextKind)
    version = models.PositiveIntegerField(help_text="from 1")
    body = models.TextField(blank=True)
    language = models.CharField(
        max_length=35, blank=True, default="", help_text="BCP 47 tag; empty for that of the study"
    )
    variant = models.CharField(
        max_length=10, choices=[*Variant.choices, (OWN, OWN)], default=OWN,
        help_text="if it is a default text",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)
    reviewed_by = models.CharField(max_length=150, blank=True, default="")
    reviewed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["study", "kind", "-version"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "kind", "version"), name="text_version_once"),
            models.CheckConstraint(
                condition=Q(reviewed_by="", reviewed_at__isnull=True)
                | ~Q(reviewed_by="") & Q(reviewed_at__isnull=False),
                name="text_review_has_author_and_instant",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study} {self.kind} {self.version}"


class ConsentNotice(models.Model):
    """The notice about stored data, as annotators read it.

    Created by `recruitment.consent_notice` from the settings of the study and the channel. Rows are
    added, never changed, as proof of what each annotator agreed to.
    """

    # no index: that of the constraint begins with this column
    study = models.ForeignKey(Study, models.PROTECT, related_name="notices", db_index=False)
    digest = models.CharField(max_length=64, help_text="SHA-256 of language and sections")
    language = models.CharField(max_length=35, help_text="BCP 47 tag")
    sections = models.JSONField(help_text="sentences by the section they are in")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "digest"), name="notice_once"),
        ]

    def __str__(self) -> str:
        return f"{self.study} notice {self.digest[:8]}"
