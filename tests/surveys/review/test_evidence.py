from decimal import Decimal

import pytest

from surveys.review.evidence import (
    UNREAD,
    Answered,
    Piece,
    find_evidence,
    sum_up,
    tell,
    weigh,
    words_per_minute,
)

TEXT = "The cats slept. It rained a lot. A dog barked."


def answered(response=1, words=("sea", "salt"), **changed):
    return Answered(
        **{
            "response": response, "assignment": 1, "context": response, "words": words,
            "text": TEXT, "targets": ("cats", "cat", "dog", "dog"), "rating": Decimal(response % 7),
            "seconds": 40.0, "pasted": (False, False), **changed,
        }
    )  # fmt: skip


def codes(answer, *others, doubted=frozenset()):
    return [piece[:3] for piece in find_evidence([answer, *others], doubted)[answer.response]]


def test_find_evidence_finds_nothing_about_a_careful_answer():
    assert codes(answered()) == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("Rained", "salt"), [("copied", 1, 0)]),
        (("sea", "CATS"), [("target", 2, 0)]),
        (("cat", "salt"), [("target", 1, 0)]),
        (("dog", "cat"), [("targets", 0, 0)]),
        (("cat", "cats"), [("target", 1, 0), ("target", 2, 0)]),
        (("rain", "salt"), []),
    ],
)
def test_find_evidence_finds_words_of_the_text(words, found):
    assert codes(answered(words=words)) == found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("sea\u200b", "salt"), [("invisible", 1, 1)]),
        (("sea", "s\u202ea\u00adlt"), [("invisible", 2, 2)]),
        (("rai\u200bned", "salt"), [("copied", 1, 0), ("invisible", 1, 1)]),
        (("c\u2060ats", "salt"), [("target", 1, 0), ("invisible", 1, 1)]),
        (("می\u200cخواهم", "क\u094d\u200dष"), []),
    ],
)
def test_find_evidence_finds_invisible_characters(words, found):
    assert codes(answered(words=words)) == found


def test_direction_overrides_do_not_reverse_a_sentence():
    sentence = tell(Piece("invisible", 1, 1), ("\u202esea", "salt"))

    assert sentence == "“sea” contains an invisible character."


def test_find_evidence_finds_unknown_words():
    assert codes(answered(words=("xqzt", "salt")), doubted={"xqzt"}) == [("unknown", 1, 0)]


def test_find_evidence_finds_repeated_words():
    again = [answered(2, ("Sea", "sand")), answered(3, ("sea", "wind"))]

    assert codes(answered(), *again) == [("repeated", 1, 2)]
    assert codes(answered(), answered(2, ("sea", "sand"), assignment=2)) == []


def test_find_evidence_finds_words_shared_with_others():
    others = [answered(n, ("Salt", "sea"), context=1, assignment=n) for n in (2, 3)]

    assert codes(answered(), *others) == [("shared", 0, 2)]


@pytest.mark.parametrize(("seconds", "found"), [(1.0, [("hasty", 0, 600)]), (2.0, []), (None, [])])
def test_find_evidence_finds_haste(seconds, found):
    assert codes(answered(seconds=seconds)) == found


def test_find_evidence_finds_pasted_words():
    assert codes(answered(pasted=(False, True))) == [("pasted", 2, 0)]


def test_find_evidence_finds_constant_ratings_of_enough_texts():
    equal = [answered(n, (f"a{n}", f"b{n}"), rating=Decimal(3), context=n) for n in range(1, 6)]

    assert codes(*equal) == [("constant", 0, 5)]
    assert codes(*equal[:4]) == []


def test_sum_up_combines_the_evidence_of_an_assignment():
    constant = Piece("constant", 0, 5)
    evidence = [[constant], [constant, Piece("copied", 1), Piece("hasty", 0, 700)], [constant]]

    pieces, risk = sum_up(evidence)

    assert pieces == [constant, Piece("flagged", 0, 1)]
    assert risk == 4 + 2 + 3
    assert sum_up([[], []]) == ([], 0)


def test_tell_quotes_the_words():
    assert tell(Piece("copied", 2), ("sea", "salt")) == "“salt” is copied from the text."
    assert tell(Piece("shared", 0, 1)).startswith("Another annotator")
    assert tell(Piece("shared", 0, 2)).startswith("2 other annotators")


@pytest.mark.parametrize(
    ("pace", "said"),
    [
        (1200, "Read and answered at 1,200 words per minute; most people read about 240."),
        (1999, "Read and answered at 1,999 words per minute; most people read about 240."),
        (2000, UNREAD),
        (9999, UNREAD),  # of evidence that was stored before
    ],
)
def test_tell_compares_the_pace_with_that_of_most_people(pace, said):
    assert tell(Piece("hasty", 0, pace)) == said


def test_a_pace_at_which_nothing_is_read_is_not_counted():
    assert words_per_minute("one two three " * 20, 0.2) == 2000


def test_evidence_contains_no_word():
    found = find_evidence([answered(words=("rained", "cat"))], {"salt"})

    assert "rained" not in repr(found)


def test_weigh_adds_up():
    assert weigh([]) == 0
    assert weigh([Piece("copied", 1), Piece("copied", 2)]) == 4
