"""Geometry of bar charts and intervals, in per cent of their width."""

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from surveys.models.study import Study, write_point


class Bar(NamedTuple):
    """A bar: its label, its amount, and its length in per cent."""

    label: str
    amount: float
    share: float


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
