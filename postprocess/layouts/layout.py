"""What a layout declares: files, their columns, and what their rows are."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from postprocess.formats.tabular import Finding, fold_name
from postprocess.layouts.columns import Column

if TYPE_CHECKING:
    from postprocess.layouts.published_set import PublishedSet

PARTS = {  # of names of files: a language or two, and always two
    "language": r"(?P<language>[a-z]{2,3}(?:-[a-z]{2,3})?)",
    "languages": r"(?P<language>[a-z]{2,3}-[a-z]{2,3})",
}
BROKEN = str.maketrans("\t\n\r", "   ")  # what no cell of our files can hold; as many characters
Rows = Literal["items", "uses", "judgements", "instances"]


@dataclass(frozen=True)
class File:
    """A file: the pattern of its name, its columns in their order, and what its rows are.

    `more`: further columns are raters' ratings, or kept. `forms`: orders of the columns if they are
    not all of them, the last for two languages and for targets that the first cannot hold.
    `is_default`: whether it is written unless such a file was read.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Rows = "items"
    syntax: Literal["tab", "comma", "json"] = "tab"
    has_header: bool = True
    more: Literal["ratings", "kept"] = "kept"
    forms: tuple[str, ...] = ()
    is_default: bool = True

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of the name without its folder."""
        literal = re.escape(PurePath(self.name).name)
        return re.compile(
            re.sub(r"\\{(\w+)\\}", lambda m: PARTS.get(m[1], f"(?P<{m[1]}>.+)"), literal)
        )

    @property
    def is_main(self) -> bool:
        """Whether the file tells what is rated."""
        return any(column.name == "word1" for column in self.columns)

    @property
    def is_foldered(self) -> bool:
        """Whether each lemma has a folder with such a file."""
        return self.name.startswith("{folder}/")

    @property
    def orders(self) -> list[list[str]]:
        """The names of the columns in their written order, for each form."""
        every = [cell for column in self.columns for cell in column.cells if cell]
        return [form.split() for form in self.forms] or [every]

    @property
    def first_line(self) -> int | None:
        """The line of row 1; None if rows are no lines."""
        if self.syntax == "json":
            return None
        return 2 if self.has_header else 1

    def cell_of(self, header: str) -> str:
        """Return the name of a column by any of its names; that in the file if it is not known."""
        return self._known.get(fold_name(header), header.translate(BROKEN))

    @cached_property
    def _known(self) -> dict[str, str]:
        known = {fold_name(cell): cell for column in self.columns for cell in column.cells}
        for column in self.columns:
            known.update({fold_name(name): column.cell for name in column.headers})
        return known


@dataclass(frozen=True)
class Layout:
    """A layout: its files, with the main one first, and its checks.

    `points`: the scale of its ratings, if they are on one; `is_parallel`: whether a row is the same
    concept in all languages; `decimals`: of scores, at most and at least.
    """

    name: str
    files: tuple[File, ...]
    checks: tuple[Callable[["PublishedSet"], Iterable[Finding]], ...] = ()
    points: range | None = None
    is_parallel: bool = False
    decimals: tuple[int, int] = (2, 1)

    @property
    def has_uses(self) -> bool:
        """Whether items are pairs of uses, which have a separate file."""
        return any(file.rows == "uses" for file in self.files)

    def find_file(self, name: str) -> tuple[File | None, dict[str, str]]:
        """Return the file with a name, None if it has another, and the parts of the name."""
        of_length = sorted(self.files, key=lambda file: -len(re.sub(r"\{\w+\}", "", file.name)))
        for file in of_length:
            if match := file.pattern.fullmatch(PurePath(name).name):
                return file, match.groupdict()
        return None, {}
