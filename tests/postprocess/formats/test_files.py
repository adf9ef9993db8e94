import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.formats.files import (
    DATASET_COLUMNS,
    PvalueStyle,
    format_number,
    format_pvalue,
    parse_number,
    read_dataset,
    read_gold,
    render_dataset,
    render_gold,
)
from postprocess.formats.tabular import TableError


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (10.0, "10"),
        (9.4444, "9.44"),
        (8.0, "8"),
        (1.8, "1.8"),
        (0.11764, "0.118"),
        (0.0000388, "0.0000388"),
        (0.00002995, "0.00003"),
        (3.125, "3.12"),
        (3.125 - 4e-16, "3.12"),
        (3.125 + 4e-16, "3.12"),
        (-3.125, "-3.12"),
        (8.125, "8.12"),  # English car/carriage
        (4.375, "4.38"),  # English steeple/chapel
        (6.875, "6.88"),  # Croatian ići/poslati
        (122 / 25 * 10 / 6, "8.13"),  # of the practice kit: no tie
        (8.125001, "8.13"),
        (9.995, "10"),
        (0.9995, "1"),
        (99.95, "100"),
        (123.4, "123"),
        (1234.5, "1230"),
        (1e22, "10000000000000000000000"),
        (1e-12, "0.000000000001"),
        (-1.197, "-1.2"),
        (float("nan"), ""),
    ],
)
def test_format_number_writes_three_significant_digits(x, text):
    assert format_number(x) == text


def test_format_number_refuses_infinity():
    with pytest.raises(ValueError, match="infinite"):
        format_number(float("inf"))


@pytest.mark.parametrize(
    ("p", "below", "text"),
    [
        (0.0000240, 1e-4, "2.40E-05"),
        (0.00003027, 1e-4, "3.03E-05"),
        (0.000099996, 1e-4, "0.0001"),
        (0.00009994, 1e-4, "9.99E-05"),
        (0.0001, 1e-4, "0.0001"),
        (0.0000240, 1e-7, "0.000024"),
        (9.876e-8, 1e-7, "9.88E-08"),
        (1.5e-100, 1e-7, "1.50E-100"),
        (0.0, 1e-4, "0"),
        (0.5, 0, "0.5"),
        (float("nan"), 1e-4, ""),
    ],
)
def test_format_pvalue_compares_the_rounded_value_with_the_bound(p, below, text):
    assert format_pvalue(p, PvalueStyle(below)) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (2.4e-9, "2.4E-09"),
        (2.0e-9, "2E-09"),
        (2.43e-9, "2.43E-09"),
        (1.5e-100, "1.5E-100"),
        (0.000024, "0.000024"),
        (0.0, "0"),
    ],
)
def test_format_pvalue_can_drop_trailing_zeros_of_the_mantissa(p, text):
    assert format_pvalue(p, PvalueStyle(1e-7, trailing_zeros=False)) == text
    assert parse_number(text) == p


@pytest.mark.parametrize("text", ["x", "1,5", " 1", "1_0", "nan", "inf", "٣", ".5", "1.", "--1"])
def test_parse_number_refuses_other_formats(text):
    with pytest.raises(ValueError, match="is not a number; write it as"):
        parse_number(text)


@given(
    st.floats(-1000, 1000), st.builds(PvalueStyle, st.sampled_from([0, 1e-7, 1e-4]), st.booleans())
)
def test_numbers_read_back_as_they_were_written(x, style):
    text = format_number(x)

    assert format_number(parse_number(text)) == text
    assert parse_number(text) == pytest.approx(x, rel=5.1e-3, abs=1e-300)
    written = format_pvalue(abs(x), style)
    assert format_pvalue(parse_number(written), style) == written


def scores_of(*sims):
    return pd.DataFrame(
        [{"sim1": a, "sim2": b, "stdev1": 1.5, "stdev2": math.nan, "pvalue": 1e-5} for a, b in sims]
    )


ROW = ("w", "v", ' <strong>w</strong>  "v"', "c2", "a", "b", "c", "d")


def test_render_dataset_puts_the_scores_between_contexts_and_forms():
    text = render_dataset([ROW], scores_of((1, 10 / 3)), pvalues=PvalueStyle(1e-4))

    header, row, end = text.split("\n")
    assert header == "\t".join(DATASET_COLUMNS)
    assert row == 'w\tv\t <strong>w</strong>  "v"\tc2\t1\t3.33\t1.5\t\t1.00E-05\ta\tb\tc\td'
    assert end == ""


def test_render_dataset_refuses_scores_of_other_pairs():
    with pytest.raises(ValueError, match="argument"):
        render_dataset([ROW], scores_of((1, 2), (1, 2)), pvalues=PvalueStyle(0))


def test_render_gold_writes_the_change_of_the_rounded_scores():
    gold = render_gold(scores_of((16 / 3, 145 / 27), (1.5, 0.30303), (2, 2)))

    assert gold.split("\n") == [
        "sim_context1\tsim_context2\tchange",
        "5.33\t5.37\t0.04",
        "1.5\t0.303\t-1.2",
        "2\t2\t0",
        "",
    ]


def test_render_gold_gives_back_the_published_practice_gold(published):
    paths = sorted((published / "practice_kit").glob("gold_*.tsv"))

    assert len(paths) == 3
    for path in paths:
        gold = read_gold(path.read_bytes())
        scores = gold.rename(columns={"sim_context1": "sim1", "sim_context2": "sim2"})
        assert render_gold(scores).encode() == path.read_bytes()


@pytest.mark.parametrize(("language", "below"), [("sl", 1e-7), ("fi", 1e-4)])
def test_read_dataset_and_render_dataset_give_back_the_published_files(published, language, below):
    data = (published / f"cosimlex_{language}.csv").read_bytes()

    dataset = read_dataset(data)

    columns = [*DATASET_COLUMNS[:4], *DATASET_COLUMNS[9:]]
    rows = dataset[columns].itertuples(index=False, name=None)
    assert render_dataset(rows, dataset, pvalues=PvalueStyle(below)).encode() == data
    assert dataset.index[0] == 1


def test_read_gold_names_every_cell_that_is_no_number():
    data = b"sim_context1\tsim_context2\tchange\n1\tx\t2\n1\n1\t1\t0,5\n"

    with pytest.raises(TableError) as caught:
        read_gold(data)

    assert str(caught.value).split("\n") == [
        'row 1 (line 2), sim_context2: "x" is not a number; write it as 0.118 or 2.40E-05',
        "row 2 (line 3): 1 field instead of 3: a line break inside a field? Replace it by a space",
        'row 3 (line 4), change: "0,5" is not a number; write it as 0.118 or 2.40E-05',
    ]


def test_read_dataset_names_missing_columns():
    with pytest.raises(TableError, match="missing columns: word1, word2, context1"):
        read_dataset(b"sim1\n1\n")


# --- ratings --------------------------------------------------------------------------------
