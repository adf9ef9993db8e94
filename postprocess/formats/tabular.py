"""The tab-separated text of the published formats: UTF-8, no quoting, one line per row.

Problems are collected as findings, so that all of them are reported at once. A text that begins
with = + - @, a tab or a carriage return, after any number of apostrophes, is prefixed with an
apostrophe, since a spreadsheet would take it for a formula; readers remove it again. Numbers are
not changed.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path

from postprocess.errors import UserError

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UNDECODED = re.compile("[\udc80-\udcff]")  # surrogates of bytes that are not UTF-8
MOST_MISSHAPEN = 10_000  # rows that are reported one by one
MOST_UNKNOWN, LONGEST_NAME = 20, 100  # columns listed, and characters of a name
MOST_NAMED = 3  # rows of equal findings
MOST_ABOVE = 20  # rows above the names of the columns that are examined
CELL = "cell"  # what separates the columns of a workbook


class Severity(StrEnum):
    """Severity of a finding; the first two prevent the import of a file."""

    UNREADABLE = "unreadable"  # the row or the file does not have the structure of the format
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """An error or warning about a file: what is wrong or odd, and what to do about it.

    `row` counts the rows below the header from 1; None means the whole file. `others` are further
    rows of which it is true, as `group_findings` finds them. `first_line` is the line of row 1;
    None in a file whose rows are no lines.

    >>> empty = Finding(Severity.ERROR, "the field is empty", 3, "word1", advice="fill it in")
    >>> str(empty)
    'row 3 (line 4), word1: the field is empty; fill it in'
    """

    severity: Severity
    what: str
    row: int | None = None
    column: str | None = None
    advice: str = ""
    others: tuple[int, ...] = ()
    first_line: int | None = 2

    @property
    def line(self) -> int | None:
        """The line of the file, counted from 1; None for the whole file."""
        if self.row is None or self.first_line is None:
            return None
        return self.row + self.first_line - 1

    @property
    def lines(self) -> str:
        """The line in words; empty for the whole file and for several rows."""
        return "" if self.line is None or self.others else str(self.line)

    @property
    def rows(self) -> str:
        """The rows in words; empty for the whole file."""
        rows = () if self.row is None else (self.row, *self.others)
        if len(rows) > 2 and rows[-1] - rows[0] == len(rows) - 1:
            return f"{rows[0]} to {rows[-1]}"
        more = [f"{len(rows) - MOST_NAMED:,} more"] if len(rows) > MOST_NAMED + 1 else []
        *first, last = [*map(str, rows[: MOST_NAMED if more else None]), *more] or [""]
        return f"{', '.join(first)} and {last}" if first else last

    @property
    def reason(self) -> str:
        """The problem, and the advice if there is one."""
        if not self.advice:
            return self.what
        return f"{self.what}{'' if self.what.endswith('?') else ';'} {self.advice}"

    def __str__(self) -> str:
        row = f"row {self.row}" if self.row is not None else ""
        row += f" (line {self.line})" if self.line is not None else ""
        row = f"rows {self.rows}" if self.others else row
        place = ", ".join(part for part in (row, self.column) if part)
        return f"{place}: {self.reason}" if place else self.reason


def group_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Return equal findings on several rows as one, at the place of the first.

    >>> empty = [Finding(Severity.ERROR, "it is empty", row, "word1") for row in (3, 4, 5, 9)]
    >>> [str(finding) for finding in group_findings(empty)]
    ['rows 3, 4, 5 and 9, word1: it is empty']
    """
    rows: dict[Finding, dict[int | None, None]] = {}
    for finding in findings:
        rows.setdefault(replace(finding, row=None), {})[finding.row] = None
    grouped = []
    for finding, (first, *others) in rows.items():
        numbers = tuple(row for row in others if row is not None)
        grouped.append(replace(finding, row=first, others=numbers))
    return grouped


def cut_lines(lines: Iterable[object], most: int = 20) -> list[str]:
    """Return the first lines, and how many more there are.

    >>> cut_lines("abcd", most=2)
    ['a', 'b', 'and 2 more']
    """
    first = [*map(str, lines)]
    return [*first[:most], *([f"and {len(first) - most:,} more"] if len(first) > most else [])]


class TableError(UserError):
    """An unusable file; has all findings, and its message lists them, a line for equal findings.

    Each line begins with `path` if the file has one.
    """

    def __init__(self, findings: Iterable[Finding], path: Path | None = None) -> None:
        self.findings = tuple(findings)
        place = "" if path is None else f"{path}: "
        super().__init__(
            "\n".join(f"{place}{finding}" for finding in group_findings(self.findings))
        )


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Name the file in every line of a TableError that is raised in the block."""
    try:
        yield
    except TableError as error:
        raise TableError(error.findings, path) from error


@dataclass(frozen=True, slots=True)
class Table:
    """The well-formed rows of a file by row number, with fields in the order of `columns`."""

    rows: dict[int, tuple[str, ...]]
    findings: tuple[Finding, ...]
    columns: tuple[str, ...] = ()

    @property
    def errors(self) -> list[Finding]:
        """The findings that are more than warnings."""
        return [finding for finding in self.findings if finding.severity is not Severity.WARNING]


@dataclass(slots=True)
class Records:
    """The rows of a file as they are split into fields, the header first.

    A row that could not be read is None and has a finding. `separator` is the name of what
    separates the columns; `lines` are those on which the rows end, unless each row is a line.
    """

    rows: list[list[str] | None]
    findings: list[Finding]
    separator: str = "tab"
    lines: list[int] = field(default_factory=list)


def unreadable(
    what: str, advice: str = "", *, row: int | None = None, column: str | None = None
) -> Finding:
    """Return the finding that a row or file does not have the structure of the format."""
    return Finding(Severity.UNREADABLE, what, row, column, advice)


def read_header(data: bytes) -> list[str]:
    r"""Return the names of the columns of a file, as far as they can be read.

    >>> read_header("\ufeffword1\tword2\r\nice\tsun\r\n".encode())
    ['word1', 'word2']
    """
    first = end_lines(data).partition(b"\n")[0].decode("utf-8-sig", "replace")
    return first.rstrip("\r").split("\t")


def end_lines(data: bytes) -> bytes:
    r"""Return a text with LF for CR if its lines end in CR alone, and CRLF for CRCRLF.

    >>> end_lines(b"a\rb\r"), end_lines(b"a\r\nb\rc\n")
    (b'a\nb', b'a\r\nb\rc\n')
    """
    if b"\n" not in data.rstrip(b"\r\n"):
        data = data.rstrip(b"\r\n").replace(b"\r", b"\n")
    return data.replace(b"\r\r\n", b"\r\n")


def split_plain(data: bytes) -> Records:
    """Split a tab-separated UTF-8 file into fields; a line that is not UTF-8 has a finding.

    Accepts a byte order mark, LF, CRLF or CR, and empty lines at the end. Nothing is stripped from
    a field, and only these end a line: U+2028 and the like are text.
    """
    lines, findings = _decode_lines(data)
    return Records([None if line is None else line.split("\t") for line in lines], findings)


def shape_table(records: Records, columns: Sequence[str], optional: Sequence[str] = ()) -> Table:
    """Return the well-formed rows among records, with the columns that are wanted.

    `optional` are columns that a file need not have.
    """
    findings = list(records.findings)
    if not records.rows:
        finding = unreadable("the file is empty", "it needs a header and rows")
        return Table({}, (*findings, finding) if not findings else tuple(findings))
    header = records.rows[0]
    if header is None:
        return Table({}, tuple(findings))
    columns = (*columns, *(name for name in optional if name in header))
    findings.extend(_header_findings(header, columns, records.separator))
    if any(f.severity is Severity.UNREADABLE and f.row is None for f in findings):
        return Table({}, tuple(findings), columns)
    rows = records.rows[1:]
    if not rows:
        findings.append(unreadable("the file has a header but no rows", "add the rows"))
    places = [header.index(column) for column in columns]
    shaped: dict[int, tuple[str, ...]] = {}
    misshapen: dict[int, list[str]] = {}
    for row, fields in enumerate(rows, 1):
        if fields is None:
            continue
        if len(fields) == len(header) and any(fields):
            shaped[row] = tuple(fields[i] for i in places)
        else:
            misshapen[row] = fields
    widths = {len(row) for row in misshapen.values()}
    if len(misshapen) > 1 and not shaped and widths == {len(header) + 1}:
        findings.append(unreadable(*ROW_NAMES))
        misshapen = {}
    findings.extend(_shape_findings(misshapen, len(header), records.separator))
    ordered = sorted(findings, key=lambda finding: finding.row or 0)
    return Table(shaped, tuple(ordered), columns)


def tidy_records(records: Records, columns: Sequence[str]) -> None:
    """Remove empty rows at the end and R's numbers of rows; report rows above the header."""
    rows = records.rows
    while len(rows) > 1 and rows[-1] is not None and not any(rows[-1]):
        rows.pop()
    if place := find_header(rows, columns):
        what = f"the columns are named in line {place + 1}"
        advice = f"delete the line{'' if place == 1 else 's'} above"
        records.findings.append(unreadable(what, advice))
        rows[0] = None
    fields = [row for row in rows[1:] if row and any(row)]
    if (header := rows[0] if rows else None) is None:
        return
    numbers = {row[0] for row in fields if len(row) == len(header) + 1 and row[0].isdecimal()}
    if fields and len(numbers) == len(fields):
        header.insert(0, "")


def find_header(rows: Sequence[Sequence[str] | None], columns: Sequence[str]) -> int | None:
    """Return the place of the first row that names at least half of the columns, if any does."""
    folded = {fold_name(name) for name in columns}
    for place, row in enumerate(rows[:MOST_ABOVE]):
        if row is not None and 2 * len(folded & set(map(fold_name, row))) >= len(columns):
            return place
    return None


def fold(text: str) -> str:
    r"""Normalise a text for comparison: letter case, Unicode composition and spacing.

    >>> fold("C\u030cE  \u0161") == fold("\u010de s\u030c")
    True
    """
    caseless = unicodedata.normalize("NFD", text).casefold()
    return " ".join(unicodedata.normalize("NFC", caseless).split())


def fold_name(name: str) -> str:
    """Return the name of a column without quotation marks, letter case and spaces."""
    return re.sub(r"[\s_]+", "", name.strip().strip('\ufeff"').casefold())


def _shape_findings(
    misshapen: Mapping[int, Sequence[str]], n_columns: int, separator: str
) -> Iterator[Finding]:
    """Yield findings on rows that do not match the header, the first rows in detail."""
    for row, fields in islice(misshapen.items(), MOST_MISSHAPEN):
        yield unreadable(*shape_problem(fields, n_columns, separator), row=row)
    if (n_more := len(misshapen) - MOST_MISSHAPEN) > 0:
        what = f"{n_more:,} more rows have not as many fields as the header"
        yield unreadable(what, "correct them too", row=list(misshapen)[MOST_MISSHAPEN])


def _decode_lines(data: bytes) -> tuple[list[str | None], list[Finding]]:
    """Return the lines, None for one that is not UTF-8, and a finding on all such lines."""
    text = end_lines(data).removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    text = text.removesuffix("\r").replace("\r\n", "\n").rstrip("\n")
    lines: list[str | None] = [*text.split("\n")] if text else []
    if not UNDECODED.search(text):
        return lines, []
    bad = [place for place, line in enumerate(lines) if line and UNDECODED.search(line)]
    for place in bad:
        lines[place] = None
    position = locate_undecoded(data)
    return lines, [_not_utf8(position, data[position], bad)]


def locate_undecoded(data: bytes) -> int:
    """Return the offset of the first byte that is not UTF-8."""
    text = data.decode("utf-8", "surrogateescape")
    match = UNDECODED.search(text)
    return len(text[: match.start() if match else None].encode("utf-8", "surrogateescape"))


def _not_utf8(position: int, byte: int, bad: Sequence[int]) -> Finding:
    """Return the finding for lines that are not UTF-8, given by their positions from 0."""
    line = bad[0] + 1
    more = f" (and in {len(bad) - 1:,} more lines)" if len(bad) > 1 else ""
    what = f"not UTF-8: byte 0x{byte:02X} in line {line}, at byte {position + 1} of the file{more}"
    return unreadable(what, "save the file as UTF-8", row=line - 1 if line > 1 else None)


def _header_findings(
    header: Sequence[str], columns: Sequence[str], separator: str
) -> Iterator[Finding]:
    if missing := [column for column in columns if column not in header]:
        listed = ", ".join(repr(name[:LONGEST_NAME]) for name in header[:20])
        where = "one in each cell" if separator == CELL else f"separated by {separator}s"
        yield unreadable(
            f"missing {'column' if len(missing) == 1 else 'columns'}: {', '.join(missing)}",
            f"the header must name them, {where} (it has {listed})",
        )
    for column in columns:
        if header.count(column) > 1:
            yield unreadable("the header names this column twice", "keep one", column=column)
    unknown = [name for name in dict.fromkeys(header) if name and name not in columns]
    for name in unknown[:MOST_UNKNOWN]:
        what = f"unknown column {name[:LONGEST_NAME]!r}: not used"
        yield Finding(Severity.WARNING, what, advice="remove it, or correct its name")
    if (n_more := len(unknown) - MOST_UNKNOWN) > 0:
        what = f"{n_more:,} more unknown columns: not used"
        yield Finding(Severity.WARNING, what, advice="remove them")


def shape_problem(fields: Sequence[str], n_columns: int, separator: str) -> tuple[str, str]:
    """Return why a row does not match the header, and what to do."""
    if not any(fields):
        return "the row is empty", "remove it"
    n_fields = f"{len(fields)} {'field' if len(fields) == 1 else 'fields'}"
    if separator == CELL:
        return f"{n_fields} instead of {n_columns}: text beside the table", "Remove it"
    likely = f"a {separator}" if len(fields) > n_columns else "a line break"
    what = f"{n_fields} instead of {n_columns}: {likely} inside a field?"
    if separator in ("comma", "semicolon"):
        return what, "Put the field in quotation marks"
    return what, "Replace it by a space"


ROW_NAMES = (
    "each row has one field more than the header, as R writes row names",
    "write the file without row names (row.names = FALSE)",
)
NUMBER = r"-[0-9]+(?:\.[0-9]+)?(?:[Ee][+-]?[0-9]+)?"
FORMULA = rf"(?!{NUMBER}\Z)[=+\-@\t\r]"
UNSAFE, ESCAPED = re.compile(f"'*+{FORMULA}"), re.compile(f"'++{FORMULA}")


def write_cell(text: str) -> str:
    """Escape a text so that no spreadsheet takes it for a formula.

    >>> [write_cell(text) for text in ("=1+1", "'=1", "salt", "'tis", "-0.5")]
    ["'=1+1", "''=1", 'salt', "'tis", '-0.5']
    """
    return f"'{text}" if UNSAFE.match(text) else text


def read_cell(cell: str) -> str:
    """Return the text that `write_cell` escaped.

    >>> [read_cell(cell) for cell in ("'=1+1", "''=1", "salt", "'tis", "-0.5")]
    ['=1+1', "'=1", 'salt', "'tis", '-0.5']
    """
    return cell[1:] if ESCAPED.match(cell) else cell


def render_rows(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a tab-separated text: a header and rows of fields without tab or line break.

    Fields that a spreadsheet would take for a formula are escaped; see `write_cell`.
    """
    return "".join("\t".join(map(write_cell, row)) + "\n" for row in (columns, *rows))
