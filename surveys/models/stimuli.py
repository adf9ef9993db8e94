import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

from django.db import connection, models
from django.db.models import F, Q

from postprocess.designs.kinds import STORED, ItemKind
from postprocess.designs.kinds import Item as RatedItem
from postprocess.formats.marks import MarkedContext, Span
from surveys.models.study import Study


def insert_rows(
    model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert rows into the table of a model; each has the values of the named fields in order.

    The value of a foreign key is the id. Fields that are not named must be nullable. Creating ten
    thousand instances takes twenty times as long, and on SQLite all other writers wait meanwhile.
    """
    quote = connection.ops.quote_name
    meta = model._meta
    columns_of = {field.name: str(field.column) for field in meta.concrete_fields}
    columns = ", ".join(quote(columns_of[name]) for name in fields)
    values = ", ".join(["%s"] * len(fields))
    statement = f"INSERT INTO {quote(meta.db_table)} ({columns}) VALUES ({values})"  # noqa: S608  # nosec B608
    with connection.cursor() as cursor:
        cursor.executemany(statement, list(rows))


OF_CONTEXT = STORED[2:]  # without the words


class PairQuerySet(models.QuerySet["Pair"]):
    def stimuli(self, study: Study) -> Self:
        """Return the pairs of a study's stimuli."""
        return self.filter(study=study, is_checkpoint=False)

    def checkpoints(self, study: Study) -> Self:
        """Return the pairs of a study's checkpoint items."""
        return self.filter(study=study, is_checkpoint__in=[True])  # not `=True`: no index on SQLite

    def restore(self, kind: ItemKind) -> list[Any]:
        """Return the pairs, all of a kind, as they were imported; two queries."""
        contexts = Context.objects.filter(pair__in=self.order_by()).order_by("number")
        rows: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
        for pair, *values in contexts.values_list("pair_id", *OF_CONTEXT):
            rows[pair].append(dict(zip(OF_CONTEXT, values, strict=True)))
        pairs = []
        for pair in self:
            words = {"word1": pair.word1, "word2": pair.word2}
            items: list[Any] = [kind.restored({**words, **row}) for row in rows[pair.pk]]
            pairs.append(kind.joined(items, pair.details))
        return pairs


class Pair(models.Model):
    """Two words in dictionary form. The words are not unique: two rows may contain the same two."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="pairs")
    is_checkpoint = models.BooleanField(
        default=False, help_text="belongs to a checkpoint item, not to the stimuli"
    )
    position = models.PositiveIntegerField(help_text="row of the file, from 1")
    word1 = models.TextField()
    word2 = models.TextField()
    details = models.JSONField(default=dict, help_text="what else its file said, by column")

    objects = PairQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["is_checkpoint", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("study", "is_checkpoint", "position"), name="pair_once_a_row"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.word1} – {self.word2}"


class TargetText:
    """A text with two target words: their dictionary forms, and the marked text.

    Everything about the spans is decided in `MarkedContext`.
    """

    word1: Any
    word2: Any
    marked: Any

    @property
    def form1(self) -> str:
        """Word 1 in the form used in the text."""
        return str(self.marked.form1)

    @property
    def form2(self) -> str:
        """Word 2 in the form used in the text."""
        return str(self.marked.form2)

    @property
    def parts(self) -> list[tuple[str, bool]]:
        """The text cut at its target words, in order: (piece, whether it is a target)."""
        return list(self.marked.parts)


class SpannedText(TargetText):
    """A stored text with the spans of its target words."""

    text: Any
    word1_start: Any
    word1_end: Any
    word2_start: Any
    word2_end: Any

    @property
    def marked(self) -> MarkedContext:
        """The text and the spans of its targets, as one value."""
        return MarkedContext(
            self.text,
            Span(self.word1_start, self.word1_end),
            Span(self.word2_start, self.word2_end),
        )


# Without "is null", a comparison with null would let any row pass a constraint.
NO_TARGETS = {f"word{n}_{end}__isnull": True for n in (1, 2) for end in ("start", "end")}
HAS_TARGETS = Q(
    **dict.fromkeys(NO_TARGETS, False),
    word1_start__lt=F("word1_end"), word2_start__lt=F("word2_end"),
)  # fmt: skip


class ContextQuerySet(models.QuerySet["Context"]):
    def stimuli(self, study: Study) -> Self:
        """Return the contexts of a study's stimuli."""
        return self.filter(pair__study=study, pair__is_checkpoint=False)


class Context(SpannedText, models.Model):
    """A short text that contains both words of its pair, a text for each word, or no text."""

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="contexts")
    number = models.PositiveSmallIntegerField(help_text="context_number: 1 or 2")
    text = models.TextField(blank=True)
    text2 = models.TextField(blank=True, default="", help_text="of word 2, if it has its own")
    word1_start = models.PositiveIntegerField(null=True)
    word1_end = models.PositiveIntegerField(null=True)
    word2_start = models.PositiveIntegerField(null=True)
    word2_end = models.PositiveIntegerField(null=True)
    more_spans = models.JSONField(null=True, help_text="further pieces of each target, or null")

    objects = ContextQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["pair__position", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("pair", "number"), name="context_once_a_pair"),
            models.CheckConstraint(condition=Q(number__in=(1, 2)), name="context_is_1_or_2"),
            models.CheckConstraint(
                condition=HAS_TARGETS
                & ~Q(text="")
                & Q(text2="", more_spans__isnull=True)
                & (Q(word1_end__lte=F("word2_start")) | Q(word2_end__lte=F("word1_start")))
                | HAS_TARGETS & ~Q(text="") & ~Q(text2="") & Q(number=1)
                | Q(**NO_TARGETS, number=1, text="", text2="", more_spans__isnull=True),
                name="targets_as_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pair}, context {self.number}"

    @classmethod
    def of(cls, pair: Pair, number: int, marked: MarkedContext) -> Self:
        """Return an unsaved context with this text and these targets."""
        (start1, end1), (start2, end2) = marked.word1, marked.word2
        return cls(
            pair=pair, number=number, text=marked.text,
            word1_start=start1, word1_end=end1, word2_start=start2, word2_end=end2,
        )  # fmt: skip

    def restored(self, kind: ItemKind) -> RatedItem[Any]:
        """Return what is rated in this context, for a study of a kind of item."""
        return kind.restored({name: getattr(self, name) for name in STORED})

    def sides(self, study: Study) -> list[tuple[str, Any]]:
        """Return the texts that are shown, each with its language, cut at its targets."""
        row = {name: getattr(self, name) for name in OF_CONTEXT}  # without a query for the words
        item: Any = study.kind.restored({"word1": "", "word2": "", **row})
        languages = (study.language, study.language2 or study.language)
        return list(zip(languages, study.kind.sides(item), strict=False))

    def find_form(self, number: int) -> str | None:
        """Return a word in the form used in its text; None without texts."""
        ends = getattr(self, f"word{number}_start"), getattr(self, f"word{number}_end")
        text = self.text2 if number == 2 and self.text2 else self.text
        further = self.more_spans[number - 1] if self.more_spans else []
        return " ".join(text[begin:end] for begin, end in (ends, *further)) if text else None

    @property
    def texts(self) -> list[str]:
        """The text of both words, the text of each, or none."""
        return [text for text in (self.text, self.text2) if text]

    @property
    def shown(self) -> str:
        """The texts, a line each."""
        return "\n".join(self.texts)

    @property
    def word1(self) -> str:
        """Dictionary form of word 1."""
        return self.pair.word1

    @property
    def word2(self) -> str:
        """Dictionary form of word 2."""
        return self.pair.word2


class StimuliOrigin(models.Model):
    """Where the contexts of a study come from, if experts chose them from corpora.

    `sources` has the place of a context in its corpus by the id of the context: columns of
    `sources_<lang>.tsv`, the digest of the corpus's text, and the id of the deciding choice.
    """

    study = models.OneToOneField(Study, models.CASCADE, related_name="stimuli_origin")
    sources = models.JSONField(default=dict)
    origin = models.JSONField(default=dict, help_text="how they were found: origin_<lang>.json")

    def __str__(self) -> str:
        return f"origin of the stimuli of {self.study}"

    @staticmethod
    def digest_text(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()


class Checkpoint(models.Model):
    """The range of ratings that an attentive annotator may give to a checkpoint item."""

    context = models.OneToOneField(Context, models.PROTECT, related_name="checkpoint")
    lowest = models.DecimalField(max_digits=5, decimal_places=2)
    highest = models.DecimalField(max_digits=5, decimal_places=2)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(lowest__lte=F("highest")), name="checkpoint_has_a_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.context}: {self.lowest} to {self.highest}"


class Block(models.Model):
    """The pairs rated in one assignment."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="blocks")
    number = models.PositiveIntegerField()
    n_more = models.PositiveSmallIntegerField(
        default=0, help_text="answers to each item, beyond the study's number"
    )

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "number"), name="block_number_once"),
            models.CheckConstraint(condition=Q(n_more__in=(0, 1)), name="one_answer_more"),
        ]

    def __str__(self) -> str:
        return f"{self.study} {self.number}"


class Round(models.Model):
    """One collection of a block; a block with bad answers is collected again in another round."""

    block = models.ForeignKey(Block, models.PROTECT, related_name="rounds")
    number = models.PositiveSmallIntegerField(help_text="from 1")
    is_current = models.BooleanField(default=True, help_text="its answers make the dataset")
    opened_at = models.DateTimeField(auto_now_add=True)
    opened_by = models.CharField(max_length=150, blank=True, default="")
    reason = models.CharField(max_length=500, blank=True, default="")

    class Meta:
        ordering: ClassVar = ["block__number", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("block", "number"), name="round_number_once"),
            models.UniqueConstraint(
                fields=("block",), condition=Q(is_current=True), name="one_current_round_a_block"
            ),
            models.CheckConstraint(
                condition=Q(number=1) | ~Q(reason=""), name="a_repeat_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.block}, round {self.number}"


class Questionnaire(models.Model):
    """One block with one context of each pair; A and B of a block are complementary."""

    block = models.ForeignKey(Block, models.PROTECT, related_name="questionnaires")
    letter = models.CharField(max_length=1, choices=[("A", "A"), ("B", "B")])

    class Meta:
        ordering: ClassVar = ["block__number", "letter"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("block", "letter"), name="questionnaire_letter_once"),
        ]

    def __str__(self) -> str:
        return f"{self.block}{self.letter}"


class Item(models.Model):
    """A context at its position in its questionnaire. A context is in exactly one questionnaire."""

    questionnaire = models.ForeignKey(Questionnaire, models.PROTECT, related_name="items")
    position = models.PositiveIntegerField(help_text="from 1")
    context = models.OneToOneField(Context, models.PROTECT, related_name="item")

    class Meta:
        ordering: ClassVar = ["questionnaire", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("questionnaire", "position"), name="item_place_once"),
        ]

    def __str__(self) -> str:
        return f"{self.questionnaire} item {self.position}"
