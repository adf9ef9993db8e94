"""Counts → bars of a picture, with the figures that stand beside them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from surveys.models.study import Study, write_point


class Bar(NamedTuple):
    """A bar of a picture: what it is of, how much, and how long it is drawn, in per cent."""

    label: str
    amount: float
    share: float


LEAST_RHO = -0.25  # drawn; what is less stands at the edge


class Interval(NamedTuple):
    """A figure and its interval on a line from -0.25 to 1, in per cent of its length."""

    at: float
    low: float
    high: float
    width: float
    zero: float


def place_rho(rho: float) -> float:
    """Where a correlation stands on the line, in per cent of its length.

    >>> place_rho(1), place_rho(0), place_rho(-1)
    (100.0, 20.0, 0.0)
    """
    return round(100 * (max(rho, LEAST_RHO) - LEAST_RHO) / (1 - LEAST_RHO), 1)


def draw_interval(rho: float, low: float, high: float) -> Interval:
    """A correlation between the ends of its interval."""
    first, last = place_rho(low), place_rho(high)
    return Interval(place_rho(rho), first, last, round(last - first, 1), place_rho(0))


def draw_bars(amounts: Mapping[str, float]) -> list[Bar]:
    """A bar for each amount, the largest as long as there is room.

    >>> draw_bars({"few": 1, "many": 4})
    [Bar(label='few', amount=1, share=25.0), Bar(label='many', amount=4, share=100.0)]
    """
    most = max(amounts.values(), default=0)
    return [
        Bar(label, amount, round(100 * amount / most, 1) if most else 0.0)
        for label, amount in amounts.items()
    ]


def draw_ratings(study: Study, ratings: Iterable[Decimal]) -> list[Bar]:
    """How often each point of a study's scale was given."""
    counts = Counter(ratings)
    return draw_bars({write_point(point): counts[point] for point in study.scale_points})
