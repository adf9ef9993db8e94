"""Practice items and questions on the instructions as rows of a form; they are stored as TOML."""

from collections.abc import Iterable
from typing import Any

import tomli_w

from postprocess.formats.toml import TomlError, find_comments, parse_toml
from surveys.errors import TextRefused
from surveys.models import TextKind

Row = dict[str, Any]
MOST_ANSWERS = 6  # of a question that the form shows
ITEM_KEYS = ("text", "text1", "text2", "word1", "word2", "words", "ours", "explanation")
QUESTION_KEYS = ("question", "answers", "right", "why")
COMMENTS = {  # written before the first entry with this name
    "word1": "the two marked words as a dictionary has them",
    "ours": "between which percentages of the scale we would rate",
}
CANNOT = "This text has entries that the form cannot show. Edit it as TOML."


def read_rows(kind: TextKind, body: str) -> list[Row]:
    """Return the practice items or questions of a TOML text as rows of a form.

    A row of a practice item has the keys of the TOML, but `good1` and `good2` for `words`, and
    `lowest` and `highest` for `ours`; that of a question `answer1`, `answer2`, … for `answers`.
    Raises TextRefused for a text with anything that a form cannot show.
    """
    rows = [_split(kind, table) for table in _read_tables(kind, body)]
    if _read_tables(kind, write_rows(kind, rows)) != _read_tables(kind, body):
        raise TextRefused(CANNOT)
    return rows


def write_rows(kind: TextKind, rows: Iterable[Row]) -> str:
    """Return the TOML of rows; empty for none.

    A single practice item without `ours` has no heading, as in older texts.
    """
    tables = [_join(kind, row) for row in rows]
    heading = "questions" if kind == TextKind.CHECK else "items"
    if len(tables) == 1 and heading == "items" and "ours" not in tables[0]:
        return _dump(tables[0], dict(COMMENTS))
    comments = dict(COMMENTS)
    return "\n\n".join(f"[[{heading}]]\n{_dump(table, comments)}" for table in tables)


def list_lost_comments(kind: TextKind, body: str) -> list[str]:
    """Return the comments of a TOML text that a form would not keep."""
    form_comments = {f"# {comment}" for comment in COMMENTS.values()}
    return [comment for comment in find_comments(body) if comment not in form_comments]


def _read_tables(kind: TextKind, body: str) -> list[Row]:
    """Return the tables of a text, with outer space of texts removed, as annotators see them."""
    if not body.strip():
        return []
    try:
        table = parse_toml(body)
    except TomlError as error:
        raise TextRefused(f"{kind}: this is not TOML: {error}.") from error
    heading = "questions" if kind == TextKind.CHECK else "items"
    if heading not in table and kind == TextKind.PRACTICE:
        return [_strip(table)]
    tables = table.get(heading)
    if list(table) != [heading] or not isinstance(tables, list):
        raise TextRefused(CANNOT)
    return [_strip(table) for table in tables]


def _strip(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _strip(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_strip(entry) for entry in value]
    return value.strip() if isinstance(value, str) else value


def _split(kind: TextKind, table: Any) -> Row:
    """Return a table as a row; what does not fit is left out, and found by comparison."""
    keys = QUESTION_KEYS if kind == TextKind.CHECK else ITEM_KEYS
    if not isinstance(table, dict):
        raise TextRefused(CANNOT)
    row = {key: table[key] for key in keys if key in table}
    if kind == TextKind.CHECK:
        answers = row.pop("answers", [])
        return {**row, **_number("answer", answers, MOST_ANSWERS)}
    percentages = row.pop("ours", [])
    row |= _number("good", row.pop("words", []), 2)
    if isinstance(percentages, list) and len(percentages) == 2:
        row["lowest"], row["highest"] = percentages
    return row


def _number(name: str, values: Any, most: int) -> Row:
    listed = values if isinstance(values, list) else []
    return {f"{name}{n}": value for n, value in enumerate(listed[:most], 1)}


def _join(kind: TextKind, row: Row) -> Row:
    """Return a row as the table of its TOML; empty entries are left out."""
    given = {key: value for key, value in row.items() if value not in (None, "")}
    if kind == TextKind.CHECK:
        names = [f"answer{n}" for n in range(1, MOST_ANSWERS + 1)]
        table = {**given, "answers": [given[name] for name in names if name in given]}
        return {key: table[key] for key in QUESTION_KEYS if key in table}
    words = [given[name] for name in ("good1", "good2") if name in given]
    table = {**given, "words": words} if words else given
    if "lowest" in given and "highest" in given:
        table["ours"] = [given["lowest"], given["highest"]]
    return {key: table[key] for key in ITEM_KEYS if key in table}


def _dump(table: Row, comments: dict[str, str]) -> str:
    """Return a table as TOML, with the comments that are left before their entries."""
    lines = []
    for key, value in table.items():
        if key in comments and (key != "word1" or "text" in table):
            lines.append(f"# {comments.pop(key)}")
        lines.append(f"{key} = {_write(value)}")
    return "\n".join(lines)


def _write(value: Any) -> str:
    """Return a value as TOML on one line; a text of several lines on as many."""
    if isinstance(value, list):
        return f"[{', '.join(map(_write, value))}]"
    dumped = tomli_w.dumps({"x": value}, multiline_strings="\n" in str(value))
    return dumped.removeprefix("x = ").rstrip("\n")
