"""Boards as papers printed them, and scores that equal a baseline's as shown."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import NamedTuple

from postprocess.boards.board import Board, Place
from postprocess.boards.entries import Kind
from postprocess.formats.kinds import read_table, split_records
from postprocess.formats.tabular import Finding, Severity, TableError, naming_file, read_cell
from postprocess.reporting.phrases import write_list
from postprocess.scoring.ranking import Places, round_score

COLUMNS = ("kind", "name", "outside")
ORDER = ("printed_row", "language", "name", "score")
UNREADABLE = "?"  # a cell whose print cannot be read
DASHES = ("-", "–", "—", "n/a", UNREADABLE)
SCORE = re.compile(r"[-−]?[0-9]*\.?[0-9]+")
FINE = 3  # decimals of a share with which equal scores are hardly chance
ORDER_FILE, TABLE_FILE = Path("order"), Path("table")  # as messages name them


class PrintedRow(NamedTuple):
    """A printed row; see `Entry`. `cells`: its texts by column, without those left empty."""

    kind: Kind
    name: str
    outside: str
    cells: Mapping[str, str]

    @property
    def scores(self) -> dict[str, Decimal]:
        """The printed numbers by column, without dashes."""
        return {
            column: Decimal(text.replace("−", "-"))
            for column, text in self.cells.items()
            if text not in DASHES
        }

    @property
    def is_ranked(self) -> bool:
        """Whether the row has a place wherever it has a score, if the board has places."""
        return self.kind is Kind.TEAM and not self.outside


class PrintedCell(NamedTuple):
    """A team's cell in the list of a column; `equals`: the baseline that has its score, or ""."""

    name: str
    text: str
    place: Place | None
    equals: str


class EqualCell(NamedTuple):
    """A team's score that equals a baseline's score as shown."""

    name: str
    column: str
    score: Decimal
    baseline: str


@dataclass(frozen=True)
class PrintedBoard:
    """A board as it was printed: no figure but the printed digits.

    `rows`: in the order of the file; `printed`: for each column the names of its rows as printed;
    `is_percent`: whether scores are in per cent.
    """

    columns: tuple[str, ...]
    rows: tuple[PrintedRow, ...]
    printed: Mapping[str, tuple[str, ...]]
    places: Places = Places.COMPETITION
    is_percent: bool = False

    def list_column(self, column: str) -> list[PrintedCell]:
        """Return the cells of the teams that are not outside, in printed order."""
        rows = {row.name: row for row in self.rows if row.is_ranked and column in row.cells}
        names = [name for name in self.printed[column] if name in rows]
        places = self._place({name: rows[name].scores.get(column) for name in names})
        equal = {cell.name: cell.baseline for cell in self.find_equal() if cell.column == column}
        return [
            PrintedCell(name, rows[name].cells[column], places.get(name), equal.get(name, ""))
            for name in names
        ]

    def list_others(self) -> list[PrintedRow]:
        """Return the teams outside the ranking, then baselines, people and other references."""
        others = [row for row in self.rows if not row.is_ranked]
        return sorted(others, key=lambda row: list(Kind).index(row.kind))

    def find_equal(self) -> list[EqualCell]:
        """Return the printed scores of teams that equal a baseline's; 0 is left out."""
        index = {
            (column, score): row.name
            for row in reversed(self.rows)
            if row.kind is Kind.BASELINE
            for column, score in row.scores.items()
            if score
        }
        return [
            EqualCell(row.name, column, row.scores[column], index[column, row.scores[column]])
            for column in self.columns
            for row in self.rows
            if row.kind is Kind.TEAM and (column, row.scores.get(column)) in index
        ]

    def list_marks(self, name_column: Callable[[str], str] = str) -> list[str]:
        """Return a sentence for each baseline with equal cells, and for cells that are not legible.

        `name_column` names a column for readers.
        """
        equal = self.find_equal()
        marks = []
        for is_fine, why in ((True, "probably filled in by the scorer"), (False, "perhaps chance")):
            cells = [
                (cell.name, cell.column, cell.baseline)
                for cell in equal
                if self._is_fine(cell.score) is is_fine
            ]
            marks += [f"{text}: {why}." for text in describe_equal(cells, name_column)]
        if any(UNREADABLE in row.cells.values() for row in self.rows):
            marks.append("Cells with a question mark cannot be read in the source.")
        return marks

    def _place(self, scores: Mapping[str, Decimal | None]) -> dict[str, Place]:
        numbers = [number for number in scores.values() if number is not None]
        ladder = sorted(set(numbers) if self.places is Places.DENSE else numbers, reverse=True)
        return {
            name: Place(ladder.index(number) + 1, numbers.count(number) > 1)
            for name, number in scores.items()
            if number is not None and self.places is not Places.NONE
        }

    def _is_fine(self, score: Decimal) -> bool:
        return -int(score.as_tuple().exponent) + 2 * self.is_percent >= FINE


def read_printed(
    table: bytes,
    order: bytes | None = None,
    *,
    places: Places = Places.COMPETITION,
    is_percent: bool = False,
) -> PrintedBoard:
    """Read a printed board from one file, or from two that must agree.

    Parameters
    ----------
    table : bytes
        Tab-separated text: `kind` (team, baseline, human, …; see `Kind`), `name`, `outside` (why a
        team is not ranked, or empty), and all other columns with the digits as printed, a dash as
        printed, `?` where the print cannot be read, or nothing where nothing was printed.
    order : bytes, optional
        Tab-separated text: `printed_row` (a whole number), `language` (the column), `name` and
        `score`, a row for each cell of the table with the same digits. Without it, cells come by
        their scores, and equal scores in the order of the table.
    places : Places
        How equal scores share places.
    is_percent : bool
        Whether scores are at most 100 rather than 1.

    Raises
    ------
    TableError
        All rows and columns of a file that cannot be read, or differ from the other file.
    """
    with naming_file(TABLE_FILE):
        columns, rows = _read_rows(table, 100 if is_percent else 1)
    if order is None:
        printed = {column: _sort(rows.values(), column) for column in columns}
    else:
        printed = _read_order(order, columns, rows)
    return PrintedBoard(columns, tuple(rows.values()), printed, places, is_percent)


def is_printed_as(text: str, score: float, *, is_percent: bool = False) -> bool:
    """Return whether a share is printed with these digits, halves rounded away from zero.

    >>> is_printed_as(".671", 0.671244), is_printed_as("67.2", 0.671244, is_percent=True)
    (True, False)
    """
    if not SCORE.fullmatch(text):
        return False
    printed = Decimal(text.replace("−", "-"))
    exact = Decimal(repr(score)) * (100 if is_percent else 1)
    return exact.quantize(printed, ROUND_HALF_UP) == printed


def index_baselines(board: Board) -> dict[tuple[str, Decimal], str]:
    """Return the name of the baseline that has a score, as shown, by language and score.

    A team with such a score needs a look: some scorers fill in the baseline for a missing language.
    A score of 0 is common to many predictions, and is left out.
    """
    return {
        (column, score): row.name
        for row in reversed(board.rows)
        if row.kind is Kind.BASELINE
        for column in board.rules.languages
        if column in row.cells and (score := round_score(row.cells[column].score))
    }


def describe_equal(
    cells: Iterable[tuple[str, str, str]], name_column: Callable[[str], str] = str
) -> Iterator[str]:
    """Yield for each baseline which cells equal it, given by team, column and baseline.

    >>> list(describe_equal([("Otters", "fi", "mBERT"), ("Otters", "sl", "mBERT")]))
    ['Otters (fi, sl): equal to the baseline mBERT']
    """
    by_baseline: dict[str, dict[str, list[str]]] = {}
    for team, column, baseline in cells:
        columns = by_baseline.setdefault(baseline, {}).setdefault(team, [])
        columns.append(name_column(column))
    for baseline, teams in by_baseline.items():
        named = [f"{team} ({', '.join(columns)})" for team, columns in teams.items()]
        yield f"{write_list(named)}: equal to the baseline {baseline}"


def _read_rows(data: bytes, highest: int) -> tuple[tuple[str, ...], dict[str, PrintedRow]]:
    """Return the columns of scores, and the rows by name. Raises TableError."""
    header = next(iter(split_records(data, COLUMNS).rows), None) or []
    columns = tuple(name for name in dict.fromkeys(header) if name and name not in COLUMNS)
    table = read_table(data, (*COLUMNS, *columns))
    findings, rows = table.errors, {}
    if not columns and not findings:
        findings.append(Finding(Severity.ERROR, "no column has scores", advice="add one"))
    for number, (kind, written, outside, *texts) in table.rows.items():
        name = read_cell(written).strip()
        cells = {c: text.strip() for c, text in zip(columns, texts, strict=True) if text.strip()}
        problems = list(_check_row(number, kind, name, cells, highest))
        if name in rows:
            what = f"{name[:40]} has a row above"
            problems.append(Finding(Severity.ERROR, what, number, "name", "name each row once"))
        findings += problems
        if not problems:
            rows[name] = PrintedRow(Kind(kind), name, read_cell(outside).strip(), cells)
    if findings:
        raise TableError(findings)
    return columns, rows


def _check_row(
    number: int, kind: str, name: str, cells: Mapping[str, str], highest: int
) -> Iterator[Finding]:
    if kind not in list(Kind):
        advice = f"write one of {', '.join(Kind)}"
        yield Finding(Severity.ERROR, f"“{kind[:40]}” is not a kind", number, "kind", advice)
    if not name:
        yield Finding(Severity.ERROR, "the name is empty", number, "name", "fill it in")
    for column, text in cells.items():
        if text in DASHES:
            continue
        if not SCORE.fullmatch(text) or abs(Decimal(text.replace("−", "-"))) > highest:
            what = f"{name[:40]}: “{text[:40]}” is not a score from -{highest} to {highest}"
            advice = "write the printed digits, such as 0.671, or a dash"
            yield Finding(Severity.ERROR, what, number, column, advice)


def _sort(rows: Iterable[PrintedRow], column: str) -> tuple[str, ...]:
    """Return the names of a column's rows by their scores, and rows with a dash last."""
    there = [(row.name, row.scores.get(column)) for row in rows if column in row.cells]
    scored = [row for row in there if row[1] is not None]
    dashes = [name for name, score in there if score is None]
    return (*(name for name, _ in sorted(scored, key=lambda row: -(row[1] or 0))), *dashes)


def _read_order(
    data: bytes, columns: Sequence[str], rows: Mapping[str, PrintedRow]
) -> dict[str, tuple[str, ...]]:
    """Return the names of each column's rows by printed row. Raises TableError."""
    table = read_table(data, ORDER)
    findings, places = table.errors, {column: dict[str, int]() for column in columns}
    for number, (place, column, written, score) in table.rows.items():
        name = read_cell(written).strip()
        problem = _compare(name, column, score.strip(), rows, places)
        if not place.isdecimal():
            problem = "printed_row", f"“{place[:40]}” is no row", "write a whole number"
        if problem:
            where, what, advice = problem
            findings.append(Finding(Severity.ERROR, what, number, where, advice))
        else:
            places[column][name] = int(place)
    if findings:
        raise TableError(findings, ORDER_FILE)
    absent = [
        Finding(
            Severity.ERROR, f"{row.name[:40]}: {text[:40]} is not in the order", number, column,
            "add it there",
        )
        for number, row in enumerate(rows.values(), 1)
        for column, text in row.cells.items()
        if row.name not in places[column]
    ]  # fmt: skip
    if absent:
        raise TableError(absent, TABLE_FILE)
    return {column: tuple(sorted(of, key=of.__getitem__)) for column, of in places.items()}


def _compare(
    name: str,
    column: str,
    score: str,
    rows: Mapping[str, PrintedRow],
    places: Mapping[str, Mapping[str, int]],
) -> tuple[str, str, str] | None:
    """Return how a cell of the order differs from the table, or None: column, what and advice."""
    if column not in places:
        return "language", f"“{column[:40]}” is no column of the table", "correct one of the files"
    if name not in rows:
        return "name", f"“{name[:40]}” is no row of the table", "correct one of the files"
    if name in places[column]:
        return "name", f"{name} is there twice in {column}", "keep one"
    there = rows[name].cells.get(column, "nothing")
    if score != there:
        what = f"{name}, {column}: {score[:40] or 'nothing'} here and {there} in the table"
        return "score", what, "write the printed digits in both"
    return None
