"""Raw text as CoNLL-U: sentences, words, lemmas, sources."""

import json
import lzma
import re
from pathlib import Path

import conllu
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preprocess.__main__ import main
from preprocess.corpora.conllu import parse_sentence
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.lemmatising import UnknownLanguage, by_word_lists, lemmatise
from preprocess.corpora.raw import Document, read_documents


def lines_of(text: str, language: str = "hr", **options) -> list[str]:
    return "".join(lemmatise(Document("d", text), by_word_lists(language), **options)).splitlines()


def sentences_of(lines: list[str]):
    blocks = "\n".join(lines).strip().split("\n\n")
    return [parse_sentence(block.splitlines(), Path("d.conllu")) for block in blocks]


def test_text_becomes_sentences_with_lemmas():
    lines = lines_of('Gospodin je otišao u šumu. "Gdje je drvo?"\nKuće… su velike!')

    sentences = sentences_of(lines)

    assert [one.text for one in sentences] == [
        "Gospodin je otišao u šumu.", '"Gdje je drvo?"', "Kuće… su velike!",
    ]  # fmt: skip
    words = {word.form: word.lemma for one in sentences for word in one.words}
    assert {"otišao": "otići", "šumu": "šuma", "Kuće": "kuća", "!": "!"}.items() <= words.items()
    assert lines.count("# newpar") == 2
    assert lines[0] == "# newdoc id = d"


def test_lines_of_wrapped_text_are_joined():
    (sentence,) = sentences_of(lines_of("Šuma je\nvelika.", is_wrapped=True))

    assert sentence.text == "Šuma je velika."


def test_a_document_without_text_leaves_nothing():
    assert lines_of(" \n\n ") == []


@given(st.text(alphabet="aŠ.,!?\"' -…1(\n", max_size=80))
def test_every_text_can_be_read_again(text):
    lines = lines_of(text)
    if not lines:
        assert not text.strip()
        return

    sentences = sentences_of(lines)

    wanted = re.sub(r"\s", "", text)
    assert re.sub(r"\s", "", "".join(one.text for one in sentences)) == wanted
    for one, other in zip(sentences, conllu.parse("\n".join(lines) + "\n\n"), strict=True):
        assert all(one.text[slice(*word.span)] == word.form for word in one.words)
        assert [token["form"] for token in other] == [word.form for word in one.words]


def test_an_unknown_language_is_refused():
    with pytest.raises(UnknownLanguage, match='no lemmas for the language "tlh"'):
        lines_of("Text.", "tlh")


def test_lines_of_json_keep_their_source(tmp_path):
    path = tmp_path / "wiki.jsonl"
    rows = [
        {
            "id": 12,
            "title": "Šuma\nx",
            "url": "https://a",
            "revid": 7,
            "license": "CC0",
            "text": "A.",
        },
        {"text": "B."},
    ]
    path.write_text("\n\n".join(json.dumps(row) for row in rows), encoding="utf-8")

    first, second = read_documents(path)

    assert (first.identifier, first.text) == ("12", "A.")
    assert first.source == {
        "title": "Šuma x", "url": "https://a", "revision": "7", "licence": "CC0",
    }  # fmt: skip
    assert (second.identifier, second.source) == ("3", {})
    assert "# licence = CC0\n" in "".join(lemmatise(first, by_word_lists("hr")))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"text": "A."}\n{', "line 2: this line is not JSON"),
        (b'{"txt": "A."}', 'line 1: this line has no "text"'),
        (b"[1]", 'line 1: this line has no "text"'),
        (b'{"text": "\xe8"}', "line 1: the text is not UTF-8"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path, content, message):
    path = tmp_path / "wiki.jsonl"
    path.write_bytes(content)

    with pytest.raises(CorpusError, match=message):
        list(read_documents(path))


def test_the_command_writes_a_corpus_for_each_file(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("Šuma je velika.\n", encoding="utf-8")
    (tmp_path / "b.txt.xz").write_bytes(lzma.compress("Kuća je mala.\n".encode()))
    files = [str(tmp_path / name) for name in ("a.txt", "b.txt.xz")]
    command = ["corpus", "lemmatise", *files, "--language", "hr", "--out", str(tmp_path / "made")]

    assert main(command) == 0
    assert "# newdoc id = b\n" in (tmp_path / "made/b.conllu").read_text(encoding="utf-8")
    kept = (tmp_path / "made/a.conllu").stat().st_mtime_ns
    assert main(command) == 0  # continues: finished files are kept
    assert (tmp_path / "made/a.conllu").stat().st_mtime_ns == kept

    capsys.readouterr()
    assert main([*command[:2], files[0], files[0], *command[4:]]) == 2
    assert "two files would get this name" in capsys.readouterr().err
    assert main([*command[:2], files[0], "--language", "tlh", "--out", str(tmp_path / "x")]) == 2
    assert 'no lemmas for the language "tlh"' in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
