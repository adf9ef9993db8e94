"""The stimuli format `data_<lang>.tsv`: the one reader and the one writer of it."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from postprocess.formats.cells import read_cell, write_cell
from postprocess.formats.invisible import list_invisible, tell_invisible
from postprocess.formats.marks import (
    MOST_COMBINING,
    MarkedContext,
    Span,
    cuts_a_letter,
    has_long_combining_run,
    likeness,
    plain_text,
    read_context,
)
from postprocess.formats.tabular import Finding, Severity, TableError, read_table, unreadable

__all__ = [
    "COLUMNS",
    "Finding",
    "MarkedContext",
    "ParsedStimuli",
    "Severity",
    "Span",
    "StimuliError",
    "StimulusPair",
    "count_sentences",
    "digest_rows",
    "load_stimuli",
    "parse_stimuli",
    "render_stimuli",
    "sentence_ends",
    "tell_field_problem",
    "tell_stopped",
]

COLUMNS: tuple[str, ...] = (
    "word1",
    "word2",
    "context1",
    "context2",
    "word1_context1",
    "word2_context1",
    "word1_context2",
    "word2_context2",
)
TEXTS = ("context1", "context2")
FEWEST_SENTENCES, MOST_SENTENCES = 2, 5
FAR_FROM_THREE = "far from three; check the context"
ESCAPED_FIELD = (
    "the field begins with an apostrophe that keeps spreadsheets from taking it for a formula, and "
    "is read without; write two apostrophes if one is meant"
)
SWAP_MARGIN, SWAP_LIKENESS = 0.3, 0.5  # in the published files the margin is -0.35 at most

# A run of terminators with the quotes and brackets that close behind it, the space after it and
# what comes then. Possessive: every character is read once, also in a run that ends no sentence.
SENTENCE_SIGNS = re.compile(
    r"""(?:(?P<spaced>[.!?…؟।]++["'”’“»«›‹)\]]*+)|[。！？]++[」』”’）]*+)(?P<gap>\s*+)(?=(?P<next>\S?))"""
)
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")  # Unicode's category Cc

# The longest in CoSimLex are 14 and 685 code points long.
LONGEST_WORD, LONGEST_TEXT = 100, 20_000
MOST_FINDINGS = 10_000  # of one file; it is not looked through any further then


class StimuliError(TableError):
    """Stimuli that cannot be used; carries every finding."""


@dataclass(frozen=True, slots=True)
class StimulusPair:
    """Two words in dictionary form and their two contexts."""

    word1: str
    word2: str
    context1: MarkedContext
    context2: MarkedContext

    def fields(self) -> tuple[str, ...]:
        """The row of the stimuli file, in the order of `COLUMNS`."""
        return (
            self.word1,
            self.word2,
            self.context1.marked(),
            self.context2.marked(),
            self.context1.form1,
            self.context1.form2,
            self.context2.form1,
            self.context2.form2,
        )


@dataclass(frozen=True, slots=True)
class ParsedStimuli:
    """A stimuli file as read.

    `rows` are the well-shaped rows, verbatim and in the order of `COLUMNS`; `pairs` those of
    them without an error; `findings` everything wrong or odd, in file order.
    """

    rows: tuple[tuple[str, ...], ...]
    pairs: tuple[StimulusPair, ...]
    findings: tuple[Finding, ...]

    @property
    def unreadable(self) -> tuple[Finding, ...]:
        """What has not the shape of the format."""
        return tuple(f for f in self.findings if f.severity is Severity.UNREADABLE)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What keeps the file from being imported."""
        return tuple(f for f in self.findings if f.severity is not Severity.WARNING)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What is only odd."""
        return tuple(f for f in self.findings if f.severity is Severity.WARNING)


def load_stimuli(path: str | PathLike[str]) -> ParsedStimuli:
    """Read and check a stimuli file; see `parse_stimuli`. Raises OSError if it cannot be read."""
    return parse_stimuli(Path(path).read_bytes())


def parse_stimuli(data: bytes) -> ParsedStimuli:
    """Read a stimuli file and check everything in it at once. Never raises for its content."""
    table = read_table(data, COLUMNS)
    findings = list(table.findings)
    pairs = []
    rows = {row: tuple(map(read_cell, cells)) for row, cells in table.rows.items()}
    for row, fields in rows.items():
        if len(findings) > MOST_FINDINGS:
            findings.append(tell_stopped(row))
            break
        pair, row_findings = _read_pair(dict(zip(COLUMNS, fields, strict=True)))
        if fields != table.rows[row]:
            row_findings += _escape_findings(table.rows[row], fields)
        findings.extend(replace(finding, row=row) for finding in row_findings)
        if pair is not None:
            pairs.append(pair)
    return ParsedStimuli(
        tuple(rows.values()), tuple(pairs), tuple(sorted(findings, key=_file_order))
    )


def render_stimuli(rows: Iterable[Sequence[str]]) -> str:
    """The text of a stimuli file. Raises StimuliError for a row that the format cannot hold."""
    rows = [tuple(row) for row in rows]
    if findings := list(_unwritable(rows)):
        raise StimuliError(findings)
    return "".join("\t".join(map(write_cell, row)) + "\n" for row in (COLUMNS, *rows))


def digest_rows(rows: Iterable[Sequence[str]]) -> str:
    """SHA-256 of stimuli, whatever file they came from: of their texts as they are."""
    lines = ("\t".join(row) + "\n" for row in (COLUMNS, *rows))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def count_sentences(text: str) -> int:
    """The number of sentences, roughly: ends of sentences, and a tail that has none.

    >>> count_sentences('He came in 1840. papež said. "Really?" And left')
    3
    """
    ends = sentence_ends(text)
    return len(ends) + bool(text[ends[-1] if ends else 0 :].strip())


def sentence_ends(text: str) -> list[int]:
    """Where sentences end, roughly: the offsets behind their last signs.

    Signs end a sentence before a space or the end of the text; Chinese and Japanese put no space
    there. A small letter after the space means that the full stop was an abbreviation's or an
    ordinal's.

    >>> sentence_ends('He came in 1840. papež said. "Really?" And')
    [28, 38]
    """
    return [signs.start("gap") for signs in SENTENCE_SIGNS.finditer(text) if _ends_sentence(signs)]


def _ends_sentence(signs: re.Match[str]) -> bool:
    if signs["spaced"] is None:
        return True
    is_apart = signs["gap"] != "" or signs["next"] == ""
    return is_apart and not signs["next"].islower()


def _unwritable(rows: Sequence[Sequence[str]]) -> Iterator[Finding]:
    for number, row in enumerate(rows, 1):
        if len(row) != len(COLUMNS):
            yield unreadable(f"{len(row)} fields instead of {len(COLUMNS)}", row=number)
            continue
        for column, field in zip(COLUMNS, row, strict=True):
            if "\t" in field or "\n" in field:
                reason = "a tab or line break inside the field; replace it by a space"
                yield unreadable(reason, row=number, column=column)


def tell_stopped(row: int) -> Finding:
    """Return the finding that a file was not read from a row on."""
    reason = (
        f"more than {MOST_FINDINGS:,} things are wrong or odd before this row, and the rows from "
        "here on were not read; correct those first"
    )
    return Finding(Severity.ERROR, reason, row=row)


def _file_order(finding: Finding) -> tuple[int, int]:
    column = COLUMNS.index(finding.column) if finding.column in COLUMNS else -1
    return finding.row or 0, column


def _read_pair(fields: Mapping[str, str]) -> tuple[StimulusPair | None, list[Finding]]:
    findings = list(_field_findings(fields))
    sound = _sound_fields(fields, findings)
    findings.extend(_pair_findings(sound))
    contexts = {}
    for number in (1, 2):
        contexts[number], context_findings = _read_numbered(sound, number)
        findings.extend(context_findings)
    context1, context2 = contexts[1], contexts[2]
    has_error = any(finding.severity is Severity.ERROR for finding in findings)
    if has_error or context1 is None or context2 is None:
        return None, findings
    return StimulusPair(fields["word1"], fields["word2"], context1, context2), findings


def _escape_findings(cells: Sequence[str], fields: Sequence[str]) -> Iterator[Finding]:
    for column, cell, field in zip(COLUMNS, cells, fields, strict=True):
        if cell != field:
            yield Finding(Severity.WARNING, ESCAPED_FIELD, column=column)


def _sound_fields(fields: Mapping[str, str], findings: Iterable[Finding]) -> dict[str, str]:
    """The fields worth a further look: a context with a control character still has its marks."""
    bad = {finding.column for finding in findings if finding.severity is Severity.ERROR}
    bad -= {column for column in TEXTS if _is_bounded(fields[column])}
    return {column: field for column, field in fields.items() if column not in bad}


def _is_bounded(text: str) -> bool:
    return bool(text.strip()) and len(text) <= LONGEST_TEXT and not has_long_combining_run(text)


def _field_findings(fields: Mapping[str, str]) -> Iterator[Finding]:
    """What can be said of each field by itself; one error a field at most."""
    for column, field in fields.items():
        if not field.strip():
            yield _error(column, "the field is empty; fill it in")
        elif reason := tell_field_problem(field, is_text=column in TEXTS):
            yield _error(column, reason)
        elif len(field) > 1 and field.startswith('"') and field.endswith('"'):
            reason = (
                "the field looks quoted by a spreadsheet; the format has no quoting, so the "
                "quotation marks are text: remove them if they are not meant"
            )
            yield Finding(Severity.WARNING, reason, column=column)
        if characters := list_invisible(field):
            reason = (
                f"characters that do not show inside the field: {tell_invisible(characters)}; "
                "remove them unless they are meant"
            )
            yield Finding(Severity.WARNING, reason, column=column)


def tell_field_problem(field: str, *, is_text: bool) -> str | None:
    """Return why a field that is not empty cannot be taken, whatever stands in the others."""
    most = LONGEST_TEXT if is_text else LONGEST_WORD
    if len(field) > most:
        what = "text" if is_text else "word"
        return f"the {what} has {len(field):,} characters; shorten it to {most:,} at most"
    if control := CONTROL.search(field):
        is_break = control[0] == "\r"
        what = "line break" if is_break else f"control character U+{ord(control[0]):04X}"
        return f"a {what} inside the field; replace it by a space"
    if has_long_combining_run(field):
        return f"more than {MOST_COMBINING} combining marks on one letter; remove them"
    return None


def _pair_findings(fields: Mapping[str, str]) -> Iterator[Finding]:
    """What must differ between the two words and between the two contexts."""
    if "word1" in fields and fields["word1"] == fields.get("word2"):
        yield _error("word2", f'both words are "{fields["word1"]}"; a pair needs two words')
    texts = [plain_text(fields[c]) for c in TEXTS if c in fields]
    if len(texts) == 2 and texts[0] == texts[1]:
        yield _error("context2", "the two contexts are equal; a pair needs two contexts")


def _read_numbered(
    fields: Mapping[str, str], number: int
) -> tuple[MarkedContext | None, list[Finding]]:
    """One context of a pair, as far as the fields it needs are sound."""
    column = f"context{number}"
    forms = {name: fields.get(name, "") for name in (f"word1_{column}", f"word2_{column}")}
    if column not in fields:
        return None, []
    findings = list(_sentence_findings(column, fields[column]))
    if not all(forms.values()):
        return None, findings
    form1, form2 = forms.values()
    if form1 == form2:
        return None, [*findings, *_equal_forms(fields, f"word2_{column}", form1)]
    findings.extend(_swap_findings(fields, forms))
    context, problems = read_context(fields[column], forms)
    findings.extend(_error(column, problem) for problem in problems)
    if context is not None and cuts_a_letter(context):
        reason = "a mark cuts a letter from its combining mark; mark the whole letter"
        findings.append(Finding(Severity.WARNING, reason, column=column))
    return context, findings


def _equal_forms(fields: Mapping[str, str], column: str, form: str) -> Iterator[Finding]:
    """Equal inflected forms, unless the words are equal too, which is reported once already."""
    if fields.get("word1") != fields.get("word2"):
        yield _error(column, f'both inflected forms are "{form}"; correct the one that is wrong')


def _sentence_findings(column: str, marked: str) -> Iterator[Finding]:
    n_sentences = count_sentences(plain_text(marked))
    if not FEWEST_SENTENCES <= n_sentences <= MOST_SENTENCES:
        noun = "sentence" if n_sentences == 1 else "sentences"
        reason = f"about {n_sentences} {noun}, {FAR_FROM_THREE}"
        yield Finding(Severity.WARNING, reason, column=column)


def _swap_findings(fields: Mapping[str, str], forms: Mapping[str, str]) -> Iterator[Finding]:
    """Whether the inflected forms look clearly more like the other word than like their own."""
    if "word1" not in fields or "word2" not in fields:
        return
    (column1, form1), (column2, form2) = forms.items()
    word1, word2 = fields["word1"], fields["word2"]
    crossed1 = likeness(word1, form2)
    if crossed1 <= SWAP_LIKENESS or (crossed2 := likeness(word2, form1)) <= SWAP_LIKENESS:
        return
    straight = likeness(word1, form1) + likeness(word2, form2)
    if crossed1 + crossed2 > straight + SWAP_MARGIN:
        reason = (
            f'"{form1}" looks like a form of "{word2}" and "{form2}" like one of "{word1}"; '
            f"exchange {column1} and {column2} if they are swapped"
        )
        yield Finding(Severity.WARNING, reason, column=column1)


def _error(column: str, reason: str) -> Finding:
    return Finding(Severity.ERROR, reason, column=column)
