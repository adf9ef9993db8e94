"""Reading, checking and writing the stimuli format `data_<lang>.tsv`."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from postprocess.formats.invisible import describe_invisible, list_invisible
from postprocess.formats.kinds import CANONICAL, FileKind, read_table
from postprocess.formats.marks import (
    MOST_COMBINING,
    MarkedContext,
    Problem,
    cuts_a_letter,
    has_long_combining_run,
    likeness,
    plain_text,
    read_context,
)
from postprocess.formats.parsed import (
    ParsedRows,
    parse_cells,
    read_cells,
    refuse_unwritable,
    render_checked,
)
from postprocess.formats.parsed import ParsedStimuli as ParsedStimuli
from postprocess.formats.parsed import StimuliError as StimuliError
from postprocess.formats.parsed import StimulusPair as StimulusPair
from postprocess.formats.tabular import Finding, Severity, TableError, write_cell
from postprocess.formats.tokens import count_sentences
from postprocess.slips import list_odd_marks, list_slips

COLUMNS: tuple[str, ...] = (
    "word1", "word2", "context1", "context2",
    "word1_context1", "word2_context1", "word1_context2", "word2_context2",
)  # fmt: skip
TEXTS = ("context1", "context2")
FEWEST_SENTENCES, MOST_SENTENCES = 2, 5
FAR_FROM_THREE = "far from three"
CUT_LETTER = Problem("a mark cuts a letter from its combining mark", "mark the whole letter")
SWAP_MARGIN, SWAP_LIKENESS = 0.3, 0.5  # in the published files the margin is -0.35 at most
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")  # Unicode's category Cc

# The longest in CoSimLex are 14 and 685 code points long.
LONGEST_WORD, LONGEST_TEXT = 100, 20_000


def load_stimuli(path: str | PathLike[str]) -> ParsedStimuli:
    """Read and check a stimuli file; see `parse_stimuli`. Raises OSError if it cannot be read."""
    return parse_stimuli(Path(path).read_bytes())


def parse_stimuli(data: bytes, kind: FileKind = CANONICAL) -> ParsedStimuli:
    """Read a stimuli file and report all problems at once. Never raises for its content."""
    table = read_table(data, COLUMNS, kind)
    return parse_cells(COLUMNS, table.rows, table.findings, read_pair)


def read_rows(data: bytes) -> tuple[tuple[str, ...], ...]:
    """Return the rows of `parse_stimuli` alone, whose fields are not checked. Raises TableError.

    >>> read_rows(render_stimuli([["a", "b", "c", "d", "e", "f", "g", "h"]]).encode())
    (('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),)
    """
    table = read_table(data, COLUMNS)
    if bad := [finding for finding in table.findings if finding.severity is Severity.UNREADABLE]:
        raise TableError(bad)
    return tuple(read_cells(table.rows).values())


def render_stimuli(rows: Iterable[Sequence[str]]) -> str:
    """Return the text of a stimuli file. Raises StimuliError for rows the format cannot hold."""
    return render_checked(COLUMNS, rows)


def digest_rows(rows: Iterable[Sequence[str]]) -> str:
    """Return the SHA-256 of stimuli rows, whatever file format they came from."""
    lines = ("\t".join(row) + "\n" for row in (COLUMNS, *rows))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def read_pair(fields: Mapping[str, str]) -> tuple[StimulusPair | None, list[Finding]]:
    """Return the pair in the fields of a row, None if there are errors, and all findings."""
    findings = list(list_field_findings(fields, TEXTS))
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


def check_rows(
    rows: Sequence[Sequence[str]],
    columns: Sequence[str] = COLUMNS,
    read: Callable[[Mapping[str, str]], tuple[Any, list[Finding]]] = read_pair,
) -> ParsedRows[Any]:
    """Check stored rows as a file's rows, by default as `parse_stimuli` checks them.

    Raises StimuliError for a row that the format cannot hold.
    """
    refuse_unwritable(columns, rows)
    cells = {number: tuple(map(write_cell, row)) for number, row in enumerate(rows, 1)}
    return parse_cells(columns, cells, (), read)


def _sound_fields(fields: Mapping[str, str], findings: Iterable[Finding]) -> dict[str, str]:
    """Return the fields to check further; in a context, a control character leaves the marks."""
    bad = {finding.column for finding in findings if finding.severity is Severity.ERROR}
    bad -= {column for column in TEXTS if _is_bounded(fields[column])}
    return {column: field for column, field in fields.items() if column not in bad}


def _is_bounded(text: str) -> bool:
    return bool(text.strip()) and len(text) <= LONGEST_TEXT and not has_long_combining_run(text)


def list_field_findings(fields: Mapping[str, str], texts: Sequence[str]) -> Iterator[Finding]:
    """Yield findings on single fields; at most one error per field."""
    for column, field in fields.items():
        if not field.strip():
            yield _error(column, "the field is empty", "fill it in")
        elif problem := field_problem(field, is_text=column in texts):
            yield _error(column, *problem)
        elif len(field) > 1 and field.startswith('"') and field.endswith('"'):
            yield _warning(
                column,
                "the field looks quoted by a spreadsheet",
                "the format has no quoting, so the quotation marks are text: remove them if they "
                "are not meant",
            )
        yield from (_warning(column, *slip) for slip in list_slips(field[:LONGEST_TEXT]))
        if characters := list_invisible(field):
            what = f"invisible characters inside the field: {describe_invisible(characters)}"
            yield _warning(column, what, "remove them unless they are meant")


def field_problem(field: str, *, is_text: bool) -> Problem | None:
    """Return the problem of a non-empty field by itself, or None."""
    most = LONGEST_TEXT if is_text else LONGEST_WORD
    if len(field) > most:
        what = "text" if is_text else "word"
        return Problem(
            f"the {what} has {len(field):,} characters", f"shorten it to {most:,} at most"
        )
    if control := CONTROL.search(field):
        named = {"\r": "line break", "\n": "line break", "\t": "tab"}
        what = named.get(control[0], f"control character U+{ord(control[0]):04X}")
        return Problem(f"a {what} inside the field", "replace it by a space")
    if has_long_combining_run(field):
        return Problem(f"more than {MOST_COMBINING} combining marks on one letter", "remove them")
    return None


def _pair_findings(fields: Mapping[str, str]) -> Iterator[Finding]:
    """Yield errors on equal words or equal contexts."""
    if "word1" in fields and fields["word1"] == fields.get("word2"):
        yield _error("word2", f'both words are "{fields["word1"]}"', "a pair needs two words")
    texts = [plain_text(fields[c]) for c in TEXTS if c in fields]
    if len(texts) == 2 and texts[0] == texts[1]:
        yield _error("context2", "the two contexts are equal", "a pair needs two contexts")


def _read_numbered(
    fields: Mapping[str, str], number: int
) -> tuple[MarkedContext | None, list[Finding]]:
    """Read one context of a pair, as far as its fields are sound."""
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
    findings.extend(_error(column, *problem) for problem in problems)
    if context is None:
        return None, findings
    if cuts_a_letter(context):
        findings.append(_warning(column, *CUT_LETTER))
    words = fields.get("word1", form1), fields.get("word2", form2)
    findings += (_warning(column, *p) for p in list_odd_marks(context, words, column=column))
    return context, findings


def _equal_forms(fields: Mapping[str, str], column: str, form: str) -> Iterator[Finding]:
    """Yield an error on equal inflected forms, unless the words are equal and reported as such."""
    if fields.get("word1") != fields.get("word2"):
        yield _error(column, f'both inflected forms are "{form}"', "correct the one that is wrong")


def _sentence_findings(column: str, marked: str) -> Iterator[Finding]:
    n_sentences = count_sentences(plain_text(marked))
    if not FEWEST_SENTENCES <= n_sentences <= MOST_SENTENCES:
        noun = "sentence" if n_sentences == 1 else "sentences"
        yield _warning(column, f"about {n_sentences} {noun}, {FAR_FROM_THREE}", "check the context")


def _swap_findings(fields: Mapping[str, str], forms: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a warning if each form is clearly more similar to the other word."""
    if "word1" not in fields or "word2" not in fields:
        return
    (column1, form1), (column2, form2) = forms.items()
    word1, word2 = fields["word1"], fields["word2"]
    crossed1 = likeness(word1, form2)
    if crossed1 <= SWAP_LIKENESS or (crossed2 := likeness(word2, form1)) <= SWAP_LIKENESS:
        return
    straight = likeness(word1, form1) + likeness(word2, form2)
    if crossed1 + crossed2 > straight + SWAP_MARGIN:
        yield _warning(
            column1,
            f'"{form1}" looks like a form of "{word2}" and "{form2}" like one of "{word1}"',
            f"exchange {column1} and {column2} if they are swapped",
        )


def _error(column: str, what: str, advice: str) -> Finding:
    return Finding(Severity.ERROR, what, column=column, advice=advice)


def _warning(column: str, what: str, advice: str) -> Finding:
    return Finding(Severity.WARNING, what, column=column, advice=advice)
