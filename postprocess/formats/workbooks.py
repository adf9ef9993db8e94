"""Reading a table from a workbook (.xlsx, ECMA-376): its first sheet with the columns.

Only texts are read. Numbers, dates and formulas are reported, because a spreadsheet shows them in
another form than the file holds.
"""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from postprocess.formats.tabular import CELL, MOST_ABOVE, Records, find_header, unreadable

if TYPE_CHECKING:
    from lxml import etree

WORKBOOK_PART = "xl/workbook.xml"
RELATIONSHIPS_PART = "xl/_rels/workbook.xml.rels"
LARGEST_UNPACKED = 20_000_000  # bytes of all parts; about 50 times the English CoSimLex
MOST_PARTS, MOST_ROWS, MOST_COLUMNS = 1_000, 20_000, 100
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 1  # flag of a part
DATE_FORMATS = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}  # built in
DATE_CODE = re.compile(r'^(?:[^"\[\\]|"[^"]*"|\[[^\]]*\]|\\.)*?[dmyhs]', re.IGNORECASE)
ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
REFERENCE = re.compile("([A-Z]{1,3})[0-9]+")
AS_TEXT = "format the column as text and enter it again"


class WorkbookError(ValueError):
    """A file is not a workbook that can be read; says why."""


@dataclass(slots=True)
class Sheet:
    """The texts of a sheet, and the problems of its cells by row and column from 0."""

    rows: list[list[str]] = field(default_factory=list)
    problems: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    numbers: dict[tuple[int, int], str] = field(default_factory=dict)


def split_workbook(
    data: bytes, columns: Sequence[str], known: Sequence[str], numbers: Collection[str] = ()
) -> Records:
    """Split the first sheet that names most of the columns into fields.

    `known` are the columns whose cells are checked, `numbers` those that may hold numbers.
    """
    from lxml import etree

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _refuse_bombs(archive)
            sheet = _choose_sheet(_Workbook(archive), columns)
    except WorkbookError as error:
        return Records([], [unreadable(str(error), "save it as UTF-8 text, separated by tabs")])
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, LookupError, etree.LxmlError):
        what = "the workbook is damaged"
        return Records([], [unreadable(what, "open it in a spreadsheet and save it again")])
    if sheet is None:
        return Records([], [unreadable("the workbook has no sheet with text", "add the rows")])
    while sheet.rows and not any(sheet.rows[-1]) and not _has_cells(sheet, len(sheet.rows) - 1):
        sheet.rows.pop()
    return _check_cells(sheet, known, numbers)


def _check_cells(sheet: Sheet, columns: Sequence[str], numbers: Collection[str]) -> Records:
    """Return the rows of a sheet, with a finding for each cell that holds no text."""
    header = sheet.rows[0] if sheet.rows else []
    while header and not header[-1]:
        header.pop()
    for (row, column), number in sheet.numbers.items():
        if row and column < len(header) and header[column] in numbers:
            sheet.rows[row][column] = number
        else:
            what = f"the cell holds the number {number}, not text"
            sheet.problems[row, column] = what, AS_TEXT
    findings = [
        unreadable(what, advice, row=row or None, column=header[column])
        for (row, column), (what, advice) in sorted(sheet.problems.items())
        if column < len(header) and header[column] in columns
    ]
    width = len(header)
    rows = [[*row[:width], *[""] * (width - len(row)), *filter(None, row[width:])]
            for row in sheet.rows]  # fmt: skip
    faulty = {finding.row for finding in findings}
    records = [None if number in faulty else row for number, row in enumerate(rows)]
    return Records(records, findings, CELL)


def _has_cells(sheet: Sheet, row: int) -> bool:
    return any(place[0] == row for place in (*sheet.problems, *sheet.numbers))


def _refuse_bombs(archive: zipfile.ZipFile) -> None:
    parts = archive.infolist()
    size = sum(part.file_size for part in parts)
    if size > LARGEST_UNPACKED or len(parts) > MOST_PARTS:
        raise WorkbookError(
            f"the workbook has {size:,} bytes in {len(parts):,} parts when unpacked; up to "
            f"{LARGEST_UNPACKED:,} bytes and {MOST_PARTS:,} parts are read"
        )
    if any(p.flag_bits & ENCRYPTED or p.compress_type not in COMPRESSIONS for p in parts):
        raise WorkbookError("the workbook is encrypted or compressed in an unusual way")


def _choose_sheet(book: "_Workbook", columns: Sequence[str]) -> Sheet | None:
    """Return the first sheet that names at least half of the columns, or the first one."""
    first = None
    for part in book.sheet_parts:
        if find_header(book.read_sheet(part, most_rows=MOST_ABOVE).rows, columns) is not None:
            return book.read_sheet(part)
        first = first or part
    return book.read_sheet(first) if first else None


class _Workbook:
    """An open workbook: its sheets, texts and date formats."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        targets: dict[str, str] = {}
        kinds: dict[str, str] = {}
        for link in self._iterate(RELATIONSHIPS_PART, "Relationship"):
            target = posixpath.normpath(posixpath.join("/xl", link.get("Target", "")))
            targets[link.get("Id", "")] = target.lstrip("/")
            kinds[link.get("Type", "").rpartition("/")[2]] = target.lstrip("/")
        self.sheet_parts = [
            targets[reference]
            for sheet in self._iterate(WORKBOOK_PART, "sheet")
            for name, reference in sheet.items()
            if name.endswith("}id") and reference in targets
        ]
        self.texts = self._read_texts(kinds.get("sharedStrings"))
        self.date_styles = self._find_date_styles(kinds.get("styles"))

    def read_sheet(self, part: str, most_rows: int = MOST_ROWS) -> Sheet:
        """Return the texts of a sheet, up to a number of rows."""
        sheet = Sheet()
        for row in self._iterate(part, "row"):
            place = int(row.get("r", len(sheet.rows) + 1)) - 1
            if place >= MOST_ROWS:
                raise WorkbookError(f"the sheet has more than {MOST_ROWS:,} rows")
            if place >= most_rows or place < len(sheet.rows):
                break
            sheet.rows.extend([] for _ in range(place - len(sheet.rows)))
            sheet.rows.append([])
            self._read_row(row, sheet, place)
        return sheet

    def _read_row(self, row: "etree._Element", sheet: Sheet, place: int) -> None:
        texts = sheet.rows[place]
        for cell in row.iterchildren("{*}c"):
            column = _find_column(cell.get("r", ""), len(texts))
            if not len(texts) <= column < MOST_COLUMNS:
                continue
            texts.extend([""] * (column - len(texts) + 1))
            written = cell.findtext("{*}v") or ""
            kind = cell.get("t", "n")
            if cell.find("{*}f") is not None:
                advice = "replace it by its value: copy the column and paste values only"
                sheet.problems[place, column] = "the cell holds a formula", advice
            elif kind == "s":
                texts[column] = self.texts[int(written)]
            elif kind == "inlineStr":
                texts[column] = _join_runs(cell.find("{*}is"))
            elif kind == "str":
                texts[column] = _unescape(written)
            elif kind == "d" or (kind == "n" and written and self._is_date(cell)):
                sheet.problems[place, column] = "the cell holds a date, not text", AS_TEXT
            elif kind == "n" and written:
                sheet.numbers[place, column] = f"{float(written):.15g}"
            elif written:
                what = f"the cell holds {'an error' if kind == 'e' else 'a truth'} value, not text"
                sheet.problems[place, column] = what, "write the text"

    def _is_date(self, cell: "etree._Element") -> bool:
        return int(cell.get("s", "0")) in self.date_styles

    def _read_texts(self, part: str | None) -> list[str]:
        return [_join_runs(item) for item in self._iterate(part, "si")] if part else []

    def _find_date_styles(self, part: str | None) -> set[int]:
        """Return the positions of the cell styles that show a number as a date or time."""
        codes: dict[int, str] = {}
        styles: list[int] = []
        for element in self._iterate(part, "numFmt", "cellXfs") if part else ():
            if str(element.tag).endswith("numFmt"):
                codes[int(element.get("numFmtId", "0"))] = element.get("formatCode", "")
            else:
                styles = [int(style.get("numFmtId", "0")) for style in element]
        dates = DATE_FORMATS | {number for number, code in codes.items() if DATE_CODE.match(code)}
        return {place for place, number in enumerate(styles) if number in dates}

    def _iterate(self, part: str, *names: str) -> Iterator["etree._Element"]:
        """Yield the elements of a part with these names, freeing each afterwards."""
        from lxml import etree

        file: IO[bytes]
        with self.archive.open(part) as file:
            tags = [f"{{*}}{name}" for name in names]
            for _, element in etree.iterparse(
                file, tag=tags, resolve_entities=False, load_dtd=False, no_network=True
            ):
                yield element
                element.clear()


def _find_column(reference: str, following: int) -> int:
    """Return the column of a cell reference such as AB12, from 0."""
    match = REFERENCE.fullmatch(reference)
    if not match:
        return following
    number = 0
    for letter in match[1]:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _join_runs(item: "etree._Element | None") -> str:
    """Return the text of a string item, without the phonetic guide of East Asian texts."""
    if item is None:
        return ""
    runs = [item, *item.iterchildren("{*}r")]
    return "".join(_unescape(run.findtext("{*}t") or "") for run in runs)


def _unescape(text: str) -> str:
    """Return a text with the characters that XML cannot hold, written _x000D_; no surrogates."""
    return ESCAPE.sub(
        lambda e: e[0] if "D8" <= e[1][:2].upper() <= "DF" else chr(int(e[1], 16)), text
    )
