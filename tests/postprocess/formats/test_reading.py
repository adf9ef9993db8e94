import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.formats.reading import load_checks, load_ratings, read_ratings
from postprocess.table import loading
from postprocess.table.ratings import RatingsError, Scale, check_ratings

HEADER = "language,pair,context,annotator,rating,group,mark\n"
PLAIN = HEADER + "xx,1,1,A1,3,1A,\nxx,1,2,A2,4.5,1B,\nxx,2,1,A1,,1A,cannot judge\n"
HALVES = Scale(0, 6, 0.5)


def loaded(tmp_path, text, name="ratings.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_ratings(path, "xx")


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        "\ufeff" + PLAIN,
        PLAIN.replace("A1", '"A1"'),
        PLAIN.replace("xx,1,1", "xx,1.0,01"),
        PLAIN.replace("\nxx,2", "\n\nxx,2"),
        PLAIN.rstrip("\n"),
        (
            "rating,mark,pair,context,annotator,extra,group\n3,,1,1,A1,x,1A\n4.5,,1,2,A2,y,1B\n"
            ",cannot judge,2,1,A1,z,1A\n"
        ),
    ],
)
def test_load_ratings_reads_a_file_however_it_is_written(tmp_path, text):
    found = check_ratings(loaded(tmp_path, text), HALVES)

    expected = check_ratings(read_ratings(PLAIN.encode(), "xx"), HALVES)
    pd.testing.assert_frame_equal(found, expected)
    assert found["rating"].tolist()[:2] == [3, 4.5]
    assert np.isnan(found["rating"].tolist()[2])


LINES = [f"xx,{pair},{pair % 2 + 1},A{pair},{pair % 7},1{'AB'[pair % 2]}," for pair in range(1, 99)]


@pytest.mark.parametrize("at_once", [24, 100, 10**6])
@pytest.mark.parametrize(
    "lines",
    [
        LINES,
        [*LINES[:50], "xx,200,1,A1,4.5,1A,", *LINES[50:]],
        [*LINES[:50], '"xx",200,1,"A, 1",4,1A,', *LINES[50:]],
        [*LINES[:50], 'xx,200,1,"A\n1",4,1A,', *LINES[50:]],
        [*LINES[:50], "xx,200,1,a name of more than eight letters,4,1A,", *LINES[50:]],
        [*LINES[:50], "", *LINES[50:]],
        [*LINES[:50], "xx,200,1,A1,,1A,cannot judge", *LINES[50:]],
        [*LINES[:50], "yy,200,1,A1,1,1A,", *LINES[50:]],
        [*LINES[:50], "xx,200,1,A1,1,1A,,", *LINES[50:]],
    ],
    ids=[
        "whole", "a half", "a comma in a name", "a name on two lines", "a long name",
        "an empty line", "a missing rating", "another language", "too many fields",
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", ""])
def test_load_ratings_in_pieces_agrees_with_the_careful_reader(
    tmp_path, monkeypatch, lines, at_once, end
):
    monkeypatch.setattr(loading, "AT_ONCE", at_once)
    monkeypatch.setattr(loading, "LONGEST_LINE", 40)
    text = HEADER + "\n".join(lines) + end

    expected = result(lambda: read_ratings(text.encode(), "xx"))
    assert result(lambda: loaded(tmp_path, text)) == expected


FIELDS = st.sampled_from(
    ["1", "2", "3", "0", "01", "1.0", " 1", "-1", "", "x", "NA", "nan", "1e0", "inf", "4.5", "ž"]
)


@given(st.lists(st.tuples(FIELDS, FIELDS, FIELDS, FIELDS), min_size=1, max_size=4))
def test_load_ratings_agrees_with_the_careful_reader(tmp_path_factory, rows):
    text = "pair,context,annotator,rating\n" + "".join(f"{','.join(row)}\n" for row in rows)
    folder = tmp_path_factory.mktemp("ratings")

    assert result(lambda: loaded(folder, text)) == result(lambda: read_ratings(text.encode(), "xx"))


def result(read):
    """Return the checked table as text, or the kinds and places of errors."""
    try:
        return check_ratings(read(), HALVES).to_csv()
    except RatingsError as error:
        return [line.split('"')[0] for line in str(error).splitlines()]


def test_load_ratings_reads_parquet(tmp_path):
    table = check_ratings(read_ratings(PLAIN.encode(), "xx"), HALVES)
    path = tmp_path / "ratings.parquet"
    table.assign(language="xx", extra=1).to_parquet(path, index=False)

    pd.testing.assert_frame_equal(check_ratings(load_ratings(path, "xx"), HALVES), table)


@pytest.mark.parametrize("n_rows", [1, 2, None])  # a row group
@pytest.mark.parametrize("dictionaries", [True, False])
def test_load_ratings_reads_parquet_in_any_number_of_row_groups(tmp_path, n_rows, dictionaries):
    rows = [
        (pair, 1, f"A{pair % 7}", pair % 7, f"of pair {pair % 3}") for pair in range(200, 0, -1)
    ]
    table = pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])
    path = tmp_path / "ratings.parquet"
    table.to_parquet(path, row_group_size=n_rows, use_dictionary=dictionaries)

    found = check_ratings(load_ratings(path, "xx"), Scale())

    pd.testing.assert_frame_equal(found, check_ratings(table, Scale()))


@pytest.mark.parametrize("far", [2**31, 2**53])
def test_load_ratings_refuses_numbers_too_large_in_one_row_group(tmp_path, far):
    path = tmp_path / "ratings.parquet"
    table = pd.DataFrame({"pair": [1, 2, far], "context": 1, "annotator": "A1", "rating": 3})
    table.to_parquet(path, row_group_size=1)

    with pytest.raises(RatingsError, match=rf'from 1 to 2: row 3 \(line 4\) "{far}"$'):
        check_ratings(load_ratings(path, "xx"), Scale(), n_pairs=2)


@pytest.mark.parametrize(
    ("languages", "found"),
    [
        (["yy"] * 4, "yy"),
        (["xx", "yy", "xx", "xx"], "yy"),
        (["xx", "xx", "zz", "yy"], "yy, zz"),
        (["xx", "xx", "xx", None], "None"),
    ],
)
@pytest.mark.parametrize("statistics", [True, False])
def test_load_ratings_refuses_parquet_of_another_language(tmp_path, languages, found, statistics):
    path = tmp_path / "ratings.parquet"
    table = pd.DataFrame({"pair": range(1, 5), "context": 1, "annotator": "A", "rating": 1})
    table["language"] = pd.array(languages, dtype="str")
    table.to_parquet(path, index=False, row_group_size=2, write_statistics=statistics)

    with pytest.raises(RatingsError, match=f'language is not "xx" in every row: {found}$'):
        load_ratings(path, "xx")


@pytest.mark.parametrize("statistics", [True, False])
def test_load_ratings_reads_parquet_of_its_language(tmp_path, statistics):
    path = tmp_path / "ratings.parquet"
    table = pd.DataFrame({"pair": [1, 2], "context": 1, "annotator": "A", "rating": [1, 6]})
    table.assign(language="xx").to_parquet(
        path, index=False, row_group_size=1, write_statistics=statistics
    )

    pd.testing.assert_frame_equal(load_ratings(path, "xx").astype(table.dtypes), table)


def test_load_ratings_reads_parquet_without_rows_for_the_check_to_refuse(tmp_path):
    path = tmp_path / "ratings.parquet"
    rows = pd.DataFrame({"pair": [1], "context": 1, "annotator": "A1", "rating": 3})
    rows[:0].to_parquet(path, index=False)

    with pytest.raises(RatingsError, match="no rows"):
        check_ratings(load_ratings(path, "xx"), HALVES)


def test_load_ratings_refuses_invalid_parquet(tmp_path):
    with pytest.raises(RatingsError, match="is not a Parquet file"):
        loaded(tmp_path, PLAIN, "ratings.parquet")


def test_load_ratings_refuses_parquet_without_a_column(tmp_path):
    path = tmp_path / "ratings.parquet"
    pd.DataFrame({"pair": [1]}).to_parquet(path, index=False)

    with pytest.raises(RatingsError, match="no column context, annotator, rating"):
        load_ratings(path, "xx")


def test_load_checks_reads_answers_to_checkpoint_items(tmp_path):
    path = tmp_path / "checkpoints.csv"
    path.write_text("group,annotator,rating,lowest,highest\n1A,A1,6,5,6\n", encoding="utf-8")

    assert load_checks(path).to_dict("records") == [
        {"group": "1A", "annotator": "A1", "rating": "6", "lowest": "5", "highest": "6"}
    ]


@pytest.mark.parametrize(
    ("text", "message"), [("", "is empty"), ("group,annotator\n1A\n", "1 field instead of 2")]
)
def test_load_checks_refuses_invalid_files(tmp_path, text, message):
    path = tmp_path / "checkpoints.csv"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(RatingsError, match=message):
        load_checks(path)


def test_read_ratings_reads_text_and_leaves_other_columns_aside():
    data = (
        "\ufefflanguage,pair,context,annotator,rating,inspired_word1\r\n"
        'sl,1,2,"A, the first",4,"two\r\nlines"\r\n'
        "\r\n"
        "sl,1,1,B,0,x\r\n"
    )

    ratings = read_ratings(data.encode(), "sl")

    assert ratings.to_dict("records") == [
        {"pair": "1", "context": "2", "annotator": "A, the first", "rating": "4"},
        {"pair": "1", "context": "1", "annotator": "B", "rating": "0"},
    ]
    assert (ratings.index.name, ratings.index.tolist()) == ("line", [3, 5])


def test_read_ratings_keeps_the_group_and_needs_no_language():
    ratings = read_ratings(b"group,pair,context,annotator,rating\nq1,1,2,A,4", "sl")

    assert list(ratings.columns) == ["pair", "context", "annotator", "rating", "group"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"pair,pair,rating\n1,1,1", "pair: the header names this column twice"),
        (
            b"language,pair,context,annotator,rating\nsl,1,1,A,1\nfi,1,1,B,1",
            r'language is not "sl": row 2 \(line 3\) "fi"$',
        ),
        (
            b"pair,context,annotator,rating\n1,1,A\n1,1,B,2,3",
            r"row 1 \(line 2\): 3 fields instead of 4: .*\n.*row 2",
        ),
        (b"pair context annotator\n1 1 A 2", r"separated by commas \(it has 'pair context"),
        (b"PK\x03\x04", "the file is a spreadsheet or an archive that is damaged; save it"),
        (
            b"pair,context\n1,\xff",
            "comma-separated file in Windows-1252: line 2 is not UTF-8",
        ),
        (b'pair,context\n1,"x', r"row 1 \(line 2\): the quotation marks of a field are not closed"),
    ],
)
def test_read_ratings_reports_problems(data, message):
    with pytest.raises(RatingsError, match=message):
        read_ratings(data, "sl")


def test_tab_separated_ratings_have_no_quoting(tmp_path):
    path = tmp_path / "ratings_xx.tsv"
    rows = 'language\tpair\tcontext\tannotator\trating\tword\nxx\t1\t2\tA"1\t4\t"sea, \n'

    for text in (rows, rows + "\n"):  # the second is not read by the fast way
        path.write_text(text)
        (found,) = check_ratings(load_ratings(path, "xx"), Scale()).to_dict("records")

        assert found == {"pair": 1, "context": 2, "annotator": 'A"1', "rating": 4}


def test_plain_tab_separated_ratings_are_read_as_those_with_commas(tmp_path):
    rows = "language,pair,context,annotator,rating,group,mark\nxx,1,2,A1,4,1A,\nxx,2,1,A1,0.5,1A,\n"
    (tmp_path / "ratings.csv").write_text(rows)
    (tmp_path / "ratings.tsv").write_text(rows.replace(",", "\t"))

    one, other = (load_ratings(tmp_path / f"ratings.{end}", "xx") for end in ("csv", "tsv"))

    pd.testing.assert_frame_equal(one, other)
