"""A design → what it asks for: assignments, minutes, money."""

from dataclasses import dataclass
from decimal import Decimal

from surveys.models import Pair, Study
from surveys.study.durations import Times


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The numbers of a design from which follows what it asks for."""

    n_pairs: int
    block_size: int
    ratings_per_context: int
    seconds_per_item: int
    introduction_seconds: int
    n_checkpoints: int = 0
    pay_per_hour: Decimal = Decimal(0)
    fee_percent: Decimal = Decimal(0)

    @property
    def n_blocks(self) -> int:
        """As few as hold all pairs."""
        return -(-self.n_pairs // self.block_size)

    @property
    def n_assignments(self) -> int:
        """Each of the two questionnaires of every block, as often as ratings are wanted."""
        return 2 * self.n_blocks * self.ratings_per_context

    @property
    def n_ratings(self) -> int:
        """Of all contexts together."""
        return 2 * self.n_pairs * self.ratings_per_context

    @property
    def n_items(self) -> int:
        """Texts in the longest assignment, checkpoint items included."""
        return -(-self.n_pairs // self.n_blocks) + self.n_checkpoints

    @property
    def times(self) -> Times:
        """How long introduction and item take."""
        return Times(self.introduction_seconds, self.seconds_per_item)

    @property
    def minutes(self) -> int:
        """How long that assignment takes with the introduction, as its annotator is told."""
        return self.times.first_minutes(self.n_items)

    @property
    def introduction_minutes(self) -> int:
        """How much of that is for what comes before the first text; 0 for none."""
        return round(self.introduction_seconds / 60)

    @property
    def hours(self) -> Decimal:
        """What all annotators together spend, if each does one assignment."""
        n_items = self.n_ratings + self.n_assignments * self.n_checkpoints
        introductions = self.n_assignments * self.introduction_seconds
        return Decimal(introductions + n_items * self.seconds_per_item) / 3600

    @property
    def pay(self) -> Decimal:
        """For the longest assignment with the introduction, to the second decimal."""
        seconds = self.introduction_seconds + self.n_items * self.seconds_per_item
        return round(self.pay_per_hour * seconds / 3600, 2)

    @property
    def wages(self) -> Decimal:
        """For all assignments."""
        return round(self.hours * self.pay_per_hour, 2)

    @property
    def fee(self) -> Decimal:
        """What a provider takes on top."""
        return round(self.wages * self.fee_percent / 100, 2)

    @property
    def total(self) -> Decimal:
        """Wages and fee."""
        return self.wages + self.fee


def count_pairs(study: Study) -> tuple[int, int]:
    """How many pairs the stimuli of a study have, and how many checkpoint items there are."""
    return Pair.objects.stimuli(study).count(), Pair.objects.checkpoints(study).count()
