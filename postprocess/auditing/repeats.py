"""Repeated items in a file: whole rows, or one context of the same two words."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from postprocess.auditing.reconstruction.printed import agree
from postprocess.formats.marks import plain_text
from postprocess.formats.tabular import Finding, Severity, fold

Row = Sequence[str]  # in the order of `stimuli.COLUMNS`
Item = tuple[frozenset[str], str]  # two words and a context, normalised


class Figures(NamedTuple):
    """A pair's printed figures; NaN where missing.

    `sims` and `stdevs` are those of context 1 and of context 2.
    """

    sims: tuple[float, float]
    stdevs: tuple[float, float] = (math.nan, math.nan)
    pvalue: float = math.nan

    def swapped(self) -> "Figures":
        """Return the figures with the two contexts exchanged."""
        return Figures(self.sims[::-1], self.stdevs[::-1], self.pvalue)


class Place(NamedTuple):
    """A context of a row; `number` is 1 or 2."""

    row: int
    number: int


def find_repeats(rows: Mapping[int, Row], figures: Mapping[int, Figures]) -> Iterator[Finding]:
    """Find items that occur in an earlier row; at most one finding for each row.

    An item is two words and a context. Words and contexts are compared without marks, letter case,
    spacing and Unicode normal form, and words in either order. `rows` and `figures` are by row
    number; rows without figures are absent from the latter. It is an error if both items and all
    figures are those of an earlier row, or, without figures, if all fields are identical. It is a
    warning if the figures differ, if the spelling differs without figures, or if only one item is
    the same. The same words with two other contexts are not a repeat.
    """
    places: dict[Item, dict[Place, None]] = defaultdict(dict)  # in the order of the file
    for number, row in rows.items():
        first, second = _items(row)
        whole = [
            _Repeat(number, place.row, is_swapped=place.number == 2)
            for place in places[first]
            if Place(place.row, 3 - place.number) in places[second]
        ]
        earlier = [next(iter(places[item]), None) for item in (first, second)]
        if whole:
            equal = [repeat for repeat in whole if repeat.has_same_scores(figures)]
            yield _repeated_row((equal or whole)[0], rows, figures)
        elif any(earlier):
            yield _repeated_items(number, earlier, figures)
        places[first][Place(number, 1)] = None
        places[second][Place(number, 2)] = None


class _Repeat(NamedTuple):
    """A row with both items of an earlier one; `is_swapped`: its contexts are exchanged."""

    row: int
    earlier: int
    is_swapped: bool

    def figures(self, of_row: Mapping[int, Figures]) -> tuple[Figures, Figures] | None:
        """Return the figures of both rows in the later row's order; None if one has no figures."""
        here, there = of_row.get(self.row), of_row.get(self.earlier)
        if here is None or there is None:
            return None
        return here, there.swapped() if self.is_swapped else there

    def has_same_scores(self, of_row: Mapping[int, Figures]) -> bool:
        """Return whether both rows have figures that agree."""
        both = self.figures(of_row)
        return both is not None and _same(*both)


def _items(row: Row) -> tuple[Item, Item]:
    words = frozenset(map(fold, row[:2]))
    first, second = ((words, fold(plain_text(context))) for context in row[2:4])
    return first, second


def _repeated_row(r: _Repeat, rows: Mapping[int, Row], figures: Mapping[int, Figures]) -> Finding:
    how = _differences(rows[r.row], rows[r.earlier], is_swapped=r.is_swapped)
    what = f"the same words and contexts as row {r.earlier}{how}"
    both = r.figures(figures)
    if both is None:
        severity = Severity.WARNING if how else Severity.ERROR
        return Finding(severity, f"{what}; remove one of the two rows", r.row)
    if _same(*both):
        reason = f"{what}, with the same scores: a repeated row; remove one of the two"
        return Finding(Severity.ERROR, reason, r.row)
    here, there = map(_name_figures, both)
    reason = (
        f"{what}, with other scores: {here} here and {there} there; keep one of the two rows, "
        "unless the pair was rated twice intentionally"
    )
    return Finding(Severity.WARNING, reason, r.row)


def _repeated_items(
    number: int, earlier: Sequence[Place | None], figures: Mapping[int, Figures]
) -> Finding:
    parts = []
    for context, place in enumerate(earlier, 1):
        if place is not None:
            part = f"context{context} is context{place.number} of row {place.row}"
            if number in figures and place.row in figures:
                here = figures[number].sims[context - 1]
                there = figures[place.row].sims[place.number - 1]
                part += f" ({here:.12g} here and {there:.12g} there)"
            parts.append(part)
    reason = (
        f"{' and '.join(parts)}, with the same words; keep one, unless the item was rated "
        "twice intentionally"
    )
    columns = [f"context{context}" for context, place in enumerate(earlier, 1) if place]
    return Finding(Severity.WARNING, reason, number, ", ".join(columns))


def _differences(row: Row, earlier: Row, *, is_swapped: bool) -> str:
    """Describe the differences in writing of two rows with the same items; "" if none."""
    words, others = [fold(word) for word in row[:2]], [fold(word) for word in earlier[:2]]
    kinds = []
    if words != others:
        kinds.append("the words exchanged")
    if is_swapped:
        kinds.append("the contexts exchanged")
    if not kinds and tuple(row) != tuple(earlier):
        kinds.append("except for letter case, spacing or marks")
    return f" ({', '.join(kinds)})" if kinds else ""


def _same(first: Figures, second: Figures) -> bool:
    flat = [(*row.sims, *row.stdevs, row.pvalue) for row in (first, second)]
    return agree(*flat)


def _name_figures(figures: Figures) -> str:
    """Return the two means, and the deviations if there are any, as text."""
    means = "{:.12g} and {:.12g}".format(*figures.sims)
    if any(math.isnan(stdev) for stdev in figures.stdevs):
        return means
    return means + " (deviations {:.12g} and {:.12g})".format(*figures.stdevs)
