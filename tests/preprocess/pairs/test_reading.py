"""Reading the pairs of a study."""

import pytest

from postprocess.formats.tabular import TableError
from preprocess.pairs.reading import WordPair, load_pairs


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
        ("ice\tsun \tx", "row 1 (line 2), word2: there is a space before or after the word"),
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
