"""Each error in a row is reported once; each oddity is a warning."""

import unicodedata

import pytest

from postprocess.formats.tabular import Severity
from postprocess.formats.tokens import count_sentences
from tests.factories.stimuli_rows import (
    FIELDS,
    only_finding,
    parse_rows,
    parse_with,
    row_with,
    with_context,
)

# --- errors in a row ------------------------------------------------------------------------

BODY = "It was wide. We sat."


@pytest.mark.parametrize(
    ("context1", "reason"),
    [
        (f"The <strong>bank of the <strong>river</strong>. {BODY}", "a <strong> is not closed"),
        (
            f"The bank</strong> of the <strong>river</strong>. {BODY}",
            "a </strong> was never opened",
        ),
        (
            f"The <strong>bank of the <strong>river</strong></strong>. {BODY}",
            "overlapping marks",
        ),
        (f"The </strong>bank<strong> of <strong>river</strong>. {BODY}", "overlapping marks"),
        (f"The </strong>bank<strong> of the river. {BODY}", "overlapping marks"),
        (f"The <strong></strong>bank of the <strong>river</strong>. {BODY}", "a mark is empty"),
        (f"The <strong> </strong>bank of the <strong>river</strong>. {BODY}", "a mark is empty"),
        (
            f"The bank of the <strong>river</strong>. {BODY}",
            'the word "bank" (word1_context1) is not marked with <strong>…</strong>',
        ),
        (
            f"The bank of the river. {BODY}",
            'words "bank" (word1_context1) and "river" (word2_context1) are not marked',
        ),
        (
            "The <strong>bank</strong> or <strong>river</strong>. <strong>It</strong> was. We.",
            'more marks than two: "It" is marked',
        ),
        (
            f"The <strong>bank</strong> of <strong>river</strong>, <strong>bank</strong>. {BODY}",
            'the word "bank" (word1_context1) occurs twice; keep one mark',
        ),
        (
            f"The <strong>bank</strong> of <strong>river</strong>. Bank! {BODY}",
            'the word "bank" (word1_context1) occurs twice: once marked',
        ),
        (
            f"The <strong>banks</strong> of the <strong>river</strong>. {BODY}",
            'the marked "banks" is not equal to its inflected form "bank" (word1_context1); write',
        ),
        (
            f"The <strong>Bank</strong> of the <strong>river</strong>. {BODY}",
            '"bank" (word1_context1): they differ only in letter case',
        ),
        (
            f"The <strong>bank </strong> of the <strong>river</strong>. {BODY}",
            'the marked "bank " is not equal',
        ),
    ],
)
def test_parse_stimuli_reports_each_mistake_of_a_context_once(context1, reason):
    parsed = parse_with(context1=context1)

    finding = only_finding(parsed)
    assert (finding.severity, finding.row, finding.column) == (Severity.ERROR, 1, "context1")
    assert reason in finding.reason
    assert (parsed.pairs, len(parsed.rows)) == ((), 1)


def test_parse_stimuli_names_a_difference_in_normal_form():
    form = "kůň"
    decomposed = unicodedata.normalize("NFD", form)

    parsed = with_context(f"<strong>{decomposed}</strong> <strong>x</strong>. A. B.", form, "x")

    assert "differ only in Unicode normal form (NFC, NFD)" in only_finding(parsed).reason


def test_parse_stimuli_finds_a_second_occurrence_in_the_other_normal_form():
    text = "<strong>kůň</strong> <strong>x</strong>. Ku\u030an\u030c. B."

    assert "occurs twice" in only_finding(with_context(text, "kůň", "x")).reason


@pytest.mark.parametrize(
    ("changes", "column", "reason"),
    [
        ({"word1": ""}, "word1", "the field is empty"),
        ({"word2_context1": " "}, "word2_context1", "the field is empty"),
        ({"context2": ""}, "context2", "the field is empty"),
        ({"word1": "ba\rnk"}, "word1", "a line break inside the field"),
        ({"word1": "ba\1nk"}, "word1", "a control character U+0001 inside"),
        ({"context1": FIELDS["context1"] + "\x85"}, "context1", "control character U+0085"),
        ({"context1": FIELDS["context1"] + "\x0b"}, "context1", "control character U+000B"),
        ({"word2": "bank"}, "word2", "both words are"),
        ({"word2_context1": "bank"}, "word2_context1", 'both inflected forms are "bank"'),
        (
            {
                "context2": FIELDS["context1"],
                "word1_context2": "bank",
                "word2_context2": "river",
            },
            "context2",
            "the two contexts are equal",
        ),
    ],
)
def test_parse_stimuli_reports_each_mistake_of_a_field_once(changes, column, reason):
    parsed = parse_with(**changes)

    (finding,) = parsed.errors
    assert (finding.severity, finding.column) == (Severity.ERROR, column)
    assert reason in finding.reason


def test_parse_stimuli_reports_equal_words_with_equal_forms_once():
    text = "<strong>x</strong> <strong>x</strong>. A. B."
    parsed = with_context(text, "x", "x")
    both = parse_with(word2="bank", context1=text, word1_context1="x", word2_context1="x")

    assert only_finding(parsed).column == "word2_context1"
    assert only_finding(both).column == "word2"


def test_parse_stimuli_collects_everything_in_file_order():
    rows = [
        row_with(context1="One sentence", word1=""),
        row_with(),
        row_with(context2="No mark at all. None. None.", word2=""),
    ]

    parsed = parse_rows(*rows)

    places = [(finding.row, finding.column) for finding in parsed.findings]
    assert places == [(1, "word1"), (1, "context1"), (1, "context1"), (3, "word2"), (3, "context2")]
    assert len(parsed.pairs) == 1


# --- warnings -------------------------------------------------------------------------------


def test_parse_stimuli_warns_of_swapped_forms_in_one_context():
    parsed = parse_with(word1_context2="rivers", word2_context2="Banks")

    finding = only_finding(parsed)
    assert (finding.severity, finding.column) == (Severity.WARNING, "word1_context2")
    assert "exchange word1_context2 and word2_context2" in finding.reason
    assert len(parsed.pairs) == 1


def test_parse_stimuli_does_not_report_suppletion_as_a_swap():
    text = "<strong>better</strong> and <strong>worse</strong>. So. Yes."

    parsed = parse_with(
        word1="good", word2="bad", context1=text, word1_context1="better", word2_context1="worse"
    )

    assert [f for f in parsed.findings if f.column == "word1_context1"] == []


@pytest.mark.parametrize("n_sentences", [1, 6])
def test_parse_stimuli_warns_of_a_context_far_from_three_sentences(n_sentences):
    text = "<strong>ice</strong> <strong>water</strong>." + " So it is." * (n_sentences - 1)

    finding = only_finding(with_context(text, "ice", "water"))

    assert (finding.severity, finding.column) == (Severity.WARNING, "context1")
    assert f"about {n_sentences} sentence" in finding.reason


def test_parse_stimuli_warns_of_a_mark_that_cuts_a_letter():
    text = "<strong>kol</strong>\u030ao na <strong>cesti</strong>. Da. Ne."

    finding = only_finding(with_context(text, "kol", "cesti"))

    assert (finding.severity, finding.column) == (Severity.WARNING, "context1")
    assert "cuts a letter" in finding.reason


def test_parse_stimuli_warns_of_spreadsheet_quoting():
    text = FIELDS["context1"].replace("wide", '""wide""')

    finding = only_finding(parse_with(context1=f'"{text}"'))

    assert (finding.severity, finding.column) == (Severity.WARNING, "context1")
    assert "quoted by a spreadsheet" in finding.reason


@pytest.mark.parametrize(
    ("text", "n_sentences"),
    [
        ("One. Two! Three?", 3),
        ("One… Two?! “Three.” (Four.) five", 4),
        ("V 19. stoletju pr. n. št. je bilo. Da.", 2),
        ("一。二！三？", 3),
        ("एक। दो। तीन।", 3),
        ("واحد. اثنان؟ ثلاثة", 3),
        ("no end", 1),
        ("3.14 and a.b.c are not ends. ", 1),
        ("", 0),
    ],
)
def test_count_sentences_is_roughly_right(text, n_sentences):
    assert count_sentences(text) == n_sentences
