"""Template filters for numbers: with a minus sign, and a dash for unknown or undefined values.

Built into every template by `TEMPLATES`; Django's `floatformat` writes "nan" and a hyphen.
"""

import re
from decimal import Decimal

from django import template

from postprocess.reporting import phrases
from surveys.study.languages import write_digits

register = template.Library()
register.filter("digits", write_digits)
Number = float | Decimal | str | None  # "" where a template lacks the variable
HYPHENS = re.compile(r"(?<!\w)-(?=\d)")


@register.filter
def figure(x: Number, decimals: int = 2) -> str:
    """Return a number with `decimals` decimals.

    >>> figure(-0.125), figure(float("nan")), figure(None), figure(7.25, 0)
    ('−0.13', '–', '–', '7')
    """
    return phrases.write_figure(_as_float(x), decimals)


@register.filter
def number(x: Number, decimals: int = 4) -> str:
    """Return a number with at most `decimals` decimals, without trailing zeros.

    >>> number(22467), number(-1.0), number(2 / 3), number(Decimal("2.50"), 1)
    ('22,467', '−1', '0.6667', '2.5')
    """
    return phrases.write_number(_as_float(x), decimals)


@register.filter
def signed(x: Number, decimals: int = 4) -> str:
    """Return the same with a plus sign before positive numbers.

    >>> signed(1.0), signed(-0.5), signed(0), signed(float("nan"))
    ('+1', '−0.5', '0', '–')
    """
    return phrases.write_signed(number(x, decimals))


@register.filter
def signed_figure(x: Number, decimals: int = 2) -> str:
    """Return a number with `decimals` decimals, and a plus sign before positive numbers.

    >>> signed_figure(1.5), signed_figure(-0.125), signed_figure(0.001), signed_figure(None)
    ('+1.50', '−0.13', '0.00', '–')
    """
    return phrases.write_signed(figure(x, decimals))


@register.filter
def until(low: Number, high: Number) -> str:
    """Return an interval with two decimals, or "" if it is not defined.

    >>> until(-0.125, 1.5), until(float("nan"), float("nan"))
    ('−0.13 to 1.50', '')
    """
    return "" if figure(low) == phrases.NONE else f"{figure(low)} to {figure(high)}"


@register.filter
def gaps(counts: dict[str, int] | None) -> str:
    """Return how many contexts have no score or no compared annotators, or ""."""
    return phrases.describe_gaps(counts or {})


@register.filter
def p_value(p: Number) -> str:
    r"""Return a p-value with three decimals.

    >>> p_value(0.0304), p_value(0.00004), p_value(float("nan"))
    ('0.030', '<\xa00.001', '–')
    """
    return phrases.write_p(_as_float(p))


@register.filter
def minus(written: str) -> str:
    """Return points of a scale, as forms write them, with minus signs.

    >>> minus("-3"), minus("-3–-1"), minus("2.5"), minus("not-1")
    ('−3', '−3–−1', '2.5', 'not-1')
    """
    return HYPHENS.sub("−", written)


def _as_float(x: Number) -> float | None:
    return None if x is None or x == "" else float(x)
