"""The pairs of a run as a table that is searched, filtered and sorted."""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from django.core.cache import cache

from postprocess.reporting.phrases import fold
from surveys.errors import RunRefused
from surveys.models import Pair, Run
from surveys.operations.job_process import in_job_process
from surveys.results.run_inspection import digest_run, read_member, read_stored_recipe
from surveys.study.stimuli.load import read_stored_stimuli

CACHE_SECONDS = 30 * 24 * 3600
TABLES_IN_MEMORY = 4  # of each process: 45,000 pairs take about 20 MB
SIGNIFICANT = 0.05
SHOWN = (
    "position", "word1", "word2", "change", "change_low", "change_high", "qvalue", "pvalue",
    "pvalue_two_sided", "delta", "delta_low", "delta_high", "note",
)  # fmt: skip
COLUMNS = {  # name of an order → column of the table
    "number": "", "word": "sought", "score1": "sim1", "score2": "sim2", "spread": "spread",
    "change": "change", "size": "size", "q": "qvalue", "n": "fewest",
}  # fmt: skip
ORDERS = {
    "number": "number",
    "word": "words",
    "-size": "size of the change, largest first",
    "q": "q, smallest first",
    "-change": "change, rises first",
    "change": "change, falls first",
    "-score1": "score in context 1, highest first",
    "score1": "score in context 1, lowest first",
    "-score2": "score in context 2, highest first",
    "score2": "score in context 2, lowest first",
    "-spread": "SD, largest first",
    "spread": "SD, smallest first",
    "n": "ratings used, fewest first",
    "-n": "ratings used, most first",
    "-q": "q, largest first",
    "size": "size of the change, smallest first",
    "-word": "words, from the end",
    "-number": "number, from the end",
}


class Heading(NamedTuple):
    """A column header: the order that its link asks for, and its `aria-sort`, or ""."""

    label: str
    order: str
    sort: str
    is_number: bool


CHANGES = {"change", "size", "q", "score2"}  # orders of pairs with two contexts alone
HEADINGS = (  # label, order at the first click, whether numbers are below
    ("Pair", "number", True),
    ("Words", "word", False),
    ("Context 1", "-score1", True),
    ("Context 2", "-score2", True),
    ("Change", "-size", True),
    ("q", "q", True),
    ("SD", "-spread", True),
    ("n", "n", True),
)
OF_ITEMS = (
    ("Pair", "number", True), ("Words", "word", False), ("Score", "-score1", True),
    ("SD", "-spread", True), ("n", "n", True),
)  # fmt: skip


class Side(NamedTuple):
    """One context of a pair; `at`, `start` and `end` are positions in per cent of the scale."""

    score: float
    low: float
    high: float
    deviation: float
    n: int
    at: float
    start: float
    end: float


class PairRow(NamedTuple):
    """A pair with its figures, its `position` in the study, and a `note` on missing figures.

    Of a pair with one context, what is about its change is NaN.
    """

    number: int
    position: int
    word1: str
    word2: str
    sides: tuple[Side, ...]
    change: float
    change_low: float
    change_high: float
    qvalue: float
    is_significant: bool
    pvalue: float
    pvalue_two_sided: float
    delta: float
    delta_low: float
    delta_high: float
    note: str


@dataclass(frozen=True)
class PairTable:
    """All pairs of a run, numbered from 1, and the ends of the published scale.

    `columns`: those of `tabulate_pairs`, and `position`.
    """

    columns: Mapping[str, Sequence[Any]]
    low: float
    high: float

    def __len__(self) -> int:
        return len(self.columns["position"])

    @property
    def n_contexts(self) -> int:
        """The number of contexts of a pair."""
        return 2 if "sim2" in self.columns else 1

    @property
    def is_over_annotators(self) -> bool:
        """Whether intervals are over annotators; earlier versions' runs have intervals of means."""
        if self.n_contexts == 1:
            ends = zip(self.columns["low1"], self.columns["sim1"], strict=True)
            return any(low < score for low, score in ends)
        return any(end == end for end in self.columns["change_low"])

    @property
    def headings(self) -> tuple[tuple[str, str, bool], ...]:
        """The columns of the table, as `list_headings` takes them."""
        return HEADINGS if self.n_contexts == 2 else OF_ITEMS

    def select(self, filters: Mapping[str, str], n_wanted: int) -> list[int]:
        """Return the numbers of the pairs that match all filters, in an order of `ORDERS`.

        `filters` may have word, change, direction, ratings and order; empty values match all.
        `n_wanted`: the number of ratings below which a context has few.
        """
        places: Iterable[int] = range(len(self))
        if word := fold(filters.get("word", "").strip()):
            sought = self.columns["sought"]
            places = [place for place in places if word in sought[place]]
        if filters.get("change"):
            places = self._below(places, "qvalue", SIGNIFICANT)
        if direction := filters.get("direction"):
            change, sign = self.columns["change"], -1 if direction == "1" else 1
            places = [place for place in places if sign * change[place] > 0]
        if filters.get("ratings"):
            places = self._below(places, "fewest", n_wanted)
        return [place + 1 for place in self._sort(places, filters.get("order") or "number")]

    def neighbours(
        self, number: int, filters: Mapping[str, str], n_wanted: int
    ) -> tuple[int | None, int | None]:
        """Return the neighbours of a pair in `select`; None at an end or if it is filtered out."""
        numbers = self.select(filters, n_wanted)
        if number not in numbers:
            return None, None
        place = numbers.index(number)
        return (
            numbers[place - 1] if place else None,
            numbers[place + 1] if place + 1 < len(numbers) else None,
        )

    def show(self, numbers: Iterable[int]) -> list[PairRow]:
        """Return pairs by their numbers."""
        contexts = range(1, self.n_contexts + 1)
        return [
            PairRow(
                number=number,
                sides=tuple(self._show_side(number - 1, context) for context in contexts),
                is_significant=self._take("qvalue", number - 1) < SIGNIFICANT,
                **{name: self._take(name, number - 1) for name in SHOWN},
            )
            for number in numbers
        ]

    def name(self, rows: Iterable[Mapping[Any, Any]]) -> list[dict[Any, Any]]:
        """Return the rows, which have the number of a pair, with both of its words."""
        words = {name: self.columns[name] for name in ("word1", "word2")}
        return [
            {**row, **{name: column[row["pair"] - 1] for name, column in words.items()}}
            for row in rows
        ]

    def _take(self, column: str, place: int) -> Any:
        """Return a figure of a pair, NaN if pairs do not have it."""
        return self.columns[column][place] if column in self.columns else math.nan

    def _below(self, places: Iterable[int], column: str, bound: float) -> list[int]:
        numbers = self.columns[column]
        return [place for place in places if numbers[place] < bound]

    def _sort(self, places: Iterable[int], order: str) -> list[int]:
        """Return the places in an order; ties by number, undefined figures last."""
        column, is_reversed = COLUMNS[order.removeprefix("-")], order.startswith("-")
        if not column:
            return sorted(places, reverse=is_reversed)
        values = self.columns.get(column, self.columns["position"])
        undefined = [place for place in places if values[place] != values[place]]  # NaN
        defined = sorted({*places} - {*undefined})
        return sorted(defined, key=values.__getitem__, reverse=is_reversed) + undefined

    def _show_side(self, place: int, context: int) -> Side:
        names = ("sim", "low", "high", "stdev", "n")
        score, low, high, deviation, n = (self._take(f"{x}{context}", place) for x in names)
        return Side(score, low, high, deviation, int(n), *map(self._place, (score, low, high)))

    def _place(self, score: float) -> float:
        """Return where a score is drawn; anywhere if there is none, since it is not."""
        if math.isnan(score):
            return 0
        return round(100 * (score - self.low) / (self.high - self.low), 2)


def list_headings(order: str, columns: Iterable[tuple[str, str, bool]] = HEADINGS) -> list[Heading]:
    """Return the column headers of a table in an order; links turn it around."""
    name = order.removeprefix("-")
    column = "size" if name == "change" else name
    turned, sort = (name, "descending") if order.startswith("-") else (f"-{name}", "ascending")
    return [
        Heading(label, turned, sort, is_number)
        if first and first.removeprefix("-") == column
        else Heading(label, first, "", is_number)
        for label, first, is_number in columns
    ]


def load_pairs(run: Run) -> PairTable:
    """Return the pairs of a finished run of a recipe; parsed once, then cached.

    Raises RunRefused if the run has no scores.
    """
    return _load(digest_run(run), run)


@lru_cache(maxsize=TABLES_IN_MEMORY)
def _load(digest: str, run: Run) -> PairTable:
    """Return the table from the cache that processes share, or parse it."""
    key = f"pair-columns-{digest}"
    table = cache.get(key)
    if table is None:
        table = _parse(run)
        cache.set(key, table, CACHE_SECONDS)
    return PairTable(*table)


@in_job_process
def _parse(run: Run) -> tuple[dict[str, Sequence[Any]], float, float]:
    import pandas as pd

    from postprocess.reporting.pairs import tabulate_pairs
    from postprocess.steps.stored_runs import read_intervals, read_scores

    files = ("scores.tsv", "practice_kit/scores.tsv", "intervals.tsv")
    *data, ends = (read_member(run, name) for name in files)
    if data[0] is None:
        raise RunRefused(f"Run {run.number} has no scores.")
    order = _find_order(run)
    words = list(Pair.objects.stimuli(run.study).values_list("word1", "word2"))
    scale = read_stored_recipe(run).rescaling
    intervals = None if ends is None else read_intervals(ends)
    scores = pd.concat([read_scores(file) for file in data if file]).sort_index()
    table = tabulate_pairs([words[place] for place in order], scores, scale, intervals)
    columns: dict[str, Sequence[Any]] = {"position": [place + 1 for place in order]}
    for name, column in table.items():
        is_number = pd.api.types.is_numeric_dtype(column)
        columns[str(name)] = array("d", column) if is_number else list(column)
    return columns, scale.minimum, scale.maximum


def _find_order(run: Run) -> tuple[int, ...]:
    """Return the study's pairs, from 0, in a run's order, which differs in some releases."""
    from postprocess.release.practice import split_pairs, take_compared

    n_practice, unscored = (run.request.get(name) for name in ("n_practice", "unscored"))
    if not (n_practice or unscored):
        return tuple(range(Pair.objects.stimuli(run.study).count()))
    stimuli = read_stored_stimuli(run.study)
    rows = take_compared(stimuli.columns, stimuli.rows)
    return split_pairs(
        rows, n_practice or 0, seed=run.request.get("seed", 0), unscored=unscored or ()
    ).order
