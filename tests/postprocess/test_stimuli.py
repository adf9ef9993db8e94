import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.stimuli import (
    COLUMNS,
    Finding,
    MarkedContext,
    Severity,
    Span,
    StimuliError,
    StimulusPair,
    count_sentences,
    parse_stimuli,
    render_stimuli,
)

FIELDS = {
    "word1": "bank",
    "word2": "river",
    "context1": "The <strong>bank</strong> of the <strong>river</strong>. It was wide. We sat.",
    "context2": "Two <strong>rivers</strong> met. The <strong>Banks</strong> were high. We went.",
    "word1_context1": "bank",
    "word2_context1": "river",
    "word1_context2": "Banks",
    "word2_context2": "rivers",
}


def row_with(**changes):
    return tuple({**FIELDS, **changes}[column] for column in COLUMNS)


def parse_rows(*rows):
    return parse_stimuli(render_stimuli(rows).encode())


def parse_with(**changes):
    return parse_rows(row_with(**changes))


def only_finding(parsed):
    assert len(parsed.findings) == 1, [str(finding) for finding in parsed.findings]
    return parsed.findings[0]


def with_context(text, form1, form2):
    return parse_with(context1=text, word1_context1=form1, word2_context1=form2)


# --- what is read ---------------------------------------------------------------------------


def test_parse_stimuli_reads_words_spans_and_forms():
    parsed = parse_with()

    pair = parsed.pairs[0]
    assert parsed.findings == ()
    assert (pair.word1, pair.word2) == ("bank", "river")
    assert pair.context1 == MarkedContext(
        "The bank of the river. It was wide. We sat.", Span(4, 8), Span(16, 21)
    )
    assert (pair.context2.form1, pair.context2.form2) == ("Banks", "rivers")
    assert pair.fields() == row_with()


def test_parse_stimuli_reads_crlf_and_a_byte_order_mark():
    text = render_stimuli([row_with()])

    parsed = parse_stimuli(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())

    assert (parsed.rows, parsed.findings) == ((row_with(),), ())


@pytest.mark.parametrize("end", ["", "\n", "\n\n\r\n"])
def test_parse_stimuli_does_not_mind_how_the_file_ends(end):
    parsed = parse_stimuli((render_stimuli([row_with()]).rstrip("\n") + end).encode())

    assert (parsed.rows, parsed.findings) == ((row_with(),), ())


def test_parse_stimuli_reads_columns_in_any_order():
    header, row = (line.split("\t") for line in render_stimuli([row_with()]).splitlines())
    text = "\t".join(reversed(header)) + "\n" + "\t".join(reversed(row))

    assert parse_stimuli(text.encode()).rows == (row_with(),)


def test_parse_stimuli_keeps_the_same_words_in_two_rows():
    parsed = parse_rows(row_with(), row_with())

    assert (len(parsed.pairs), parsed.findings) == (2, ())


@pytest.mark.parametrize(
    ("text", "form1", "form2"),
    [
        ("<strong>Ice</strong> is <strong>water</strong>. So it is. Yes.", "Ice", "water"),
        ("“<strong>Ice</strong>”, (<strong>water</strong>)! So it is. Yes.", "Ice", "water"),
        ("<strong>ice</strong> <strong>water</strong></poem> & &amp; <b>x</b>. Y.", "ice", "water"),
        ("  <strong>ice</strong>  and <strong>water</strong> . So it is.  ", "ice", "water"),
        ("😀 <strong>ice</strong>😀 <strong>𝔴𝔞𝔱𝔢𝔯</strong>. So it is.", "ice", "𝔴𝔞𝔱𝔢𝔯"),
        ("<strong>ko\u030ala</strong> na <strong>cestě</strong>. Tak.", "ko\u030ala", "cestě"),
        ("<strong>مصرف</strong> على <strong>نهر</strong>. نعم. لا؟", "مصرف", "نهر"),
        ("<strong>ice\u2028</strong>\u2029 <strong>water</strong>. So.", "ice\u2028", "water"),
        ("<strong>C++</strong> or <strong>c</strong>? Both. Yes.", "C++", "c"),
        ("<strong>ice cream</strong> of <strong>ice</strong>. So. Yes.", "ice cream", "ice"),
        (
            "<strong>ice</strong> not iced, nice, ice\u0301, <strong>water</strong>. S.",
            "ice",
            "water",
        ),
        ("<STRONG><strong>ice</strong> < strong><strong>water</strong>. So.", "ice", "water"),
    ],
)
def test_parse_stimuli_takes_text_as_it_is(text, form1, form2):
    parsed = with_context(text, form1, form2)

    context = parsed.pairs[0].context1
    assert (parsed.findings, context.form1, context.form2) == ((), form1, form2)
    assert context.marked() == text


# --- what is not the format -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"\n\r\n", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        ("\t".join(COLUMNS).encode(), "no rows"),
        ("a\tb".encode("utf-16"), "UTF-16; save it as UTF-8"),
        ("\t".join(COLUMNS[2:]).encode(), r"missing columns: word1, word2;"),
        ("\t".join(COLUMNS[1:]).encode(), r"missing column: word1;"),
        ("\t".join((*COLUMNS, "word2")).encode(), "names this column twice"),
        (b"word\xe8\t", "byte 0xE8 in line 1, at byte 5 of the file; save the file as UTF-8"),
    ],
)
def test_parse_stimuli_names_what_is_wrong_with_the_file(data, reason):
    parsed = parse_stimuli(data)

    finding = only_finding(parsed)
    assert (finding.severity, finding.row, parsed.rows) == (Severity.UNREADABLE, None, ())
    assert re.search(reason, str(finding))


def test_parse_stimuli_names_the_byte_that_is_not_utf8_and_reads_the_other_rows():
    good = render_stimuli([row_with(), row_with(), row_with()])
    lines = good.encode().split(b"\n")
    lines[2], lines[3] = b"b\xe9" + lines[2], b"\xff" + lines[3]

    parsed = parse_stimuli(b"\n".join(lines))

    finding = only_finding(parsed)
    position = len(lines[0]) + len(lines[1]) + 2 + 2
    assert (finding.severity, finding.row) == (Severity.UNREADABLE, 2)
    assert f"byte 0xE9 in line 3, at byte {position} of the file (and in 1 more" in finding.reason
    assert len(parsed.pairs) == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("\t".join((*row_with(), "x")), "9 fields instead of 8: a tab inside a field"),
        ("\t".join(row_with()[:7]), "7 fields instead of 8: a line break inside a field"),
        ("bank", "1 field instead of 8"),
        ("", "the row is empty; remove it"),
        ("\t" * 7, "the row is empty; remove it"),
    ],
)
def test_parse_stimuli_names_a_row_of_the_wrong_shape(line, reason):
    first, row = render_stimuli([row_with()]).splitlines()

    parsed = parse_stimuli(f"{first}\n{row}\n{line}\n{row}\n".encode())

    finding = only_finding(parsed)
    assert (finding.severity, finding.row) == (Severity.UNREADABLE, 2)
    assert str(finding).startswith("row 2 (line 3): ")
    assert reason in finding.reason
    assert parsed.unreadable == parsed.errors == (finding,)
    assert len(parsed.rows) == 2


def test_parse_stimuli_warns_of_an_unknown_column():
    text = "".join(f"{line}\tx\n" for line in render_stimuli([row_with()]).splitlines())

    parsed = parse_stimuli(text.encode())

    assert only_finding(parsed).severity is Severity.WARNING
    assert parsed.rows == (row_with(),)


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
            'the word "bank" (word1_context1) stands twice: keep one mark',
        ),
        (
            f"The <strong>bank</strong> of <strong>river</strong>. Bank! {BODY}",
            'the word "bank" (word1_context1) stands twice: once marked',
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


def test_parse_stimuli_tells_a_difference_in_normal_form_from_others():
    form = "kůň"
    decomposed = unicodedata.normalize("NFD", form)

    parsed = with_context(f"<strong>{decomposed}</strong> <strong>x</strong>. A. B.", form, "x")

    assert "differ only in Unicode normal form (NFC, NFD)" in only_finding(parsed).reason


def test_parse_stimuli_finds_a_second_occurrence_in_the_other_normal_form():
    text = "<strong>kůň</strong> <strong>x</strong>. Ku\u030an\u030c. B."

    assert "stands twice" in only_finding(with_context(text, "kůň", "x")).reason


@pytest.mark.parametrize(
    ("changes", "column", "reason"),
    [
        ({"word1": ""}, "word1", "the field is empty"),
        ({"word2_context1": " "}, "word2_context1", "the field is empty"),
        ({"context2": ""}, "context2", "the field is empty"),
        ({"word1": "ba\rnk"}, "word1", "a line break inside the field"),
        ({"word1": "ba\0nk"}, "word1", "a control character U+0000 inside"),
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


def test_parse_stimuli_calls_equal_words_with_equal_forms_one_mistake():
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


def test_parse_stimuli_does_not_take_suppletion_for_a_swap():
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


# --- findings and writing -------------------------------------------------------------------


def test_finding_says_where_what_and_reads_as_a_line():
    finding = Finding(Severity.ERROR, "is wrong; put it right", 3, "context1")
    of_file = Finding(Severity.UNREADABLE, "the file is empty")

    assert str(finding) == "row 3 (line 4), context1: is wrong; put it right"
    assert str(of_file) == "the file is empty"
    assert str(StimuliError([of_file, finding])) == f"{of_file}\n{finding}"
    assert StimuliError([finding]).findings == (finding,)


@pytest.mark.parametrize("field", ["a\tb", "a\nb"])
def test_render_stimuli_refuses_what_the_format_cannot_hold(field):
    with pytest.raises(StimuliError, match=r"row 2 \(line 3\), word2: a tab or line break"):
        render_stimuli([row_with(), row_with(word2=field)])


def test_render_stimuli_refuses_a_row_of_another_length():
    with pytest.raises(StimuliError, match=r"row 1 \(line 2\): 7 fields instead of 8"):
        render_stimuli([row_with()[:7]])


WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
BETWEEN = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "L", "N", "M", "Pc"]), max_size=5
).map(lambda text: f" {text} ")


def is_letter_by_letter(word):
    """Whether case folding and normal forms leave the word alone."""
    return unicodedata.normalize("NFC", word) == word and word.lower() == word.casefold() == word


@st.composite
def contexts(draw, opening):
    swap = draw(st.booleans())
    before, inner, after = draw(BETWEEN), draw(BETWEEN), draw(BETWEEN)
    forms = draw(st.lists(WORDS.filter(is_letter_by_letter), min_size=2, max_size=2, unique=True))
    text = f"{opening}{before}{forms[0]}{inner}{forms[1]}{after}"
    first = Span(len(opening + before), len(opening + before + forms[0]))
    second = Span(first.end + len(inner), first.end + len(inner + forms[1]))
    spans = (second, first) if swap else (first, second)
    return MarkedContext(text, *spans)


PAIRS = st.builds(
    lambda words, *contexts: StimulusPair(*words, *contexts),
    st.lists(WORDS, min_size=2, max_size=2, unique=True),
    contexts(""),
    contexts("§ "),
)


@given(st.lists(PAIRS, min_size=1, max_size=4))
def test_render_and_parse_give_the_same_pairs(pairs):
    text = render_stimuli(pair.fields() for pair in pairs)

    parsed = parse_stimuli(text.encode())

    assert parsed.pairs == tuple(pairs)
    assert parsed.errors == ()


@given(st.binary() | st.text().map(str.encode))
def test_parse_stimuli_never_raises(data):
    assert parse_stimuli(data).findings


PIECES = [
    "<strong>",
    "</strong>",
    "bank",
    "Bank",
    "river",
    "\u0301",
    " ",
    "\r",
    '"',
    ".",
    "\t",
    "\n",
    "ﬃ",
]


@given(st.lists(st.lists(st.sampled_from(PIECES)).map("".join), min_size=8, max_size=8))
def test_parse_stimuli_never_raises_for_strange_fields(fields):
    parsed = parse_stimuli(("\t".join(COLUMNS) + "\n" + "\t".join(fields)).encode())

    assert parsed.findings
    assert not parsed.pairs or render_stimuli(p.fields() for p in parsed.pairs)


def test_parse_stimuli_never_raises_for_strange_rows():
    strange = ["\u0130", "ß", "\u0345", "(", "\\", "<strong>", '"']

    for one in strange:
        parsed = parse_with(word1_context1=one, context1=f"<strong>{one}</strong>{one}")
        assert parsed.errors


def test_parse_stimuli_reads_the_published_files_without_error(published):
    for path in sorted(published.glob("**/data_*.tsv")):
        data = path.read_bytes()

        parsed = parse_stimuli(data)

        assert parsed.errors == ()
        assert all("far from three" in finding.reason for finding in parsed.warnings)
        assert render_stimuli(parsed.rows).encode() == data.replace(b"\r\n", b"\n")
        assert tuple(pair.fields() for pair in parsed.pairs) == parsed.rows
