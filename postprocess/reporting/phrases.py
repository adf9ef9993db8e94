"""Formatting of counts, figures and shares for sentences and tables."""

import math
import unicodedata
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

NONE = "–"  # an undefined figure
LONGEST = 28  # characters of a name in a label
SPACE = "\u00a0"  # keeps a number and its unit on one line


def write_count(n: int, noun: str = "", plural: str = "") -> str:
    """Return a count with its noun.

    >>> write_count(1, "rating"), write_count(1234, "rating"), write_count(2, "box", "boxes")
    ('1 rating', '1,234 ratings', '2 boxes')
    """
    if not noun:
        return f"{n:,}"
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def write_figure(x: float | None, decimals: int = 2) -> str:
    """Return a figure with fixed decimals, halves away from zero as in Table 1 of the task paper.

    >>> write_figure(4.895), write_figure(-0.5, 1), write_figure(float("nan")), write_figure(None)
    ('4.90', '−0.5', '–', '–')
    """
    if x is None or math.isnan(x):
        return NONE
    exact = Decimal(f"{x:.9f}").quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return f"{exact + 0:,}".replace("-", "−")  # + 0: no minus before a zero


def write_number(x: float | None, decimals: int = 4) -> str:
    """Return a figure with at most some decimals, without trailing zeros.

    >>> write_number(22467), write_number(-0.5), write_number(2 / 3), write_number(float("nan"))
    ('22,467', '−0.5', '0.6667', '–')
    """
    text = write_figure(x, decimals)
    return text.rstrip("0").rstrip(".") if "." in text else text


def write_points(x: float | None) -> str:
    """Return a point on a scale, as short as possible.

    >>> write_points(6.0), write_points(-0.25), write_points(None)
    ('6', '−0.25', '–')
    """
    return NONE if x is None or math.isnan(x) else f"{x:g}".replace("-", "−")


def write_range(low: float, high: float) -> str:
    """Return the two ends of a scale.

    >>> write_range(0, 6), write_range(-3, 3)
    ('0–6', '−3 to 3')
    """
    ends = [write_points(end) for end in (low, high)]
    return (" to " if "−" in "".join(ends) else "–").join(ends)


def write_signed(figure: str) -> str:
    """Return a formatted figure with its sign, including a plus sign.

    >>> write_signed("0.40"), write_signed("−1"), write_signed("0.00")
    ('+0.40', '−1', '0.00')
    """
    is_plain = figure[0].isdigit() and any(digit in "123456789" for digit in figure)
    return f"+{figure}" if is_plain else figure


def name_resampled(items: str, resample: str) -> str:
    """Return what was resampled for the intervals of a figure.

    >>> name_resampled("pairs", "items"), name_resampled("contexts", "items and annotators")
    ('pairs', 'contexts and annotators')
    """
    return resample.replace("items", items)


def write_interval(low: float | None, high: float | None, decimals: int = 2) -> str:
    """Return the two ends of an interval.

    >>> write_interval(-0.125, 0.5), write_interval(0.25, 0.5), write_interval(None, None)
    ('−0.13 to 0.50', '0.25–0.50', '–')
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return NONE
    ends = [write_figure(end, decimals) for end in (low, high)]
    return (" to " if "−" in "".join(ends) else "–").join(ends)


def write_p(p: float | None) -> str:
    r"""Return a p-value with three decimals.

    >>> write_p(0.0304), write_p(0.00004), write_p(None)
    ('0.030', '<\xa00.001', '–')
    """
    return f"<{SPACE}0.001" if p is not None and p < 0.0005 else write_figure(p, 3)


def write_share(part: int, whole: int) -> str:
    r"""Return a share in whole per cent, halves rounded up.

    >>> write_share(1, 8), write_share(0, 0)
    ('13\xa0%', '–')
    """
    if whole == 0:
        return NONE
    return f"{(200 * part + whole) // (2 * whole)}{SPACE}%"


def write_list(parts: list[str]) -> str:
    """Return an enumeration.

    >>> write_list(["a"]), write_list(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def shorten(name: str, longest: int = LONGEST) -> str:
    """Return a name, cut off if it is too long for a label.

    >>> shorten("annotators"), shorten("annotators", 6)
    ('annotators', 'annot…')
    """
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def describe_gaps(counts: Mapping[str, int]) -> str:
    """Return the counts of `report_gaps` in a sentence; "" if there are none."""
    n_open, n_alone = counts.get("contexts_without_score"), counts.get("contexts_uncompared")
    parts = []
    if n_open:
        parts.append(f"{n_open} have no score, because their annotators gave all texts one rating")
    if n_alone:
        parts.append(f"{n_alone} rest on questionnaires in which nobody could be compared (†)")
    return f"Of {counts['contexts']} contexts, {' and '.join(parts)}." if parts else ""


def fold(text: str) -> str:
    """Return a text without case and accents, so that "zena" finds "Žena".

    >>> fold("Žena"), fold("STRASSE") == fold("straße")
    ('zena', True)
    """
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))


def describe_second_look(look: Mapping[str, Any]) -> str:
    """Return what a second look changed, from the report, in sentences without the last stop."""
    before, after = (
        f"{write_figure(look[when]['human'], 3)} with the mean of the others, "
        f"{write_figure(look[when]['pairwise_pearson'], 3)} of two annotators (Pearson)"
        for when in ("before", "after")
    )
    return (
        f"Second look: {write_count(look['n_shown'], 'rating')} far from the others' mean shown "
        f"again, {look['n_changed']} of them changed, {look['n_unanswered']} not answered. Mean "
        f"correlation before it: {before}; after it: {after}. The figures after it are not of "
        "independent ratings, since annotators knew which of theirs were far from the others'"
    )
