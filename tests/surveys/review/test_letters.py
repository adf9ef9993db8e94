import random

import pytest

from surveys.review.letters import has_odd_letters, keep_letters
from surveys.review.spelling import find_doubted
from tests.machine import SHARED

TREEBANKS = {"en": "en_ewt", "hr": "hr_set", "sl": "sl_ssj", "fi": "fi_tdt"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def list_real(language):
    """Return the distinct nouns, verbs, adjectives and adverbs of a treebank."""
    path = SHARED / "corpora" / f"{TREEBANKS[language]}-ud-dev.conllu"
    if not path.is_file():
        pytest.skip("the treebanks are not on this machine")
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return {
        row[1]
        for row in rows
        if len(row) == 10
        and row[3] in ("NOUN", "VERB", "ADJ", "ADV")
        and "Typo=Yes" not in row[5]
        and "Foreign=Yes" not in row[5]
        and row[1].replace("-", "").isalpha()
        and len(row[1]) > 1
    }


@pytest.fixture(autouse=True)
def without_dictionaries(monkeypatch):
    monkeypatch.setenv("PATH", "")


@pytest.mark.parametrize("language", TREEBANKS)
def test_few_real_words_are_doubted(language):
    real = list_real(language)

    assert len(find_doubted(real, language)) < 0.01 * len(real)


@pytest.mark.parametrize("language", TREEBANKS)
def test_most_junk_is_doubted(language):
    rng = random.Random(1)
    drawn = {"".join(rng.choices(LETTERS, k=rng.randint(4, 8))) for _ in range(300)}
    mashed = {"".join(rng.choices("asdfghjkl", k=rng.randint(4, 8))) for _ in range(300)}

    for junk in (drawn, mashed):
        assert len(find_doubted(junk, language)) > 0.85 * len(junk)
    typed = {"asdf", "qwer", "x", "y", "a😀", "b", "asdf-qwer", "xq", "qwrtz"}
    assert find_doubted(typed, language) == typed


def test_joined_words_are_judged_by_their_parts():
    assert find_doubted(["ice-cream", "rock’n’roll", "mother-in-law", "don't"], "en") == set()
    assert find_doubted(["sa\u200bme", "wa\u00adter"], "en") == set()


def test_words_that_only_dictionaries_lack_are_not_doubted():
    assert find_doubted(["tweeters", "blogosphere"], "en") == set()
    assert find_doubted(["tvitaš", "influencerica"], "hr") == set()


def test_no_letters_are_odd_in_a_language_without_a_list():
    assert find_doubted(["xqzt"], "tlh") == find_doubted(["x"], "ja") == set()


def test_a_word_without_letters_has_no_odd_ones():
    assert keep_letters("1😀") == ""
    assert not has_odd_letters("1😀", "en")
