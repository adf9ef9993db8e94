"""The two target words in a context: marks in the text, code-point spans without them."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

OPEN, CLOSE = "<strong>", "</strong>"
TAG = re.compile(f"{OPEN}|{CLOSE}")  # only these are markup; everything else is text
NO_LETTER = re.compile(r"\W")
MOST_MARKS = 4  # that are compared with the forms one by one; a context has two
MOST_COMPARED = 50  # characters of a word
MOST_PARTS = 500  # occurrences of a form within longer words that are looked at
# Non-starters after one character: the bound of the Stream-Safe Text Format (Unicode Standard
# Annex 15). Normalising takes quadratic time in a longer run of them.
MOST_COMBINING = 30


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
    """Return how alike two words look, from 0 to 1, whatever their letter case.

    Twice the length of their longest common subsequence, divided by the sum of their lengths; of
    words longer than `MOST_COMPARED` characters their beginnings are compared.

    References
    ----------
    Hyyrö (2004), Bit-parallel LCS-length computation revisited.

    Examples
    --------
    >>> likeness("Water", "waters"), likeness("ice", "ice"), likeness("ice", "sun")
    (0.9090909090909091, 1.0, 0.0)
    """
    folded = (word[:MOST_COMPARED].casefold() for word in (first, second))
    short, long = sorted(folded, key=len)
    places: defaultdict[str, int] = defaultdict(int)
    for place, character in enumerate(long):
        places[character] |= 1 << place
    every = (1 << len(long)) - 1
    unmatched = every
    for character in short:
        matched = unmatched & places.get(character, 0)
        unmatched = ((unmatched + matched) | (unmatched - matched)) & every
    n_common = len(long) - unmatched.bit_count()
    return 2 * n_common / (len(short) + len(long)) if long else 1.0


def has_long_combining_run(text: str) -> bool:
    """Return whether more than `MOST_COMBINING` combining marks follow one another."""
    return not text.isascii() and _combining_run().search(text) is not None


@cache
def _combining_run() -> re.Pattern[str]:
    codes = range(0x300, 0x20000)  # Unicode has no non-starter outside
    marks = "".join(chr(code) for code in codes if unicodedata.combining(chr(code)))
    mark = f"[{re.escape(marks)}]"
    return re.compile(f"(?<!{mark}){mark}{{{MOST_COMBINING + 1}}}")  # tried once a run


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
    if n_open > MOST_MARKS:
        return f"{n_open:,} marks; mark the two target words only, each once"
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
    unmarked = _fold(_mask(text, spans))
    for column, form in forms.items():
        if marks.count(form) > 1:
            yield f'the word "{form}" ({column}) stands twice: keep one mark and one occurrence'
        elif form in marks and _stands_in(unmarked, _fold(form)):
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


def _mask(text: str, spans: Sequence[Span]) -> str:
    """The text with its marked words replaced by as many underscores."""
    pieces, end_before = [], 0
    for start, end in spans:
        pieces += [text[end_before:start], "_" * (end - start)]
        end_before = end
    return "".join([*pieces, text[end_before:]])


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _stands_in(text: str, form: str) -> bool:
    """Whether a form stands in a text as a whole word; both are folded.

    Occurrences may overlap. After one that is part of a word, the next can only begin behind a
    character that is no letter. A form that is only ever part of a word is looked at so many
    times, which no text that people read has.
    """
    start = text.find(form)
    for _ in range(MOST_PARTS):
        if start < 0:
            return False
        end = start + len(form)
        if not _is_word(text[max(start - 1, 0) : start]) and not _is_word(text[end : end + 1]):
            return True
        gap = NO_LETTER.search(text, start)
        start = text.find(form, gap.end()) if gap else -1
    return False


def _is_word(character: str) -> bool:
    """Whether a neighbour makes a word go on; combining marks do, though no regex calls them so."""
    return character == "_" or character.isalnum() or _is_combining(character)


def _is_combining(character: str) -> bool:
    return character != "" and unicodedata.category(character).startswith("M")
