"""Sentences with lemmas and parts of speech by a model of UDPipe that the user has on disk."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from postprocess.extras import require_udpipe
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.lemmatising import Analyse, Analysed

TEXT = "# text = "


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
            yield _read(writer.writeSentence(sentence))
            sentence = Sentence()

    return analyse


def _read(block: Any) -> Analysed:
    """Return the text of a sentence and the lines of its words, given in CoNLL-U."""
    lines = str(block).splitlines(keepends=True)
    text = next(line for line in lines if line.startswith(TEXT))
    words = [line for line in lines if line[:1].isdigit()]
    return Analysed(text.removeprefix(TEXT).rstrip("\n"), words)
