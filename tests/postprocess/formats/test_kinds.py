"""A table in each kind of file is recognised, and reads back equal."""

import csv
import functools
import io
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.formats.kinds import (
    CANONICAL,
    CHARACTERS,
    WORKBOOK,
    Encoding,
    FileKind,
    Separator,
    list_letters,
    read_table,
    recognise_kind,
)
from postprocess.formats.tabular import Severity, shape_table, split_plain
from tests.factories.workbooks import write_workbook

COLUMNS = ("word1", "word2", "context")
KINDS = [FileKind(separator, encoding) for separator in Separator for encoding in Encoding]
CROATIAN = [("kuća", "mačka", "Žena je rekla: „Đak šuti”; 1, 2."), ("šišmiš", "čvor", "Ništa."),
            ("žaba", "đak", "Ćud, “nov” red.")]  # fmt: skip
TEXTS = {
    "hr": (Encoding.WINDOWS_1250, Encoding.ISO_8859_2),
    "sl": (Encoding.WINDOWS_1250, Encoding.ISO_8859_2),
    "fi": (Encoding.WINDOWS_1252,),
    "fr": (Encoding.WINDOWS_1252,),
}
SENTENCES = {
    "hr": "Žene često šute, ali đaci uče.",
    "sl": "Žena še čaka, mož pa že šepeta.",
    "fi": "Äiti söi pöydässä, ja Åbo on täällä.",
    "fr": "L’élève où ça brûle, très gênée à l’été.",
}


def write(rows, kind):
    """Return a table in a kind of file, as a spreadsheet program writes it."""
    if kind.is_workbook:
        return write_workbook([COLUMNS, *rows])
    if kind.separator is Separator.TAB:
        text = "".join("\t".join(row) + "\r\n" for row in (COLUMNS, *rows))
    else:
        stream = io.StringIO()
        quoting = csv.QUOTE_ALL if kind.separator is Separator.QUOTED_TAB else csv.QUOTE_MINIMAL
        delimiter = CHARACTERS[kind.separator]
        csv.writer(stream, delimiter=delimiter, quoting=quoting).writerows((COLUMNS, *rows))
        text = stream.getvalue()
    return text.encode(kind.encoding)


@functools.cache  # making it takes longer than an example
def fields(encoding):
    if encoding in (Encoding.UTF_8, Encoding.UTF_16):
        characters = st.characters(exclude_categories=("Cs", "Cc"))
    else:  # those of all bytes, which take Hypothesis a second to find
        of_bytes = bytes(range(256)).decode(encoding, "ignore")
        characters = st.sampled_from([one for one in of_bytes if category(one) != "Cc"])
    return st.text(characters | st.sampled_from("abé,;\"' ="), min_size=1, max_size=12)


@pytest.mark.parametrize("kind", [*KINDS, WORKBOOK], ids=lambda kind: str(kind)[2:])
@settings(max_examples=20)
@given(data=st.data())
def test_a_table_reads_back_equal(kind, data):
    field = fields(kind.encoding)
    rows = data.draw(st.lists(st.tuples(field, field, field), min_size=1, max_size=4))

    table = read_table(write(rows, kind), COLUMNS, kind)

    assert table.findings == ()
    assert list(table.rows.values()) == rows
    assert list(table.rows) == list(range(1, len(rows) + 1))


@given(data=st.binary(max_size=200) | st.text(max_size=80).map(str.encode))
def test_a_tab_separated_file_reads_as_before_or_says_what_it_looks_like(data):
    table, before = read_table(data, COLUMNS), shape_table(split_plain(data), COLUMNS)

    is_unreadable = any(one.severity is Severity.UNREADABLE for one in before.findings)
    assert table == before or is_unreadable or b"\0" in data


@pytest.mark.parametrize("kind", [*KINDS, WORKBOOK], ids=lambda kind: str(kind)[2:])
@settings(max_examples=20)
@given(data=st.binary(max_size=300))
def test_no_file_breaks_the_reader(kind, data):
    read_table(data, COLUMNS, kind)
    read_table(b"word1,word2,context\n" + data, COLUMNS, kind)
    recognise_kind(data, COLUMNS)


@pytest.mark.parametrize("encoding", [Encoding.UTF_8, Encoding.UTF_16, Encoding.WINDOWS_1250])
@pytest.mark.parametrize("separator", [Separator.TAB, Separator.COMMA, Separator.SEMICOLON])
def test_the_separator_is_recognised(separator, encoding):
    kind = FileKind(separator, encoding)

    assert recognise_kind(write(CROATIAN, kind), COLUMNS) == kind


def test_unicode_text_of_excel_is_recognised_by_its_quotation_marks():
    rows = [("kuća", "mačka", 'Rekla je "ne", pa da.')]
    kind = FileKind(Separator.QUOTED_TAB, Encoding.UTF_16)

    assert recognise_kind(write(rows, kind), COLUMNS) == kind
    assert recognise_kind(write(rows, WORKBOOK), COLUMNS) == WORKBOOK
    quoted = write(rows, FileKind(Separator.QUOTED_TAB))
    assert recognise_kind(quoted, COLUMNS) == FileKind(Separator.QUOTED_TAB)
    # The published formats have no quoting.
    header = "\t".join(COLUMNS).encode()
    assert recognise_kind(header + quoted[len(header) + 6 :], COLUMNS) == CANONICAL


@pytest.mark.parametrize(
    ("language", "encoding"), [(tag, one) for tag, encodings in TEXTS.items() for one in encodings]
)
def test_letters_tell_encodings_apart(language, encoding):
    sentence = SENTENCES[language].replace("’", "'")
    rows = [("a", "b", sentence)]
    kind = FileKind(Separator.SEMICOLON, encoding)

    with_language = recognise_kind(write(rows, kind), COLUMNS, language)
    without = recognise_kind(write(rows, kind), COLUMNS)

    for found in (with_language, without):
        assert found is not None
        assert not found.is_certain
        assert list(read_table(write(rows, kind), COLUMNS, found).rows.values()) == rows


def test_the_language_decides_where_letters_do_not():
    data = write([("dù", "è", "è")], FileKind(Separator.COMMA, Encoding.WINDOWS_1252))

    assert recognise_kind(data, COLUMNS, "it").encoding is Encoding.WINDOWS_1252
    assert recognise_kind(data, COLUMNS, "cs").encoding is Encoding.WINDOWS_1250


@pytest.mark.parametrize(
    "data",
    [
        write(CROATIAN, CANONICAL) + b"\xe8",  # one bad byte in UTF-8
        "word1,word2,context\nДобрый,день,Привет\n".encode("cp1251"),
        b"a,b,c\nd,e,f\n",
        b"",
        b"PK\x03\x04rest",
        b"\xff\xfew",
    ],
    ids=["damaged UTF-8", "Cyrillic", "other columns", "empty", "no workbook", "half a character"],
)
def test_an_unknown_kind_is_not_guessed(data):
    assert recognise_kind(data, COLUMNS) is None


@pytest.mark.parametrize(
    ("data", "kind", "said"),
    [
        (write(CROATIAN, FileKind(Separator.COMMA)), CANONICAL,
         "read as a comma-separated file in UTF-8; the format is tab-separated UTF-8 without"),
        (write(CROATIAN, FileKind(Separator.COMMA, Encoding.WINDOWS_1250)), CANONICAL,
         "looks like a comma-separated file in Windows-1250: line 2 is not UTF-8; save it as"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", CANONICAL, "an old version of Excel (.xls); save"),
        (b"word1,word2\n", FileKind(Separator.COMMA), "must name them, separated by commas"),
        (b"word1;word2;context\na;b;c;d\n", FileKind(Separator.SEMICOLON),
         "row 1 (line 2): 4 fields instead of 3: a semicolon inside a field? Put the field in"),
        (b'word1,word2,context\na,b,c\na,"b,c\n', FileKind(Separator.COMMA),
         "row 2 (line 3): the quotation marks of a field are not closed"),
        (b"word1\tword2\x81", FileKind(encoding=Encoding.WINDOWS_1250),
         "not Windows-1250: byte 12 of the file; choose another encoding"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_reported(data, kind, said):
    (finding,) = read_table(data, COLUMNS, kind).findings

    assert said in str(finding)


def test_letters_are_counted():
    assert list_letters([("šum", "Šuma"), ("čaj", "šal")]) == [("š", 2), ("č", 1), ("Š", 1)]
