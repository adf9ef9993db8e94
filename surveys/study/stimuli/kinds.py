"""Kinds of files that are not tab-separated UTF-8: proposals to read them, and the choice."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from postprocess.designs.kinds import TEXTS as TEXTS
from postprocess.formats.kinds import (
    CANONICAL,
    ENCODINGS,
    Encoding,
    Separator,
    decode_text,
    list_letters,
    read_table,
    recognise_kind,
)
from postprocess.formats.kinds import FileKind as FileKind
from postprocess.formats.stimuli import COLUMNS as COLUMNS
from postprocess.formats.tabular import Finding, Severity, TableError
from postprocess.formats.tabular import group_findings as group_findings
from surveys.errors import ImportRefused

STANDARD = CANONICAL

SEPARATOR_CHOICES = [
    (Separator.COMMA, "Comma"),
    (Separator.SEMICOLON, "Semicolon"),
    (Separator.TAB, "Tab"),
    (Separator.QUOTED_TAB, "Tab, with quotation marks around fields"),
    (Separator.BAR, "Vertical bar"),
]
ENCODING_CHOICES = [(encoding, ENCODINGS[encoding]) for encoding in Encoding]
N_SHOWN_ROWS, N_SHOWN_COLUMNS, MOST_LETTERS = 3, 3, 30


class Proposal(NamedTuple):
    """How a file would be read: its first rows and columns, letters and problems."""

    kind: FileKind
    is_recognised: bool  # False: chosen by the researcher
    columns: Sequence[str]
    rows: list[tuple[str, ...]]
    letters: list[tuple[str, int]]
    problems: list[Finding]

    @property
    def code(self) -> str:
        """Return the kind as a form and a button hold it."""
        return code_of(self.kind)


def recognise_file(data: bytes, columns: Sequence[str], language: str = "") -> FileKind:
    """Return the kind that a file seems to be of; tab-separated UTF-8 if it is unknown."""
    return recognise_kind(data, columns, language) or STANDARD


def decode_file(data: bytes) -> str:
    """Return the text of a list, or of another file without columns. Raises ImportRefused."""
    try:
        return decode_text(data)
    except TableError as error:
        raise ImportRefused(f"{error}.") from error


def choose_kind(
    data: bytes, columns: Sequence[str], language: str, separator: str | None,
    encoding: str | None, *, options: str = "separator {} and encoding {}",
) -> FileKind:  # fmt: skip
    """Return a file's kind: with the given separator and encoding, or else as recognised.

    Raises ImportRefused for a file in an uncertain encoding, with the `options` that read it and
    its first row.
    """
    if separator or encoding:
        return kind_of(separator or STANDARD.separator, encoding or STANDARD.encoding)
    kind = recognise_file(data, columns, language)
    if kind.is_certain:
        return STANDARD
    rows = propose_reading(data, columns, kind).rows
    first = f" Its first row then reads: {' | '.join(rows[0])}." if rows else ""
    raise ImportRefused(
        f"The file looks like {kind}. Nothing was stored. To read it that way, add "
        f"{options.format(kind.separator, kind.encoding)}.{first}"
    )


def propose_reading(
    data: bytes, columns: Sequence[str], kind: FileKind, *, is_recognised: bool = True,
    numbers: Collection[str] = (),
) -> Proposal:  # fmt: skip
    """Return how a file of some kind would be read. Nothing is stored, nothing is raised."""
    table = read_table(data, columns, kind, numbers=numbers)
    rows = list(table.rows.values())
    problems = [finding for finding in table.findings if finding.severity is Severity.UNREADABLE]
    shown = [row[:N_SHOWN_COLUMNS] for row in rows[:N_SHOWN_ROWS]]
    letters = list_letters(rows)[:MOST_LETTERS]
    return Proposal(
        kind, is_recognised, columns[:N_SHOWN_COLUMNS], shown, letters, problems[:N_SHOWN_ROWS]
    )


def code_of(kind: FileKind) -> str:
    """Return a kind as a form holds it.

    >>> code_of(FileKind(Separator.COMMA, Encoding.UTF_16)), code_of(STANDARD)
    ('comma utf-16', 'tab utf-8')
    """
    return "workbook" if kind.is_workbook else f"{kind.separator} {kind.encoding}"


def kind_of(separator: str, encoding: str) -> FileKind:
    """Return the kind with a known separator and encoding."""
    return FileKind(Separator(separator), Encoding(encoding))
