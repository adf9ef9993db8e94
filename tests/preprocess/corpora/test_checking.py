"""A corpus that cannot be searched is refused before hours are spent on it."""

import pytest

from preprocess.corpora.checking import check_corpus
from preprocess.corpora.errors import CorpusError
from tests.preprocess.corpus import sentence, word_line, write

ENGLISH = [sentence(f"The old man said that it was raining on day {n}.") for n in range(30)]


def test_a_corpus_of_the_language_is_accepted(tmp_path):
    check_corpus(write(tmp_path / "c.conllu", ENGLISH), "en")


def test_a_language_that_no_classifier_knows_is_accepted(tmp_path):
    check_corpus(write(tmp_path / "c.conllu", ENGLISH), "tlh")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "the file is empty"),
        (["# only a comment\n\n"], "the file has no words"),
        (["Ice is water.\n"], "line 1: this line is not CoNLL-U"),
        ([*ENGLISH, "1\tIce\n"], "line 421: this line has 2 columns"),
        ([word_line(1, "Ice", "_"), "\n\n"], "the words have no lemmas"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, content, message):
    path = write(tmp_path / "c.conllu", content)

    with pytest.raises(CorpusError, match=message):
        check_corpus(path, "en")


def test_another_language_is_named(tmp_path):
    path = write(tmp_path / "c.conllu", ENGLISH)

    with pytest.raises(CorpusError, match=r'30 of the first 30 sentences .* language "fi"'):
        check_corpus(path, "fi")


def test_text_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "c.conllu"
    path.write_bytes("".join(ENGLISH).encode() + b"# \xe8\n")

    with pytest.raises(CorpusError, match="line 421: the text is not UTF-8"):
        check_corpus(path, "en")
