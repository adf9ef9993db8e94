"""Published tables as boards, and cells that are equal to a baseline."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from postprocess.boards.board import Board, Row
from postprocess.boards.entries import Entry, Kind, only_score
from postprocess.formats.kinds import read_table
from postprocess.formats.tabular import Finding, Severity, TableError, read_cell
from postprocess.scoring.figures import Figures
from postprocess.scoring.ranking import round_score

COLUMNS = ("kind", "name", "outside")
MISSING = ("", "-", "–", "—", "n/a")
SCORE = re.compile(r"-?[0-9]*\.?[0-9]+")


class EqualCell(NamedTuple):
    """A team's score that equals a baseline's score as shown."""

    name: str
    column: str
    score: float
    baseline: str


def read_published(data: bytes, languages: Sequence[str]) -> list[Entry]:
    """Read a published table of scores.

    Parameters
    ----------
    data : bytes
        Tab-separated text: `kind` (team, baseline, human, …; see `Kind`), `name`, `outside` (why a
        team is not ranked, or empty) and a column for each language, whose cells are scores or, if
        there is none, empty or a dash.
    languages : sequence of str
        The columns of scores.

    Returns
    -------
    list of Entry
        For `make_board`. They have no left-out values, so that a board of them has ranks, but no
        intervals, tests, rank ranges or groups.

    Raises
    ------
    TableError
        All rows and columns that cannot be read.
    """
    table = read_table(data, (*COLUMNS, *languages), numbers=languages)
    findings = table.errors
    entries = []
    for number, (kind, name, outside, *cells) in table.rows.items():
        figures = {}
        problems = list(_check_row(number, kind, name))
        for language, cell in zip(languages, cells, strict=True):
            if cell.strip() in MISSING:
                continue
            score = _read_score(cell.strip())
            if score is None:
                what = f"“{cell[:40]}” is not a score from -1 to 1"
                advice = "write it as 0.671, or leave it empty"
                problems.append(Finding(Severity.ERROR, what, number, language, advice))
            else:
                figures[language] = score
        findings += problems
        if not problems:
            entries.append(Entry(read_cell(name), figures, Kind(kind), outside=read_cell(outside)))
    if findings:
        raise TableError(findings)
    return entries


def find_baseline_cells(board: Board) -> list[EqualCell]:
    """Return the scores of teams that are equal to a baseline's, as shown, in each language.

    Such a score is probably not that of the team: some scorers fill in the baseline for a language
    that is missing. A score of 0 is common to many predictions, and is left out.
    """
    baselines = [row for row in board.rows if row.kind is Kind.BASELINE]
    return [
        EqualCell(row.name, column, row.cells[column].score, baseline.name)
        for row in board.rows
        if row.kind is Kind.TEAM
        for column in board.rules.languages
        for baseline in baselines
        if _is_equal(row, baseline, column)
    ]


def _is_equal(row: Row, baseline: Row, column: str) -> bool:
    cell, other = row.cells.get(column), baseline.cells.get(column)
    if cell is None or other is None:
        return False
    shown = round_score(cell.score)
    return shown != 0 and shown == round_score(other.score)


def _check_row(number: int, kind: str, name: str) -> Iterator[Finding]:
    if kind not in list(Kind):
        advice = f"write one of {', '.join(Kind)}"
        yield Finding(Severity.ERROR, f"“{kind[:40]}” is not a kind", number, "kind", advice)
    if not name.strip():
        yield Finding(Severity.ERROR, "the name is empty", number, "name", "fill it in")


def _read_score(cell: str) -> Figures | None:
    text = cell.replace("−", "-")
    if not SCORE.fullmatch(text) or abs(float(text)) > 1:
        return None
    return only_score(float(text))
