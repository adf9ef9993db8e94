"""Sentences in full: texts, and the places of words in them."""

import re
from pathlib import Path

import conllu
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preprocess.corpora.conllu import parse_sentence
from preprocess.corpora.errors import CorpusError
from tests.machine import ROOT
from tests.preprocess.corpus import word_line

CORPORA = ROOT.parent / "shared/corpora"
PATH = Path("c.conllu")


def spelt(sentence):
    return [word.span and sentence.text[slice(*word.span)] for word in sentence.words]


def test_words_of_a_token_that_spell_it_have_their_parts():
    lines = [
        "# text = The girl's hat",
        word_line(1, "The", "the"),
        word_line("2-3", "girl's", "_"),
        word_line(2, "girl", "girl"),
        word_line(3, "'s", "'s"),
        word_line("3.1", "nothing", "nothing"),
        word_line(4, "hat", "hat"),
    ]

    assert spelt(parse_sentence(lines, PATH)) == ["The", "girl", "'s", "hat"]


def test_words_of_a_token_that_do_not_spell_it_have_all_of_it():
    lines = [
        "# text = Zum Haus",
        word_line("1-2", "Zum", "_"),
        word_line(1, "zu", "zu"),
        word_line(2, "dem", "der"),
        word_line(3, "Haus", "Haus"),
    ]

    assert spelt(parse_sentence(lines, PATH)) == ["Zum", "Zum", "Haus"]


def test_without_a_text_it_is_put_together():
    lines = [
        word_line(1, "Ice", "ice", misc="SpaceAfter=No"),
        word_line(2, ",", ",", "PUNCT"),
        word_line(3, "sun", "sun", misc="Gloss=x|SpaceAfter=No"),
    ]

    sentence = parse_sentence(lines, PATH)

    assert (sentence.text, sentence.space_after) == ("Ice, sun", False)
    assert spelt(sentence) == ["Ice", ",", "sun"]


def test_words_after_one_that_the_text_lacks_have_no_place():
    lines = [
        "# text = The ice melts",
        *(word_line(n, w, w) for n, w in enumerate(("The", "snow", "melts"), 1)),
    ]

    assert [word.span is None for word in parse_sentence(lines, PATH).words] == [False, True, True]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1\tIce\tice", "line 2: this line has 3 columns separated by tabs, and CoNLL-U has 10"),
        ("1\tIce\tice", "look for a tab that is missing or too many"),
        ("Ice melts.", "line 2: this line is not CoNLL-U (a comment, or ten columns"),
        (word_line("x", "Ice", "ice"), 'line 2: "x", in the first column, is not the id of a word'),
    ],
)
def test_a_line_that_is_wrong_is_named(line, message):
    with pytest.raises(CorpusError, match=re.escape(message)):
        parse_sentence(["# a comment", line], PATH)


@pytest.mark.skipif(not CORPORA.exists(), reason="not in a clone: ../shared/corpora")
@pytest.mark.parametrize("language", ["en", "hr", "sl", "fi"])
def test_real_sentences_are_read_as_conllu_reads_them(language):
    (path,) = CORPORA.glob(f"{language}_*.conllu")
    blocks = path.read_text(encoding="utf-8").strip().split("\n\n")[:400]
    n_lost = 0
    for block, wanted in zip(blocks, conllu.parse("\n\n".join(blocks) + "\n\n"), strict=True):
        found = parse_sentence(block.splitlines(), path)
        words = [token for token in wanted if isinstance(token["id"], int)]
        assert found.text == wanted.metadata["text"]
        assert [(w.form, w.lemma, w.upos) for w in found.words] == [
            (token["form"], token["lemma"], token["upos"]) for token in words
        ]
        n_lost += None in spelt(found)
    assert n_lost == 0


@given(st.lists(st.tuples(st.text("aäčж", min_size=1, max_size=4), st.booleans()), min_size=1))
def test_every_form_stands_at_its_place(drawn):
    lines = [
        word_line(n, form, form, misc="_" if space else "SpaceAfter=No")
        for n, (form, space) in enumerate(drawn, 1)
    ]

    sentence = parse_sentence(lines, PATH)

    assert spelt(sentence) == [form for form, _ in drawn]
