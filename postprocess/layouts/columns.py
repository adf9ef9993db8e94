"""The columns of published files: how a cell becomes a field of our tables, and back."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from postprocess.formats.marks import TAG, MarkedText, Problem, Span, read_text
from postprocess.formats.tabular import Finding, Severity
from postprocess.layouts import Record

NUMBER = re.compile(r"-?[0-9]{1,99}(\.[0-9]{1,99})?([Ee][+-]?[0-9]{1,2})?")
WHOLE = re.compile(r"[0-9]{1,9}")
BOLD, NOT_BOLD = "<b> ", " </b>"
Cells = Mapping[str, str]  # of a row, by the name of their column in the file


class CellError(ValueError):
    """A cell that cannot be read or a field that cannot be written, and what to do about it."""

    def __init__(self, column: str, what: str, advice: str = "") -> None:
        super().__init__(what)
        self.column, self.what, self.advice = column, what, advice

    def of_row(self, row: int) -> Finding:
        """Return the finding on a row."""
        return Finding(Severity.ERROR, self.what, row, self.column, self.advice)


@dataclass(frozen=True)
class Column(ABC):
    """A column: its name in our tables, and its names in files, the first for writing.

    `is_figure`: whether it tells a result, not what is rated.
    """

    name: str
    headers: tuple[str, ...] = ()
    is_figure: bool = field(default=False, kw_only=True)
    is_optional: bool = field(default=False, kw_only=True)

    @property
    def cell(self) -> str:
        """The name of the column in the file."""
        return self.headers[0] if self.headers else self.name

    @property
    def cells(self) -> tuple[str, ...]:
        """The names of all columns of the file that are read together."""
        return (self.cell,)

    def find_missing(self, cells: Container[str]) -> list[str]:
        """Return the names of required columns that a file lacks."""
        return [] if self.is_optional else [cell for cell in self.cells if cell not in cells]

    @abstractmethod
    def read(self, cells: Cells, record: Record) -> None:
        """Put the fields of some cells into a record. Raises CellError."""

    def write(self, record: Record) -> dict[str, str]:
        """Return the cells of a record. Raises CellError."""
        if self.name not in record:
            raise CellError(self.cell, f"there is no {self.name}", "add the column")
        return {self.cell: record[self.name]}


@dataclass(frozen=True)
class Text(Column):
    """A text without a target, such as a word or an id; not empty."""

    def read(self, cells: Cells, record: Record) -> None:
        """Keep the text; a byte order mark before it is left out."""
        if not (text := cells[self.cell].removeprefix("\ufeff")).strip():
            raise CellError(self.cell, "the field is empty", "fill it in")
        record[self.name] = text


@dataclass(frozen=True)
class Kept(Column):
    """A column that is kept as it is; `default` is written where nothing is known."""

    default: str = field(default="", kw_only=True)
    is_optional: bool = field(default=True, kw_only=True)

    def read(self, cells: Cells, record: Record) -> None:
        """Keep the text."""
        record[self.name] = cells[self.cell]

    def write(self, record: Record) -> dict[str, str]:
        """Return the text, or the default."""
        return {self.cell: record.get(self.name, self.default)}


@dataclass(frozen=True)
class OneOf(Column):
    """One of a few words, such as a part of speech or a tag."""

    words: str = field(default="", kw_only=True)

    def read(self, cells: Cells, record: Record) -> None:
        """Keep the word, which must be known."""
        if cells[self.cell] not in self.words.split():
            what = f'"{cells[self.cell][:40]}" is none of {", ".join(self.words.split())}'
            raise CellError(self.cell, what, "correct it")
        record[self.name] = cells[self.cell]


@dataclass(frozen=True)
class Number(Column):
    """A number, whose digits are kept as they are; `missing` is what an unknown number reads."""

    is_figure: bool = field(default=True, kw_only=True)
    missing: str | None = field(default=None, kw_only=True)

    def read(self, cells: Cells, record: Record) -> None:
        """Keep the digits."""
        if not NUMBER.fullmatch(cells[self.cell]) and cells[self.cell] != self.missing:
            what = f'"{cells[self.cell][:40]}" is not a number'
            raise CellError(self.cell, what, "write it as 4.17")
        record[self.name] = cells[self.cell]


@dataclass(frozen=True)
class Targets(Column):
    """A text and the places of its target; `name` is text1 or text2, or text of a use.

    `ranges` names the column of all places, such as 4-8,12-14 (`sign` is "-"); `ends` those of the
    first and the last place of a target in one piece.
    """

    ranges: str = field(default="", kw_only=True)
    sign: str = field(default="-", kw_only=True)
    ends: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def cells(self) -> tuple[str, ...]:
        """The text and both forms of the places."""
        return (self.cell, *self.ends, self.ranges)

    def find_missing(self, cells: Container[str]) -> list[str]:
        """Return what is missing: the text, or the places in both forms."""
        places = (self.ranges,) if self.ranges in cells or not self.ends else self.ends
        return [cell for cell in (self.cell, *places) if cell not in cells]

    def read(self, cells: Cells, record: Record) -> None:
        """Mark the target in the text."""
        if self.ranges in cells:
            column, places = self.ranges, cells[self.ranges]
        else:
            column, places = self.ends[0], self.sign.join(cells[end] for end in self.ends)
        spans = []
        for piece in places.split(","):
            start, _, end = piece.strip().partition(self.sign)
            if not WHOLE.fullmatch(start) or not WHOLE.fullmatch(end):
                what = f'"{places[:40]}" is not a range'
                raise CellError(column, what, f"write it as 4{self.sign}8")
            spans.append(Span(int(start), int(end)))
        mark(record, self, cells[self.cell], spans, column)

    def write(self, record: Record) -> dict[str, str]:
        """Return the text and the places of the target."""
        text = unmark(record, self)
        pieces = (f"{start}{self.sign}{end}" for start, end in text.spans)
        cells = {self.cell: text.text, self.ranges: ",".join(pieces)}
        if len(text.spans) == 1:
            cells.update(zip(self.ends, map(str, text.spans[0]), strict=False))
        return cells


@dataclass(frozen=True)
class Marked(Column):
    """A text whose target is marked as `<b> target </b>`; `name` is text1 or text2."""

    def read(self, cells: Cells, record: Record) -> None:
        """Mark the target as our files do."""
        before, _, rest = cells[self.cell].partition(BOLD)
        form, end, after = rest.partition(NOT_BOLD)
        if not end or BOLD in rest or NOT_BOLD in before + after:
            what = "the target is not marked once as <b> … </b>, with spaces"
            raise CellError(self.cell, what, "mark it once")
        span = Span(len(before), len(before) + len(form))
        mark(record, self, before + form + after, [span], self.cell)

    def write(self, record: Record) -> dict[str, str]:
        """Return the text with its target in bold."""
        text = unmark(record, self)
        if len(text.spans) > 1:
            raise CellError(self.cell, "the target is in pieces", "this layout has only one")
        start, end = text.spans[0]
        before, after = text.text[:start], text.text[end:]
        return {self.cell: f"{before}{BOLD}{text.form}{NOT_BOLD}{after}"}


@dataclass(frozen=True)
class TokenPlaces(Column):
    """Two texts and the places of their targets, `i-j`, among the tokens cut at single spaces."""

    texts: tuple[Text, Text] = (Text("text1"), Text("text2"))

    @property
    def cells(self) -> tuple[str, ...]:
        """The places and both texts."""
        return (self.cell, *(text.cell for text in self.texts))

    def read(self, cells: Cells, record: Record) -> None:
        """Mark the target tokens in both texts."""
        numbers = cells[self.cell].split("-")
        if len(numbers) != 2 or not all(map(WHOLE.fullmatch, numbers)):
            what = f'"{cells[self.cell][:40]}" is not a pair of places'
            raise CellError(self.cell, what, "write it as 1-3")
        for text, number in zip(self.texts, map(int, numbers), strict=True):
            tokens = cells[text.cell].split(" ")
            if number >= len(tokens) or not tokens[number]:
                raise CellError(self.cell, f"{text.cell} has no token {number}", "count from 0")
            start = sum(len(token) + 1 for token in tokens[:number])
            span = Span(start, start + len(tokens[number]))
            mark(record, text, cells[text.cell], [span], self.cell)

    def write(self, record: Record) -> dict[str, str]:
        """Return both texts and the places of their targets."""
        cells, numbers = {}, []
        for column in self.texts:
            text = unmark(record, column)
            start, end = text.spans[0]
            before, after = text.text[:start], text.text[end:]
            is_whole = before[-1:] in ("", " ") and after[:1] in ("", " ")
            if len(text.spans) > 1 or " " in text.form or not is_whole:
                raise CellError(
                    column.cell, f'the target "{text.form}" is not exactly one token',
                    "write one space between all tokens",
                )  # fmt: skip
            cells[column.cell] = text.text
            numbers.append(str(before.count(" ")))
        return {self.cell: "-".join(numbers), **cells}


def mark(record: Record, column: Column, text: str, spans: Sequence[Span], place: str) -> None:
    """Put a text with its target marked, and the target, into a record. Raises CellError."""
    ordered = sorted(spans)
    edges = [edge for span in ordered for edge in span]
    is_sound = edges == sorted(edges) and edges[-1] <= len(text)
    if not is_sound or not all(text[start:end].strip() for start, end in ordered):
        ranges = ", ".join(f"{start} to {end}" for start, end in spans)
        what = f"{ranges} is not within the text of {len(text)} characters"
        raise CellError(place, what, "count code points from 0, to one after the last")
    if tag := TAG.search(text):
        raise CellError(column.cell, f"the text has {tag[0]}, which marks targets", "remove it")
    marked = MarkedText(text, tuple(ordered))
    record[column.name] = marked.marked()
    record[column.name.replace("text", "form")] = marked.form


def unmark(record: Record, column: Column) -> MarkedText:
    """Return the text of a record and the places of its target. Raises CellError."""
    text = read_text(record.get(column.name, ""))
    if isinstance(text, Problem):
        raise CellError(column.name, *text)
    return text


def round_half_up(number: Fraction, places: int = 2, *, least: int = 1) -> str:
    """Return a number with some decimal places, half up; of trailing zeros at least some stay.

    >>> [round_half_up(Fraction(k, 24)) for k in (0, 3, 24, 57)]
    ['0.0', '0.13', '1.0', '2.38']
    >>> round_half_up(Fraction(4), least=0)
    '4'
    """
    whole = math.floor(abs(number) * 10**places + Fraction(1, 2))
    digits = f"{Decimal(whole).scaleb(-places):.{places}f}".rstrip("0")
    digits += "0" * (least - len(digits.partition(".")[2]))
    return f"{'-' if number < 0 and whole else ''}{digits.rstrip('.')}"
