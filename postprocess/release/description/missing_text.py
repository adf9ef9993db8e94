"""Placeholders for texts that a person still has to write.

They are listed by searching the finished files, so that the list cannot miss any.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from postprocess.release import ReleaseError
from postprocess.release.description.texts import MARK
from postprocess.reporting.phrases import write_count

MARKED = re.compile(rf"\[{MARK}, (?P<section>[^:\[\]]+): (?P<what>[^\[\]]+)\]")
SEARCHED = (".md", ".cff", ".json", ".toml")  # files generated from the description
NOT_SEARCHED = ("report.json", "texts/")


class Unwritten(NamedTuple):
    """A text that is still to be written: the file, the section in it, and what to write."""

    file: str
    section: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}, {self.section}: {self.what}"


def mark(section: str, what: str) -> str:
    """Return the placeholder for a text that a person has to write.

    Raises ValueError if `find_unwritten` would not find it.

    >>> mark("Licence", "the licence")
    '[TO BE WRITTEN BY A PERSON, Licence: the licence]'
    """
    marked = f"[{MARK}, {section}: {what}]"
    match = MARKED.fullmatch(marked)
    if not match or match["section"] != section:
        raise ValueError(
            f"a placeholder must have no brackets, and no colon in its section: {marked}"
        )
    return marked


def find_unwritten(files: Mapping[str, bytes]) -> tuple[Unwritten, ...]:
    """Return the placeholders in the files of a release, without repeats, in file order."""
    unwritten = (
        Unwritten(name, match["section"], match["what"])
        for name, content in sorted(files.items())
        if name.endswith(SEARCHED) and not name.startswith(NOT_SEARCHED)
        for match in MARKED.finditer(content.decode())
    )
    return tuple(dict.fromkeys(unwritten))


def refuse_unwritten(unwritten: Sequence[Unwritten]) -> None:
    """Raise a ReleaseError that lists the missing texts, if there are any."""
    if unwritten:
        lines = "\n".join(map(str, unwritten))
        raise ReleaseError(
            f"{write_count(len(unwritten), 'text')} still to be written; nothing was released:\n"
            f"{lines}"
        )
