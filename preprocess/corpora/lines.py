"""Sentences of a corpus file as the scan sees them: places and lemmas, nothing else.

Most lines of a corpus are of no interest, so that this reads bytes and finds the lemmas alone: in
regular text with one pattern, which is faster than a loop over lines, and in other text with that
loop. `conllu` reads what was found in full.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from preprocess.corpora.conllu import FROM_RAW_TEXT, N_COLUMNS, NOT_CONLLU
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.opening import open_corpus

NEW_DOCUMENT, NEW_PARAGRAPH = b"# newdoc", b"# newpar"
EMPTY = (b"\n", b"\r\n")
COMMENT, TAB, LINE_FEED = b"#\t\n"
BYTE_ORDER_MARK, EMPTY_LINES = b"\xef\xbb\xbf", b"\n\n\n"
END, END_OF_DOS = b"\n\n", b"\r\n\r\n"  # of a sentence
LEMMA = re.compile(rb"\n[0-9]++\t[^\t]*+\t([^\t]*+)\t")  # of a word
OTHER_LINE = re.compile(rb"\n[0-9]+[-.][0-9]+\t")  # of a range or an empty node
BLANK_LINES = re.compile(rb"\n(?:\r?\n)+")
WORD_LINE = re.compile(rb"^[0-9]", re.MULTILINE)
SENT_ID = re.compile(rb"^#[ \t]*sent_id[ \t]*=[ \t]*(.*?)[0-9]*[ \t\r]*$", re.MULTILINE)
AT_ONCE = 1 << 18  # bytes that are read
LONGEST = 1 << 24  # bytes of a sentence
BLOCK = 1 << 16  # bytes read backwards at first
NO_WORDS: Mapping[int, int] = {}
Numbers = Mapping[bytes, int]
Letters = npt.NDArray[np.uint8]
Places = npt.NDArray[np.intp]


class ScannedSentence(NamedTuple):
    """A sentence: the byte where it begins, what begins with it, how often it has which words."""

    offset: int
    begins_document: bool
    begins_paragraph: bool
    words: Mapping[int, int]


def scan_sentences(
    file: BinaryIO, by_spelling: Numbers, path: Path, *, by_sent_id: bool = False
) -> Iterator[ScannedSentence]:
    """Yield the sentences of a file from where it is, which must be between two sentences.

    `by_spelling` must have a value for every lemma: the number of a word that is looked for, or 0.
    `by_sent_id`: a document also begins where the sent_id, without its last number, changes.
    Comments that an empty line separates from their sentence belong to it. Raises CorpusError for
    a line that is not CoNLL-U, and for more than `LONGEST` bytes without an empty line.
    """
    last: bytes | None = None
    for text, offset, sentences in _scan_pieces(file, by_spelling, path):
        if not by_sent_id:
            yield from sentences
            continue
        starts = [sentence.offset - offset for sentence in sentences]
        for sentence, start, end in zip(sentences, starts, [*starts[1:], len(text)], strict=False):
            match = SENT_ID.search(text, start, end)
            document = match[1] if match else b""
            is_other = last is not None and document != last
            yield sentence._replace(begins_document=sentence.begins_document or is_other)
            last = document


def _scan_pieces(
    file: BinaryIO, by_spelling: Numbers, path: Path
) -> Iterator[tuple[bytes, int, Sequence[ScannedSentence]]]:
    """Yield pieces of a file, the byte where each begins, and its sentences."""
    offset, text = file.tell(), b""
    while more := file.read(max(AT_ONCE, len(text))):
        text += more
        if offset == 0 and text.startswith(BYTE_ORDER_MARK):
            text = EMPTY_LINES + text[len(BYTE_ORDER_MARK) :]  # as many bytes
        ends = ((text.rfind(end), len(end)) for end in (END, END_OF_DOS))
        n_done = max((at + size for at, size in ends if at >= 0), default=0)
        whole = text[:n_done]
        sentences: Sequence[ScannedSentence] | None
        sentences = _scan_regular(whole, offset, by_spelling)
        if sentences is None:
            sentences, n_done = _scan_lines(whole, offset, by_spelling, path)
        yield whole, offset, sentences
        offset, text = offset + n_done, text[n_done:]
        if len(text) > LONGEST:
            lines = text[: text.rfind(b"\n") + 1]
            _scan_lines(lines, offset, by_spelling, path)  # perhaps it is not CoNLL-U at all
            what = f"no empty line, which ends a sentence, in {len(text):,} bytes from this line on"
            raise CorpusError(path, what, line=number_of_line(path, offset))
    yield text, offset, _scan_lines(text + END, offset, by_spelling, path)[0]


def _scan_regular(text: bytes, offset: int, by_spelling: Numbers) -> list[ScannedSentence] | None:
    """Read whole sentences, each with `END` after it; `offset` is the byte of the first.

    Returns None for irregular text: carriage returns, lines that are neither comments nor have an
    id, more or fewer tabs than the lines should have, or a block without a word.
    """
    text = b"\n" + text  # so that one precedes each line
    letters = np.frombuffer(text, dtype=np.uint8)
    breaks = np.flatnonzero(letters == LINE_FEED)
    following = letters[breaks[:-1] + 1]
    is_end, is_comment = following == LINE_FEED, following == COMMENT
    ends = breaks[:-1][is_end]
    starts = np.append(0, ends + 1)[:-1]
    if len(text) > 1 and (not len(ends) or ends[-1] != len(text) - len(END)):
        return None
    read = partial(LEMMA.findall, text)
    lemmas = list(map(read, starts.tolist(), ends.tolist()))
    n_lines = len(following) - np.count_nonzero(is_end) - np.count_nonzero(is_comment)
    n_read = sum(map(len, lemmas))
    if n_read < n_lines:
        n_read += len(OTHER_LINE.findall(text))
    n_tabs = np.count_nonzero(letters == TAB)
    if n_read != n_lines or n_tabs != (N_COLUMNS - 1) * n_lines or not all(lemmas):
        return None
    marks = _find_marks(text, letters, breaks[:-1][is_comment] + 1)
    documents, paragraphs = (set(np.searchsorted(ends, places).tolist()) for places in marks)
    return [
        ScannedSentence(
            offset + start,
            number in documents,
            number in paragraphs,
            _count(list(filter(None, map(by_spelling.__getitem__, of_sentence)))),
        )
        for number, (start, of_sentence) in enumerate(zip(starts.tolist(), lemmas, strict=True))
    ]


def _find_marks(text: bytes, letters: Letters, comments: Places) -> Iterator[list[int]]:
    """Yield the positions of comments that mark a document, then those that mark a paragraph."""
    similar = comments[letters[comments + 2] == NEW_DOCUMENT[2]].tolist()
    for mark in (NEW_DOCUMENT, NEW_PARAGRAPH):
        yield [place for place in similar if text.startswith(mark, place)]


def _scan_lines(
    text: bytes, offset: int, by_spelling: Numbers, path: Path
) -> tuple[list[ScannedSentence], int]:
    """Read sentences line by line; also return the number of bytes before what follows the last."""
    sentences = []
    begin = end = 0
    begins_document = begins_paragraph = has_comments = has_words = False
    words: list[int] = []
    for line in BytesIO(text):
        if line[0] == COMMENT:
            has_comments = True
            begins_document = begins_document or line.startswith(NEW_DOCUMENT)
            begins_paragraph = begins_paragraph or line.startswith(NEW_PARAGRAPH)
        elif line not in EMPTY:
            columns = line.split(b"\t")
            if len(columns) != N_COLUMNS:
                raise _not_conllu(path, offset + end)
            has_words = True
            word = by_spelling[columns[2]]
            if word and columns[0].isdigit():
                words.append(word)
        end += len(line)
        if line in EMPTY:
            if has_words:
                sentences.append(
                    ScannedSentence(
                        offset + begin, begins_document, begins_paragraph, _count(words)
                    )
                )
                begins_document = begins_paragraph = has_comments = has_words = False
                words = []
            if not has_comments:
                begin = end
    return sentences, begin


def _count(words: Sequence[int]) -> Mapping[int, int]:
    if not words:
        return NO_WORDS
    counts: dict[int, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


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
    what = f"{NOT_CONLLU}; {FROM_RAW_TEXT}"
    return CorpusError(path, what, line=number_of_line(path, offset))
