"""A look at the beginning of a corpus before hours are spent on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from string import digits

from preprocess.corpora.conllu import Sentence, parse_sentence
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.opening import open_corpus
from preprocess.corpora.recognising import HEAD, refuse_other_formats
from preprocess.languages import looks_like

N_LINES = 20_000
FEWEST_WORDS = 5  # of a sentence whose language is guessed
MOST_FOREIGN = 0.5
NO_LEMMA = "_"


@dataclass(frozen=True, slots=True)
class Look:
    """The first sentences of a corpus.

    `n_documents`: how many lines `# newdoc` they have; `n_by_id`: number of documents by the
    sent_id without its last number. `has_spaces`: whether a lemma has a space.
    """

    n_sentences: int
    n_documents: int
    n_by_id: int
    has_spaces: bool

    def describe_documents(self, *, by_sent_id: bool) -> str:
        """Return a warning if nothing separates the documents, or an empty text."""
        if self.n_documents or (by_sent_id and self.n_by_id > 1):
            return ""
        what = (
            f"no `# newdoc` in the first {self.n_sentences:,} sentences, so the file counts as one "
            "document: windows can cross the borders of its texts"
        )
        if self.n_by_id <= 1:
            return f"{what}, and its sent_id do not show them"
        return f"{what}; its sent_id give {self.n_by_id:,} documents, if they name the texts"


def check_corpus(path: Path, language: str) -> Look:
    """Check the first lines of a file: CoNLL-U, with lemmas, in the language.

    Raises OSError, and CorpusError for what would make the whole search useless.
    """
    with open_corpus(path) as file:
        refuse_other_formats(file.read(HEAD), path)
        file.seek(0)
        lines = list(islice(file, N_LINES))
    if not lines:
        raise CorpusError(path, "the file is empty")
    blocks: list[tuple[int, list[str]]] = [(0, [])]
    for number, raw in enumerate(lines):
        try:
            line = raw.decode("utf-8-sig" if number == 0 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            what = "the text is not UTF-8; save it as UTF-8"
            raise CorpusError(path, what, line=number + 1) from error
        if line:
            blocks[-1][1].append(line)
        else:
            blocks.append((number + 1, []))
    if len(blocks) > 1 and len(lines) == N_LINES:
        blocks.pop()  # perhaps cut
    return _check_blocks(blocks, path, language)


def _check_blocks(blocks: list[tuple[int, list[str]]], path: Path, language: str) -> Look:
    sentences = []
    for first, block in blocks:
        try:
            sentences.append(parse_sentence(block, path))
        except CorpusError as error:
            raise CorpusError(path, error.what, line=first + (error.line or 0)) from error
    words = [word for sentence in sentences for word in sentence.words]
    if not words:
        raise CorpusError(path, "the file has no words")
    if all(word.lemma == NO_LEMMA for word in words):
        raise CorpusError(
            path,
            "the words have no lemmas (third column); add them with a tagger such as Stanza or "
            "UDPipe",
        )
    texts = [sentence.text for sentence in sentences if len(sentence.words) >= FEWEST_WORDS]
    n_foreign = sum(not looks_like(text, language) for text in texts)
    if texts and n_foreign > MOST_FOREIGN * len(texts):
        raise CorpusError(
            path,
            f"{n_foreign} of the first {len(texts)} sentences do not look like the language "
            f'"{language}"; check the file and the language',
        )
    return _look(sentences)


def _look(sentences: Sequence[Sentence]) -> Look:
    sentences = [sentence for sentence in sentences if sentence.words]
    names = [sentence.sent_id.rstrip(digits) for sentence in sentences]
    return Look(
        len(sentences),
        sum(any(key.startswith("newdoc") for key in sentence.comments) for sentence in sentences),
        1 + sum(name != other for name, other in pairwise(names)),
        any(" " in word.lemma for sentence in sentences for word in sentence.words),
    )
