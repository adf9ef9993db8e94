"""The texts of the windows at the places that a scan found."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from postprocess.formats.marks import MarkedContext, Span
from preprocess.corpora.conllu import Sentence, Word, parse_sentence
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.lemmas import normalise_lemma
from preprocess.corpora.lines import number_of_line
from preprocess.corpora.opening import Report, ignore, open_corpus
from preprocess.pairs.reading import WordPair

END = (b"\n", b"\r\n")
NO_WORD = (b"#", *END)


@dataclass(frozen=True, slots=True)
class Target:
    """A word of a pair in a window: the word of the corpus, and its place among the others."""

    word: Word
    sentence: int  # of the window, from 0
    position: int  # among the words of the window, from 0


@dataclass(frozen=True, slots=True)
class WindowText:
    """The sentences of a window with the two words of a pair.

    `context` is None if a place is not known: the text of a sentence differs from its words.
    """

    sentences: tuple[Sentence, ...]
    targets: tuple[Target, Target]
    text: str
    context: MarkedContext | None

    @property
    def words(self) -> list[Word]:
        """The words of all sentences."""
        return [word for sentence in self.sentences for word in sentence.words]

    @property
    def distance(self) -> int:
        """Words from one target to the other: 1 for neighbours."""
        first, second = (target.position for target in self.targets)
        return abs(first - second)


def read_sentences(
    path: Path, offsets: Iterable[int], size: int, report: Report = ignore
) -> Iterator[list[Sentence]]:
    """Yield the sentences of windows, given ascending bytes where they begin.

    Sentences that windows share are read once, since going back in a compressed file means reading
    it again from its beginning. `report` is called with the number of bytes that are read of a
    compressed file. Raises OSError and CorpusError.
    """
    with open_corpus(path, report) as file:
        read: list[tuple[int, Sentence]] = []  # with the bytes where they begin
        for offset in offsets:
            read = [(begin, sentence) for begin, sentence in read if begin >= offset]
            if not read:
                file.seek(offset)
            while len(read) < size:
                read.append(_read_sentence(file, path))
            yield [sentence for _, sentence in read]


def read_comments(
    path: Path, offsets: Iterable[int], report: Report = ignore
) -> Iterator[dict[str, str]]:
    """Yield the comments before sentences, as `read_sentences` does."""
    for sentences in read_sentences(path, offsets, 1, report):
        yield sentences[0].comments


def make_window(sentences: Iterable[Sentence], pair: WordPair) -> WindowText:
    """Join sentences to a text and find a pair's two words, which occur once each."""
    sentences = tuple(sentences)
    lemmas = [normalise_lemma(word) for word in (pair.word1, pair.word2)]
    of_lemma: dict[str, Target] = {}
    spans: dict[str, Span | None] = {}
    text = ""
    n_words = 0
    for number, sentence in enumerate(sentences):
        for position, word in enumerate(sentence.words, n_words):
            lemma = normalise_lemma(word.lemma)
            if lemma in lemmas:
                of_lemma[lemma] = Target(word, number, position)
                spans[lemma] = word.span and Span(*(len(text) + edge for edge in word.span))
        n_words += len(sentence.words)
        is_last = number == len(sentences) - 1
        text += sentence.text + (" " if sentence.space_after and not is_last else "")
    first, second = (spans[lemma] for lemma in lemmas)
    is_placed = first is not None and second is not None and not _overlap(first, second)
    context = MarkedContext(text, first, second) if is_placed and first and second else None
    return WindowText(sentences, (of_lemma[lemmas[0]], of_lemma[lemmas[1]]), text, context)


def _read_sentence(file: BinaryIO, path: Path) -> tuple[int, Sentence]:
    """Return the next sentence, with the comments before it, and the byte where it begins."""
    begin = file.tell()
    lines: list[bytes] = []
    for line in iter(file.readline, b""):
        if line in END and not lines:
            begin = file.tell()
            continue
        lines.append(line)
        if line in END and not all(read_line.startswith(NO_WORD) for read_line in lines):
            break
    return begin, _parse(lines, path, begin)


def _parse(lines: list[bytes], path: Path, offset: int) -> Sentence:
    try:
        texts = [line.decode().rstrip("\r\n") for line in lines]
    except UnicodeDecodeError as error:
        line = number_of_line(path, offset)
        raise CorpusError(path, "the text is not UTF-8; save it as UTF-8", line=line) from error
    try:
        return parse_sentence(texts, path)
    except CorpusError as error:
        line = number_of_line(path, offset) + (error.line or 1) - 1
        raise CorpusError(path, error.what, line=line) from error


def _overlap(first: Span, second: Span) -> bool:
    return first.start < second.end and second.start < first.end
