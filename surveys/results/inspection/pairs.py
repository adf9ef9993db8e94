"""The pairs of a run as a table that is searched, filtered and sorted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.cache import cache

from surveys.errors import RunRefused
from surveys.models import Pair, Run
from surveys.results.run_inspection import digest_run, read_member, read_stored_recipe
from surveys.study.stimuli.load import read_stored_stimuli

if TYPE_CHECKING:
    import pandas as pd

CACHE_SECONDS = 30 * 24 * 3600
TABLES_IN_MEMORY = 4  # of each process: 45,000 pairs take about 15 MB
SIGNIFICANT = 0.05
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
    """A pair with its figures; `position`: in the study, `note`: what its figures lack, or ""."""

    number: int
    position: int
    word1: str
    word2: str
    sides: tuple[Side, Side]
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
    """All pairs of a run, as `tabulate_pairs` returns them, and the ends of the published scale."""

    figures: "pd.DataFrame"
    low: float
    high: float

    def __len__(self) -> int:
        return len(self.figures)

    @property
    def is_over_annotators(self) -> bool:
        """Whether intervals are over annotators; runs of earlier versions have those of means."""
        return bool(self.figures["change_low"].notna().any())

    def select(self, wanted: Mapping[str, str], n_wanted: int) -> list[int]:
        """Return the numbers of the pairs that match all filters, in an order of `ORDERS`.

        `wanted` may have word, change, direction, ratings and order; empty values match all.
        `n_wanted`: the number of ratings below which a context has few.
        """
        found = self.figures
        if word := wanted.get("word", "").strip():
            from postprocess.reporting.pairs import fold

            found = found[found["sought"].str.contains(fold(word), regex=False)]
        if wanted.get("change"):
            found = found[found["qvalue"] < SIGNIFICANT]
        if direction := wanted.get("direction"):
            found = found[found["change"] < 0 if direction == "1" else found["change"] > 0]
        if wanted.get("ratings"):
            found = found[found["fewest"] < n_wanted]
        order = wanted.get("order") or "number"
        return [int(number) for number in _sort(found, order).index]

    def neighbours(
        self, number: int, wanted: Mapping[str, str], n_wanted: int
    ) -> tuple[int | None, int | None]:
        """Return the pairs before and after one in `select`, or None at an end or without it."""
        numbers = self.select(wanted, n_wanted)
        if number not in numbers:
            return None, None
        place = numbers.index(number)
        return (
            numbers[place - 1] if place else None,
            numbers[place + 1] if place + 1 < len(numbers) else None,
        )

    def show(self, numbers: Iterable[int]) -> list[PairRow]:
        """Return pairs by their numbers."""
        rows = self.figures.loc[list(numbers)]
        columns = ["word1", "word2", "change", "change_low", "change_high", "qvalue", "pvalue"]
        columns += ["pvalue_two_sided", "delta", "delta_low", "delta_high", "position", "note"]
        sides = zip(*(self._show_sides(rows, context) for context in (1, 2)), strict=True)
        listed = zip(rows.index, sides, rows[columns].to_dict("records"), strict=True)
        return [
            PairRow(
                number=int(number),
                sides=both,
                is_significant=figures["qvalue"] < SIGNIFICANT,
                **{str(name): figure for name, figure in figures.items()},
            )
            for number, both, figures in listed
        ]

    def name(self, rows: Iterable[Mapping[Any, Any]]) -> list[dict[Any, Any]]:
        """Return the rows, which have the number of a pair, with both of its words."""
        words = self.figures[["word1", "word2"]]
        return [{**row, **words.loc[row["pair"]].to_dict()} for row in rows]

    def _show_sides(self, rows: "pd.DataFrame", context: int) -> list[Side]:
        names = ("sim", "low", "high", "stdev", "n")
        figures = rows[[f"{name}{context}" for name in names]].itertuples(index=False)
        return [
            Side(score, low, high, deviation, int(n), *map(self._place, (score, low, high)))
            for score, low, high, deviation, n in figures
        ]

    def _place(self, score: float) -> float:
        return round(100 * (score - self.low) / (self.high - self.low), 2)


def list_headings(order: str) -> list[Heading]:
    """Return the column headers of a table in an order of `ORDERS`; links turn it around."""
    name = order.removeprefix("-")
    headings = []
    for label, first, is_number in HEADINGS:
        key = first.removeprefix("-")
        is_sorted = name in ((key, "change") if key == "size" else (key,))
        turned = order.removeprefix("-") if order.startswith("-") else f"-{order}"
        sort = ("descending" if order.startswith("-") else "ascending") if is_sorted else ""
        headings.append(Heading(label, turned if is_sorted else first, sort, is_number))
    return headings


def load_pairs(run: Run) -> PairTable:
    """Return the pairs of a finished run of a recipe; parsed once, then cached.

    Raises RunRefused if the run has no scores.
    """
    return _load(digest_run(run), run)


@lru_cache(maxsize=TABLES_IN_MEMORY)
def _load(digest: str, run: Run) -> PairTable:
    """Return the table from the cache that processes share, or parse it."""
    key = f"pairs-with-notes-{digest}"
    table = cache.get(key)
    if table is None:
        table = _parse(run)
        cache.set(key, table, CACHE_SECONDS)
    return PairTable(*table)


def _parse(run: Run) -> "tuple[pd.DataFrame, float, float]":
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
    return table.assign(position=[place + 1 for place in order]), scale.minimum, scale.maximum


def _find_order(run: Run) -> tuple[int, ...]:
    """Return the pairs of the study, from 0, in the order of a run: a release may have another."""
    from postprocess.release.practice import split_pairs

    n_practice, unscored = (run.wishes.get(name) for name in ("n_practice", "unscored"))
    if not (n_practice or unscored):
        return tuple(range(Pair.objects.stimuli(run.study).count()))
    rows = read_stored_stimuli(run.study).rows
    return split_pairs(
        rows, n_practice or 0, seed=run.wishes.get("seed", 0), unscored=unscored or ()
    ).order


def _sort(found: "pd.DataFrame", order: str) -> "pd.DataFrame":
    """Return the rows in an order; ties by number, undefined figures last."""
    column = COLUMNS[order.removeprefix("-")]
    is_reversed = order.startswith("-")
    if not column:
        return found[::-1] if is_reversed else found
    return found.sort_values(column, ascending=not is_reversed, kind="stable", na_position="last")
