"""Workbooks: texts are read, everything else is reported by row and column."""

from pathlib import Path

import pytest

from postprocess.formats import workbooks
from postprocess.formats.kinds import WORKBOOK, read_table, recognise_kind
from tests.factories.workbooks import write_workbook

COLUMNS = ("word1", "word2", "context")
WRITTEN = Path(__file__).parent / "files" / "openpyxl.xlsx"  # by openpyxl 3.1.5
BOMB = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><sst><si><t>&c;</t></si></sst>'


def cell(content, **attributes):
    return f"<c {' '.join(f'{k}={v!r}' for k, v in attributes.items())}>{content}</c>"


def report(table):
    return [str(finding) for finding in table.findings]


def test_a_workbook_of_another_program_is_read():
    table = read_table(WRITTEN.read_bytes(), COLUMNS, WORKBOOK)

    assert table.rows == {1: ("kuća", "mačka", "Žena “je”, đak\tšuti; 1 < 2 & 3")}
    assert [(f.row, f.column, f.what) for f in table.findings] == [
        (2, "word2", "the cell holds the number 1984, not text"),
        (2, "context", "the cell holds a date, not text"),
        (3, "word1", "the cell holds a truth value, not text"),
        (3, "word2", "the cell holds a formula"),
        (4, "context", "the cell holds a date, not text"),
    ]


def test_texts_in_runs_are_joined_without_their_phonetic_guide():
    runs = "<r><t>šu</t></r><r><t>ma</t></r><rPh><t>X</t></rPh>"
    data = write_workbook([COLUMNS, [cell("<v>0</v>", t="s"), "b", "c_xD83D_"]], texts=[runs])

    assert read_table(data, COLUMNS, WORKBOOK).rows == {1: ("šuma", "b", "c_xD83D_")}


def test_rows_and_cells_keep_their_places():
    rows = [COLUMNS, ["a", cell("<is><t>c</t></is>", r="C2", t="inlineStr")], [], [""]]

    table = read_table(write_workbook(rows), COLUMNS, WORKBOOK)

    assert (table.rows, report(table)) == ({1: ("a", "", "c")}, [])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (cell("<v>46000</v>", s="2"), "row 1 (line 2), word2: the cell holds a date"),
        (cell("<v>0.1</v>"), "row 1 (line 2), word2: the cell holds the number 0.1, not text"),
        (cell("<v>#N/A</v>", t="e"), "row 1 (line 2), word2: the cell holds an error value"),
        (cell("<f>A1</f><v>x</v>", t="str"), "row 1 (line 2), word2: the cell holds a formula"),
    ],
)
def test_a_cell_without_text_is_reported(content, said):
    table = read_table(write_workbook([COLUMNS, ["a", content, "c"]]), COLUMNS, WORKBOOK)

    assert report(table)[0].startswith(said)
    assert table.rows == {}


def test_line_ends_of_excel_are_read_and_their_literal_notation_is_kept():
    texts = ["<t>one_x000D_\ntwo</t>", "<t>_x005F_x000D_</t>"]
    cells = [cell(f"<v>{n}</v>", t="s") for n in range(2)]
    data = write_workbook([COLUMNS, [*cells, "c"]], texts=texts)

    assert read_table(data, COLUMNS, WORKBOOK).rows == {1: ("one\r\ntwo", "_x000D_", "c")}


def test_texts_depend_neither_on_styles_nor_on_the_recorded_size():
    sheet = "".join(
        f"<row>{''.join(cell(f'<v>{text}</v>', t='str') for text in row)}</row>"
        for row in (COLUMNS, "abc")
    )
    parts = {
        "xl/styles.xml": '<styleSheet><fonts><font new="1"><u val="wavy"/></font></fonts>'
        '<cellXfs><xf numFmtId="0" new="1"/></cellXfs></styleSheet>',
        "xl/worksheets/s0.xml": f'<worksheet><dimension ref="A1"/>{sheet}</worksheet>',
    }

    table = read_table(write_workbook([COLUMNS], parts=parts), COLUMNS, WORKBOOK)

    assert (table.rows, report(table)) == ({1: ("a", "b", "c")}, [])


def test_numbers_are_read_where_they_are_expected():
    data = write_workbook([COLUMNS, ["a", cell("<v>4</v>"), "c"]])

    assert read_table(data, COLUMNS, WORKBOOK, numbers={"word2"}).rows == {1: ("a", "4", "c")}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (write_workbook([["x"]]), "missing columns: word1, word2, context; the header must name"),
        (write_workbook([COLUMNS, ["a", "b", "c", "d"]]), "text beside the table; Remove it"),
        (write_workbook(), "the workbook has no sheet with text"),
        (write_workbook([COLUMNS, ["a"]], parts={"xl/texts.xml": "<sst><si>"}), "is damaged"),
        (write_workbook([COLUMNS, [cell("<v>7</v>", t="s")]]), "the workbook is damaged"),
        (WRITTEN.read_bytes()[:-40], "a spreadsheet or an archive that is damaged"),
    ],
    ids=["columns", "beside", "no sheet", "XML", "no text", "cut"],
)  # fmt: skip
def test_a_workbook_that_cannot_be_used_is_reported(data, said):
    assert said in report(read_table(data, COLUMNS, WORKBOOK))[0]


def test_bombs_are_refused_before_they_are_unpacked(monkeypatch):
    data = write_workbook([COLUMNS, ["a", "b", "x" * 100_000]])
    monkeypatch.setattr(workbooks, "LARGEST_UNPACKED", 100_000)

    assert "bytes in 5 parts when unpacked" in report(read_table(data, COLUMNS, WORKBOOK))[0]
    assert recognise_kind(data, COLUMNS) == WORKBOOK


def test_entities_are_not_expanded():
    data = write_workbook(
        [COLUMNS, [cell("<v>0</v>", t="s"), "b", "c"]], parts={"xl/texts.xml": BOMB}
    )

    assert "bbbb" not in str(read_table(data, COLUMNS, WORKBOOK))


def test_a_far_row_is_refused():
    far = '<worksheet><row r="9999999"><c t="str"><v>a</v></c></row></worksheet>'
    data = write_workbook([COLUMNS], parts={"xl/worksheets/s0.xml": far})

    assert "more than 20,000 rows" in report(read_table(data, COLUMNS, WORKBOOK))[0]


def test_an_encrypted_part_is_refused():
    data = bytearray(write_workbook([COLUMNS]))
    data[data.rindex(b"PK\x01\x02") + 8] |= 1  # the flag, in the central directory

    assert "encrypted" in report(read_table(bytes(data), COLUMNS, WORKBOOK))[0]
