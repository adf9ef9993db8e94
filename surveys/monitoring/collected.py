"""Answers collected so far, by time and by rating, with scripted annotators' apart.

All are answers of finished assignments in current rounds. The counts of each round are cached until
another of its assignments is finished or withdrawn, so that a page counts few answers.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, NamedTuple

from django.core.cache import cache
from django.db.models import BooleanField, CharField, Count, F, Func, Value
from django.db.models.functions import Coalesce

from surveys.models import Assignment, Invitation, Response, Study
from surveys.models.study import write_point
from surveys.monitoring.charts import Column, StackedBar, draw_columns, draw_stacked
from surveys.monitoring.progress import Tally
from surveys.results.ratings_table import list_rejected

CACHE_SECONDS = 30 * 24 * 3600
COUNTED_SECONDS = 60  # for which given and rejected answers stay counted: they are slow to count
BY_HOUR = timedelta(days=2)  # of collection, in which answers are counted by the hour
MAX_COLUMNS = 62  # beyond it, days are summed to weeks
UNITS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}
WRITTEN = {"hour": len("2026-11-23 17"), "day": len("2026-11-23")}
UNJUDGED = "cannot judge"


class WrittenTime(Func):
    """The first `length` characters of an instant in UTC, such as "2026-11-23 17"."""

    arity = 1
    output_field: ClassVar = CharField()
    template = "substr(%(expressions)s, 1, %(length)s)"  # SQLite stores it like this
    OF_POSTGRESQL = (
        "substr(to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24'), 1, %(length)s)"
    )

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template=self.OF_POSTGRESQL, **context)


class RoundCounts(NamedTuple):
    """Answers of a round by (time, is scripted) and (rating, is scripted); cached.

    `state` is what the round was like when they were counted.
    """

    state: tuple[int, int, datetime | None]
    n_scripted: int
    times: dict[tuple[str, bool], int]
    ratings: dict[tuple[str, bool], int]


@dataclass(frozen=True)
class Collected:
    """Answers collected so far: by time, and by point of the scale.
    `unit` is the columns' unit; `never` lists the points of the scale that nobody has given.
    """

    n: int
    n_unjudged: int
    n_scripted: int
    n_assignments_scripted: int
    unit: str
    columns: list[Column]
    most: int
    bars: list[StackedBar]
    never: list[str]

    @property
    def is_scripted(self) -> bool:
        """Return whether scripted annotators gave all answers."""
        return 0 < self.n == self.n_scripted

    @property
    def is_mixed(self) -> bool:
        """Return whether some answers are by people, and some scripted."""
        return 0 < self.n_scripted < self.n


class AnswerCounts(NamedTuple):
    """Answers by the definitions of the glossary: given, current and usable."""

    given: int
    current: int
    usable: int


def count_answers(study: Study, collected: Collected) -> AnswerCounts:
    """Count a study's answers; `collected` has the current answers."""
    key = f"answers-{study.pk}-{study.revision}"
    if (counted := cache.get(key)) is None:
        given = Response.objects.given(study).on_stimuli()
        counted = given.count(), list_rejected(study).count()
        cache.set(key, counted, COUNTED_SECONDS)
    n, (n_given, n_rejected) = collected.n, counted
    return AnswerCounts(max(n_given, n), n, n - collected.n_unjudged - n_rejected)


def count_collected(study: Study, tallies: Mapping[int, Tally], now: datetime) -> Collected:
    """Return the answers of a study. `tallies` holds the progress of its blocks by round id."""
    first_at = min((t.first_at for t in tallies.values() if t.first_at), default=now)
    unit = "hour" if now - first_at < BY_HOUR else "day"
    states = {pk: (t.finished, t.withdrawn, t.last_at) for pk, t in tallies.items()}
    counts = list(_count_rounds(study, states, unit).values())
    times, ratings = _add(n.times for n in counts), _add(n.ratings for n in counts)
    is_over = study.is_closed or not any(tally.missing for tally in tallies.values())
    columns, unit = _draw_times(times, unit, until=None if is_over else now)
    points = [write_point(point) for point in study.scale_points]
    given = {point for point, _ in ratings} - {UNJUDGED}
    strange = sorted(given - {*points})  # the scale was changed
    rows = [*points, *strange, *([UNJUDGED] if study.allows_unjudgeable else [])]
    return Collected(
        n=sum(ratings.values()),
        n_unjudged=ratings[UNJUDGED, False] + ratings[UNJUDGED, True],
        n_scripted=sum(n for (_, is_scripted), n in ratings.items() if is_scripted),
        n_assignments_scripted=sum(n.n_scripted for n in counts),
        unit=unit,
        columns=columns,
        most=max((column.n for column in columns), default=0),
        bars=draw_stacked({row: (ratings[row, False], ratings[row, True]) for row in rows}),
        never=[point for point in points if point not in given],
    )


def _count_rounds(
    study: Study, states: Mapping[int, tuple[int, int, datetime | None]], unit: str
) -> dict[int, RoundCounts]:
    """Return the counts of rounds with finished assignments; only those that changed are counted.

    All are counted again when another unit of time is asked for.
    """
    key = f"collected-{'-'.join(RoundCounts._fields)}-{study.pk}-{study.revision}-{unit}"
    cached = {pk: RoundCounts(*counts) for pk, counts in cache.get(key, {}).items()}
    cached = {pk: counts for pk, counts in cached.items() if counts.state == states.get(pk)}
    finished_rounds = {pk for pk, (finished, *_) in states.items() if finished}
    if changed := finished_rounds - cached.keys():
        cached |= _count(study, changed, states, unit)
        cache.set(key, {pk: tuple(counts) for pk, counts in cached.items()}, CACHE_SECONDS)
    return {pk: counts for pk, counts in cached.items() if pk in finished_rounds}


def _count(
    study: Study,
    rounds: Collection[int],
    states: Mapping[int, tuple[int, int, datetime | None]],
    unit: str,
) -> dict[int, RoundCounts]:
    """Count rounds' answers with three queries for any number of rounds."""
    assignments = Assignment.objects.for_study(study).counted().filter(round__in=rounds)
    scripted: dict[int, int] = {}
    is_scripted: Any = Value(value=False)
    if Invitation.objects.filter(study=study, is_rehearsal=True, annotator__isnull=False).exists():
        of_rounds = assignments.scripted().order_by().values_list("round")
        scripted = dict(of_rounds.annotate(n=Count("pk")))
        flag = F("assignment__annotator__invitation__is_rehearsal")
        is_scripted = Coalesce(flag, is_scripted, output_field=BooleanField())
    rated = Response.objects.current(study).on_stimuli().filter(assignment__round__in=rounds)
    rows: Any = rated.with_valid_rating().order_by().annotate(scripted=is_scripted)
    time = WrittenTime("rated_at", length=WRITTEN[unit])
    times: dict[int, Counter[tuple[str, bool]]] = {pk: Counter() for pk in rounds}
    ratings: dict[int, Counter[tuple[str, bool]]] = {pk: Counter() for pk in rounds}
    grouped = rows.values_list("assignment__round", time, "valid_rating", "scripted")
    for pk, written, rating, flag, n in grouped.annotate(n=Count("pk")):
        point = UNJUDGED if rating is None else write_point(rating)
        times[pk][written, bool(flag)] += n
        ratings[pk][point, bool(flag)] += n
    return {
        pk: RoundCounts(states[pk], scripted.get(pk, 0), times[pk], ratings[pk]) for pk in rounds
    }


def _add(parts: Iterable[Mapping[tuple[str, bool], int]]) -> Counter[tuple[str, bool]]:
    total: Counter[tuple[str, bool]] = Counter()
    for part in parts:
        for key, n in part.items():
            total[key] += n
    return total


def _draw_times(
    times: Mapping[tuple[str, bool], int], unit: str, *, until: datetime | None
) -> tuple[list[Column], str]:
    """Return a column for each hour, day or week from the first answer to the last, or `until`."""
    by_time = {
        (datetime.fromisoformat(written).replace(tzinfo=UTC), is_scripted): n
        for (written, is_scripted), n in times.items()
    }
    if not by_time:
        return [], unit
    first, last = min(at for at, _ in by_time), max(at for at, _ in by_time)
    last = max(last, until) if until else last
    if unit == "day" and (last - first) / UNITS["day"] >= MAX_COLUMNS:
        unit = "week"
    step = UNITS[unit]
    counts = [[0, 0] for _ in range((last - first) // step + 1)]
    for (at, is_scripted), n in by_time.items():
        counts[(at - first) // step][is_scripted] += n
    starts = [first + step * place for place in range(len(counts))]
    return draw_columns(starts, counts), unit
