"""Printed figures: the numbers that a rounded figure in the published format may be."""

import functools
import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from postprocess.formats.files import SIGNIFICANT_DIGITS

NOISE = Fraction(1, 10**11)  # figures have 12 digits before they are rounded


class Bounds(NamedTuple):
    """A closed range of numbers."""

    low: Fraction
    high: Fraction

    def __contains__(self, number: object) -> bool:
        """Return whether a number is in the range."""
        return isinstance(number, Fraction) and self.low <= number <= self.high


@functools.cache
def printed_bounds(figure: float) -> Bounds:
    """Return the range of numbers that a printed figure, not NaN, may be rounded from.

    Half a unit of the last digit to both sides, including the ends, since halves may have been
    rounded either way. The last digit is the third significant one, since trailing zeros are not
    written, or a later one if there is any. 0 is exact: other numbers have three significant
    digits.

    >>> [round(float(bound), 9) for bound in printed_bounds(9.4)]
    [9.395, 9.405]
    >>> [round(float(bound), 9) for bound in printed_bounds(10.0)]  # 9.99 has three digits
    [9.995, 10.05]
    """
    printed = Decimal(repr(abs(float(figure)))).normalize()
    if printed == 0:
        return Bounds(Fraction(0), Fraction(0))
    exponent = min(printed.adjusted() - SIGNIFICANT_DIGITS + 1, int(printed.as_tuple().exponent))
    above = below = Fraction(10) ** exponent / 2
    if printed == Decimal(1).scaleb(printed.adjusted()):
        below /= 10  # below a power of ten the third digit is a smaller one
    size = Fraction(printed)
    bounds = Bounds((size - below) * (1 - NOISE), (size + above) * (1 + NOISE))
    return bounds if figure > 0 else Bounds(-bounds.high, -bounds.low)


def exact(figure: float) -> Fraction:
    """Return the decimal number that was printed, not its nearest binary float.

    >>> exact(0.1)
    Fraction(1, 10)
    """
    return Fraction(repr(float(figure)))


def agree(first: Iterable[float], second: Iterable[float]) -> bool:
    """Return whether figures may be the same; NaN, an empty field, agrees with any.

    >>> agree([4.667, float("nan")], [4.67, 5.0])
    True
    """
    return all(
        math.isnan(one) or math.isnan(other) or may_be_same(one, other)
        for one, other in zip(first, second, strict=True)
    )


def may_be_same(first: float, second: float) -> bool:
    """Return whether two printed figures may be one number, printed with different precision.

    >>> may_be_same(4.667, 4.67), may_be_same(4.66, 4.67)
    (True, False)
    """
    return exact(first) in printed_bounds(second) or exact(second) in printed_bounds(first)
