from collections.abc import Collection, Sequence
from pathlib import Path

from django.core.management.base import CommandError, CommandParser

from surveys.study.stimuli.kinds import (
    ENCODING_CHOICES,
    SEPARATOR_CHOICES,
    STANDARD,
    FileKind,
    kind_of,
    propose_reading,
    recognise_file,
)


def add_kind_options(parser: CommandParser) -> None:
    """Add the options for files that are not tab-separated UTF-8."""
    parser.add_argument(
        "--separator", choices=[str(name) for name, _ in SEPARATOR_CHOICES],
        help="of the columns (tab)",
    )  # fmt: skip
    parser.add_argument(
        "--encoding", choices=[str(name) for name, _ in ENCODING_CHOICES],
        help="of the file (utf-8)",
    )  # fmt: skip


def choose_kind(
    file: Path, data: bytes, columns: Sequence[str], *, separator: str | None,
    encoding: str | None, language: str, numbers: Collection[str] = (),
) -> FileKind:  # fmt: skip
    """Return the kind of a file that the options give, or a workbook.

    Without options, raises CommandError for a file that seems to be of another kind than
    tab-separated UTF-8, with the options that read it and its first row.
    """
    if separator or encoding:
        return kind_of(separator or STANDARD.separator, encoding or STANDARD.encoding)
    kind = recognise_file(data, columns, language)
    if kind == STANDARD or kind.is_workbook:
        return kind
    proposal = propose_reading(data, columns, kind, numbers=numbers)
    lines = [
        f"{file} looks like {kind}. Nothing was stored. To read it that way, add:",
        f"  --separator {kind.separator} --encoding {kind.encoding}",
    ]
    if proposal.rows:
        lines.append(f"Its first row then reads: {' | '.join(proposal.rows[0])}")
    raise CommandError("\n".join(lines))
