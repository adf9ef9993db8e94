"""A board: rows with their figures and places in each column, and the tests behind them.

It is made once by `make_board`, is never changed, and is equal to what is read from its JSON file.
No figure is NaN: an undefined one is None.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from postprocess.boards.entries import AVERAGE, Kind, Rules


class Cell(NamedTuple):
    """The figures of a row in a column.

    `low` and `high`: the ends of the 95 % interval; `pearson` and `spearman`: those of a language
    with the metric *harmonic*; `reason`: why a score is 0 without being computed; `n`: the number
    of pairs, None for averages. `p_distance` and `p_baseline`: p of no difference from the baseline
    *distance* and from the best baseline of the column, without correction.
    """

    score: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    pearson: float | None = None
    spearman: float | None = None
    reason: str | None = None
    file_sha256: str | None = None
    p_distance: float | None = None
    p_baseline: float | None = None


class Place(NamedTuple):
    """The place of a ranked row in a column; see `Ranked`.

    Rank range and group are None in a column without tests.
    """

    rank: int
    is_shared: bool
    best: int | None = None
    worst: int | None = None
    group: int | None = None


@dataclass(frozen=True)
class Row:
    """A row; see `Entry`. It has a cell in each scored column.

    `places` has the columns in which the row is ranked.
    """

    name: str
    kind: Kind
    system: str = ""
    attempts: int | None = None
    result: str = ""
    outside: str = ""
    cells: Mapping[str, Cell] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)

    @property
    def is_reference(self) -> bool:
        """Whether the row is a baseline, the human row, or a bound."""
        return self.kind is not Kind.TEAM


class PairTest(NamedTuple):
    """The test of two ranked systems; see `Difference`; `holm`: p after Holm's correction."""

    first: str
    second: str
    d: float
    p: float
    holm: float


@dataclass(frozen=True)
class Differences:
    """The tests of all pairs of ranked systems in a column.

    `names`: by rank; `d`, `p` and `holm` have an entry for each pair in the order of
    `itertools.combinations(names, 2)`.
    """

    names: tuple[str, ...]
    d: tuple[float, ...]
    p: tuple[float, ...]
    holm: tuple[float, ...]

    def __iter__(self) -> Iterator[PairTest]:
        """Yield the tests of all pairs."""
        pairs = combinations(self.names, 2)
        for pair, *figures in zip(pairs, self.d, self.p, self.holm, strict=True):
            yield PairTest(*pair, *figures)


@dataclass(frozen=True)
class Board:
    """The board of a phase and a subtask.

    `rows`: ranked teams by their rank in the first column, references, then teams outside the
    ranking. `differences` has the columns that have tests: those in which the left-out values of
    all ranked systems are known. `best_baseline`: the name of the best baseline of a column.
    `is_rounded`: whether all figures have three decimals, since the gold is not public.
    """

    rules: Rules
    rows: tuple[Row, ...]
    differences: Mapping[str, Differences]
    best_baseline: Mapping[str, str] = field(default_factory=dict)
    is_rounded: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, the one that ranks first: the average unless there is but one language."""
        languages = self.rules.languages
        return languages if len(languages) == 1 else (AVERAGE, *languages)
