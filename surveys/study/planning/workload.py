"""Workload of a design: assignments, minutes, money."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from surveys.models import Pair, Study, TextKind
from surveys.study.exercises import read_practice
from surveys.study.planning.durations import Times, estimate_seconds, introduction_seconds
from surveys.study.texts import read_texts


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The numbers of a design, and the workload that follows from them."""

    n_pairs: int
    block_size: int | None  # None: all pairs in one block
    ratings_per_context: int
    seconds_per_item: int
    introduction_seconds: int
    n_contexts: int = 2  # of a pair
    n_doubled: int = 0  # pairs with one answer more, in blocks of their own
    n_checkpoints: int = 0
    pay_per_hour: Decimal = Decimal(0)
    fee_percent: Decimal = Decimal(0)

    @property
    def _parts(self) -> list[tuple[int, int, int]]:
        """Pairs, the fewest blocks that hold them, and ratings a context: of single and doubled."""
        n_doubled, size = min(self.n_doubled, self.n_pairs), self.block_size or self.n_pairs
        parts = (self.n_pairs - n_doubled, 0), (n_doubled, 1)
        return [(n, -(-n // size), self.ratings_per_context + more) for n, more in parts if n]

    @property
    def n_blocks(self) -> int:
        """The smallest number of blocks that holds all pairs."""
        return sum(n_blocks for _, n_blocks, _ in self._parts)

    @property
    def n_assignments(self) -> int:
        """A questionnaire of every block for each context of a pair, times its ratings."""
        return self.n_contexts * sum(n_blocks * n for _, n_blocks, n in self._parts)

    @property
    def n_ratings(self) -> int:
        """The number of ratings of all contexts."""
        return self.n_contexts * sum(n_pairs * n for n_pairs, _, n in self._parts)

    @property
    def n_items(self) -> int:
        """The number of texts in the longest assignment, including checkpoint items."""
        longest = max(-(-n_pairs // n_blocks) for n_pairs, n_blocks, _ in self._parts)
        return longest + self.n_checkpoints

    @property
    def minutes(self) -> int:
        """Minutes of the longest assignment, with introduction, as its annotator is shown."""
        return Times(self.introduction_seconds, self.seconds_per_item).first_minutes(self.n_items)

    @property
    def introduction_minutes(self) -> int:
        """Minutes of the introduction; 0 for none."""
        return round(self.introduction_seconds / 60)

    @property
    def hours(self) -> Decimal:
        """Hours of all annotators together, if each does one assignment."""
        n_items = self.n_ratings + self.n_assignments * self.n_checkpoints
        introductions = self.n_assignments * self.introduction_seconds
        return Decimal(introductions + n_items * self.seconds_per_item) / 3600

    @property
    def pay(self) -> Decimal:
        """Pay for the longest assignment with the introduction, to the second decimal."""
        seconds = self.introduction_seconds + self.n_items * self.seconds_per_item
        return round(self.pay_per_hour * seconds / 3600, 2)

    @property
    def wages(self) -> Decimal:
        """Pay for all assignments."""
        return round(self.hours * self.pay_per_hour, 2)

    @property
    def fee(self) -> Decimal:
        """The provider's fee on the wages."""
        return round(self.wages * self.fee_percent / 100, 2)

    @property
    def total(self) -> Decimal:
        """Wages and fee."""
        return self.wages + self.fee


def plan_sample(study: Study, **given: Any) -> Plan:
    """Return the workload of a new study whose items are like its practice items.

    `given`: its number of pairs, and the pay.
    """
    texts = read_texts(study)
    practice = read_practice(texts[TextKind.PRACTICE].body, study.item_rules)
    shown = [" ".join(text.text for text in sample.item.texts) for sample in practice]
    return Plan(
        **given,
        block_size=study.block_size,
        ratings_per_context=study.ratings_per_context,
        seconds_per_item=estimate_seconds(shown, study.writes),
        introduction_seconds=introduction_seconds(study, texts),
        n_contexts=study.kind.n_contexts,
        n_doubled=study.n_doubled,
    )


def count_pairs(study: Study) -> tuple[int, int]:
    """Return the number of pairs in a study's stimuli, and of its checkpoint items."""
    return Pair.objects.stimuli(study).count(), Pair.objects.checkpoints(study).count()
