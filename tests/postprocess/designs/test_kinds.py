import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.designs.design import read_design
from postprocess.designs.items import parse_items
from postprocess.designs.kinds import KINDS, WordPair
from postprocess.formats.marks import MarkedText, Span
from postprocess.formats.stimuli import parse_stimuli, render_stimuli
from tests.factories.stimuli_rows import row_with

TEXT, WORDS, TEXTS, USES = map(read_design, ("cosimlex-crowd", "simlex", "scws", "durel"))
SUNG = MarkedText("The tavo sang.", (Span(4, 8),))
CALLED = MarkedText("She rang him up.", (Span(4, 8), Span(13, 15)))
PAIR = WordPair("a", "tavo", "ring up", (SUNG, CALLED), {"pos": "n"})
ROW = "a\ttavo\tring up\tThe <strong>tavo</strong> sang.\t{}\ttavo\trang up\tn\n".format(
    "She <strong>rang</strong> him <strong>up</strong>."
)
HEADER = "id\tword1\tword2\ttext1\ttext2\tform1\tform2\tpos\n"


def restore(kind, pair):
    words = {"word1": pair.word1, "word2": pair.word2}
    return [kind.restored({**words, **row}) for row in kind.stored(pair)]


def test_the_kind_text_is_the_format_of_stimuli():
    data = render_stimuli([row_with(), row_with(word1="=bank", context2="Empty.")]).encode()
    kind, parsed = KINDS["text"], parse_stimuli(data)

    assert parse_items(data, TEXT.item) == parsed
    assert kind.columns == parsed.columns
    assert kind.write(parsed.pairs[0]) == parsed.rows[0]
    items = restore(kind, parsed.pairs[0])
    assert [item.texts for item in items] == [
        (parsed.pairs[0].context1,), (parsed.pairs[0].context2,),
    ]  # fmt: skip
    assert [len(kind.stored(parsed.pairs[0])), kind.n_contexts] == [2, 2]
    assert kind.sides(items[1]) == [
        [("Two ", 0), ("rivers", 1), (" met. The ", 0), ("Banks", 2), (" were high. We went.", 0)]
    ]  # fmt: skip


def test_the_kind_text_asks_in_the_order_of_the_text():
    data = render_stimuli([row_with()]).encode()
    context1, context2 = restore(KINDS["text"], parse_items(data, TEXT.item).pairs[0])

    assert KINDS["text"].asked(context1, "dictionary") == ("bank", "river")
    assert KINDS["text"].asked(context2, "dictionary") == ("river", "bank")
    assert KINDS["text"].asked(context2, "text") == ("rivers", "Banks")


def test_words_have_no_text():
    parsed = parse_items(b"id\tword1\tword2\tPOS\n\ttavo\tmiren\tN\nb\tsel\toru\t\n", WORDS.item)
    (item,) = restore(KINDS["words"], parsed.pairs[0])

    assert parsed.findings == ()
    assert parsed.pairs[0] == WordPair("1", "tavo", "miren", (), {"POS": "N"})
    assert KINDS["words"].write(parsed.pairs[1]) == ("b", "sel", "oru", "")
    assert KINDS["words"].sides(item) == []
    assert KINDS["words"].asked(item, "text") == ("tavo", "miren")
    assert KINDS["words"].stored(parsed.pairs[0]) == [
        {
            "number": 1, "text": "", "text2": "", "word1_start": None, "word1_end": None,
            "word2_start": None, "word2_end": None, "more_spans": None,
        }
    ]  # fmt: skip


def test_texts_keep_the_pieces_of_their_targets():
    parsed = parse_items((HEADER + ROW).encode(), TEXTS.item)
    kind = KINDS["texts"]
    (item,) = restore(kind, PAIR)

    assert (parsed.findings, parsed.pairs) == ((), (PAIR,))
    assert "\t".join(kind.write(PAIR)) + "\n" == ROW
    assert kind.stored(PAIR)[0]["more_spans"] == [[], [[13, 15]]]
    assert item.texts == PAIR.texts
    assert kind.sides(item)[1] == [
        ("She ", 0), ("rang", 2), (" him ", 0), ("up", 2), (".", 0)
    ]  # fmt: skip
    assert kind.asked(item, "dictionary") == ("tavo", "ring up")
    assert kind.asked(item, "text") == ("tavo", "rang up")


def test_spaces_at_the_ends_of_a_target_are_kept_but_not_shown():
    kind, text = KINDS["texts"], MarkedText("The tavo sang it.", (Span(3, 9), Span(13, 16)))
    pair = WordPair("1", "tavo", "oru", (text, SUNG))
    (item,) = restore(kind, pair)

    assert item.texts[0] == text
    assert kind.write(pair)[3] == "The<strong> tavo </strong>sang<strong> it</strong>."
    assert kind.sides(item)[0] == [
        ("The ", 0), ("tavo", 1), (" sang ", 0), ("it", 1), (".", 0)
    ]  # fmt: skip
    assert kind.asked(item, "text") == ("tavo it", "tavo")


def test_a_lemma_of_both_texts_is_asked_for_once():
    (item,) = restore(KINDS["texts"], WordPair("1", "tavo", "tavo", (SUNG, SUNG)))

    assert KINDS["texts"].asked(item, "text") == ("tavo",)


@pytest.mark.parametrize(
    ("design", "changes", "column", "reason"),
    [
        (TEXTS, {"text1": "The tavo sang."}, "text1", "the target is not marked"),
        (TEXTS, {"text1": "The <strong>tavo sang."}, "text1", "not closed"),
        (TEXTS, {"text1": "<strong>a</strong> " * 5}, "text1", "5 marks; mark the target alone"),
        (TEXTS, {"form2": "rang"}, "text2", 'the marked "rang up" is not equal to "rang" (form2)'),
        (TEXTS, {"text2": ""}, "text2", "the field is empty"),
        (USES, {}, "word2", '"ring up" is not "tavo"; both texts are of one word'),
        (WORDS, {"word2": "tavo"}, "word2", 'both words are "tavo"'),
        (WORDS, {"word1": "a\x07"}, "word1", "control character U+0007"),
    ],
)
def test_a_broken_row_is_refused_by_column(design, changes, column, reason):
    fields = dict(zip(HEADER.split(), ROW.rstrip("\n").split("\t"), strict=True)) | changes
    data = HEADER + "\t".join(fields.values()) + "\n"

    parsed = parse_items(data.encode(), design.item)

    assert parsed.pairs == ()
    assert [(error.row, error.column) for error in parsed.errors] == [(1, column)]
    assert reason in str(parsed.errors[0])


def test_equal_words_of_two_texts_are_odd_and_equal_ids_wrong():
    data = HEADER + ROW.replace("ring up", "tavo") + ROW

    parsed = parse_items(data.encode(), TEXTS.item)

    assert len(parsed.pairs) == 1
    assert [str(finding) for finding in parsed.findings] == [
        'row 1 (line 2), word2: both words are "tavo"; check that this is meant',
        'row 2 (line 3), id: the id "a" is that of an earlier row; give each row its own',
    ]


@settings(max_examples=20)
@given(st.data())
def test_texts_with_any_letters_give_themselves_back(data):
    letters = st.text("ač e\u0301ش😀𝔴字_-", min_size=1, max_size=9)
    text = data.draw(letters)
    edges = data.draw(st.sets(st.integers(0, len(text)), min_size=2, max_size=6).map(sorted))
    spans = [Span(*edge) for edge in zip(edges[::2], edges[1::2], strict=False)]
    pair = WordPair("1", "a", "a", (MarkedText(text, tuple(spans)),) * 2)
    kind = KINDS["texts"]

    assert restore(kind, pair)[0].texts == pair.texts
    if all(text[start:end].strip() for start, end in spans):
        fields = dict(zip(HEADER.split(), kind.write(pair), strict=False))
        assert kind.read(fields, USES.item)[0] == pair
