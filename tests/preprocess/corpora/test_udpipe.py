"""Raw text analysed by a model of UDPipe, which is trained here on a few sentences."""

import re
from pathlib import Path

import pytest
from ufal.udpipe import InputFormat, ProcessingError, Sentence, Sentences, Trainer

from postprocess import extras
from postprocess.extras import ExtraMissing
from preprocess.__main__ import main
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.lemmatising import by_udpipe, lemmatise
from preprocess.corpora.raw import Document
from tests.machine import ROOT
from tests.preprocess.corpora.test_lemmatising import sentences_of

TEXT = "The bank of the river was cold. Nobody came.\nThe cup was empty."


def train(path: Path, tokenizer: str, tagger: str) -> Path:
    reader, error = InputFormat.newConlluInputFormat(), ProcessingError()
    reader.setText((ROOT / "demo/corpus_en.conllu").read_text(encoding="utf-8"))
    sentences, sentence = Sentences(), Sentence()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = Sentence()
    method = "morphodita_parsito"
    path.write_bytes(
        Trainer.train(method, sentences, Sentences(), tokenizer, tagger, "none", error)
    )
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("udpipe")
    return train(
        folder / "en.udpipe", "epochs=2;dimension=16;segment_size=10", "iterations=2;models=1"
    )


def test_a_model_gives_sentences_and_lemmas(model):
    lines = "".join(lemmatise(Document("d", TEXT), by_udpipe(model))).splitlines()

    sentences = sentences_of(lines)
    assert " ".join(one.text for one in sentences) == TEXT.replace("\n", " ")
    assert lines.count("# newpar") == 2
    assert lines[0] == "# newdoc id = d"
    assert f"# sent_id = d-{len(sentences)}" in lines
    lemmas = {word.form: word.lemma for one in sentences for word in one.words}
    assert {"bank": "bank", "was": "be"}.items() <= lemmas.items()
    assert all(one.space_after for one in sentences)


def test_the_command_takes_a_model(model, tmp_path, capsys):
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    command = ["corpus", "lemmatise", str(tmp_path / "a.txt"), "--language", "tlh", "--tagger"]
    out = ["--out", str(tmp_path / "made")]

    assert main([*command, f"udpipe:{tmp_path / 'none'}", *out]) == 2
    assert f"error: {tmp_path / 'none'}: No such file" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*command, "stanza:x", *out])
    assert "stanza:x is not a tagger; write udpipe:FILE" in capsys.readouterr().err
    assert not (tmp_path / "made").exists()
    assert main([*command, f"udpipe:{model}", *out]) == 0
    assert "\twas\tbe\t" in (tmp_path / "made" / "a.conllu").read_text(encoding="utf-8")


def test_files_that_are_no_model_with_both_parts_are_refused(tmp_path):
    (tmp_path / "text").write_text("text")
    no_tokenizer = train(tmp_path / "a", "none", "iterations=1;models=1")
    no_tagger = train(tmp_path / "b", "epochs=1;dimension=16;segment_size=10", "none")

    with pytest.raises(CorpusError, match="this is not a model of UDPipe"):
        by_udpipe(tmp_path / "text")
    with pytest.raises(CorpusError, match="the model has no tokenizer"):
        by_udpipe(no_tokenizer)
    with pytest.raises(CorpusError, match="the model has no tagger"):
        list(by_udpipe(no_tagger)("A text."))


@pytest.mark.parametrize("name", ["ufal.no_such_package", "no_such_package.udpipe"])
def test_the_missing_extra_is_named(monkeypatch, name):
    monkeypatch.setattr(extras, "UDPIPE", (name,))

    message = f"a model of UDPipe needs {name}; install what is missing with: "
    with pytest.raises(ExtraMissing, match=re.escape(f"{message}pip install 'cosima[udpipe]'")):
        by_udpipe(Path("en.udpipe"))
