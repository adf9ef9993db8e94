from decimal import Decimal

import pytest

from surveys.review.evidence import (
    UNREAD,
    Answered,
    Piece,
    about_ratings,
    describe,
    find_evidence,
    sum_up,
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
        (("می\u200cخواهم", "क\u094d\u200dष"), [("script", 1, 0), ("script", 2, 0)]),
    ],
)
def test_find_evidence_finds_invisible_characters(words, found):
    assert codes(answered(words=words)) == found


def test_direction_overrides_do_not_reverse_a_sentence():
    sentence = describe(Piece("invisible", 1, 1), ("\u202esea", "salt"))

    assert sentence == "“sea” contains an invisible character."


def test_find_evidence_finds_unlikely_letters():
    assert codes(answered(words=("xqzt", "salt")), doubted={"xqzt"}) == [("letters", 1, 0)]


@pytest.mark.parametrize(
    ("language", "text", "targets", "words", "found"),
    [
        ("en", TEXT, ("cats", "cat", "dog", "dog"), ("dogs", "rain"), ["target", "form"]),
        ("hr", "Vidio je velike kuće.", ("psa", "pas"), ("kućama", "psima"), ["target", "form"]),
        ("sl", "Velika hiša stoji.", ("psa", "pes"), ("hiše", "psom"), ["target", "form"]),
        ("fi", "Talossa oli kissa.", ("koiran", "koira"), ("talon", "koirat"), ["target", "form"]),
        ("tlh", TEXT, ("cats", "cat", "dog", "dog"), ("dogs", "rain"), []),
        ("en", TEXT, ("cats", "cat", "dog", "dog"), ("Dogs", "cats"), ["targets"]),
    ],
)
def test_find_evidence_finds_other_forms_of_words(language, text, targets, words, found):
    targets = targets if len(targets) == 4 else (*targets, "–", "–")
    answer = answered(words=words, text=text, targets=targets)

    pieces = find_evidence([answer], frozenset(), language)[1]

    assert [piece.code for piece in pieces] == found


def test_another_form_is_told_with_the_word_of_the_text():
    (piece,) = find_evidence([answered(words=("rain", "salt"))], frozenset(), "en")[1]

    assert describe(piece, ("rain", "salt"), TEXT) == "“rain” is a form of “rained” in the text."


def test_find_evidence_finds_words_of_another_script():
    russian = answered(2, ("музыка", "windы"), context=2)
    quoting = answered(2, ("wind", "sand"), text="“Он” is a word.")
    serbian = answered(text="Пас је лајао.", words=("more", "sol"))

    assert codes(answered(words=("музыка", "42")), doubted={"музыка"}) == [("script", 1, 0)]
    assert codes(answered(words=("музыка", "salt")), quoting) == []
    assert codes(russian, answered()) == [("script", 1, 0)]
    in_russian = find_evidence([serbian], frozenset(), "ru")[1]
    assert [piece.code for piece in in_russian] == ["script", "script"]
    assert find_evidence([serbian], frozenset(), "sr")[1] == []


def test_find_evidence_finds_the_same_words_as_the_same_person_in_three_texts():
    def write(assignment, same, n=20):
        return [
            answered(
                100 * assignment + text,
                (f"a{text}", f"b{text if text < same else -100 * assignment - text}"),
                assignment=assignment,
                context=text,
                rating=Decimal((text * text * 3 + assignment * text) % 7),
            )
            for text in range(n)
        ]

    def twins(*answers):
        found = find_evidence([answer for some in answers for answer in some], frozenset())
        return {piece for pieces in found.values() for piece in pieces if piece.code == "twin"}

    assert twins(write(1, 3), write(2, 3)) == {Piece("twin", 0, 3)}
    assert twins(write(1, 2), write(2, 2)) == set()
    assert twins(write(1, 5, 40), write(2, 5, 40)) == set()  # 15 % of 40 are 6
    assert twins(write(1, 6, 40), write(2, 6, 40), write(3, 4, 40)) == {Piece("twin", 0, 6)}


@pytest.mark.parametrize(
    ("n_fast", "n_ratings", "found"), [(5, 20, True), (4, 12, False), (5, 21, False), (6, 21, True)]
)
def test_about_ratings_finds_ratings_within_a_second(n_fast, n_ratings, found):
    ratings = [Decimal(place * place % 11 % 7) for place in range(n_ratings)]
    seconds = [0.9] * n_fast + [1.0] * (n_ratings - n_fast - 1) + [None]

    pieces = about_ratings(list(zip(ratings, seconds, strict=True)))

    assert (Piece("instant", 0, n_fast) in pieces) == found


def test_find_evidence_finds_a_pattern_in_the_order_of_the_texts():
    places = [(7 * number) % 20 + 1 for number in range(20)]
    answers = [
        answered(n, (f"a{n}", f"b{n}"), context=n, rating=Decimal(6 * (place % 2)), position=place)
        for n, place in enumerate(places, 1)
    ]
    checks = [
        answered(
            n, (f"a{n}", f"b{n}"), context=n, position=n, is_checkpoint=True, rating=Decimal(3)
        )
        for n in range(21, 24)
    ]
    assert codes(*answers, *checks) == [("turns", 0, 20)]
    assert codes(*answers[:14]) == []
    pieces, risk = sum_up(find_evidence(answers, frozenset()).values())
    assert (pieces, risk) == ([Piece("turns", 0, 20)], 4)
    assert describe(pieces[0]).startswith("Order of ratings: two ratings alternate for 20 texts")


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


def test_describe_quotes_the_words():
    assert describe(Piece("copied", 2), ("sea", "salt")) == "“salt” is copied from the text."
    assert describe(Piece("shared", 0, 1)).startswith("Another annotator")
    assert describe(Piece("shared", 0, 2)).startswith("2 other annotators")


@pytest.mark.parametrize(
    ("pace", "said"),
    [
        (1200, "Read and answered at 1,200 words per minute; most people read about 240."),
        (1999, "Read and answered at 1,999 words per minute; most people read about 240."),
        (2000, UNREAD),
        (9999, UNREAD),  # of evidence that was stored before
    ],
)
def test_describe_compares_the_pace_with_most_people(pace, said):
    assert describe(Piece("hasty", 0, pace)) == said


def test_a_pace_at_which_nothing_is_read_is_not_counted():
    assert words_per_minute("one two three " * 20, 0.2) == 2000


def test_evidence_contains_no_word():
    found = find_evidence([answered(words=("rained", "cat"))], {"salt"})

    assert "rained" not in repr(found)


def test_weigh_adds_up():
    assert weigh([]) == 0
    assert weigh([Piece("copied", 1), Piece("copied", 2)]) == 4
