"""Sentences of CoNLL-U in full: words, text, and the place of every word in the text.

This is the plain way, for the few sentences that are kept; `scanning` looks for them.
Source of the format: https://universaldependencies.org/format.html.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from postprocess.formats.marks import Span
from preprocess.corpora.errors import CorpusError

WORD_ID = re.compile(r"[0-9]+")
RANGE_ID = re.compile(r"([0-9]+)-([0-9]+)")
EMPTY_ID = re.compile(r"[0-9]+\.[0-9]+")
N_COLUMNS = 10
NOT_CONLLU = "this line is not CoNLL-U (a comment, or ten columns separated by tabs)"
FROM_RAW_TEXT = (
    "turn raw text into CoNLL-U with `corpus lemmatise` or a tagger such as Stanza or UDPipe"
)
# The comments of a document that say where it comes from, and the columns they go to.
SOURCE_COMMENTS = {
    "newdoc id": "document",
    "title": "title", "newdoc title": "title",
    "url": "url", "source": "url", "newdoc url": "url",
    "revision": "revision", "newdoc revision": "revision",
    "licence": "licence", "license": "licence", "newdoc licence": "licence",
}  # fmt: skip
SOURCE_COLUMNS = tuple(dict.fromkeys(SOURCE_COMMENTS.values()))


@dataclass(frozen=True, slots=True)
class Word:
    """A syntactic word: a line with a whole number as its id.

    `span` is its place in the text of its sentence; None if the text does not contain the forms
    of the sentence in order.
    """

    form: str
    lemma: str
    upos: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its comments (`# key = value`), its text and its words.

    `space_after` says whether a space separates it from the next sentence.
    """

    comments: dict[str, str]
    text: str
    words: tuple[Word, ...]
    space_after: bool

    @property
    def sent_id(self) -> str:
        """The identifier that the corpus gives the sentence, or nothing."""
        return self.comments.get("sent_id", "")


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of the text: a word, or several written as one (`3-4`)."""

    form: str
    words: list[list[str]]  # columns
    space_after: bool


def parse_sentence(lines: Sequence[str], path: Path) -> Sentence:
    """Read the lines of a sentence; empty lines are ignored.

    Raises CorpusError, whose line counts from the first of these lines.
    """
    comments: dict[str, str] = {}
    tokens: list[_Token] = []
    covered = 0  # the last word of a token of several words
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
        if not line or line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != N_COLUMNS:
            raise CorpusError(path, _describe_columns(len(columns)), line=number)
        identifier = columns[0]
        space_after = "SpaceAfter=No" not in columns[9].split("|")
        if match := RANGE_ID.fullmatch(identifier):
            covered = int(match[2])
            tokens.append(_Token(columns[1], [], space_after))
        elif WORD_ID.fullmatch(identifier):
            if int(identifier) <= covered:
                tokens[-1].words.append(columns)
            else:
                tokens.append(_Token(columns[1], [columns], space_after))
        elif not EMPTY_ID.fullmatch(identifier):
            raise CorpusError(
                path,
                f'"{identifier[:40]}", in the first column, is not the id of a word',
                line=number,
            )
    text = comments.get("text") or _join(tokens)
    words = tuple(_place_words(tokens, text))
    return Sentence(comments, text, words, space_after=not tokens or tokens[-1].space_after)


def _describe_columns(n_columns: int) -> str:
    """Return what is wrong with a line that has another number of columns."""
    if n_columns == 1:
        return f"{NOT_CONLLU}; {FROM_RAW_TEXT}"
    return (
        f"this line has {n_columns} columns separated by tabs, and CoNLL-U has {N_COLUMNS}; look "
        "for a tab that is missing or too many"
    )


def _join(tokens: Sequence[_Token]) -> str:
    pieces = [token.form + (" " if token.space_after else "") for token in tokens]
    return "".join(pieces).rstrip(" ")


def _place_words(tokens: Sequence[_Token], text: str) -> list[Word]:
    """Return the words with their places; without places from the first form that is missing."""
    words = []
    place: int | None = 0
    for token in tokens:
        if place is not None:
            while text[place : place + 1].isspace():
                place += 1
            if not text.startswith(token.form, place):
                place = None
        words += _words_of(token, place)
        if place is not None:
            place += len(token.form)
    return words


def _words_of(token: _Token, place: int | None) -> list[Word]:
    """Return a token's words, each with its part of the span if together they spell the token."""
    forms = [columns[1] for columns in token.words]
    is_spelt = "".join(forms) == token.form
    words = []
    offset = 0
    for columns, form in zip(token.words, forms, strict=True):
        span = None
        if place is not None and is_spelt:
            span = Span(place + offset, place + offset + len(form))
        elif place is not None:
            span = Span(place, place + len(token.form))
        offset += len(form)
        words.append(Word(form, columns[2], columns[3], span))
    return words
