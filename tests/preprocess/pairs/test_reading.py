"""Reading the pairs of a study."""

import pytest

from postprocess.formats.tabular import TableError
from preprocess.pairs.reading import WordPair, load_pairs, read_listed_pairs


def write(tmp_path, *rows: str):
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(["word1\tword2\tsource", *rows, ""]), encoding="utf-8")
    return path


def test_pairs_are_read_in_order_and_once(tmp_path):
    path = write(tmp_path, "šuma\tdrvo\tx", "ice\tsun\tx", "Drvo\tšuma\tx")

    pairs, warnings = load_pairs(path)

    assert pairs == [WordPair("šuma", "drvo"), WordPair("ice", "sun")]
    assert [str(one) for one in warnings] == [
        "row 3 (line 4): the same pair as in row 1, read once"
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("ice\t\tx", "row 1 (line 2), word2: the field is empty; fill it in"),
        ("ice\t \tx", "row 1 (line 2), word2: the field is empty; fill it in"),
        ("Ice\tice\tx", "row 1 (line 2): both words are the same; remove the row"),
        ("ice", "row 1 (line 2): 1 field instead of 3"),
    ],
)
def test_a_row_that_is_wrong_is_named(tmp_path, row, message):
    with pytest.raises(TableError) as raised:
        load_pairs(write(tmp_path, row))

    assert message in str(raised.value)


def test_a_file_without_pairs_is_refused(tmp_path):
    with pytest.raises(TableError, match="no rows"):
        load_pairs(write(tmp_path))


def test_listed_pairs_are_read_whatever_stands_between_the_words():
    listed = "word1\tword2\nice sun\n\n  šuma, drvo \nice cream;cake\nsun\tice\n"

    pairs, warnings = read_listed_pairs(listed)

    assert pairs == [
        WordPair("ice", "sun"),
        WordPair("šuma", "drvo"),
        WordPair("ice cream", "cake"),
    ]
    assert [(one.row, one.what) for one in warnings] == [
        (6, "the same pair as in row 2, read once")
    ]


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("ice sun\nice", [(2, "1 word instead of two")]),
        ("ice cream cake", [(1, "3 words instead of two")]),
        ("ice, sun, lake", [(1, "3 words instead of two")]),
        ("ice,", [(1, "the field is empty")]),
        ("Ice ice", [(1, "both words are the same")]),
        (" \n", [(None, "there are no pairs")]),
    ],
)
def test_a_listed_line_that_is_wrong_is_named(listed, expected):
    with pytest.raises(TableError) as raised:
        read_listed_pairs(listed)

    assert [(one.row, one.what) for one in raised.value.findings] == expected
