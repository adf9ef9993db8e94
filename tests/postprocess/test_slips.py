"""Slips that a person sees at once are warned of, with their cause and remedy."""

import re
from pathlib import Path

import pytest

from postprocess.formats.stimuli import parse_stimuli, render_stimuli
from postprocess.slips import list_slips

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
ROW = ("sea", "ship", "The <strong>sea</strong> is calm. A <strong>ship</strong> sails. It rains.",
       "His <strong>ship</strong> sank. The <strong>sea</strong> was rough. It snows.",
       "sea", "ship", "sea", "ship")  # fmt: skip


def said(context, *, form="sea", word="sea", other="ship"):
    """Return what is said of a row with this first context."""
    row = (word, other, context, ROW[3], form, other, *ROW[6:])
    found = parse_stimuli(render_stimuli([row]).encode()).findings
    return [str(one) for one in found if one.column in ("context1", "word1")]


@pytest.mark.parametrize(
    "word", ["kuća", "žaba", "čaša", "äiti", "déjà", "Слово", "λόγος", "don’t"]
)
@pytest.mark.parametrize("encoding", ["cp1252", "cp1250", "mac_roman"])
def test_text_that_was_encoded_twice_is_told_from_other_text(word, encoding):
    twice = "".join(
        bytes([one]).decode(encoding, "ignore") or chr(one) for one in word.encode()
    )  # fmt: skip

    assert [one for one in list_slips(word) if "looks like" in one.what] == []
    (found,) = list_slips(f"a {twice} b")
    assert "looks like UTF-8 read as" in found.what


def test_lost_characters_are_named():
    (found,) = list_slips("ku\N{REPLACEMENT CHARACTER}a")

    assert "characters were lost" in found.what


@pytest.mark.skipif(not CORPORA.exists(), reason="there are no treebanks")
def test_sentences_of_treebanks_have_no_slips():
    sentences = [
        text
        for path in CORPORA.glob("*.conllu")
        for text in re.findall("^# text = (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]

    found = [slip for text in sentences for slip in list_slips(text)]

    assert len(sentences) > 5000
    assert found == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Tom &amp; Ann. ", "entities of HTML or XML in the text: &amp;"),
        ("It&#39;s late&#x21; ", "in the text: &#39;, &#x21;"),
        ("Rain.<br>Snow. ", "tags of HTML or XML in the text: <br>"),
        (
            'An <i class="x">old</i> man. ',
            'tags of HTML or XML in the text: <i class="x">, </i>',
        ),
    ],
)
def test_markup_in_a_text_is_named(text, what):
    (found,) = said(text + ROW[2])

    assert what in found
    assert "annotators read it literally" in found


def test_less_than_signs_and_ampersands_are_no_markup():
    assert said("A < b and b > a, R&D; AT&T. " + ROW[2]) == []


@pytest.mark.parametrize(
    "mark",
    ["<b>sea</b>", "**sea**", "[sea]", "_sea_", "*sea*", "{sea}", "<STRONG>sea</STRONG>", "«sea»",
     '<strong class="t">sea</strong>', "&lt;strong&gt;sea&lt;/strong&gt;", "< strong >sea</strong>",
     "<mark>sea</mark>", "__sea__", '<span style="x: y">sea</span>'],
)  # fmt: skip
def test_marks_of_other_programs_are_named(mark):
    findings = said(ROW[2].replace("<strong>sea</strong>", mark))

    before, after = mark.split("sea")
    assert any(f'the word "sea" (word1_context1) is marked with {before}…{after}; write' in one
               for one in findings)  # fmt: skip


@pytest.mark.parametrize(
    ("mark", "form", "what"),
    [
        ("<strong> sea</strong>", " sea", "begins or ends with a space or a sign; mark the word"),
        ("<strong>sea,</strong>", "sea,", "begins or ends with a space or a sign"),
        ("<strong>sea</strong>side", "sea", "covers a part of a word; mark the whole word"),
        ("over<strong>sea</strong>", "sea", "covers a part of a word"),
        ("<strong>deep sea</strong>", "deep sea", "covers several words; mark the target word"),
        ("<strong>seas</strong> and sea", "seas", '"sea" stands in the text, too, beside "seas"'),
    ],
)
def test_marks_that_cannot_be_meant_are_named(mark, form, what):
    (found,) = said(ROW[2].replace("<strong>sea</strong>", mark), form=form)

    assert what in found


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("雕像", "广场上有一座<strong>雕像</strong>。旁边有<strong>ship</strong>。那座雕像很老。"),
        ("บ้าน", "เขาอยู่<strong>บ้าน</strong>ริมน้ำ <strong>ship</strong> บ้านหลังใหญ่"),
        ("猫", "<strong>猫</strong>がいる。<strong>ship</strong>もいる。あの猫は白い。"),
        ("ផ្ទះ", "<strong>ផ្ទះ</strong>ធំ។ <strong>ship</strong> ផ្ទះចាស់។"),
        ("ເຮືອນ", "<strong>ເຮືອນ</strong>ໃຫຍ່ <strong>ship</strong> ເຮືອນເກົ່າ"),
        ("အိမ်", "<strong>အိမ်</strong>ကြီး၊ <strong>ship</strong>။ အိမ်ဟောင်း။"),
    ],
)
def test_a_second_occurrence_is_named_in_scripts_without_spaces(form, text):
    findings = said(text, form=form, word=form)

    assert any(f'"{form}" (word1_context1) stands in the text once more' in one for one in findings)


def test_texts_without_slips_have_no_warning():
    assert said(ROW[2]) == []
