"""Files of items: `items_<lang>.tsv`, and for texts with two targets `data_<lang>.tsv`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from postprocess.designs.kinds import KINDS, ItemRules
from postprocess.formats.kinds import CANONICAL, FileKind, split_records
from postprocess.formats.parsed import ParsedRows, parse_cells
from postprocess.formats.stimuli import check_rows
from postprocess.formats.tabular import Finding, Severity, shape_table

if TYPE_CHECKING:
    from postprocess.designs.design import ItemSection

ID = "id"


def parse_items(
    data: bytes, rules: "ItemSection | ItemRules", kind: FileKind = CANONICAL
) -> ParsedRows[Any]:
    """Read a file of items and report all problems at once. `rules` are those of a design's items.

    Never raises for its content. An empty id is the row's number. Further columns of a file with
    ids are kept; of any other file they are not used, and a warning says so.
    """
    item_kind = KINDS[rules.kind]
    columns = item_kind.columns
    records = split_records(data, columns, kind, known=columns)
    header = (records.rows[0] or []) if records.rows else []
    more = [name for name in dict.fromkeys(header) if name and name not in columns]
    table = shape_table(records, columns, more if ID in columns else ())
    cells = {row: _with_id(row, table.columns, written) for row, written in table.rows.items()}
    ids: set[str] = set()

    def read(fields: Mapping[str, str]) -> tuple[Any, list[Finding]]:
        pair, findings = item_kind.read(fields, rules)
        if (name := fields.get(ID, "")) in ids:
            what = f'the id "{name}" is that of an earlier row'
            repeat = Finding(Severity.ERROR, what, column=ID, advice="give each row its own")
            return None, [*findings, repeat]
        if name:
            ids.add(name)
        return pair, findings

    return parse_cells(table.columns or columns, cells, table.findings, read)


def check_items(
    rows: Sequence[Sequence[str]], columns: Sequence[str], rules: "ItemSection | ItemRules"
) -> ParsedRows[Any]:
    """Check stored rows of items as `parse_items` checks a file's rows.

    Raises StimuliError for a row that the format cannot hold.
    """
    kind = KINDS[rules.kind]
    return check_rows(rows, columns, lambda fields: kind.read(fields, rules))


def _with_id(row: int, columns: Sequence[str], written: tuple[str, ...]) -> tuple[str, ...]:
    if ID not in columns or written[place := columns.index(ID)]:
        return written
    return (*written[:place], str(row), *written[place + 1 :])
