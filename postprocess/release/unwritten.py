"""What only a person can write and has not: marked in the files, and found there again.

The list is read off the finished files, so that no mark can be in a file and not in the list.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from postprocess.release.errors import ReleaseError
from postprocess.release.texts import MARK

MARKED = re.compile(rf"\[{MARK}, (?P<section>[^:\[\]]+): (?P<what>[^\[\]]+)\]")
WRITTEN = (".md", ".cff", ".json", ".toml")  # the endings of files that hold words of ours
NO_WORDS_OF_OURS = ("report.json", "texts/")


class Unwritten(NamedTuple):
    """Something that is still to be written: in which file, under which heading, and what."""

    file: str
    section: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}, {self.section}: {self.what}"


def mark(section: str, what: str) -> str:
    """What stands in a file where a person has to write something.

    Raises ValueError if it would not be found there again.

    >>> mark("Licence", "the licence")
    '[TO BE WRITTEN BY A PERSON, Licence: the licence]'
    """
    marked = f"[{MARK}, {section}: {what}]"
    found = MARKED.fullmatch(marked)
    if not found or found["section"] != section:
        raise ValueError(f"a mark must have no brackets, and no colon in its section: {marked}")
    return marked


def find_unwritten(files: Mapping[str, bytes]) -> tuple[Unwritten, ...]:
    """Every mark in the files of a release, each once, in the order of files and lines."""
    found = (
        Unwritten(name, match["section"], match["what"])
        for name, content in sorted(files.items())
        if name.endswith(WRITTEN) and not name.startswith(NO_WORDS_OF_OURS)
        for match in MARKED.finditer(content.decode())
    )
    return tuple(dict.fromkeys(found))


def refuse_unwritten(unwritten: Sequence[Unwritten]) -> None:
    """Raise ReleaseError if anything is still to be written, and name it."""
    if unwritten:
        lines = "\n".join(map(str, unwritten))
        raise ReleaseError(
            f"{len(unwritten)} texts are still to be written by a person; nothing was "
            f"released:\n{lines}"
        )
