"""Cells and places of boards that are not final: read and found when they are first wanted.

A page shows 100 rows of perhaps 2,000, ranked by one column. To read the scores of all rows, and to
rank them by all columns, would take longer than the rest of the page.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from postprocess.boards.board import Cell, Place
    from postprocess.boards.entries import Rules
    from postprocess.scoring.metrics import Metric

Average = tuple[float | None, float | None, float | None]  # and the ends of its interval


class LiveCells(Mapping[str, "Cell"]):
    """The cells of a row by column: its average, and the languages of the rules in its scores.

    `scores`: as JSON, by language; see `CountedSubmission`.
    """

    def __init__(
        self, average: Average, scores: str, rules: "Rules", *, is_gold_public: bool
    ) -> None:
        self._scores, self._rules, self._is_gold_public = scores, rules, is_gold_public
        metric = rules.track.metric
        self._of_average = make_cells({}, average, metric=metric, is_gold_public=is_gold_public)

    def __getitem__(self, column: str) -> "Cell":
        """Return the cell of a column. Raises KeyError for one without a score."""
        return self._of_average.get(column) or self._of_languages[column]

    def __iter__(self) -> Iterator[str]:
        """Yield the columns with a score."""
        yield from self._of_average
        yield from self._of_languages

    def __len__(self) -> int:
        """Return the number of columns with a score."""
        return len(self._of_average) + len(self._of_languages)

    @cached_property
    def _of_languages(self) -> "dict[str, Cell]":
        scores = json.loads(self._scores)
        shown = {name: score for name, score in scores.items() if name in self._rules.sizes}
        metric = self._rules.track.metric
        return make_cells(shown, metric=metric, is_gold_public=self._is_gold_public)


class LiveRanking:
    """The ranked rows of a board, which are placed by a column when that is first wanted."""

    def __init__(self, rules: "Rules") -> None:
        from postprocess.boards.entries import AVERAGE

        self.columns, self._rule = (AVERAGE, *rules.languages), rules.places
        self._averages: dict[str, float] = {}
        self._scores: dict[str, str] = {}
        self._placed: dict[str, dict[str, Place]] = {}

    def enter(self, name: str, average: float | None, scores: str) -> "LivePlaces":
        """Enter a row, and return its places among all that will have been entered."""
        if average is not None:
            self._averages[name] = average
        self._scores[name] = scores
        return LivePlaces(name, self)

    def place(self, column: str) -> "Mapping[str, Place]":
        """Return the places of the rows that have a score in a column, by name."""
        if column not in self._placed:
            self._placed[column] = self._place(column)
        return self._placed[column]

    def _place(self, column: str) -> "dict[str, Place]":
        import numpy as np

        from postprocess.boards.comparing import place_systems

        is_average = column == self.columns[0]
        scores = self._averages if is_average else self._of_languages.get(column, {})
        names = sorted(scores, key=scores.__getitem__, reverse=True)
        placed = place_systems(np.array([scores[name] for name in names]), places=self._rule)
        return dict(zip(names, placed, strict=True))

    @cached_property
    def _of_languages(self) -> dict[str, dict[str, float]]:
        """The scores by language and name, without the rest of the cells."""
        by_language: dict[str, dict[str, float]] = {}
        for name, scores in self._scores.items():
            for language, score in json.loads(scores).items():
                by_language.setdefault(language, {})[name] = score["score"]
        return by_language


class LivePlaces(Mapping[str, "Place"]):
    """The places of a row by column."""

    def __init__(self, name: str, ranking: LiveRanking) -> None:
        self._name, self._ranking = name, ranking

    def __getitem__(self, column: str) -> "Place":
        """Return the place in a column. Raises KeyError for one without a score."""
        return self._ranking.place(column)[self._name]

    def __iter__(self) -> Iterator[str]:
        """Yield the columns in which the row is placed."""
        for column in self._ranking.columns:
            if self._name in self._ranking.place(column):
                yield column

    def __len__(self) -> int:
        """Return the number of columns in which the row is placed."""
        return sum(1 for _ in self)


def make_cells(
    scores: Mapping[str, Mapping[str, Any]],
    average: Average = (None, None, None),
    *,
    metric: "Metric",
    is_gold_public: bool,
) -> "dict[str, Cell]":
    """Return cells from figures by language, and an average with the ends of its interval.

    Unless the gold is public, intervals are those to expect; see `round_cell`.
    """
    from postprocess.boards.board import Cell
    from postprocess.boards.entries import AVERAGE
    from postprocess.boards.exports.rounding import round_cell

    score, low, high = average
    cells = {} if score is None else {AVERAGE: Cell(score, low, high)}
    for language, figures in scores.items():
        cells[language] = Cell(**{**figures, "reason": figures["reason"] or None})
    if is_gold_public:
        return cells
    return {name: round_cell(cell, metric) for name, cell in cells.items()}
