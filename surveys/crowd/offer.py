"""Places that are to be offered for pay: which are free, and what offering them costs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from django.db.models import Count
from django.utils import timezone

from surveys.crowd.fees import (
    Estimate,
    estimate_places,
    hourly_cents,
    is_low_wage,
    rates_of,
    round_reserved,
)
from surveys.errors import BatchRefused
from surveys.models import Place, Questionnaire, Study
from surveys.models.batches import MOST_PLACES
from surveys.monitoring.annotators import HASTE
from surveys.monitoring.progress import median_minutes
from surveys.study.durations import introduction_seconds
from surveys.study.workload import Plan, count_pairs

NAMED = re.compile(r"(?P<name>[0-9]{1,6}[A-Z])(?::(?P<n>[0-9]{1,5}))?")
GENEROUS = 4  # times the usual minutes are allowed for one place


class FreePlaces(NamedTuple):
    """A questionnaire, and how many of its places nobody has."""

    questionnaire: Questionnaire
    n_free: int

    @property
    def name(self) -> str:
        """As people write it: 12A."""
        return f"{self.questionnaire.block.number}{self.questionnaire.letter}"


class FreeRange(NamedTuple):
    """Questionnaires one after another that have equally many places nobody has."""

    first: FreePlaces
    last: FreePlaces
    n_questionnaires: int


class Pace(NamedTuple):
    """How many minutes the texts of a questionnaire take, and what comes before the first one.

    Measured is the median of the texts so far; else the study expects it. A median at which half
    of them would be called very fast says more of scripts than of people.
    """

    texts_minutes: float
    is_measured: bool
    introduction_minutes: float

    @property
    def minutes(self) -> float:
        """The minutes of who does a questionnaire of the study for the first time."""
        return round(self.introduction_minutes + self.texts_minutes, 1)

    @property
    def allowed_minutes(self) -> int:
        """What somebody is given for it, so that nobody loses work by being slow."""
        return max(1, round(GENEROUS * self.minutes))

    def hourly_cents(self, reward_cents: int) -> int:
        """What a reward is an hour, for who reads the introduction."""
        return hourly_cents(reward_cents, self.minutes)

    def later_hourly_cents(self, reward_cents: int) -> int:
        """What a reward is an hour, for who has read the introduction before."""
        return hourly_cents(reward_cents, self.texts_minutes)

    def is_low(self, reward_cents: int) -> bool:
        """Whether the first of the two is under the wage below which pages warn."""
        return is_low_wage(self.hourly_cents(reward_cents))


@dataclass(frozen=True)
class Cost:
    """What places cost: as the provider bills it, and as it is reserved, rounded up."""

    estimate: Estimate
    reward_cents: int
    fee_cents: int
    pace: Pace

    @property
    def reserved_cents(self) -> int:
        """What is typed to arm a batch of these places."""
        return self.estimate.n_places * (self.reward_cents + self.fee_cents)

    @property
    def hourly_cents(self) -> int:
        """Of who takes as long as most, and reads the introduction."""
        return self.pace.hourly_cents(self.reward_cents)

    @property
    def later_hourly_cents(self) -> int:
        """Of who takes as long as most, and has read the introduction before."""
        return self.pace.later_hourly_cents(self.reward_cents)

    @property
    def is_low(self) -> bool:
        """Whether pages warn of that wage."""
        return self.pace.is_low(self.reward_cents)


def list_free_places(study: Study) -> list[FreePlaces]:
    """The questionnaires of a study that have places to give, in their order."""
    free = Place.objects.free(study).order_by().values_list("questionnaire_id")
    counts = dict(free.annotate(n=Count("pk")))
    found = Questionnaire.objects.filter(block__study=study).select_related("block")
    ordered = found.order_by("block__number", "letter")
    return [FreePlaces(one, counts[one.pk]) for one in ordered if one.pk in counts]


def join_ranges(free: Iterable[FreePlaces]) -> list[FreeRange]:
    """Free places as people read them: 1A to 40B, 10 each."""
    ranges = []
    for _, equal in groupby(free, key=attrgetter("n_free")):
        several = list(equal)
        ranges.append(FreeRange(several[0], several[-1], len(several)))
    return ranges


def choose_places(
    free: Sequence[FreePlaces], each: int, named: str = ""
) -> dict[Questionnaire, int]:
    """So many places of each questionnaire, or of those that are named, as in `1A, 2B:4`.

    Of all, those are offered that are free; of those named, exactly what was asked for. Raises
    BatchRefused.
    """
    if not named.strip():
        return {one.questionnaire: min(each, one.n_free) for one in free}
    by_name = {one.name: one for one in free}
    chosen: dict[Questionnaire, int] = {}
    for word in re.split(r"[\s,;]+", named.strip(" \t\r\n,;")):
        found = NAMED.fullmatch(word.upper())
        one = by_name.get(found["name"]) if found else None
        if found is None:
            raise BatchRefused(f"Write “{word[:20]}” as 1A, or as 1A:4 for four places of it.")
        if one is None:
            raise BatchRefused(f"{found['name']} is no questionnaire with a place to give.")
        n_places = int(found["n"]) if found["n"] else each
        if one.questionnaire in chosen:
            raise BatchRefused(f"{one.name} stands there twice.")
        if not 1 <= n_places <= one.n_free:
            raise BatchRefused(f"{one.name} has {one.n_free} places to give, not {n_places}.")
        chosen[one.questionnaire] = n_places
    return chosen


def tell_pace(study: Study) -> Pace:
    """Return how long a questionnaire of a study takes."""
    n_pairs, n_checkpoints = count_pairs(study)
    plan = Plan(
        n_pairs=max(1, n_pairs), block_size=study.block_size, ratings_per_context=1,
        seconds_per_item=study.seconds_per_item,
        introduction_seconds=0,  # the pace has it apart
        n_checkpoints=min(n_checkpoints, study.n_checkpoints),
    )  # fmt: skip
    introduction = round(introduction_seconds(study) / 60, 1)
    measured = round(median_minutes(study) or 0, 1)
    if measured < plan.minutes / HASTE:
        return Pace(plan.minutes, is_measured=False, introduction_minutes=introduction)
    return Pace(measured, is_measured=True, introduction_minutes=introduction)


def cost_places(
    target: str, places: Mapping[Questionnaire, int], reward_cents: int, pace: Pace
) -> Cost:
    """What places cost at a target, in HITs of up to nine. Raises FeesUnknown."""
    rates = rates_of(target, timezone.now().date())
    parts = [
        estimate_places(rates, reward_cents, n, places_a_hit=MOST_PLACES) for n in places.values()
    ]
    total = Estimate(
        n_places=sum(part.n_places for part in parts),
        n_hits=sum(part.n_hits for part in parts),
        wages_cents=sum(part.wages_cents for part in parts),
        fees_cents=sum(part.fees_cents for part in parts),
    )
    return Cost(total, reward_cents, round_reserved(rates.of_reward(reward_cents)), pace)
