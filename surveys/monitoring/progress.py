"""A study under way → how far it has come, and when it will be done at the present pace."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import sqrt
from statistics import median

from django.db.models import Count, F, Max, Min, Q, Sum
from django.utils import timezone

from surveys.models import Assignment, AssignmentState, Questionnaire, Review, Round, Study
from surveys.models.collection import AssignmentQuerySet
from surveys.models.durations import ElapsedSeconds
from surveys.study.durations import introduction_seconds

RECENT = timedelta(days=7)  # how far back the pace is looked at
FEWEST_RECENT = 5  # finished in that time, for a pace
LONGEST = timedelta(days=3650)  # further ahead no date is told
LATEST = 200  # finished assignments whose minutes stand for a study's


@dataclass(frozen=True)
class Tally:
    """How many assignments of current rounds are wanted, live, done, usable and set aside.

    Live are those offered or started, done are those that were ever finished, usable those of
    them that count in the dataset as it stands, set aside those that a reviewer has judged not to
    be used. These keep their places, so nobody answers in their stead.
    """

    wanted: int
    live: int = 0
    done: int = 0
    usable: int = 0
    set_aside: int = 0
    recent: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None

    def __add__(self, other: "Tally") -> "Tally":
        firsts = [at for at in (self.first_at, other.first_at) if at]
        lasts = [at for at in (self.last_at, other.last_at) if at]
        return Tally(
            self.wanted + other.wanted,
            self.live + other.live,
            self.done + other.done,
            self.usable + other.usable,
            self.set_aside + other.set_aside,
            self.recent + other.recent,
            min(firsts, default=None),
            max(lasts, default=None),
        )

    @property
    def missing(self) -> int:
        """How many more are still to come."""
        return max(0, self.wanted - self.usable - self.set_aside)

    @property
    def usable_share(self) -> float:
        """In per cent of those wanted, for a picture."""
        return _percent(min(self.usable, self.wanted), self.wanted)

    @property
    def live_share(self) -> float:
        """In per cent of those wanted, as far as they are still missing."""
        return _percent(min(self.live, self.missing), self.wanted)


@dataclass(frozen=True)
class Forecast:
    """When what is missing will be there if the pace stays; `at` is None for no forecast.

    The pace is that of the assignments finished in the last seven days, or since the first of
    them if that is later. Its range takes their number for a Poisson count: (√n ± 0.98)².
    """

    recent: int
    a_day: float = 0
    at: datetime | None = None
    earliest: datetime | None = None
    latest: datetime | None = None
    is_far: bool = False
    is_done: bool = False


@dataclass
class QuestionnaireProgress:
    """How far a questionnaire has come."""

    questionnaire: Questionnaire
    tally: Tally
    minutes: float | None


@dataclass
class BlockProgress:
    """How far a block has come in its current round."""

    round: Round
    questionnaires: list[QuestionnaireProgress]
    minutes: float | None
    verdicts: int  # changes with what reviewers keep out of the dataset

    @property
    def tally(self) -> Tally:
        """That of its questionnaires together."""
        return sum_tallies(part.tally for part in self.questionnaires)


def sum_tallies(tallies: Iterable[Tally]) -> Tally:
    """All of them together."""
    total = Tally(0)
    for tally in tallies:
        total += tally
    return total


def watch_blocks(study: Study, rounds: Collection[Round]) -> list[BlockProgress]:
    """How far each block has come in a round; four queries, however many blocks there are."""
    by_block = defaultdict(list)
    for questionnaire in Questionnaire.objects.filter(block__rounds__in=rounds).order_by("letter"):
        by_block[questionnaire.block_id].append(questionnaire)
    assignments = Assignment.objects.filter(round__in=rounds)
    tallies = _tally_questionnaires(study, assignments)
    seconds = _list_seconds(assignments)
    verdicts = _sum_verdicts(study)
    return [
        _watch_block(
            study, round_, by_block[round_.block_id], tallies, seconds, verdicts.get(round_.pk, 0)
        )
        for round_ in rounds
    ]


def watch_study(study: Study) -> Tally:
    """How far a study has come; a query over its assignments and one over its questionnaires."""
    n_questionnaires = Questionnaire.objects.filter(block__study=study).count()
    current = Assignment.objects.for_study(study).filter(round__is_current=True)
    counts = current.aggregate(**_counts(timezone.now()))
    return Tally(wanted=n_questionnaires * study.ratings_per_context, **counts)


def median_minutes(study: Study) -> float | None:
    """The median minutes from start to end of the assignments that were finished last."""
    latest = Assignment.objects.for_study(study).submitted().order_by("-active_at")[:LATEST]
    seconds = latest.values_list(ElapsedSeconds(F("started_at"), F("submitted_at")), flat=True)
    return _minutes(list(seconds))


def forecast(tally: Tally, now: datetime | None = None) -> Forecast:
    """When a tally will be complete if assignments go on being finished as they are now."""
    now = now or timezone.now()
    if not tally.missing:
        return Forecast(tally.recent, is_done=True)
    if tally.recent < FEWEST_RECENT or tally.first_at is None:
        return Forecast(tally.recent)
    began = max(now - RECENT, tally.first_at)
    days = max((now - began) / timedelta(days=1), 1 / 24)
    a_day = tally.recent / days
    at, earliest, latest = (
        _ahead(now, tally.missing * days / n)
        for n in (tally.recent, (sqrt(tally.recent) + 0.98) ** 2, (sqrt(tally.recent) - 0.98) ** 2)
    )
    return Forecast(tally.recent, a_day, at, earliest, latest, is_far=at is None)


def _ahead(now: datetime, days: float) -> datetime | None:
    return now + timedelta(days=days) if days < LONGEST.days else None


def _counts(now: datetime) -> dict[str, Count | Min | Max]:
    finished = Q(state=AssignmentState.SUBMITTED)
    unwanted = Q(pk__in=Review.objects.unwanted_wholes())
    usable = finished & ~unwanted
    return {
        "live": Count("pk", filter=Q(state__in=AssignmentState.leased())),
        "done": Count("submitted_at"),
        "usable": Count("pk", filter=usable),
        "set_aside": Count("pk", filter=finished & unwanted),
        "recent": Count("pk", filter=usable & Q(submitted_at__gte=now - RECENT)),
        "first_at": Min("submitted_at", filter=usable),
        "last_at": Max("submitted_at", filter=usable),
    }


def _tally_questionnaires(study: Study, assignments: AssignmentQuerySet) -> dict[int, Tally]:
    wanted = study.ratings_per_context
    counts = _counts(timezone.now())
    rows = assignments.order_by().values_list("questionnaire_id").annotate(**counts)
    return {questionnaire: Tally(wanted, *tally) for questionnaire, *tally in rows}


def _sum_verdicts(study: Study) -> dict[int, int]:
    """For each round a number that is another as soon as other answers are not to be used."""
    unwanted = Review.objects.unwanted(study).order_by().values_list("assignment__round")
    return dict(unwanted.annotate(total=Sum("pk")))


def _list_seconds(assignments: AssignmentQuerySet) -> dict[int, list[float]]:
    """How long the finished assignments of each questionnaire took."""
    seconds: dict[int, list[float]] = defaultdict(list)
    elapsed = ElapsedSeconds(F("started_at"), F("submitted_at"))
    for questionnaire, taken in assignments.submitted().values_list("questionnaire_id", elapsed):
        seconds[questionnaire].append(taken)
    return seconds


def _watch_block(
    study: Study,
    round_: Round,
    questionnaires: list[Questionnaire],
    tallies: Mapping[int, Tally],
    seconds: Mapping[int, list[float]],
    verdicts: int,
) -> BlockProgress:
    none = Tally(study.ratings_per_context)
    parts = [
        QuestionnaireProgress(q, tallies.get(q.pk, none), _minutes(seconds.get(q.pk, [])))
        for q in questionnaires
    ]
    together = [taken for q in questionnaires for taken in seconds.get(q.pk, [])]
    return BlockProgress(round_, parts, _minutes(together), verdicts)


def _minutes(seconds: list[float]) -> float | None:
    return median(seconds) / 60 if seconds else None


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


@dataclass(frozen=True)
class RepeatCost:
    """What collecting a block again would take, and what becomes of what is there.

    Minutes are the median of those who finished the round, else what the study allows for, both
    with the introduction, which new annotators read. Those that are set aside, a reviewer has
    judged not to be used.
    """

    n_new: int
    minutes_each: float
    is_measured: bool
    n_leaving: int
    n_set_aside: int
    n_under_way: int

    @property
    def hours(self) -> float:
        """Of all new annotators together."""
        return self.n_new * self.minutes_each / 60


def preview_repeat(study: Study, current: Round) -> RepeatCost:
    """What it would mean to collect the block of a current round again; nothing is changed."""
    (block,) = watch_blocks(study, [current])
    n_new = len(block.questionnaires) * study.ratings_per_context
    introduction = introduction_seconds(study) / 60
    allowed = study.block_size * study.seconds_per_item / 60
    return RepeatCost(
        n_new=n_new,
        minutes_each=introduction + (allowed if block.minutes is None else block.minutes),
        is_measured=block.minutes is not None,
        n_leaving=block.tally.usable,
        n_set_aside=block.tally.set_aside,
        n_under_way=block.tally.live,
    )
