"""Raw text → CoNLL-U: by default sentences and words by rules, lemmas from the lists of simplemma.

Then the words have no parts of speech (`X`, and PUNCT for punctuation). A tagger is more accurate:
simplemma finds 87 to 96 % of the lemmas of nouns, verbs and adjectives in the development sections
of four treebanks (Croatian .866, Finnish .893, Slovene .949, English .955).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from simplemma import is_known, lemmatize

from postprocess.errors import UserError
from postprocess.extras import require_udpipe
from postprocess.formats.tokens import find_words, sentence_ends
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.raw import DESCRIBED, Document
from preprocess.word_lists import has_word_list, listed_as

MARKS = re.compile(r"(\S)\1*")  # punctuation: a run of one sign is one token
EMPTY_LINE = re.compile(r"\n\s*\n")
TEXT = "# text = "
TAIL = ("_",) * 5


class UnknownLanguage(UserError):
    """simplemma has no list for a language."""


class Analysed(NamedTuple):
    """A sentence: its text, and the lines of its words in CoNLL-U, with line ends."""

    text: str
    words: Iterable[str]


Analyse = Callable[[str], Iterator[Analysed]]  # of a paragraph


def lemmatise(document: Document, analyse: Analyse, *, is_wrapped: bool = False) -> Iterator[str]:
    """Yield the lines of a document in CoNLL-U, with line ends.

    Each line of the text is a paragraph; if it is wrapped, an empty line ends one.
    """
    number = 0
    for paragraph in _paragraphs(document.text, is_wrapped=is_wrapped):
        if not number:
            yield f"# newdoc id = {document.identifier}\n"
            source = document.source
            yield from (f"# {key} = {source[key]}\n" for key in DESCRIBED if key in source)
        yield "# newpar\n"
        for sentence in analyse(paragraph):
            number += 1
            yield f"# sent_id = {document.identifier}-{number}\n# text = {sentence.text}\n"
            yield from sentence.words
            yield "\n"


def by_word_lists(language: str) -> Analyse:
    """Return the analysis of paragraphs by rules and simplemma. Raises UnknownLanguage."""
    if not has_word_list(language):
        raise UnknownLanguage(
            f'simplemma has no lemmas for the language "{language}"; give a model with --tagger, '
            "or use a tagger that writes CoNLL-U, such as Stanza"
        )
    listed = listed_as(language)
    return lambda paragraph: (
        Analysed(sentence, _word_lines(sentence, listed)) for sentence in _sentences(paragraph)
    )


def by_udpipe(path: Path) -> Analyse:
    """Return the analysis of paragraphs by a model. Raises OSError, CorpusError, ExtraMissing."""
    require_udpipe()
    from ufal.udpipe import Model, OutputFormat, ProcessingError, Sentence

    with path.open("rb"):  # says why a file cannot be read
        model = Model.load(str(path))
    if model is None:
        raise CorpusError(path, "this is not a model of UDPipe 1; its file ends with .udpipe")
    tokenizer = model.newTokenizer(Model.DEFAULT)
    if tokenizer is None:
        raise CorpusError(path, "the model has no tokenizer; choose one that has")
    writer = OutputFormat.newOutputFormat("conllu")

    def analyse(paragraph: str) -> Iterator[Analysed]:
        tokenizer.setText(f"{paragraph}\n")  # so that a space follows its last word
        error = ProcessingError()
        sentence = Sentence()
        while tokenizer.nextSentence(sentence, error):
            if not model.tag(sentence, Model.DEFAULT):
                raise CorpusError(path, "the model has no tagger; choose one that has")
            yield _read_block(writer.writeSentence(sentence))
            sentence = Sentence()

    return analyse


def _paragraphs(text: str, *, is_wrapped: bool) -> Iterator[str]:
    pieces = EMPTY_LINE.split(text) if is_wrapped else text.splitlines()
    for piece in pieces:
        if paragraph := " ".join(piece.split()):
            yield paragraph


def _sentences(paragraph: str) -> Iterator[str]:
    ends = sentence_ends(paragraph)
    for start, end in zip([0, *ends], [*ends, len(paragraph)], strict=True):
        if sentence := paragraph[start:end].strip():
            yield sentence


def _word_lines(sentence: str, listed: str) -> Iterator[str]:
    for number, (start, end, is_word) in enumerate(_tokens(sentence), 1):
        form = sentence[start:end]
        lemma, upos = (_find_lemma(form, listed), "X") if is_word else (form, "PUNCT")
        is_apart = end == len(sentence) or sentence[end].isspace()
        columns = (str(number), form, lemma, upos, *TAIL, "_" if is_apart else "SpaceAfter=No")
        yield "\t".join(columns) + "\n"


def _tokens(sentence: str) -> Iterator[tuple[int, int, bool]]:
    """Yield beginning and end of words and of the signs between them, and whether it is a word."""
    place = 0
    for start, end in [*find_words(sentence), (len(sentence), len(sentence))]:
        for sign in MARKS.finditer(sentence, place, start):
            yield *sign.span(), False
        if end > start:
            yield start, end, True
        place = end


def _find_lemma(form: str, listed: str) -> str:
    """Return the form's lemma, in lower case if the language has that form.

    Lemmas are compared without regard to case, and most words with a capital letter begin a
    sentence.
    """
    small = form.lower()
    return lemmatize(small if is_known(small, lang=listed) else form, lang=listed)


def _read_block(block: Any) -> Analysed:
    """Return the text of a sentence and the lines of its words, given in CoNLL-U."""
    lines = str(block).splitlines(keepends=True)
    text = next(line for line in lines if line.startswith(TEXT))
    words = [line for line in lines if line[:1].isdigit()]
    return Analysed(text.removeprefix(TEXT).rstrip("\n"), words)
