"""Progress of a study, its blocks and questionnaires, and a forecast of when it is complete."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import sqrt
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Count, F, Max, Min, Q, QuerySet, Sum, Value
from django.db.models.functions import Greatest
from django.utils import timezone

from surveys.models import Assignment, AssignmentState, Place, Questionnaire, Review, Round, Study
from surveys.study.planning.durations import introduction_seconds
from surveys.study.planning.workload import count_pairs

PACE_PERIOD = timedelta(days=7)
MIN_FINISHED_FOR_PACE = 5
FORECAST_HORIZON = timedelta(days=3650)
N_TIMED_ASSIGNMENTS = 200  # the latest ones, for the median minutes of a study
CURRENT = Q(assignments__round__is_current=True)
TAKEN = F("submitted_at") - F("started_at")


class Tally(NamedTuple):
    """Numbers of assignments in current rounds; `with_progress` defines each.

    `recent` counts the usable ones finished in the last seven days; `first_at` and `last_at` are
    the instants at which the first and the last usable one were finished.
    """

    wanted: int = 0
    live: int = 0
    finished: int = 0
    usable: int = 0
    replaced: int = 0
    missing: int = 0
    short: int = 0
    withdrawn: int = 0
    recent: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None

    @property
    def set_aside(self) -> int:
        """Finished assignments that reviewers have judged unusable as a whole."""
        return self.finished - self.usable

    @property
    def usable_share(self) -> float:
        """Usable assignments in per cent of the number wanted, 100 at most."""
        return _percent(min(self.usable, self.wanted), self.wanted)

    @property
    def live_share(self) -> float:
        """Live assignments in per cent of the number wanted, as far as any are missing."""
        return _percent(min(self.live, self.missing), self.wanted)


@dataclass(frozen=True)
class Forecast:
    """Date at which nothing is missing if the pace stays the same; `at` is None without one.

    The pace is that of the assignments finished in the last seven days, or since the first of
    them if that is later. The range treats their number as a Poisson count: (√n ± 0.98)².
    """

    recent: int
    a_day: float = 0
    at: datetime | None = None
    earliest: datetime | None = None
    latest: datetime | None = None
    is_far: bool = False
    is_done: bool = False


class QuestionnaireCounts(NamedTuple):
    """Progress of one questionnaire in the current round of its block, as the API returns it."""

    block: int
    letter: str
    round: int
    wanted: int
    live: int
    finished: int
    usable: int


@dataclass
class QuestionnaireProgress:
    """Progress of a questionnaire."""

    questionnaire: Questionnaire
    tally: Tally
    minutes: float | None


@dataclass
class BlockProgress:
    """Progress of a block in its current round."""

    round: Round
    questionnaires: list[QuestionnaireProgress]
    minutes: float | None
    verdicts: int  # a checksum of the answers that reviewers have rejected

    @property
    def tally(self) -> Tally:
        """Sum over the questionnaires of the block."""
        return sum_tallies(part.tally for part in self.questionnaires)


def with_progress(questionnaires: QuerySet[Questionnaire]) -> QuerySet[Any]:
    """Annotate questionnaires with their progress in the current round of their block.

    The console, the API, the overview and the admin all count by this query:

    wanted
        Ratings per context, as the study is set now. Places that are still held after the quota
        was lowered do not add to it.
    live
        Assignments offered or started, lapsed ones included until their place is given away.
    finished
        Submitted assignments, also those over quota; not those of annotators who withdrew.
    usable
        Finished assignments that no reviewer has judged unusable as a whole.
    replaced
        Finished assignments that were set aside and for which another place was opened.
    missing
        Wanted plus replaced minus finished, at least 0: surplus work in one questionnaire does
        not make up for another.
    short
        Wanted minus usable, at least 0: how many the texts lack, whether a place is open or not.
    withdrawn
        Assignments that were submitted before their annotator withdrew.

    It also annotates `recent`, `first_at` and `last_at` of `Tally`.
    """
    finished = CURRENT & Q(assignments__state=AssignmentState.SUBMITTED)
    usable = finished & ~Q(assignments__in=Review.objects.unwanted_wholes())
    is_recent = Q(assignments__submitted_at__gte=timezone.now() - PACE_PERIOD)
    is_live = Q(assignments__state__in=AssignmentState.leased())
    was_submitted = Q(assignments__submitted_at__isnull=False)
    # a few rows of one scan, instead of a join with the places of all assignments
    replaced = Place.objects.filter(is_replaced=True).order_by().values("assignment")
    return questionnaires.annotate(
        wanted=F("block__study__ratings_per_context") + F("block__n_more"),
        live=Count("assignments", filter=CURRENT & is_live),
        finished=Count("assignments", filter=finished),
        usable=Count("assignments", filter=usable),
        replaced=Count("assignments", filter=finished & Q(assignments__in=replaced)),
        withdrawn=Count(
            "assignments",
            filter=CURRENT & was_submitted & Q(assignments__state=AssignmentState.WITHDRAWN),
        ),
        recent=Count("assignments", filter=usable & is_recent),
        first_at=Min("assignments__submitted_at", filter=usable),
        last_at=Max("assignments__submitted_at", filter=usable),
    ).annotate(
        missing=Greatest(F("wanted") + F("replaced") - F("finished"), Value(0)),
        short=Greatest(F("wanted") - F("usable"), Value(0)),
    )


def sum_tallies(tallies: Iterable[Tally]) -> Tally:
    """Add up tallies."""
    columns: Iterable[tuple[Any, ...]] = zip(*([*tallies] or [Tally()]), strict=True)
    *counts, first_at, last_at = columns
    ends = min(filter(None, first_at), default=None), max(filter(None, last_at), default=None)
    return Tally._make([*map(sum, counts), *ends])


def count_questionnaire_progress(study: Study) -> list[QuestionnaireCounts]:
    """Return the progress of each questionnaire of a study; one query."""
    current = Questionnaire.objects.filter(block__study=study, block__rounds__is_current=True)
    rows = with_progress(current).order_by("block__number", "letter").values_list(
        "block__number", "letter", "block__rounds__number", "wanted", "live", "finished", "usable"
    )  # fmt: skip
    return [QuestionnaireCounts(*row) for row in rows]


def count_block_progress(study: Study, rounds: Collection[Round]) -> list[BlockProgress]:
    """Return the progress of current rounds' blocks; three queries for any number."""
    by_block = defaultdict(list)
    questionnaires = Questionnaire.objects.filter(block__rounds__in=rounds)
    for questionnaire in with_progress(questionnaires).order_by("letter"):
        by_block[questionnaire.block_id].append(questionnaire)
    times: dict[int, list[timedelta]] = defaultdict(list)
    finished = Assignment.objects.filter(round__in=rounds).submitted()
    for questionnaire_id, taken in finished.values_list("questionnaire_id", TAKEN):
        times[questionnaire_id].append(taken)
    verdicts = _sum_verdicts(study, rounds)
    return [
        _count_block(round_, by_block[round_.block_id], times, verdicts.get(round_.pk, 0))
        for round_ in rounds
    ]


def count_round_progress(study: Study) -> dict[int, Tally]:
    """Return the progress of a study's current rounds by id, in the order of blocks; one query."""
    by_round: dict[int, list[Tally]] = defaultdict(list)
    current = Questionnaire.objects.filter(block__study=study, block__rounds__is_current=True)
    for pk, *tally in _list_tallies(current, "block__rounds").order_by("block__number"):
        by_round[pk].append(Tally(*tally))
    return {pk: sum_tallies(tallies) for pk, tallies in by_round.items()}


def count_study_progress(study: Study) -> Tally:
    """Return the progress of a study; one query."""
    return count_progress_by_study([study])[study.pk]


def count_progress_by_study(studies: Collection[Study]) -> dict[int, Tally]:
    """Return studies' progress by their ids; one query for any number."""
    by_study: dict[int, list[Tally]] = {study.pk: [] for study in studies}
    of_studies = Questionnaire.objects.filter(block__study__in=studies)
    for pk, *tally in _list_tallies(of_studies, "block__study"):
        by_study[pk].append(Tally(*tally))
    return {pk: sum_tallies(tallies) for pk, tallies in by_study.items()}


def median_minutes(study: Study) -> float | None:
    """Return the median minutes from start to end of the assignments that were finished last."""
    latest = Assignment.objects.for_study(study).submitted().order_by("-active_at")
    return _minutes(list(latest[:N_TIMED_ASSIGNMENTS].values_list(TAKEN, flat=True)))


def forecast(tally: Tally, now: datetime | None = None) -> Forecast:
    """Predict when a tally is complete if assignments are finished at the present pace."""
    now = now or timezone.now()
    if not tally.missing:
        return Forecast(tally.recent, is_done=True)
    if tally.recent < MIN_FINISHED_FOR_PACE or tally.first_at is None:
        return Forecast(tally.recent)
    began = max(now - PACE_PERIOD, tally.first_at)
    days = max((now - began) / timedelta(days=1), 1 / 24)
    a_day = tally.recent / days
    at, earliest, latest = (
        _add_days(now, tally.missing * days / n)
        for n in (tally.recent, (sqrt(tally.recent) + 0.98) ** 2, (sqrt(tally.recent) - 0.98) ** 2)
    )
    return Forecast(tally.recent, a_day, at, earliest, latest, is_far=at is None)


def _add_days(now: datetime, days: float) -> datetime | None:
    return now + timedelta(days=days) if days < FORECAST_HORIZON.days else None


def _list_tallies(questionnaires: QuerySet[Questionnaire], key: str) -> QuerySet[Any, Any]:
    """Return a key and the values of a `Tally` for each questionnaire.

    Rows without model instances: a study may have thousands of questionnaires.
    """
    return with_progress(questionnaires).order_by().values_list(key, *Tally._fields)


def _tally(questionnaire: Any) -> Tally:
    return Tally._make(getattr(questionnaire, name) for name in Tally._fields)


def _sum_verdicts(study: Study, rounds: Collection[Round]) -> dict[int, int]:
    """Return a checksum per round that changes when the set of rejected answers changes."""
    unwanted = Review.objects.unwanted(study).filter(assignment__round__in=rounds).order_by()
    return dict(unwanted.values_list("assignment__round").annotate(total=Sum("pk")))


def _count_block(
    round_: Round,
    questionnaires: list[Questionnaire],
    times: Mapping[int, list[timedelta]],
    verdicts: int,
) -> BlockProgress:
    parts = [
        QuestionnaireProgress(q, _tally(q), _minutes(times.get(q.pk, []))) for q in questionnaires
    ]
    all_times = [taken for q in questionnaires for taken in times.get(q.pk, [])]
    return BlockProgress(round_, parts, _minutes(all_times), verdicts)


def _minutes(times: list[timedelta]) -> float | None:
    return median(taken.total_seconds() for taken in times) / 60 if times else None


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


@dataclass(frozen=True)
class RepeatCost:
    """The effort of repeating a block, and the effect on the current round's assignments.

    `minutes_each` is the median of the current round, or the study's allowance if nobody has
    finished, plus the introduction, which new annotators read.
    """

    n_new: int
    minutes_each: float
    is_measured: bool
    n_leaving: int
    n_set_aside: int
    n_under_way: int

    @property
    def hours(self) -> float:
        """Hours of all new annotators together."""
        return self.n_new * self.minutes_each / 60


def preview_repeat(study: Study, current: Round) -> RepeatCost:
    """Return what repeating the block of a current round would cost; changes nothing."""
    (block,) = count_block_progress(study, [current])
    introduction = introduction_seconds(study) / 60
    allowed = (study.block_size or count_pairs(study)[0]) * study.seconds_per_item / 60
    return RepeatCost(
        n_new=block.tally.wanted,
        minutes_each=introduction + (allowed if block.minutes is None else block.minutes),
        is_measured=block.minutes is not None,
        n_leaving=block.tally.usable,
        n_set_aside=block.tally.set_aside,
        n_under_way=block.tally.live,
    )
