"""Places to offer for pay: which are free, and what they cost."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from django.db.models import Count

from surveys.crowd.errors import BatchRefused
from surveys.crowd.fees import (
    Estimate,
    estimate_hits,
    hourly_cents,
    is_low_wage,
    rates_of,
    round_reserved,
    split_places,
)
from surveys.crowd.models import MOST_PLACES
from surveys.models import Place, Questionnaire, Study
from surveys.monitoring.assignments import HASTE_FACTOR
from surveys.monitoring.progress import median_minutes
from surveys.study.planning.durations import introduction_seconds
from surveys.study.planning.workload import Plan, count_pairs

NAMED = re.compile(r"(?P<name>[0-9]{1,6}[A-Z])(?::(?P<n>[0-9]{1,5}))?")
TIME_ALLOWANCE = 4  # times the usual minutes are allowed for one place


class FreePlaces(NamedTuple):
    """A questionnaire and the number of its free places."""

    questionnaire: Questionnaire
    n_free: int

    @property
    def name(self) -> str:
        """Return block number and letter, such as 12A."""
        return f"{self.questionnaire.block.number}{self.questionnaire.letter}"


class FreeRange(NamedTuple):
    """Consecutive questionnaires with equally many free places."""

    first: FreePlaces
    last: FreePlaces
    n_questionnaires: int


class Pace(NamedTuple):
    """Minutes that the texts of a questionnaire take, and the introduction before them.

    The texts' minutes are the measured median, or else the study's estimate: without data, or if
    the median is so low that half of the annotators would be flagged as very fast (scripts).
    """

    texts_minutes: float
    is_measured: bool
    introduction_minutes: float

    @property
    def minutes(self) -> float:
        """Return the minutes of an annotator's first questionnaire of the study."""
        return round(self.introduction_minutes + self.texts_minutes, 1)

    @property
    def allowed_minutes(self) -> int:
        """Return the time limit in minutes, generous enough for slow annotators."""
        return max(1, round(TIME_ALLOWANCE * self.minutes))

    def hourly_cents(self, reward_cents: int) -> int:
        """Return the hourly wage for a first questionnaire, with the introduction."""
        return hourly_cents(reward_cents, self.minutes)

    def later_hourly_cents(self, reward_cents: int) -> int:
        """Return the hourly wage for a later questionnaire, without the introduction."""
        return hourly_cents(reward_cents, self.texts_minutes)

    def is_low(self, reward_cents: int) -> bool:
        """Return whether the wage for a first questionnaire is so low that pages warn."""
        return is_low_wage(self.hourly_cents(reward_cents))


@dataclass(frozen=True)
class Cost:
    """Cost of places: as billed by the provider, and as reserved (fees rounded up)."""

    estimate: Estimate
    reward_cents: int
    fee_cents: int
    pace: Pace

    @property
    def reserved_cents(self) -> int:
        """Return the total to type to approve the budget of these places."""
        return self.estimate.n_places * (self.reward_cents + self.fee_cents)

    @property
    def hourly_cents(self) -> int:
        """Return the hourly wage at the median pace, with the introduction."""
        return self.pace.hourly_cents(self.reward_cents)

    @property
    def later_hourly_cents(self) -> int:
        """Return the hourly wage at the median pace, without the introduction."""
        return self.pace.later_hourly_cents(self.reward_cents)

    @property
    def is_low(self) -> bool:
        """Return whether pages warn of a low wage."""
        return self.pace.is_low(self.reward_cents)


def list_free_places(study: Study) -> list[FreePlaces]:
    """Return the questionnaires of a study that have free places, in order."""
    free = Place.objects.free(study).order_by().values_list("questionnaire_id")
    counts = dict(free.annotate(n=Count("pk")))
    questionnaires = Questionnaire.objects.filter(block__study=study).select_related("block")
    ordered = questionnaires.order_by("block__number", "letter")
    return [FreePlaces(q, counts[q.pk]) for q in ordered if q.pk in counts]


def join_ranges(free: Iterable[FreePlaces]) -> list[FreeRange]:
    """Join consecutive questionnaires with equally many free places, such as 1A to 40B."""
    ranges = []
    for _, equal in groupby(free, key=attrgetter("n_free")):
        several = list(equal)
        ranges.append(FreeRange(several[0], several[-1], len(several)))
    return ranges


def choose_places(
    free: Sequence[FreePlaces], each: int, named: str = ""
) -> dict[Questionnaire, int]:
    """Return up to `each` free places of all questionnaires, or those named as in `1A, 2B:4`.

    Raises BatchRefused if a named questionnaire does not have that many free places.
    """
    if not named.strip():
        return {place.questionnaire: min(each, place.n_free) for place in free}
    by_name = {place.name: place for place in free}
    chosen: dict[Questionnaire, int] = {}
    for word in re.split(r"[\s,;]+", named.strip(" \t\r\n,;")):
        match = NAMED.fullmatch(word.upper())
        place = by_name.get(match["name"]) if match else None
        if match is None:
            raise BatchRefused(f"Write “{word[:20]}” as 1A, or as 1A:4 for four places.")
        if place is None:
            raise BatchRefused(f"{match['name']} is not a questionnaire with free places.")
        n_places = int(match["n"]) if match["n"] else each
        if place.questionnaire in chosen:
            raise BatchRefused(f"{place.name} is named twice.")
        if not 1 <= n_places <= place.n_free:
            raise BatchRefused(f"{place.name} has {place.n_free} free places, not {n_places}.")
        chosen[place.questionnaire] = n_places
    return chosen


def find_pace(study: Study) -> Pace:
    """Return the measured or estimated pace of a study."""
    n_pairs, n_checkpoints = count_pairs(study)
    plan = Plan(
        n_pairs=max(1, n_pairs), block_size=study.block_size, ratings_per_context=1,
        seconds_per_item=study.seconds_per_item,
        introduction_seconds=0,  # a separate field of the pace
        n_checkpoints=min(n_checkpoints, study.n_checkpoints),
    )  # fmt: skip
    introduction = round(introduction_seconds(study) / 60, 1)
    measured = round(median_minutes(study) or 0, 1)
    if measured < plan.minutes / HASTE_FACTOR:
        return Pace(plan.minutes, is_measured=False, introduction_minutes=introduction)
    return Pace(measured, is_measured=True, introduction_minutes=introduction)


def cost_places(
    target: str, places: Mapping[Questionnaire, int], reward_cents: int, pace: Pace
) -> Cost:
    """Return the cost of places at a target, in HITs of up to nine."""
    rates = rates_of(target)
    sizes = [size for n in places.values() for size in split_places(n, MOST_PLACES)]
    total = estimate_hits(rates, reward_cents, sizes)
    return Cost(total, reward_cents, round_reserved(rates.of_reward(reward_cents)), pace)
