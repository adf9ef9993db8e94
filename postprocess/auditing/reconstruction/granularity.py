"""Granularity: the numbers of ratings that can have a printed mean and deviation.

Ratings lie on a grid, so the sum of n ratings and the sum of their squares are integers, and few
pairs of integers give a printed pair of figures. All calculations are exact.
"""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Self

from postprocess.auditing import AuditError
from postprocess.auditing.reconstruction.printed import printed_bounds
from postprocess.table.ratings import Scale

MAX_STEPS = 60  # of a scale; three digits say little about finer ones


class Sums(NamedTuple):
    """The sums of n ratings, in steps above the lowest point of the scale."""

    n: int
    total: int
    squares: int


@dataclass(frozen=True)
class Grid:
    """The possible published ratings: `lowest` + k · `unit` for k from 0 to `n_steps`."""

    n_steps: int
    unit: Fraction
    lowest: Fraction

    @classmethod
    def of(cls, scale: Scale, published: Scale) -> Self:
        """Return the grid of ratings on one scale that are published on another.

        Raises AuditError for a scale of more than 60 steps.

        >>> Grid.of(Scale(0, 6), Scale(0, 10, 10))
        Grid(n_steps=6, unit=Fraction(5, 3), lowest=Fraction(0, 1))
        """
        n_steps = scale.n_points - 1
        if n_steps > MAX_STEPS:
            raise AuditError(
                f"{scale} has {n_steps} steps, but three digits are enough for at most "
                f"{MAX_STEPS}: give the step of the rating scale"
            )
        ends = [Fraction(repr(end)) for end in (published.minimum, published.maximum)]
        return cls(n_steps, (ends[1] - ends[0]) / n_steps, ends[0])


def fitting_sums(
    mean: float, deviation: float, n: int, grid: Grid, *, ddof: int = 1
) -> Iterator[Sums]:
    """Yield the sums of n ratings on a grid that have a printed mean and deviation.

    Both are in published points; a deviation of NaN is that of a single rating. `ddof` is 1 for the
    sample deviation, as published, and 0 for the population deviation. The result is exact: every
    possible pair of sums, and none if no n ratings have this mean and deviation.

    References
    ----------
    Brown and Heathers (2017), the GRIM test, for means; Anaya (2016) and Allard (2018), GRIMMER,
    for deviations. These are necessary conditions on the sums; here all attainable sums are
    enumerated, so that the ends of the scale are taken into account.

    Examples
    --------
    >>> grid = Grid.of(Scale(0, 6), Scale(0, 10, 10))
    >>> [list(fitting_sums(3.33, 2.72, n, grid)) for n in (9, 10)]
    [[], [Sums(n=10, total=20, squares=64)]]
    """
    if math.isnan(deviation) != (n - ddof < 1):
        return
    for total in fitting_totals(mean, n, grid):
        attained = squares_attained(n, grid.n_steps)[total]
        for squares in _squares(total, n, deviation, grid, ddof):
            if attained >> squares & 1:
                yield Sums(n, total, squares)


def fitting_totals(mean: float, n: int, grid: Grid) -> range:
    """Return the sums of n ratings, in steps, that have a printed mean, with any deviation.

    >>> fitting_totals(3.33, 10, Grid.of(Scale(0, 6), Scale(0, 10, 10)))
    range(20, 21)
    """
    steps_a_point = n / grid.unit
    low, high = ((bound - grid.lowest) * steps_a_point for bound in printed_bounds(mean))
    return range(max(math.ceil(low), 0), min(math.floor(high), n * grid.n_steps) + 1)


@functools.cache
def squares_attained(n: int, n_steps: int) -> tuple[int, ...]:
    """Return the attainable sums of squares for every sum of n integers from 0 to `n_steps`.

    The result has a set for each sum from 0, as the bits of an integer: bit q is set if n such
    integers have that sum and squares that add up to q.

    >>> [bin(squares) for squares in squares_attained(2, 2)]  # sum 2 is 1 + 1 or 0 + 2
    ['0b1', '0b10', '0b10100', '0b100000', '0b100000000']
    """
    if n == 0:
        return (1,)
    fewer = squares_attained(n - 1, n_steps)
    attained = [0] * (n * n_steps + 1)
    for total, squares in enumerate(fewer):
        for k in range(n_steps + 1):
            attained[total + k] |= squares << k * k
    return tuple(attained)


def _squares(total: int, n: int, deviation: float, grid: Grid, ddof: int) -> range:
    """Return the sums of squares that give the deviation, attainable or not."""
    if math.isnan(deviation):
        return range(total * total, total * total + 1)
    deviations = printed_bounds(deviation)
    if deviations.high < 0:
        return range(0)
    low, high = (_squared(bound, n, grid, ddof) for bound in deviations)
    mean_part = Fraction(total * total, n)
    return range(math.ceil(low + mean_part), math.floor(high + mean_part) + 1)


@functools.cache
def _squared(deviation: Fraction, n: int, grid: Grid, ddof: int) -> Fraction:
    """Return the sum of squared differences from the mean, in steps."""
    return (max(deviation, Fraction(0)) / grid.unit) ** 2 * (n - ddof)
