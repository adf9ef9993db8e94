from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from surveys.models.study import Study


class Pair(models.Model):
    """Two words in dictionary form. Their words are no key: two rows may hold the same two."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="pairs")
    position = models.PositiveIntegerField(help_text="row of the stimuli file, from 1")
    word1 = models.TextField()
    word2 = models.TextField()

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "position"), name="pair_once_a_row"),
        ]

    def __str__(self) -> str:
        return f"{self.word1} – {self.word2}"


class Context(models.Model):
    """A short text with both words of its pair, each at one half-open range of code points."""

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="contexts")
    number = models.PositiveSmallIntegerField(help_text="context_number: 1 or 2")
    text = models.TextField()
    word1_start = models.PositiveIntegerField()
    word1_end = models.PositiveIntegerField()
    word2_start = models.PositiveIntegerField()
    word2_end = models.PositiveIntegerField()

    class Meta:
        ordering: ClassVar = ["pair__position", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("pair", "number"), name="context_once_a_pair"),
            models.CheckConstraint(condition=Q(number__in=(1, 2)), name="context_is_1_or_2"),
            models.CheckConstraint(
                condition=Q(word1_start__lt=F("word1_end"), word2_start__lt=F("word2_end"))
                & (Q(word1_end__lte=F("word2_start")) | Q(word2_end__lte=F("word1_start"))),
                name="targets_apart",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pair}, context {self.number}"

    @property
    def form1(self) -> str:
        """Word 1 as it stands in the text."""
        return self.text[self.word1_start : self.word1_end]

    @property
    def form2(self) -> str:
        """Word 2 as it stands in the text."""
        return self.text[self.word2_start : self.word2_end]

    @property
    def parts(self) -> list[tuple[str, bool]]:
        """The text in order, cut at its targets: (piece, whether it is a target)."""
        spans = sorted([(self.word1_start, self.word1_end), (self.word2_start, self.word2_end)])
        (a, b), (c, d) = spans
        text = self.text
        return [
            (text[:a], False), (text[a:b], True), (text[b:c], False), (text[c:d], True),
            (text[d:], False),
        ]  # fmt: skip


class Block(models.Model):
    """The pairs judged in one sitting."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="blocks")
    number = models.PositiveIntegerField()

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("study", "number"), name="block_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.study} {self.number}"


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
    """A context at its place in its questionnaire. A context stands in exactly one."""

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
