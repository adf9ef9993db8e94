import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.formats.marks import MarkedContext, Span
from postprocess.formats.stimuli import (
    COLUMNS,
    StimuliError,
    StimulusPair,
    check_rows,
    parse_stimuli,
    render_stimuli,
)
from postprocess.formats.tabular import Finding, Severity
from tests.factories.stimuli_rows import (
    only_finding,
    parse_rows,
    parse_with,
    row_with,
    with_context,
)

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


def test_check_rows_equals_parse_stimuli_of_the_same_rows():
    rows = [row_with(), row_with(word1="=bank"), row_with(context2="Empty."), row_with(word2=" ")]

    assert check_rows(rows) == parse_rows(*rows)
    with pytest.raises(StimuliError, match="7 fields"):
        check_rows([row_with()[:7]])


def test_reordered_equals_parse_stimuli_of_the_rows_in_that_order():
    rows = [row_with(), row_with(word1="=bank"), row_with(context2="Empty."), row_with(word2=" ")]
    order = (3, 1, 0, 2)

    assert check_rows(rows).reordered(order) == parse_rows(*(rows[index] for index in order))


def test_parse_stimuli_reads_crlf_and_a_byte_order_mark():
    text = render_stimuli([row_with()])

    parsed = parse_stimuli(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())

    assert (parsed.rows, parsed.findings) == ((row_with(),), ())


@pytest.mark.parametrize("end", ["", "\n", "\n\n\r\n"])
def test_parse_stimuli_accepts_any_end_of_the_file(end):
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
def test_parse_stimuli_keeps_texts_unchanged(text, form1, form2):
    parsed = with_context(text, form1, form2)

    context = parsed.pairs[0].context1
    assert (parsed.errors, context.form1, context.form2) == ((), form1, form2)
    assert context.marked() == text


# --- what is not the format -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"\n\r\n", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        ("\t".join(COLUMNS).encode(), "no rows"),
        (b'[{"word1": "ice"}]', "the file is JSON; convert it to a table with a header"),
        ("\t".join(COLUMNS[2:]).encode(), r"missing columns: word1, word2;"),
        ("\t".join(COLUMNS[1:]).encode(), r"missing column: word1;"),
        ("\t".join((*COLUMNS, "word2")).encode(), "names this column twice"),
        (b"word\xe8\t", "byte 0xE8 in line 1, at byte 5 of the file; save the file as UTF-8"),
    ],
)
def test_parse_stimuli_reports_problems_of_the_whole_file(data, reason):
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


# --- findings and writing -------------------------------------------------------------------


def test_finding_is_written_as_a_line_with_place_and_reason():
    finding = Finding(Severity.ERROR, "is wrong; put it right", 3, "context1")
    of_file = Finding(Severity.UNREADABLE, "the file is empty")

    assert str(finding) == "row 3 (line 4), context1: is wrong; put it right"
    assert str(of_file) == "the file is empty"
    assert str(StimuliError([of_file, finding])) == f"{of_file}\n{finding}"
    assert StimuliError([finding]).findings == (finding,)


@pytest.mark.parametrize("field", ["a\tb", "a\nb"])
def test_render_stimuli_refuses_rows_that_the_format_cannot_hold(field):
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
    """Return whether case folding and normalisation do not change the word."""
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


SLIPS = {  # by the name and the number of rows of a published file
    "data_fi.tsv": {
        24: [
            '"oppilas" stands in the text, too, beside "oppilasta" (word2_context1)',
            '"melodia" stands in the text, too, beside "melodioita" (word2_context1)',
        ]
    },
    "data_en.tsv": {10: ["tags of HTML or XML in the text: </poem>"]},
}


def test_parse_stimuli_reads_the_published_files_without_error(published):
    for path in sorted(published.glob("**/data_*.tsv")):
        data = path.read_bytes()

        parsed = parse_stimuli(data)

        assert parsed.errors == ()
        others = [one for one in parsed.warnings if "far from three" not in one.reason]
        assert [one.what for one in others] == SLIPS.get(path.name, {}).get(len(parsed.rows), [])
        assert render_stimuli(parsed.rows).encode() == data.replace(b"\r\n", b"\n")
        assert tuple(pair.fields() for pair in parsed.pairs) == parsed.rows
