"""The bytes of a published file as rows of cells, and back."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from postprocess.foreign import name_foreign
from postprocess.formats.kinds import FileKind, Separator, split_text
from postprocess.formats.tabular import Finding, end_lines, split_plain, unreadable
from postprocess.layouts.layout import File

BOM = b"\xef\xbb\xbf"
COMMAS = FileKind(Separator.COMMA)
SURROGATE = re.compile("[\ud800-\udfff]")
NOT_OBJECTS = "it should be a list of objects with the same keys"
NUMBERS = "numbers are written as text"


@dataclass
class Split:
    """The rows of a file by their number, from 1; `notes` are what is written otherwise."""

    header: list[str]
    rows: dict[int, list[str]]
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def split_file(data: bytes, file: File) -> Split:
    """Return the header and the rows of a file; never raises for its content."""
    if (foreign := name_foreign(data)) is not None:
        return Split([], {}, [unreadable(f"the file is {foreign.name}", foreign.advice)])
    split = _split_json(data) if file.syntax == "json" else _split_rows(data, file.syntax)
    if not split.header and not split.findings:
        split.findings.append(unreadable("the file is empty", "it needs rows"))
    elif not file.has_header:
        first = {1: split.header} if split.header else {}
        split.rows = first | {row + 1: cells for row, cells in split.rows.items()}
        split.findings = [
            replace(finding, row=(finding.row or 0) + 1) for finding in split.findings
        ]
        split.header = []
    split.notes += _list_notes(data)
    return split


def normalise(data: bytes) -> bytes:
    """Return a file with LF and a last line end, and without a byte order mark."""
    return end_lines(data).removeprefix(BOM).replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"


def join_rows(file: File, header: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """Return the bytes of a file: UTF-8, LF, no byte order mark."""
    if file.syntax == "json":
        objects = [dict(zip(header, row, strict=True)) for row in rows]
        return (json.dumps(objects, indent=4, ensure_ascii=False) + "\n").encode()
    lines = [header, *rows] if file.has_header else rows
    if file.syntax == "tab":
        return "".join("\t".join(line) + "\n" for line in lines).encode()
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows(lines)
    return stream.getvalue().encode()


def _list_notes(data: bytes) -> Iterator[str]:
    """Yield how the file differs from the files that are written."""
    if data.startswith(BOM):
        yield "a byte order mark is left out"
    if b"\r\n" in data or (b"\r" in data and b"\n" not in data):
        yield "lines end in LF, not CRLF or CR"
    if data and not data.endswith((b"\n", b"\r")):
        yield "the last line is ended"
    if data.endswith((b"\n\n", b"\n\r\n")):
        yield "empty lines at the end are left out"


def _split_rows(data: bytes, syntax: str) -> Split:
    records = split_plain(data)  # whose findings name the rows that are not UTF-8
    if syntax == "comma" and not records.findings:
        records = split_text(data, COMMAS)
    first, *others = records.rows or [None]
    rows = {row: cells for row, cells in enumerate(others, 1) if cells is not None}
    return Split(first or [], rows, records.findings)


def _split_json(data: bytes) -> Split:
    try:
        rows = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return Split([], {}, [unreadable(f"the file is not JSON: {error}"[:200], "correct it")])
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict):
        return Split([], {}, [unreadable(NOT_OBJECTS, "see docs/layouts.md")])
    split = Split(list(rows[0]), {})
    for number, row in enumerate(rows, 1):
        cells = _cells_of(row, split)
        if cells is None:
            split.findings.append(unreadable(NOT_OBJECTS, "give it the keys of row 1", row=number))
        else:
            split.rows[number] = cells
    return split


def _cells_of(row: Any, split: Split) -> list[str] | None:
    """Return the values of an object as text; None if it has other keys, or values that are none.

    The order of the keys does not matter.
    """
    if not isinstance(row, Mapping) or row.keys() != set(split.header):
        return None
    values = [row[name] for name in split.header]
    numbers = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if len(numbers) + sum(isinstance(value, str) for value in values) < len(values):
        return None
    if numbers and NUMBERS not in split.notes:
        split.notes.append(NUMBERS)
    cells = list(map(str, values))
    return None if any(map(SURROGATE.search, cells)) else cells
