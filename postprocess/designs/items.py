"""Files of items: `items_<lang>.tsv`, and for texts with two targets `data_<lang>.tsv`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from postprocess.designs.design import Design
from postprocess.designs.kinds import KINDS
from postprocess.formats.kinds import CANONICAL, FileKind, split_records
from postprocess.formats.parsed import ParsedRows, parse_cells
from postprocess.formats.tabular import Finding, Severity, shape_table

ID = "id"


def parse_items(data: bytes, design: Design, kind: FileKind = CANONICAL) -> ParsedRows[Any]:
    """Read a file with the items of a design and report all problems at once.

    Never raises for its content. An empty id is the row's number. Further columns of a file with
    ids are kept; of any other file they are not used, and a warning says so.
    """
    item_kind = KINDS[design.item.kind]
    columns = item_kind.columns(design)
    records = split_records(data, columns, kind, known=columns)
    header = (records.rows[0] or []) if records.rows else []
    more = [name for name in dict.fromkeys(header) if name and name not in columns]
    table = shape_table(records, columns, more if ID in columns else ())
    cells = {row: _with_id(row, table.columns, written) for row, written in table.rows.items()}

    def read(fields: Mapping[str, str]) -> tuple[Any, list[Finding]]:
        return item_kind.read(fields, design)

    parsed = parse_cells(table.columns or columns, cells, table.findings, read)
    if ID not in columns:
        return parsed
    repeats = _find_repeats([row[parsed.columns.index(ID)] for row in parsed.rows], list(cells))
    return replace(parsed, findings=(*parsed.findings, *repeats)) if repeats else parsed


def _with_id(row: int, columns: Sequence[str], written: tuple[str, ...]) -> tuple[str, ...]:
    if ID not in columns or written[place := columns.index(ID)]:
        return written
    return (*written[:place], str(row), *written[place + 1 :])


def _find_repeats(ids: Sequence[str], rows: Sequence[int]) -> list[Finding]:
    """Return an error for each id that an earlier row has, too."""
    seen: Counter[str] = Counter()
    findings = []
    for row, name in zip(rows, ids, strict=True):
        if seen[name]:
            what = f'the id "{name}" is that of an earlier row'
            findings.append(Finding(Severity.ERROR, what, row, ID, "give each row its own"))
        seen[name] += 1
    return findings
