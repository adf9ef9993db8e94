"""The tab-separated text of the published formats: UTF-8, no quoting, one line a row.

What is wrong is collected as findings, so that a reader of a file hears of everything at once.
"""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UNDECODED = re.compile("[\udc80-\udcff]")  # what stands for a byte that is no UTF-8
MOST_MISSHAPEN = 10_000  # rows that are described one by one
MOST_UNKNOWN, LONGEST_NAME = 20, 100  # columns that are named, and characters of a name
ZIP_MARK = b"PK\x03\x04"  # what .xlsx and .ods begin with


class Severity(StrEnum):
    """How far a finding goes: the first two keep a file from being imported."""

    UNREADABLE = "unreadable"  # the row or the file has not the shape of the format
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong or odd in a file, and what to do about it.

    `row` counts the rows below the header from 1; None means the whole file.

    >>> str(Finding(Severity.ERROR, "the field is empty; fill it in", row=3, column="word1"))
    'row 3 (line 4), word1: the field is empty; fill it in'
    """

    severity: Severity
    reason: str
    row: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        row = f"row {self.row} (line {self.row + 1})" if self.row is not None else None
        place = ", ".join(part for part in (row, self.column) if part)
        return f"{place}: {self.reason}" if place else self.reason


class TableError(ValueError):
    """A file cannot be used; carries every finding, and its message lists them one a line."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))


@dataclass(frozen=True, slots=True)
class Table:
    """The well-shaped rows of a file by row number, their fields in the order asked for."""

    rows: dict[int, tuple[str, ...]]
    findings: tuple[Finding, ...]


def unreadable(reason: str, *, row: int | None = None, column: str | None = None) -> Finding:
    """The finding that a row or file has not the shape of the format."""
    return Finding(Severity.UNREADABLE, reason, row, column)


def read_table(data: bytes, columns: Sequence[str]) -> Table:
    """Split a file into rows with the given columns, which may stand in any order.

    Accepts a byte order mark, LF or CRLF, and empty lines at the end. Nothing is stripped from
    a field, and only LF ends a line: U+2028 and its like are text. Columns beyond those asked
    for are a warning. Never raises: the findings say what could not be read.
    """
    if data.startswith(UTF_16_MARKS):
        return Table({}, (unreadable("the file is UTF-16; save it as UTF-8"),))
    if data.startswith(ZIP_MARK):
        reason = "the file is a spreadsheet; save it as UTF-8 text, its columns separated by tabs"
        return Table({}, (unreadable(reason),))
    lines, findings = _decode_lines(data)
    if not lines:
        return Table({}, (unreadable("the file is empty; it needs a header and rows"),))
    if lines[0] is None:
        return Table({}, tuple(findings))
    header = lines[0].split("\t")
    findings.extend(_header_findings(header, columns))
    if any(f.severity is Severity.UNREADABLE and f.row is None for f in findings):
        return Table({}, tuple(findings))
    if len(lines) == 1:
        findings.append(unreadable("the file has a header but no rows; add the rows"))
    places = [header.index(column) for column in columns]
    shaped: dict[int, tuple[str, ...]] = {}
    misshapen: list[int] = []
    for row, line in enumerate(lines[1:], 1):
        if line is None:
            continue
        fields = line.split("\t")
        if len(fields) == len(header) and any(fields):
            shaped[row] = tuple(fields[i] for i in places)
        else:
            misshapen.append(row)
    findings.extend(_shape_findings(misshapen, lines, len(header)))
    return Table(shaped, tuple(sorted(findings, key=lambda finding: finding.row or 0)))


def _shape_findings(
    misshapen: Sequence[int], lines: Sequence[str | None], n_columns: int
) -> Iterator[Finding]:
    """What is wrong with rows that have not the shape of the header, the first ones in detail."""
    for row in misshapen[:MOST_MISSHAPEN]:
        fields = (lines[row] or "").split("\t")
        yield unreadable(_shape_problem(fields, n_columns), row=row)
    if (n_more := len(misshapen) - MOST_MISSHAPEN) > 0:
        reason = f"{n_more:,} more rows have not as many fields as the header; correct them too"
        yield unreadable(reason, row=misshapen[MOST_MISSHAPEN])


def _decode_lines(data: bytes) -> tuple[list[str | None], list[Finding]]:
    """The lines without their ends, None for one that is not UTF-8; one finding for all such."""
    text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    text = text.removesuffix("\r").replace("\r\n", "\n").rstrip("\n")
    lines: list[str | None] = [*text.split("\n")] if text else []
    if not UNDECODED.search(text):
        return lines, []
    bad = [place for place, line in enumerate(lines) if line and UNDECODED.search(line)]
    for place in bad:
        lines[place] = None
    position = _locate_undecoded(data)
    return lines, [_not_utf8(position, data[position], bad)]


def _locate_undecoded(data: bytes) -> int:
    """Return the place of the first byte that is no UTF-8, from 0."""
    text = data.decode("utf-8", "surrogateescape")
    found = UNDECODED.search(text)
    return len(text[: found.start() if found else None].encode("utf-8", "surrogateescape"))


def _not_utf8(position: int, byte: int, bad: Sequence[int]) -> Finding:
    """The finding for lines that are not UTF-8, given by their places from 0."""
    line = bad[0] + 1
    more = f" (and in {len(bad) - 1:,} more lines)" if len(bad) > 1 else ""
    reason = (
        f"not UTF-8: byte 0x{byte:02X} in line {line}, at byte {position + 1} of the file{more}; "
        "save the file as UTF-8"
    )
    return unreadable(reason, row=line - 1 if line > 1 else None)


def _header_findings(header: Sequence[str], columns: Sequence[str]) -> Iterator[Finding]:
    if missing := [column for column in columns if column not in header]:
        found = ", ".join(repr(name[:LONGEST_NAME]) for name in header[:20])
        yield unreadable(
            f"missing {'column' if len(missing) == 1 else 'columns'}: {', '.join(missing)}; "
            f"the header must name them, separated by tabs (it has {found})"
        )
    for column in columns:
        if header.count(column) > 1:
            yield unreadable("the header names this column twice; keep one", column=column)
    unknown = [name for name in dict.fromkeys(header) if name not in columns]
    for name in unknown[:MOST_UNKNOWN]:
        reason = f"unknown column {name[:LONGEST_NAME]!r}: not used; remove it, or correct its name"
        yield Finding(Severity.WARNING, reason)
    if (n_more := len(unknown) - MOST_UNKNOWN) > 0:
        yield Finding(Severity.WARNING, f"{n_more:,} more unknown columns: not used; remove them")


def _shape_problem(fields: Sequence[str], n_columns: int) -> str:
    if not any(fields):
        return "the row is empty; remove it"
    if len(fields) > n_columns:
        return (
            f"{len(fields)} fields instead of {n_columns}: a tab inside a field? "
            "Replace it by a space"
        )
    return (
        f"{len(fields)} {'field' if len(fields) == 1 else 'fields'} instead of {n_columns}: "
        "a line break inside a field? Replace it by a space"
    )
