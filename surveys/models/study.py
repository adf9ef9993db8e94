import secrets
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar

from babel.core import Locale, parse_locale
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from postprocess.designs.kinds import KINDS, ItemKind, ItemRules

MOST_ASKED_FOR = 10_000  # ratings per context, pairs in a block; more is a typing error
FARTHEST = 100  # end of a scale
MOST_POINTS = 101  # of a scale
LONGEST_LABEL = 60  # of a point


def make_revision() -> str:
    return secrets.token_hex(8)


def _words(label: str, most: int, explained: str) -> "models.CharField[str, str]":
    """Return the field of a text on annotators' pages, empty for none."""
    return models.CharField(label, max_length=most, blank=True, default="", help_text=explained)


def _count(label: str, lowest: int, **options: Any) -> "models.PositiveSmallIntegerField[int, int]":
    limits = [MinValueValidator(lowest), MaxValueValidator(MOST_ASKED_FOR)]
    return models.PositiveSmallIntegerField(label, validators=limits, **options)


def _point(label: str, default: Decimal) -> "models.DecimalField[Decimal, Decimal]":
    return models.DecimalField(
        label, max_digits=5, decimal_places=2, default=default,
        validators=[MinValueValidator(-FARTHEST), MaxValueValidator(FARTHEST)],
    )  # fmt: skip


def validate_language(tag: str) -> None:
    """Raise ValidationError unless a text is a language tag.

    Known are the languages with an English name in CLDR, with or without script and region.
    """
    cldr = Locale("en")
    try:
        language, territory, script, variant = parse_locale(tag, sep="-")[:4]
    except ValueError:
        language, territory, script, variant = "", None, None, None
    written = "-".join(part for part in (language, script, territory, variant) if part)
    if (
        language not in cldr.languages
        or (script is not None and script not in cldr.scripts)
        or (territory is not None and territory not in cldr.territories)
    ):
        message = f"The language {tag!r} is unknown: give a code such as en, hr, sl, fi or pt-BR."
        raise ValidationError(message)
    if tag != written:
        raise ValidationError(f"Write the language {tag!r} as {written!r}.")


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


class Kind(models.TextChoices):
    """What is rated at one time; all that depends on it is in `postprocess.designs.kinds`."""

    TEXT = "text", "two words in one text"
    WORDS = "words", "two words"
    TEXTS = "texts", "two words, each in its own text"


class Question(models.TextChoices):
    """What annotators are asked about an item."""

    IN_TEXT = "similarity_in_text", "how similar the words are in the text"
    SIMILARITY = "similarity", "how similar they are"
    RELATEDNESS = "relatedness", "how related they are"
    SAME_MEANING = "same_meaning", "whether they mean the same"
    TRANSLATION = "translation", "how they are said in the other language"


class Writes(models.TextChoices):
    """The two words or phrases that annotators write about an item."""

    ASSOCIATIONS = "associations", "words that the text inspires, before its rating"
    NOTHING = "nothing"
    TRANSLATIONS = "translations"
    SUBSTITUTES = "substitutes", "other words for each target"


class Centre(models.TextChoices):
    """How ratings become a score."""

    MEAN = "mean"
    MEDIAN = "median"
    MAJORITY = "majority"


def _choice(
    label: str, choices: type[models.TextChoices], start: str
) -> "models.CharField[str, str]":
    return models.CharField(label, max_length=20, choices=choices, default=start)


class Study(models.Model):
    """One data collection: one language, one rating scale, one number of ratings per context."""

    slug = models.SlugField(
        "Short name", unique=True,
        error_messages={"invalid": "Use letters, digits, hyphens and underscores only."},
    )  # fmt: skip
    title = models.CharField("Title", max_length=200, help_text="Shown to researchers.")
    public_title = _words(
        "Title for annotators", 200,
        "Heading of their first page; also in invitations and reminders. Empty: no title is given.",
    )  # fmt: skip
    language = models.CharField(
        "Language of the texts", max_length=35, validators=[validate_language],
        help_text="BCP 47 tag, such as sl or pt-BR.",
    )  # fmt: skip
    design = _words("Design", 60, "The published design that it started from.")
    item_kind = _choice("Kind of item", Kind, Kind.TEXT)
    same_word = models.BooleanField("One lemma twice", default=False)
    language2 = models.CharField(
        "Language of the second word", max_length=35, blank=True, default="",
        validators=[validate_language], help_text="Empty: as the first.",
    )  # fmt: skip
    question = _choice("Question", Question, Question.IN_TEXT)
    writes = _choice("Written by annotators", Writes, Writes.ASSOCIATIONS)
    centre = _choice("Centre of the ratings", Centre, Centre.MEAN)
    layout = models.CharField("Layout of published files", max_length=20, default="cosimlex")
    second_look_above = models.DecimalField(
        "Second look above", max_digits=5, decimal_places=2, null=True, blank=True,
        help_text="Distance from the others’ mean. Empty: no second look.",
    )  # fmt: skip
    adjudicates = models.BooleanField("Items without a majority are decided", default=False)
    scale_minimum = _point("Lowest point", Decimal(0))
    scale_maximum = _point("Highest point", Decimal(6))
    scale_step = _point("Step", Decimal(1))
    scale_labels = models.JSONField(
        "Labels of points", default=dict, blank=True,
        help_text="Words by point of the scale. Empty: the two ends have labels.",
    )  # fmt: skip
    question_forms = models.CharField(
        "Forms of the two words in the question", max_length=10,
        choices=QuestionForms, default=QuestionForms.DICTIONARY,
        help_text="Dictionary forms, as in CoSimLex: where the text has “soldiers”, the question "
        "names “soldier”.",
    )  # fmt: skip
    variant = models.CharField(
        "Texts and wording", max_length=10, choices=Variant, default=Variant.PLAIN,
        help_text="Of Cosima’s instructions, practice and check, the labels of both ends, and the "
        "question. Texts of your own stay.",
    )  # fmt: skip
    digits = models.CharField(
        "Digits of the pages in Arabic and Persian", max_length=7, blank=True, default="",
        choices=[("", "as usual in the language"), *Digits.choices],
        help_text="Usual are Western digits in Arabic, and Persian ones in Persian.",
    )  # fmt: skip
    ratings_per_context = _count("Ratings per context", 1, default=11)
    block_size = _count(
        "Pairs in a block, at most", 1, default=20, null=True, blank=True,
        help_text="Rated in one assignment.",
    )  # fmt: skip
    n_doubled = _count(
        "Doubled items", 0, default=0, help_text="With one more answer than the others."
    )
    lease_hours = _count("Hours for which a place is reserved without an answer", 1, default=24)
    seed = models.BigIntegerField(
        "Seed", default=0, help_text="The same seed and stimuli give the same blocks."
    )
    stimuli_sha256 = models.CharField(
        max_length=64, help_text="digest of the stimuli in Cosima's own writing (LF, no BOM)"
    )
    assigning_policy = models.CharField(
        "Assignment of questionnaires", max_length=10, choices=AssigningPolicy,
        default=AssigningPolicy.BALANCED,
    )  # fmt: skip
    organisation = _words(
        "Organisation that runs the study", 200,
        "Shown to annotators. Required to open the study.",
    )  # fmt: skip
    contact = _words(
        "Contact for annotators", 200,
        "Such as an e-mail address; shown to annotators. Required to open the study.",
    )  # fmt: skip
    ethics = _words(
        "Ethics approval", 300,
        "Board and reference, such as “University of …, no. 123”; shown to annotators. Empty: not "
        "mentioned.",
    )  # fmt: skip
    legal_basis = _words(
        "Legal basis for storing personal data", 300,
        "Such as “Your consent (GDPR, article 6(1)(a))”, in the language of the study. Shown to "
        "annotators. Empty: not mentioned.",
    )  # fmt: skip
    authority = _words(
        "Authority for complaints", 300,
        "To which annotators may complain. Shown to annotators. Empty: not mentioned.",
    )  # fmt: skip
    data_protection_officer = _words(
        "Data protection officer", 300,
        "Name or address. Shown to annotators. Empty: not mentioned.",
    )  # fmt: skip
    pay = _words(
        "Pay", 100,
        "Such as “£2.50”, in the language of the study; shown to annotators before they agree. "
        "Empty: not mentioned.",
    )  # fmt: skip
    pay_for_more = _words(
        "Pay for another block", 100,
        "Shown where another block is offered. Empty: annotators read that it is not paid, if the "
        "first one was.",
    )  # fmt: skip
    allows_unjudgeable = models.BooleanField(
        "Annotators may say that they cannot judge", default=False
    )
    sends_choice = models.BooleanField(
        "Choosing a number sends it", default=False,
        help_text="After a moment, in which it can be undone.",
    )  # fmt: skip
    allows_more_blocks = models.BooleanField(
        "Annotators can do another block after finishing one", default=False
    )
    erases_withdrawn = models.BooleanField(
        "Withdrawal erases the answers", default=True, help_text="Otherwise they are kept, unused."
    )
    publishes_words = models.BooleanField(
        "Words written by annotators are published", default=False,
        help_text="The consent text says so.",
    )  # fmt: skip
    n_check_tries = _count(
        "Tries for the comprehension check", 0, default=0, help_text="0: no check."
    )
    n_checkpoints = _count(
        "Checkpoint items in an assignment", 0, default=0, help_text="Texts with a known rating."
    )
    seconds_per_item = _count(
        "Seconds per text", 1, default=45,
        help_text="For both pages; estimated from the length of the texts.",
    )  # fmt: skip
    revision = models.CharField(
        max_length=16, default=make_revision, help_text="changes whenever the study does"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(
        null=True, blank=True, help_text="when it opened to annotators; empty for a draft"
    )
    closed_at = models.DateTimeField(
        null=True, blank=True, help_text="when it closed to new annotators; empty while open"
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
                condition=Q(ratings_per_context__gte=1, lease_hours__gte=1)
                & (Q(block_size__isnull=True) | Q(block_size__gte=1)),
                name="study_asks_for_work",
            ),
            models.CheckConstraint(
                condition=Q(
                    item_kind=Kind.TEXT,
                    question=Question.IN_TEXT,
                    writes=Writes.ASSOCIATIONS,
                    same_word=False,
                    language2="",
                )
                | Q(
                    item_kind=Kind.WORDS,
                    same_word=False,
                    question__in=(Question.SIMILARITY, Question.RELATEDNESS, Question.TRANSLATION),
                    writes__in=(Writes.NOTHING, Writes.TRANSLATIONS),
                )
                | Q(
                    item_kind=Kind.TEXTS,
                    question__in=(Question.SIMILARITY, Question.RELATEDNESS, Question.SAME_MEANING),
                    writes__in=(Writes.NOTHING, Writes.SUBSTITUTES),
                ),
                name="question_fits_kind",
            ),
            models.CheckConstraint(
                condition=~Q(question=Question.SAME_MEANING)
                | Q(
                    same_word=True,
                    scale_minimum=0,
                    scale_maximum=1,
                    scale_step=1,
                    centre=Centre.MAJORITY,
                )
                & ~Q(sends_choice=True, writes=Writes.SUBSTITUTES),
                name="same_meaning_is_yes_or_no",
            ),
            models.CheckConstraint(
                condition=~Q(question=Question.TRANSLATION) & ~Q(writes=Writes.TRANSLATIONS)
                | Q(
                    question=Question.TRANSLATION,
                    writes=Writes.TRANSLATIONS,
                    centre=Centre.MAJORITY,
                    publishes_words=True,
                )
                & ~Q(language2=""),
                name="translations_go_together",
            ),
            models.CheckConstraint(
                condition=Q(language2="") | ~Q(language2=F("language")), name="languages_differ"
            ),
            models.CheckConstraint(
                condition=Q(second_look_above__isnull=True)
                | Q(
                    second_look_above__isnull=False,
                    second_look_above__gt=0,
                    centre=Centre.MEAN,
                    item_kind__in=(Kind.WORDS, Kind.TEXTS),
                ),
                name="second_look_is_of_means",
            ),
            models.CheckConstraint(
                condition=Q(n_doubled=0) | Q(block_size__isnull=False), name="doubled_have_blocks"
            ),
            models.CheckConstraint(
                condition=Q(adjudicates=False) | Q(centre=Centre.MAJORITY),
                name="majority_is_decided",
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

    def clean(self) -> None:
        """Refuse settings that do not fit together; label points as they are shown."""
        super().clean()
        ends = self.scale_minimum, self.scale_maximum, self.scale_step
        if not all(isinstance(end, Decimal) and end.is_finite() for end in ends):
            return  # refused by its field
        problems = _list_scale_problems(*ends) or _list_label_problems(self)
        if problems := problems or _list_word_problems(self):
            raise ValidationError(problems)
        self.scale_labels = {write_point(Decimal(p)): text for p, text in self.scale_labels.items()}

    @property
    def is_draft(self) -> bool:
        """Whether stimuli and design may still change, and nobody can take part."""
        return self.opened_at is None

    @property
    def is_closed(self) -> bool:
        """Whether no new annotator may begin; the others may finish."""
        return self.closed_at is not None

    @property
    def collects_translations(self) -> bool:
        """Whether its outcome is a list of items in the other language, and no scores."""
        return not self.kind.is_rated(self.question)

    @property
    def has_question_forms(self) -> bool:
        """Whether words have forms in texts, other than the one that the question names."""
        return self.kind.n_texts > 0 and not (self.same_word and not self.language2)

    @property
    def languages(self) -> str:
        """The language of its files, or both as "en-ar"."""
        if not self.language2:
            return self.language
        return "-".join(tag.partition("-")[0] for tag in (self.language, self.language2))

    @property
    def kind(self) -> ItemKind:
        """Everything that depends on the kind of item."""
        return KINDS[self.item_kind]

    @property
    def item_rules(self) -> ItemRules:
        """What the words of its items must be like."""
        return ItemRules(self.item_kind, self.same_word, 2 if self.language2 else 1)  # type: ignore[arg-type]

    @property
    def text_set(self) -> str:
        """The set of instructions and practice items that annotators read by default."""
        return self.kind.text_set(self.question, same_word=self.same_word)

    @property
    def scale_points(self) -> list[Decimal]:
        """Every rating of the scale, in ascending order."""
        lowest, highest, step = map(
            Decimal, (self.scale_minimum, self.scale_maximum, self.scale_step)
        )
        return [lowest + n * step for n in range(int((highest - lowest) / step) + 1)]


def _list_scale_problems(low: Decimal, high: Decimal, step: Decimal) -> dict[str, str]:
    if not low < high:
        return {"scale_maximum": f"The scale must rise, got {low} to {high}."}
    if step <= 0 or (high - low) % step:
        return {"scale_step": f"The step must divide the scale into equal parts, got {step}."}
    if (high - low) / step > MOST_POINTS - 1:
        return {"scale_step": f"The scale has more than {MOST_POINTS} points."}
    return {}


def _list_label_problems(study: Study) -> dict[str, list[str]]:
    labels = study.scale_labels
    if not isinstance(labels, dict) or not all(isinstance(text, str) for text in labels.values()):
        example = 'Labels must be texts by points of the scale, such as {"0": "not at all"}.'
        return {"scale_labels": [example]}
    problems: list[str] = []
    labelled: list[Decimal | None] = []
    for written, label in labels.items():
        point = _read_point(written)
        if point not in study.scale_points:
            problems.append(f"The label {label!r} is for {written}, which the scale does not have.")
        elif point in labelled:
            problems.append(f"The point {written} has two labels; give only one.")
        labelled.append(point)
        if not label.strip() or len(label) > LONGEST_LABEL:
            limits = f"from 1 to {LONGEST_LABEL} characters"
            problems.append(f"The label for {written} must have {limits}.")
    return {"scale_labels": problems} if problems else {}


def _list_word_problems(study: Study) -> dict[str, str]:
    """Return what is wrong with languages and written words, beyond the rules of designs."""
    problems = {}
    if study.language2 and study.language2 == study.language:
        problems["language"] = "Both words are of this language: give the second word another one."
    if study.writes == Writes.TRANSLATIONS and not study.publishes_words:
        problems["publishes_words"] = "Translations are published: annotators are told so."
    writes_reasons = study.question == Question.SAME_MEANING and study.writes == Writes.SUBSTITUTES
    if writes_reasons and study.sends_choice:
        problems["sends_choice"] = "A choice cannot send an answer that has words, too."
    return problems


def _read_point(written: str) -> Decimal | None:
    """Return a finite number, or None; comparing a signalling NaN would fail."""
    try:
        point = Decimal(written)
    except InvalidOperation:
        return None
    return point if point.is_finite() else None


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
