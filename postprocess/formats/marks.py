"""The two target words of a context: marks in the text, and spans in the text without marks."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

OPEN, CLOSE = "<strong>", "</strong>"
TAG = re.compile(f"{OPEN}|{CLOSE}")  # the only markup; everything else is text
OTHER_OPEN = r"(<[^<>/]{1,80}>|&lt;[^&;]{1,80}&gt;|[*_\[{`#~=|@^$]{1,3}|[«‹<])"
OTHER_CLOSE = r"(</[^<>]{1,20}>|&lt;/[^&;]{1,20}&gt;|[*_\]}`#~=|@^$]{1,3}|[»›>])"
NO_LETTER = re.compile(r"\W")
MOST_MARKS = 4  # that are compared with the forms; a context has two
MOST_COMPARED = 50  # characters of a word
MOST_PARTS = 500  # occurrences of a form within longer words that are examined
# Non-starters after one character: the bound of the Stream-Safe Text Format (Unicode Standard
# Annex 15). Normalising takes quadratic time for longer runs.
MOST_COMBINING = 30


class Problem(NamedTuple):
    """What is wrong with a field, and what to do about it."""

    what: str
    advice: str = ""


class Span(NamedTuple):
    """A half-open range of code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class MarkedContext:
    """A context without its marks, and the spans of the two target words.

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
        """The inflected form of word 1 in the text."""
        return self.text[self.word1.start : self.word1.end]

    @property
    def form2(self) -> str:
        """The inflected form of word 2 in the text."""
        return self.text[self.word2.start : self.word2.end]

    @property
    def parts(self) -> list[tuple[str, bool]]:
        """The text cut at its target words, in order: (piece, whether it is a target)."""
        return cut_text(self.text, sorted((self.word1, self.word2)))

    def marked(self) -> str:
        """Return the text with `<strong>…</strong>` around both target words."""
        return _join_parts(self.parts)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text without its marks, and the pieces of its only target, in order.

    >>> text = MarkedText("She rang him up.", (Span(4, 8), Span(13, 15)))
    >>> text.form, text.marked()
    ('rang up', 'She <strong>rang</strong> him <strong>up</strong>.')
    """

    text: str
    spans: tuple[Span, ...]

    @property
    def form(self) -> str:
        """The target in the form of the text, its pieces joined by a space."""
        return " ".join(self.text[start:end] for start, end in self.spans)

    @property
    def parts(self) -> list[tuple[str, bool]]:
        """The text cut at its target, in order: (piece, whether it is of the target)."""
        return cut_text(self.text, self.spans)

    @property
    def trimmed(self) -> "MarkedText":
        """The text to display, where no piece of the target begins or ends with a space."""
        spans = []
        for start, end in self.spans:
            piece = self.text[start:end]
            spans.append(Span(end - len(piece.lstrip()), start + len(piece.rstrip())))
        return MarkedText(self.text, tuple(spans))

    def marked(self) -> str:
        """Return the text with `<strong>…</strong>` around each piece of the target."""
        return _join_parts(self.parts)


def cut_text(text: str, spans: Sequence[Span]) -> list[tuple[str, bool]]:
    """Return the pieces of a text: (piece, whether it is one of the spans, given in order)."""
    parts, end_before = [], 0
    for start, end in spans:
        parts += [(text[end_before:start], False), (text[start:end], True)]
        end_before = end
    return [*parts, (text[end_before:], False)]


def _join_parts(parts: Sequence[tuple[str, bool]]) -> str:
    return "".join(f"{OPEN}{piece}{CLOSE}" if is_target else piece for piece, is_target in parts)


def plain_text(marked: str) -> str:
    """Return the text without the marks, as on page 1 of an item."""
    return TAG.sub("", marked)


def read_context(
    marked: str, forms: Mapping[str, str]
) -> tuple[MarkedContext | None, tuple[Problem, ...]]:
    """Find the two target words of a context.

    `forms` gives the inflected forms of word 1 and word 2, in this order, under the names of
    their columns; they must differ. Returns the context, or None and the problems.
    """
    if problem := _structure_problem(marked):
        return None, (_find_other_mark(marked, forms) or problem,)
    spans = _read_spans(marked)
    text = plain_text(marked)
    if problems := tuple(_match_problems(text, spans, forms)):
        other = _find_other_mark(marked, forms)
        return None, (other,) if other else problems
    by_form = {text[span.start : span.end]: span for span in spans}
    word1, word2 = (by_form[form] for form in forms.values())
    return MarkedContext(text, word1, word2), ()


def read_text(marked: str) -> MarkedText | Problem:
    """Return a text and the pieces of its only target, or what is wrong with its marks."""
    if problem := _structure_problem(marked, "mark the target alone"):
        return problem
    if not (spans := _read_spans(marked)):
        return Problem(f"the target is not marked with {OPEN}…{CLOSE}", "mark it once")
    return MarkedText(plain_text(marked), tuple(spans))


def likeness(first: str, second: str) -> float:
    """Return the similarity of the spelling of two words, from 0 to 1, ignoring letter case.

    Twice the length of their longest common subsequence, divided by the sum of their lengths, by
    the algorithm of Hyyrö (2004), Bit-parallel LCS-length computation revisited; of words longer
    than `MOST_COMPARED` characters only the beginnings are compared.

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
    """Return whether the text has more than `MOST_COMBINING` consecutive combining marks."""
    if text.isascii() or _list_combining().isdisjoint(text):  # far faster than the search
        return False
    return _combining_run().search(text) is not None


@cache
def _list_combining() -> frozenset[str]:
    codes = range(0x300, 0x20000)  # the range of all non-starters
    return frozenset(chr(code) for code in codes if unicodedata.combining(chr(code)))


@cache
def _combining_run() -> re.Pattern[str]:
    mark = f"[{re.escape(''.join(sorted(_list_combining())))}]"
    return re.compile(f"(?<!{mark}){mark}{{{MOST_COMBINING + 1}}}")  # tried once per run


def cuts_a_letter(context: MarkedContext) -> bool:
    """Return whether a mark separates a letter from its combining mark."""
    edges = (*context.word1, *context.word2)
    return any(_is_combining(context.text[edge : edge + 1]) for edge in edges)


def _structure_problem(
    marked: str, advice: str = "mark the two target words only, each once"
) -> Problem | None:
    tags = TAG.findall(marked)
    n_open, n_close = tags.count(OPEN), tags.count(CLOSE)
    if n_open > n_close:
        return Problem(f"a {OPEN} is not closed", f"add the {CLOSE} after the word")
    if n_close > n_open:
        return Problem(f"a {CLOSE} was never opened", f"add the {OPEN} before the word")
    if tags != [OPEN, CLOSE] * n_open:
        return Problem(
            "overlapping marks: one mark begins before another has ended, or ends before it began",
            "mark each word by itself",
        )
    if n_open > MOST_MARKS:
        return Problem(f"{n_open:,} marks", advice)
    if any(not mark.strip() for mark in TAG.split(marked)[1::2]):
        return Problem("a mark is empty", "put the word inside it")
    return None


def _read_spans(marked: str) -> list[Span]:
    """Return the spans of well-formed marks in the text without marks."""
    edges = [0]
    for piece in TAG.split(marked):
        edges.append(edges[-1] + len(piece))
    return [Span(*edge) for edge in zip(edges[1:-1:2], edges[2:-1:2], strict=True)]


def _match_problems(
    text: str, spans: Sequence[Span], forms: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield problems that keep marks and inflected forms from matching one to one."""
    marks = [text[start:end] for start, end in spans]
    unmarked = fold(_mask(text, spans))
    for column, form in forms.items():
        if marks.count(form) > 1:
            what = f'the word "{form}" ({column}) occurs twice'
            yield Problem(what, "keep one mark and one occurrence")
        elif form in marks and has_word(unmarked, fold(form)):
            yield Problem(
                f'the word "{form}" ({column}) occurs twice: once marked and once more without '
                "a mark",
                "change the text so that it occurs once",
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
        yield Problem(f"the {words} {names} {are} not marked with {OPEN}…{CLOSE}", "mark each once")
    for mark in strange:
        what = f'more marks than two: "{mark}" is marked and is neither form'
        yield Problem(what, "remove this mark")


def _unequal(mark: str, column: str, form: str) -> Problem:
    folded = mark.casefold() == form.casefold()
    composed = unicodedata.normalize("NFC", mark) == unicodedata.normalize("NFC", form)
    if folded:
        how = ": they differ only in letter case"
    elif composed:
        how = ": they look the same and differ only in Unicode normal form (NFC, NFD)"
    else:
        how = ""
    return Problem(
        f'the marked "{mark}" is not equal to its inflected form "{form}" ({column}){how}',
        "write both the same",
    )


def _mask(text: str, spans: Sequence[Span]) -> str:
    """Return the text with its marked words replaced by underscores."""
    pieces, end_before = [], 0
    for start, end in spans:
        pieces += [text[end_before:start], "_" * (end - start)]
        end_before = end
    return "".join([*pieces, text[end_before:]])


def _find_other_mark(marked: str, forms: Mapping[str, str]) -> Problem | None:
    """Return the problem that a target word is marked in another way than the format's."""
    for column, form in forms.items():
        for before, after in re.findall(f"{OTHER_OPEN}{re.escape(form)}{OTHER_CLOSE}", marked):
            if (before, after) != (OPEN, CLOSE):
                what = f'the word "{form}" ({column}) is marked with {before}…{after}'
                return Problem(what, f"write {OPEN}…{CLOSE}, without attributes, around each word")
    return None


def fold(text: str) -> str:
    """Return a text without letter case, in Unicode's composed form."""
    return unicodedata.normalize("NFC", text).casefold()


def has_word(text: str, form: str) -> bool:
    """Return whether a form occurs in a text as a whole word; both are folded.

    Occurrences may overlap. After one that is part of a word, the next can only begin after a
    non-letter. At most `MOST_PARTS` occurrences are examined, more than in any natural text.
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
    """Return whether a character continues a word; combining marks do, unlike in regexes."""
    return character == "_" or character.isalnum() or _is_combining(character)


def _is_combining(character: str) -> bool:
    return character != "" and unicodedata.category(character).startswith("M")
