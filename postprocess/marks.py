"""The two target words in a context: marks in the text, code-point spans without them."""

import difflib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

OPEN, CLOSE = "<strong>", "</strong>"
TAG = re.compile(f"{OPEN}|{CLOSE}")  # only these are markup; everything else is text


class Span(NamedTuple):
    """A half-open range of code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class MarkedContext:
    """A context without its marks, and where the two target words stand in it.

    >>> context = MarkedContext("Ice is water.", word1=Span(7, 12), word2=Span(0, 3))
    >>> context.form1, context.form2
    ('water', 'Ice')
    >>> context.marked()
    '<strong>Ice</strong> is <strong>water</strong>.'
    """

    text: str
    word1: Span
    word2: Span

    @property
    def form1(self) -> str:
        """The inflected form of word 1, as it stands in the text."""
        return self.text[self.word1.start : self.word1.end]

    @property
    def form2(self) -> str:
        """The inflected form of word 2, as it stands in the text."""
        return self.text[self.word2.start : self.word2.end]

    def marked(self) -> str:
        """The text with `<strong>…</strong>` round both target words."""
        text = self.text
        for start, end in sorted((self.word1, self.word2), reverse=True):
            text = f"{text[:start]}{OPEN}{text[start:end]}{CLOSE}{text[end:]}"
        return text


def plain_text(marked: str) -> str:
    """The text as an annotator first reads it, without the marks."""
    return TAG.sub("", marked)


def read_context(
    marked: str, forms: Mapping[str, str]
) -> tuple[MarkedContext | None, tuple[str, ...]]:
    """Find the two target words of a context.

    `forms` gives the inflected forms of word 1 and word 2, in this order, under the names of
    their columns; they must differ. Returns the context, or None and what is wrong with it.
    """
    if problem := _structure_problem(marked):
        return None, (problem,)
    spans = _read_spans(marked)
    text = plain_text(marked)
    if problems := tuple(_match_problems(text, spans, forms)):
        return None, problems
    by_form = {text[span.start : span.end]: span for span in spans}
    word1, word2 = (by_form[form] for form in forms.values())
    return MarkedContext(text, word1, word2), ()


def likeness(first: str, second: str) -> float:
    """How alike two words look, from 0 to 1, whatever their letter case."""
    matcher = difflib.SequenceMatcher(None, first.casefold(), second.casefold(), autojunk=False)
    return matcher.ratio()


def cuts_a_letter(context: MarkedContext) -> bool:
    """Whether a mark parts a letter from a combining mark that belongs to it."""
    edges = (*context.word1, *context.word2)
    return any(_is_combining(context.text[edge : edge + 1]) for edge in edges)


def _structure_problem(marked: str) -> str | None:
    tags = TAG.findall(marked)
    n_open, n_close = tags.count(OPEN), tags.count(CLOSE)
    if n_open > n_close:
        return f"a {OPEN} is not closed; add the {CLOSE} after the word"
    if n_close > n_open:
        return f"a {CLOSE} was never opened; add the {OPEN} before the word"
    if tags != [OPEN, CLOSE] * n_open:
        return (
            "overlapping marks: one mark begins before another has ended, or ends before it "
            "began; mark each word by itself"
        )
    if any(not mark.strip() for mark in TAG.split(marked)[1::2]):
        return "a mark is empty; put the word inside it"
    return None


def _read_spans(marked: str) -> list[Span]:
    """The marked spans in the text without marks, given marks that are well formed."""
    edges = [0]
    for piece in TAG.split(marked):
        edges.append(edges[-1] + len(piece))
    return [Span(*edge) for edge in zip(edges[1:-1:2], edges[2:-1:2], strict=True)]


def _match_problems(text: str, spans: Sequence[Span], forms: Mapping[str, str]) -> Iterator[str]:
    """What keeps marks and inflected forms from being one to one."""
    marks = [text[start:end] for start, end in spans]
    for column, form in forms.items():
        if marks.count(form) > 1:
            yield f'the word "{form}" ({column}) stands twice: keep one mark and one occurrence'
        elif form in marks and _stands_unmarked(text, spans, form):
            yield (
                f'the word "{form}" ({column}) stands twice: once marked and once more without '
                "a mark; change the text so that it stands once"
            )
    missing = {column: form for column, form in forms.items() if form not in marks}
    strange = [mark for mark in marks if mark not in forms.values()]
    while missing and strange:
        column, mark = max(
            ((column, mark) for column in missing for mark in strange),
            key=lambda pair: likeness(missing[pair[0]], pair[1]),
        )
        strange.remove(mark)
        yield _unequal(mark, column, missing.pop(column))
    if missing:
        names = " and ".join(f'"{form}" ({column})' for column, form in missing.items())
        words, are = ("word", "is") if len(missing) == 1 else ("words", "are")
        yield f"the {words} {names} {are} not marked with {OPEN}…{CLOSE}; mark each once"
    for mark in strange:
        yield f'more marks than two: "{mark}" is marked and is neither form; remove this mark'


def _unequal(mark: str, column: str, form: str) -> str:
    folded = mark.casefold() == form.casefold()
    composed = unicodedata.normalize("NFC", mark) == unicodedata.normalize("NFC", form)
    if folded:
        how = ": they differ only in letter case"
    elif composed:
        how = ": they look the same and differ only in Unicode normal form (NFC, NFD)"
    else:
        how = ""
    return (
        f'the marked "{mark}" is not equal to its inflected form "{form}" ({column}){how}; '
        "write both the same"
    )


def _stands_unmarked(text: str, spans: Sequence[Span], form: str) -> bool:
    """Whether a form stands outside the marks as a whole word, in any letter case."""
    masked = text
    for start, end in spans:
        masked = f"{masked[:start]}{'_' * (end - start)}{masked[end:]}"
    masked = unicodedata.normalize("NFC", masked)
    pattern = f"(?=({re.escape(unicodedata.normalize('NFC', form))}))"  # occurrences may overlap
    places = (match.span(1) for match in re.finditer(pattern, masked, re.IGNORECASE))
    return any(
        not _is_word(masked[max(start - 1, 0) : start]) and not _is_word(masked[end : end + 1])
        for start, end in places
    )


def _is_word(character: str) -> bool:
    """Whether a neighbour makes a word go on; combining marks do, though no regex calls them so."""
    return character == "_" or character.isalnum() or _is_combining(character)


def _is_combining(character: str) -> bool:
    return character != "" and unicodedata.category(character).startswith("M")
