"""Stimuli → what is wrong or odd in them, before anything is stored."""

import base64
import hashlib
import lzma
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from postprocess.formats.stimuli import (
    COLUMNS,
    ESCAPED_FIELD,
    Finding,
    MarkedContext,
    ParsedStimuli,
    Span,
    StimuliError,
    StimulusPair,
    parse_stimuli,
    render_stimuli,
)
from surveys.models import Context, Pair

LARGEST_FILE = 4_000_000  # bytes; about ten times the English CoSimLex
LARGEST_KEPT = 2_000_000  # characters; a form may send 2.5 MB
MOST_MEMORY = 64_000_000


@dataclass(frozen=True)
class Problem:
    """Something wrong or odd in a stimuli file: where, what, and what to do about it.

    `row` counts the rows below the header from 1, `line` those of the file; None of both means
    the whole file.
    """

    row: int | None
    column: str
    what: str
    advice: str

    @property
    def line(self) -> int | None:
        """The line of the file."""
        return None if self.row is None else self.row + 1


@dataclass(frozen=True)
class CheckedFile:
    """What is in a stimuli file. With errors it cannot be used; warnings are only odd."""

    n_pairs: int
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    stimuli: ParsedStimuli | None = None  # as they were read, for those to store who need not again


def check_file(data: bytes) -> CheckedFile:
    """Everything wrong or odd in a stimuli file; never raises for its content."""
    if len(data) > LARGEST_FILE:
        told = f"the file has {len(data):,} bytes, more than the {LARGEST_FILE:,} that are taken"
        too_large = Problem(None, "", told, "split the study, or ask an operator to import it")
        return CheckedFile(0, (too_large,), ())
    return _tell(parse_stimuli(data))


def fingerprint_file(data: bytes) -> str:
    """A short text that is another for another file."""
    return hashlib.sha256(data).hexdigest()[:16]


def keep_file(data: bytes) -> str:
    """A file as a text that a form can hold until it is confirmed; empty for one too large."""
    kept = base64.b64encode(lzma.compress(data)).decode()
    return kept if len(kept) <= LARGEST_KEPT else ""


def take_kept(kept: str) -> bytes | None:
    """The file that a form has held; None where it holds none."""
    try:
        packed = base64.b64decode(kept, validate=True)
        return lzma.LZMADecompressor(memlimit=MOST_MEMORY).decompress(packed, LARGEST_FILE + 1)
    except (ValueError, lzma.LZMAError, EOFError):
        return None


def check_row(fields: Mapping[str, str]) -> CheckedFile:
    """The same of one row, given as its columns; row and line mean nothing then."""
    try:
        data = render_stimuli([[fields[column] for column in COLUMNS]]).encode()
    except StimuliError as error:
        return CheckedFile(0, as_problems(error.findings), ())
    parsed = parse_stimuli(data)
    shown = tuple(finding for finding in parsed.findings if finding.reason != ESCAPED_FIELD)
    return _tell(replace(parsed, findings=shown))


def read_row(fields: Mapping[str, str]) -> StimulusPair:
    """The pair of a row that was checked."""
    data = render_stimuli([[fields[column] for column in COLUMNS]]).encode()
    return parse_stimuli(data).pairs[0]


def write_row(pair: Pair, contexts: Sequence[Context]) -> dict[str, str]:
    """A stored pair as a row of the stimuli format, by column; contexts 1 and 2 in their order."""
    stimulus = as_stimulus(pair, contexts)
    return dict(zip(COLUMNS, stimulus.fields(), strict=True))


def fingerprint_row(row: Mapping[str, str]) -> str:
    """A short text that is another for another row."""
    return hashlib.sha256("\t".join(row.values()).encode()).hexdigest()[:16]


def as_stimulus(pair: Pair, contexts: Sequence[Context]) -> StimulusPair:
    """A stored pair as the library knows it."""
    first, second = map(as_marked, contexts)
    return StimulusPair(pair.word1, pair.word2, first, second)


def as_marked(context: Context) -> MarkedContext:
    """A stored text and its targets as the library knows them."""
    return MarkedContext(
        context.text,
        Span(context.word1_start, context.word1_end),
        Span(context.word2_start, context.word2_end),
    )


def _tell(stimuli: ParsedStimuli) -> CheckedFile:
    errors, warnings = as_problems(stimuli.errors), as_problems(stimuli.warnings)
    return CheckedFile(len(stimuli.rows), errors, warnings, stimuli)


def as_problems(findings: Iterable[Finding]) -> tuple[Problem, ...]:
    """Findings of the library, with what to do told apart from what is wrong."""
    return tuple(
        Problem(finding.row, finding.column or "", *split_reason(finding.reason))
        for finding in findings
    )


def split_reason(reason: str) -> tuple[str, str]:
    """What is wrong, and what to do, of a finding's reason; the last part says what to do.

    >>> split_reason('both words are "a; b"; a pair needs two words')
    ('both words are "a; b"', 'a pair needs two words')
    >>> split_reason("9 fields instead of 8: a tab inside a field? Replace it by a space")
    ('9 fields instead of 8: a tab inside a field?', 'Replace it by a space')
    """
    for sign in ("; ", ": "):
        what, found, advice = reason.rpartition(sign)
        if found and "? " not in advice:
            return what, advice
    what, found, advice = reason.rpartition("? ")
    return (f"{what}?", advice) if found else (reason, "")
