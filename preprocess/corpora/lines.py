"""Sentences of a corpus file as the scan sees them: places and lemmas, nothing else.

Most lines of a corpus are of no interest, so that this reads bytes and splits off the lemma alone.
`conllu` reads what was found in full.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

from preprocess.corpora.errors import CorpusError
from preprocess.corpora.opening import open_corpus

NEW_DOCUMENT, NEW_PARAGRAPH = b"# newdoc", b"# newpar"
EMPTY = (b"\n", b"\r\n")
N_SPLIT = 4  # id, form, lemma, and the rest
COMMENT = ord("#")
BLANK_LINES = re.compile(rb"\n(?:\r?\n)+")
WORD_LINE = re.compile(rb"^[0-9]", re.MULTILINE)
BLOCK = 1 << 16  # bytes read backwards at first
NO_WORDS: Mapping[int, int] = {}


class ScannedSentence(NamedTuple):
    """A sentence: the byte where it begins, what begins with it, how often it has which words."""

    offset: int
    begins_document: bool
    begins_paragraph: bool
    words: Mapping[int, int]


def scan_sentences(
    file: BinaryIO, by_spelling: Mapping[bytes, int | None], path: Path
) -> Iterator[ScannedSentence]:
    """Yield the sentences of a file from where it is, which must be between two sentences.

    `by_spelling` must have a value for every lemma: the number of a word that is looked for, or
    None. Comments that an empty line separates from their sentence belong to it. Raises
    CorpusError for a line that is not CoNLL-U.
    """
    begin = file.tell()
    begins_document = begins_paragraph = has_comments = False
    fields: list[bytes] = []  # of the last word
    words: dict[int, int] | None = None
    for line in file:
        columns = line.split(b"\t", 3)
        if len(columns) == N_SPLIT and line[0] != COMMENT:
            fields = columns
            word = by_spelling[fields[2]]
            if word is not None and fields[0].isdigit():
                words = {} if words is None else words
                words[word] = words.get(word, 0) + 1
        elif line[0] == COMMENT:
            has_comments = True
            begins_document = begins_document or line.startswith(NEW_DOCUMENT)
            begins_paragraph = begins_paragraph or line.startswith(NEW_PARAGRAPH)
        elif line in EMPTY:
            if fields:
                yield ScannedSentence(begin, begins_document, begins_paragraph, words or NO_WORDS)
                begins_document = begins_paragraph = has_comments = False
                fields, words = [], None
            if not has_comments:
                begin = file.tell()
        else:
            raise _not_conllu(path, file.tell() - len(line))
    if fields:
        yield ScannedSentence(begin, begins_document, begins_paragraph, words or NO_WORDS)


def step_back(file: BinaryIO, offset: int, n_sentences: int) -> int:
    """Return where a block begins that has this many sentences between it and a byte.

    The block is a sentence, or comments that belong to the next one. The beginning of the file,
    0, if there are fewer.
    """
    size = BLOCK
    while size < offset:
        file.seek(offset - size)
        block = file.read(size)
        breaks = [match.end() for match in BLANK_LINES.finditer(block)]
        n_found = 0
        for begin, end in reversed(list(zip(breaks, [*breaks[1:], len(block)], strict=True))):
            n_found += bool(WORD_LINE.search(block, begin, end))
            if n_found > n_sentences:
                return offset - size + begin
        size *= 2
    return 0


def number_of_line(path: Path, offset: int) -> int:
    """Return the number, from 1, of the line that begins at a byte of the decompressed file."""
    number = 1
    with open_corpus(path) as file:
        while offset > 0 and (block := file.read(min(offset, 1 << 20))):
            number += block.count(b"\n")
            offset -= len(block)
    return number


def _not_conllu(path: Path, offset: int) -> CorpusError:
    what = (
        "this line is not CoNLL-U (a comment, or ten columns separated by tabs); turn raw text "
        "into CoNLL-U with a tagger such as Stanza or UDPipe"
    )
    return CorpusError(path, what, line=number_of_line(path, offset))
