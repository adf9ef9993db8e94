"""Geometry of bar charts and intervals, in per cent of their width."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from surveys.models.study import Study, write_point


class Bar(NamedTuple):
    """A bar: its label, its amount, and its length in per cent."""

    label: str
    amount: float
    share: float


class StackedBar(NamedTuple):
    """A bar of two parts, with their amounts and their lengths in per cent."""

    label: str
    by_people: int
    scripted: int
    share_by_people: float
    share_scripted: float
    percent: float

    @property
    def amount(self) -> int:
        return self.by_people + self.scripted


class Column(NamedTuple):
    """Answers in an hour, a day or a week; positions and heights in per cent of the picture.

    Scripted answers are drawn on top of those by people.
    """

    start: datetime
    by_people: int
    scripted: int
    x: float
    width: float
    top: float
    height: float
    top_scripted: float
    height_scripted: float

    @property
    def n(self) -> int:
        return self.by_people + self.scripted


MIN_RHO = -0.25  # left end of the line; lower values are drawn there


class Interval(NamedTuple):
    """Positions of a correlation and its interval on a line from -0.25 to 1, in per cent."""

    at: float
    low: float
    high: float
    width: float
    zero: float


def place_rho(rho: float) -> float:
    """Return the position of a correlation on the line, in per cent.

    >>> place_rho(1), place_rho(0), place_rho(-1)
    (100.0, 20.0, 0.0)
    """
    return round(100 * (max(rho, MIN_RHO) - MIN_RHO) / (1 - MIN_RHO), 1)


def draw_interval(rho: float, low: float, high: float) -> Interval:
    """Return the positions of a correlation and the ends of its interval."""
    first, last = place_rho(low), place_rho(high)
    return Interval(place_rho(rho), first, last, round(last - first, 1), place_rho(0))


def draw_bars(amounts: Mapping[str, float]) -> list[Bar]:
    """Return a bar for each amount; the largest has the full length.

    >>> draw_bars({"few": 1, "many": 4})
    [Bar(label='few', amount=1, share=25.0), Bar(label='many', amount=4, share=100.0)]
    """
    most = max(amounts.values(), default=0)
    return [
        Bar(label, amount, round(100 * amount / most, 1) if most else 0.0)
        for label, amount in amounts.items()
    ]


def draw_ratings(study: Study, ratings: Iterable[Decimal]) -> list[Bar]:
    """Return a bar for each point of a study's scale, by how often it was given."""
    counts = Counter(ratings)
    return draw_bars({write_point(point): counts[point] for point in study.scale_points})


def draw_stacked(amounts: Mapping[str, tuple[int, int]]) -> list[StackedBar]:
    """Return a bar for each two amounts; the largest sum has the full length.

    >>> draw_stacked({"0": (3, 0), "1": (0, 1)})[1]
    StackedBar(label='1', by_people=0, scripted=1, share_by_people=0.0, share_scripted=33.3, \
percent=25.0)
    """
    most = max((sum(both) for both in amounts.values()), default=0)
    total = sum(sum(both) for both in amounts.values())
    return [
        StackedBar(
            label, first, second, _percent(first, most), _percent(second, most),
            percent=_percent(first + second, total),
        )
        for label, (first, second) in amounts.items()
    ]  # fmt: skip


def draw_columns(starts: Sequence[datetime], counts: Sequence[Sequence[int]]) -> list[Column]:
    """Return a column for each period, side by side with gaps; the largest has the full height.

    `counts` holds the answers by people and the scripted ones.
    """
    most = max(map(sum, counts), default=0)
    pitch = 100 / len(starts) if starts else 0
    columns = []
    for place, (start, (by_people, scripted)) in enumerate(zip(starts, counts, strict=True)):
        low, high = _percent(by_people, most), _percent(by_people + scripted, most)
        columns.append(
            Column(
                start, by_people, scripted,
                x=round((place + 0.1) * pitch, 2), width=round(0.8 * pitch, 2),
                top=round(100 - low, 1), height=low,
                top_scripted=round(100 - high, 1), height_scripted=round(high - low, 1),
            )
        )  # fmt: skip
    return columns


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 1) if whole else 0.0
