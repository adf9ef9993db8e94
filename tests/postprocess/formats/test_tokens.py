import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.formats.marks import MarkedContext, Span, read_context
from postprocess.formats.tokens import Positions, locate_targets, tokenise


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" – … ! ", []),
        ("Don't e-mail l’eau", ["Don't", "e-mail", "l’eau"]),
        ("x- -y 'quoted' end.", ["x", "y", "quoted", "end"]),
        ("3.14 1,5 a,b 10:30", ["3.14", "1,5", "a", "b", "10:30"]),
        ("EU:n n. št. 19. stoletje", ["EU:n", "n", "št", "19", "stoletje"]),
        ("Äiti—isä (šest)", ["Äiti", "isä", "šest"]),
        ("می\u200cروم خانه، ٣٫٥", ["می\u200cروم", "خانه", "٣٫٥"]),
        ("कमल है।", ["कमल", "है"]),
        ("冰和水、abc水", ["冰", "和", "水", "abc", "水"]),
        ("ひらカタカナ", ["ひ", "ら", "カタカナ"]),
        ("か\u3099水", ["か\u3099", "水"]),
        ("한국어 단어", ["한국어", "단어"]),
        ("ภาษาไทย", ["ภาษาไทย"]),
        ("🙂 = 1€", ["1"]),
    ],
)
def test_tokenise_finds_the_words(text, words):
    assert tokenise(text) == words


@settings(deadline=None)
@given(st.text())
def test_tokenise_keeps_every_letter_in_order(text):
    def letters(some):
        return [c for c in some if unicodedata.category(c)[0] in "LN"]

    assert letters("".join(tokenise(text))) == letters(text)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["šest", "Haus", "l’eau", "e-mail", "3.14", "дом"])))
def test_tokenise_counts_words_between_spaces(words):
    assert tokenise(" ".join(words)) == words


def positions(marked, form1, form2):
    context, _ = read_context(marked, {"word1_context1": form1, "word2_context1": form2})
    return locate_targets(context)


def test_locate_targets_by_hand():
    # He drank . Ice is cold water: words 0 … 5, targets 2 and 5, (2 + 5)/2/5 = 0.7
    marked = "He drank. <strong>Ice</strong> is cold <strong>water</strong>."

    assert positions(marked, "water", "Ice") == Positions(6, 3, False, 0.7, 2, 2)
    assert positions(marked, "Ice", "water") == Positions(6, 3, True, 0.7, 2, 2)


def test_locate_targets_side_by_side():
    found = positions("<strong>ice</strong>-<strong>water</strong>", "ice", "water")

    assert found == Positions(2, 1, True, 0.5, 1, 1)


def test_locate_targets_in_different_sentences():
    marked = "V 19. st. je bil <strong>led</strong>. Nato? <strong>Voda</strong>! Konec."

    found = positions(marked, "Voda", "led")

    assert (found.sentence1, found.sentence2, found.word1_first) == (3, 1, False)


def test_locate_targets_counts_a_target_of_several_words_once():
    found = locate_targets(MarkedContext("the ice cube in water", Span(4, 12), Span(16, 21)))

    assert (found.n_tokens, found.distance) == (4, 2)


def test_locate_targets_without_spaces():
    found = positions("我把<strong>冰</strong>放在<strong>水</strong>里。", "冰", "水")

    assert (found.n_tokens, found.distance) == (7, 3)
