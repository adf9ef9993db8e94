"""The rows of stimuli as read: pairs, and all that is wrong or odd."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

from postprocess.formats.marks import MarkedContext, Problem
from postprocess.formats.tabular import (
    Finding,
    Severity,
    TableError,
    read_cell,
    render_rows,
    unreadable,
)

Pair = TypeVar("Pair")
ESCAPED_FIELD = Problem(
    "the field begins with an apostrophe that keeps spreadsheets from taking it for a formula, and "
    "is read without",
    "write two apostrophes if one is meant",
)
MOST_FINDINGS = 10_000  # errors of one file before checking stops, and warnings that are kept


class StimuliError(TableError):
    """Stimuli that cannot be used; has all findings."""


class FoundSoFar:
    """The findings of a file while its rows are checked.

    More than `MOST_FINDINGS` errors end the checks. Warnings beyond as many are only counted.
    """

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.errors: list[Finding] = []
        self.warnings: list[Finding] = []
        self.n_warnings = 0
        self.add(findings)

    def add(self, findings: Iterable[Finding]) -> None:
        """Add findings on the next row."""
        for finding in findings:
            if finding.severity is not Severity.WARNING:
                self.errors.append(finding)
                continue
            self.n_warnings += 1
            if self.n_warnings <= MOST_FINDINGS + 1:  # the last one gives way to their number
                self.warnings.append(finding)

    def stops_at(self, row: int) -> bool:
        """Return whether there are too many errors to go on at a row, as a finding then says."""
        if len(self.errors) <= MOST_FINDINGS:
            return False
        what = f"not read from this row on: there are more than {MOST_FINDINGS:,} errors before it"
        self.errors.append(Finding(Severity.ERROR, what, row, advice="correct those first"))
        return True

    def list_all(self) -> list[Finding]:
        """Return the findings, with the number of warnings that are not among them."""
        findings = [*self.errors, *self.warnings]
        if (n_left_out := self.n_warnings - MOST_FINDINGS) > 0:
            what = f"more warnings from here on: {n_left_out:,}"
            findings[-1] = replace(findings[-1], what=what, advice="")
        return findings


@dataclass(frozen=True)
class ParsedRows(Generic[Pair]):
    """A stimuli file as read.

    `rows` are the well-formed rows, verbatim and in the order of `columns`; `pairs` those
    without an error; `findings` all problems and oddities, in file order.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    pairs: tuple[Pair, ...]
    findings: tuple[Finding, ...]

    @property
    def unreadable(self) -> tuple[Finding, ...]:
        """Findings on rows without the structure of the format."""
        return tuple(f for f in self.findings if f.severity is Severity.UNREADABLE)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Findings that prevent the import."""
        return tuple(f for f in self.findings if f.severity is not Severity.WARNING)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Findings that do not prevent the import."""
        return tuple(f for f in self.findings if f.severity is Severity.WARNING)

    @cached_property
    def text(self) -> str:
        """The text of a stimuli file with these rows."""
        return render_checked(self.columns, self.rows)

    def reordered(self, order: Sequence[int]) -> "ParsedRows[Pair]":
        """Return the stimuli with their rows in another order, given by indices from 0.

        Findings and pairs follow their rows. No row may be unreadable.
        """
        wrong = {finding.row for finding in self.errors}
        right = (index for index in range(len(self.rows)) if index + 1 not in wrong)
        pairs = dict(zip(right, self.pairs, strict=False))
        numbers = {index + 1: number for number, index in enumerate(order, 1)}
        findings = (replace(f, row=numbers[f.row]) if f.row else f for f in self.findings)
        return ParsedRows(
            self.columns,
            tuple(self.rows[index] for index in order),
            tuple(pairs[index] for index in order if index in pairs),
            tuple(sorted(findings, key=_order(self.columns))),
        )


@dataclass(frozen=True, slots=True)
class StimulusPair:
    """Two words in dictionary form and their two contexts."""

    word1: str
    word2: str
    context1: MarkedContext
    context2: MarkedContext

    def fields(self) -> tuple[str, ...]:
        """Return the row of the stimuli file, in the order of its columns."""
        return (
            self.word1,
            self.word2,
            self.context1.marked(),
            self.context2.marked(),
            self.context1.form1,
            self.context1.form2,
            self.context2.form1,
            self.context2.form2,
        )


ParsedStimuli = ParsedRows[StimulusPair]


def parse_cells(
    columns: Sequence[str],
    cells: Mapping[int, tuple[str, ...]],
    table_findings: Iterable[Finding],
    read: Callable[[Mapping[str, str]], tuple[Pair | None, list[Finding]]],
) -> ParsedRows[Pair]:
    """Read rows, given as they are written, by a function from fields to a pair and findings."""
    columns = tuple(columns)
    findings, pairs = FoundSoFar(table_findings), []
    rows = read_cells(cells)
    for row, fields in rows.items():
        if findings.stops_at(row):
            break
        pair, row_findings = read(dict(zip(columns, fields, strict=True)))
        if fields != cells[row]:
            row_findings += _escape_findings(columns, cells[row], fields)
        findings.add(replace(finding, row=row) for finding in row_findings)
        if pair is not None:
            pairs.append(pair)
    ordered = sorted(findings.list_all(), key=_order(columns))
    return ParsedRows(columns, tuple(rows.values()), tuple(pairs), tuple(ordered))


def read_cells(cells: Mapping[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """Return the fields of rows, given as they are written."""
    return {row: tuple(map(read_cell, written)) for row, written in cells.items()}


def render_checked(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the text of a table. Raises StimuliError for rows that it cannot hold."""
    rows = [tuple(row) for row in rows]
    refuse_unwritable(columns, rows)
    return render_rows(columns, rows)


def refuse_unwritable(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Raise StimuliError for rows that a table with these columns cannot hold."""
    if findings := list(_unwritable(columns, rows)):
        raise StimuliError(findings)


def _unwritable(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[Finding]:
    for number, row in enumerate(rows, 1):
        if len(row) != len(columns):
            yield unreadable(f"{len(row)} fields instead of {len(columns)}", row=number)
            continue
        for column, field in zip(columns, row, strict=True):
            if "\t" in field or "\n" in field:
                what, advice = "a tab or line break inside the field", "replace it by a space"
                yield unreadable(what, advice, row=number, column=column)


def _order(columns: Sequence[str]) -> Callable[[Finding], tuple[int, int]]:
    """Return the key that sorts findings in file order."""
    places = {column: place for place, column in enumerate(columns)}
    return lambda finding: (finding.row or 0, places.get(finding.column or "", -1))


def _escape_findings(
    columns: Sequence[str], cells: Sequence[str], fields: Sequence[str]
) -> Iterator[Finding]:
    for column, cell, field in zip(columns, cells, fields, strict=True):
        if cell != field:
            yield Finding(
                Severity.WARNING, ESCAPED_FIELD.what, column=column, advice=ESCAPED_FIELD.advice
            )
