"""Counts, figures and shares as a reader expects them in a sentence or a table."""

import math
from decimal import ROUND_HALF_UP, Decimal

NONE = "–"  # a figure that is not defined
SPACE = "\u00a0"  # keeps a number and its unit on one line


def write_count(n: int, noun: str = "", plural: str = "") -> str:
    """A count with its noun.

    >>> write_count(1, "rating"), write_count(1234, "rating"), write_count(2, "box", "boxes")
    ('1 rating', '1,234 ratings', '2 boxes')
    """
    if not noun:
        return f"{n:,}"
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def write_figure(x: float | None, decimals: int = 2) -> str:
    """A figure to some decimals, halves away from zero as Table 1 of the task paper has them.

    >>> write_figure(4.895), write_figure(-0.5, 1), write_figure(float("nan")), write_figure(None)
    ('4.90', '−0.5', '–', '–')
    """
    if x is None or math.isnan(x):
        return NONE
    exact = Decimal(f"{x:.9f}").quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return f"{exact + 0:,}".replace("-", "−")  # + 0: no minus before a zero


def write_points(x: float) -> str:
    """A place on a scale, as short as it can be written.

    >>> write_points(6.0), write_points(-0.25)
    ('6', '−0.25')
    """
    return f"{x:g}".replace("-", "−")


def write_share(part: int, whole: int) -> str:
    r"""A share in whole per cent, halves up.

    >>> write_share(1, 8), write_share(0, 0)
    ('13\xa0%', '–')
    """
    if whole == 0:
        return NONE
    return f"{(200 * part + whole) // (2 * whole)}{SPACE}%"


def write_list(parts: list[str]) -> str:
    """Parts of a sentence one after the other.

    >>> write_list(["a"]), write_list(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
