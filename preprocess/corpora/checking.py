"""A look at the beginning of a corpus before hours are spent on it."""

from itertools import islice
from pathlib import Path

from preprocess.corpora.conllu import parse_sentence
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.opening import open_corpus
from preprocess.languages import looks_like

N_LINES = 20_000
FEWEST_WORDS = 5  # of a sentence whose language is guessed
MOST_FOREIGN = 0.5
NO_LEMMA = "_"


def check_corpus(path: Path, language: str) -> None:
    """Check the first lines of a file: CoNLL-U, with lemmas, in the language.

    Raises OSError, and CorpusError for what would make the whole search useless.
    """
    with open_corpus(path) as file:
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
    _check_blocks(blocks, path, language)


def _check_blocks(blocks: list[tuple[int, list[str]]], path: Path, language: str) -> None:
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
    texts = [one.text for one in sentences if len(one.words) >= FEWEST_WORDS]
    n_foreign = sum(not looks_like(text, language) for text in texts)
    if texts and n_foreign > MOST_FOREIGN * len(texts):
        raise CorpusError(
            path,
            f"{n_foreign} of the first {len(texts)} sentences do not look like the language "
            f'"{language}"; check the file and the language',
        )
