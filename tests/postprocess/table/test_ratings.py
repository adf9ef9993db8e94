import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.table.ratings import (
    RatingsError,
    Scale,
    check_ratings,
)


def table(*rows, columns=("pair", "context", "annotator", "rating")):
    return pd.DataFrame(list(rows), columns=list(columns))


@pytest.mark.parametrize(
    "ends", [(6, 0), (3, 3), (0, 6, 0), (0, 6, -1), (0, 6, 4), (0, float("inf")), (0, 1, 2)]
)
def test_scale_refuses_invalid_ends_and_steps(ends):
    with pytest.raises(RatingsError, match="–"):
        Scale(*ends)


def test_scale_has_a_readable_text():
    assert (str(Scale()), str(Scale(1, 7, 0.5))) == ("0–6", "1–7 in steps of 0.5")


def test_check_ratings_gives_its_one_form():
    raw = pd.DataFrame(
        {
            "extra": ["x", "y", "z"],
            "rating": ["6", "0", "3.0"],
            "annotator": ["B", "A", 7],
            "context": ["2", "1", "1"],
            "pair": ["1", "2", "1"],
        },
        index=[9, 9, 9],
    )

    checked = check_ratings(raw, Scale(), n_pairs=2)

    expected = table((1, 1, "7", 3), (1, 2, "B", 6), (2, 1, "A", 0))
    kinds = {"pair": "int32", "context": "int8", "annotator": "category", "rating": "int32"}
    pd.testing.assert_frame_equal(checked, expected.astype(kinds))
    assert list(raw.columns) == ["extra", "rating", "annotator", "context", "pair"]


@pytest.mark.parametrize("step", [1, 1000], ids=["all pairs", "few of many pairs"])
@given(st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_check_ratings_sorts_as_pandas_does(step, n_rows, seed):
    rng = np.random.default_rng(seed)
    places = rng.permutation(240)[:n_rows]  # of 10 pairs, 2 contexts and 12 annotators
    raw = pd.DataFrame(
        {
            "pair": 1 + places // 24 * step,
            "context": 1 + places % 2,
            "annotator": [f"A{place // 2 % 12}" for place in places],
            "rating": rng.integers(0, 7, n_rows),
            "mark": rng.choice(["", "rejected"], n_rows),
        }
    )

    checked = check_ratings(raw, Scale())

    expected = raw.sort_values(["pair", "context", "annotator"], ignore_index=True)
    pd.testing.assert_frame_equal(checked.astype(expected.dtypes), expected)


def test_check_ratings_keeps_a_given_group_and_half_points():
    raw = table((1, 1, "A", 0.5, 1), columns=("pair", "context", "annotator", "rating", "group"))

    checked = check_ratings(raw, Scale(step=0.5))

    assert checked.to_dict("records") == [
        {"pair": 1, "context": 1, "annotator": "A", "rating": 0.5, "group": "1"}
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((0, 1, "A", 1), r'pair must be a whole number from 1 to 3: row 2 \(line 3\) "0"'),
        ((4, 1, "A", 1), "pair must be"),
        ((1.5, 1, "A", 1), "pair must be"),
        (("x", 1, "A", 1), 'pair must be.*"x"'),
        ((1, 3, "A", 1), r'context must be 1 or 2: row 2 \(line 3\) "3"'),
        ((1, None, "A", 1), "context must be 1 or 2"),
        ((1, 1, "", 1), "annotator is empty: row 2"),
        ((1, 1, None, 1), "annotator is empty: row 2"),
        ((1, 1, " ", 1), "annotator is empty: row 2"),
        ((1, 1, "A", None), "rating is missing or is not a number: row 2"),
        ((1, 1, "A", "much"), 'rating is missing or is not a number: row 2.*"much"'),
        ((1, 1, "A", "inf"), "rating is missing or is not a number: row 2"),
        ((1, 1, "A", 7), "rating is outside the scale 0–6: row 2"),
        ((1, 1, "A", -1), "rating is outside the scale 0–6: row 2"),
        ((1, 1, "A", 2.5), "rating is between the steps of the scale 0–6: row 2"),
        ((1, 1, "Z", 2), "the same annotator rated the same context before: row 2"),
    ],
)
def test_check_ratings_names_the_row_that_is_wrong(row, message):
    raw = table((1, 1, "Z", 1), row).astype(object)

    with pytest.raises(RatingsError, match=message) as caught:
        check_ratings(raw, Scale(), n_pairs=3)

    assert "\n" not in str(caught.value)


def test_check_ratings_names_ten_rows_and_counts_the_rest():
    raw = table(*((1, 1, f"A{i}", 9) for i in range(12)))

    with pytest.raises(RatingsError, match=r'row 10 \(line 11\) "9", … \(12 in all\)$'):
        check_ratings(raw, Scale())


def test_check_ratings_reports_all_kinds_at_once():
    raw = table((0, 1, "A", 1), (1, 5, "", 9))

    with pytest.raises(RatingsError) as caught:
        check_ratings(raw, Scale())

    kinds = [line.split(":")[0] for line in str(caught.value).split("\n")]
    assert kinds == [
        "pair must be a whole number from 1",
        "context must be 1 or 2",
        "annotator is empty",
        "rating is outside the scale 0–6",
    ]


def test_check_ratings_names_the_lines_of_the_index():
    raw = table((1, 1, "A", 9)).set_index(pd.Index([17], name="line"))

    with pytest.raises(RatingsError, match=r"row 1 \(line 17\)"):
        check_ratings(raw, Scale())


def test_check_ratings_refuses_missing_columns_and_no_rows():
    with pytest.raises(RatingsError, match=r"no column context, rating \(found: pair, annotator\)"):
        check_ratings(table((1, "A"), columns=("pair", "annotator")), Scale())
    with pytest.raises(RatingsError, match="no rows"):
        check_ratings(table(), Scale())


def test_check_ratings_accepts_missing_ratings_only_if_marked_as_unjudged():
    table = pd.DataFrame(
        {
            "pair": [1, 2, 3],
            "context": 1,
            "annotator": "A",
            "rating": [3, None, None],
            "mark": ["", "cannot judge", "withdrawn"],
        }
    )

    assert check_ratings(table.iloc[:2], Scale())["mark"].tolist() == ["", "cannot judge"]
    with pytest.raises(RatingsError, match=r"missing or is not a number: row 3 \(line 4\) \(empty"):
        check_ratings(table, Scale())


def test_check_ratings_refuses_a_mark_it_does_not_know():
    table = pd.DataFrame(
        {"pair": [1], "context": [1], "annotator": ["A"], "rating": [1], "mark": ["odd"]}
    )

    with pytest.raises(RatingsError, match=r'mark must be empty or one of cannot judge, .*"odd"'):
        check_ratings(table, Scale())


def test_check_ratings_refuses_names_that_would_break_a_line():
    table = pd.DataFrame({"pair": [1], "context": [1], "annotator": ["A\tB"], "rating": [1]})

    with pytest.raises(RatingsError, match="annotator has a tab or a line break in it"):
        check_ratings(table, Scale())
