"""Each filter refuses what it is for, and nothing else."""

from pathlib import Path

import pytest

from preprocess.corpora.conllu import parse_sentence
from preprocess.pairs.reading import WordPair
from preprocess.windows.filters import (
    FilterError,
    change_filter,
    default_filters,
    judge,
)
from preprocess.windows.reading import make_window
from tests.preprocess.corpus import sentence

PLAIN = (
    "The children walked slowly over the frozen lake.",
    "Below them the thick ice was making quiet and strange sounds.",
    "Later the warm sun came out and everybody went home again.",
)


def window_of(*texts: str, lemmas=None, names=()):
    blocks = [sentence(text, lemmas, names=names).strip().splitlines() for text in texts]
    return make_window(
        [parse_sentence(block, Path("c.conllu")) for block in blocks], WordPair("ice", "sun")
    )


def with_middle(text: str) -> tuple[str, str, str]:
    return PLAIN[0], text, PLAIN[2]


def test_a_plain_text_passes_without_warnings():
    assert judge(window_of(*PLAIN), default_filters("en")) == ("", ())


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("words", ("The old ice melts.", "The warm sun shines.", "All is well here.")),
        ("sentence", with_middle("The ice.")),
        ("punctuation", with_middle("Below - - - - - - - - - - - - - - - - the ice sounds so.")),
        ("digits", with_middle("Below 1234567 12345678 1234567 12345678 the ice sounds .")),
        ("capitals", with_middle("Below The Thick Ice Was Making Quiet And Strange And Soft Or.")),
        ("upper", with_middle("Below them ICE WAS MAKING QUIET AND STRANGE sounds.")),
        ("brackets", with_middle("Below ( them ) ( the ) ( thick ) ( ice ) was making sounds.")),
        ("balance", with_middle("Below them ( the thick ice was making quiet sounds.")),
        ("separators", with_middle("Below : them ; the | thick • ice * was : making ; sounds.")),
        ("distinct", with_middle("The ice " + "the over " * 18 + "made sounds.")),
        ("address", with_middle("Below them the thick ice of https://example.org made sounds.")),
        ("markup", with_middle("Below them [[the thick]] ice was making strange sounds.")),
        ("form", with_middle("Below them the Ice was making sounds on ice again.")),
    ],
)
def test_a_filter_refuses_what_it_is_for(code, texts):
    window = window_of(*texts, lemmas={"Ice": "iced"} if code == "form" else {"ICE": "ice"})
    filters = default_filters("en")

    assert not filters[code].accepts(window)
    assert filters[code].accepts(window_of(*PLAIN))
    off = {name: one for name, one in filters.items() if name == code}
    assert judge(window, off) == (code, ())
    assert judge(window, change_filter(off, f"{code}=warn")) == ("", (code,))
    assert judge(window, change_filter(off, f"{code}=off")) == ("", ())


def test_a_target_that_is_a_name_is_refused():
    assert judge(window_of(*PLAIN, names=("sun",)), default_filters("en"))[0] == "name"


def test_another_language_is_refused():
    assert judge(window_of(*PLAIN), default_filters("fi"))[0] == "language"


def test_a_text_without_a_mark_at_its_end_is_accepted_with_a_warning():
    blocks = [sentence(text).strip().splitlines() for text in PLAIN]
    blocks[2] = [line for line in blocks[2] if not line.startswith("# text")][:-1]
    sentences = [parse_sentence(block, Path("c.conllu")) for block in blocks]

    window = make_window(sentences, WordPair("ice", "sun"))

    assert window.text.endswith("home again")
    assert judge(window, default_filters("en")) == ("", ("end",))


def test_marks_of_targets_in_a_text_are_refused_whatever_the_filters_say():
    texts = with_middle("Below <strong> them </strong> the thick ice was making sounds.")

    assert judge(window_of(*texts), {}) == ("mark", ())


def test_limits_can_be_changed():
    window = window_of(*PLAIN)

    assert judge(window, change_filter(default_filters("en"), "words=..10"))[0] == "words"
    assert judge(window, change_filter(default_filters("en"), "words=10..60"))[0] == ""


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("word=off", 'filter "word" does not exist; choose from words, sentence'),
        ("words", '"" is not a setting of the filter words; write off'),
        ("words=ten..20", '"ten..20" is not a setting of the filter words'),
        ("words=20", '"20" is not a setting of the filter words'),
    ],
)
def test_a_setting_that_cannot_be_understood_is_named(setting, message):
    with pytest.raises(FilterError, match=message):
        change_filter(default_filters("en"), setting)
