import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from postprocess.evaluation import (
    harmonic_correlation,
    table1_row,
    table1_text,
    uncentered_pearson,
)
from postprocess.files import read_dataset

NUMBERS = st.lists(st.integers(-9, 9), min_size=3, max_size=9)


def test_uncentered_pearson_by_hand():
    assert uncentered_pearson([1, 2, 2], [2, 2, 1]) == pytest.approx(8 / 9)
    assert np.isnan(uncentered_pearson([0, 0], [1, 2]))


@given(NUMBERS)
def test_uncentered_pearson_depends_on_sign_and_not_on_unit(changes):
    assume(any(changes))

    assert uncentered_pearson(np.array(changes) * 3, changes) == pytest.approx(1)
    assert uncentered_pearson(np.array(changes) * -1, changes) == pytest.approx(-1)


def test_harmonic_correlation_by_hand():
    # Pearson 1/2, Spearman 1/2; and Pearson 19.75/20.75, Spearman 0.8
    assert harmonic_correlation([0, 1, 2], [0, 2, 1]) == pytest.approx(0.5)
    pearson = 19.75 / 20.75
    expected = 2 * pearson * 0.8 / (pearson + 0.8)
    assert harmonic_correlation([0, 1, 2, 6], [0, 2, 1, 6]) == pytest.approx(expected)


def test_harmonic_correlation_of_unlike_signs_has_no_sense():
    assert np.isnan(harmonic_correlation([0, 1, 2, 10], [3, 2, 0, 2.5]))
    assert harmonic_correlation([0, 1, 2], [0, 1, 0]) == 0
    assert np.isnan(harmonic_correlation([1, 1, 1], [0, 1, 0]))


@given(NUMBERS, st.integers(1, 5), st.integers(-5, 5))
def test_harmonic_correlation_does_not_depend_on_unit(gold, factor, constant):
    assume(len(set(gold)) > 1)

    assert harmonic_correlation(np.array(gold) * factor + constant, gold) == pytest.approx(1)


@pytest.mark.parametrize("metric", [uncentered_pearson, harmonic_correlation])
@pytest.mark.parametrize(("x", "y"), [([1, 2], [1]), ([], []), ([1, np.nan], [1, 2])])
def test_metrics_refuse_what_does_not_match(metric, x, y):
    with pytest.raises(ValueError, match="predicted and gold must be"):
        metric(x, y)


@pytest.mark.parametrize(
    ("language", "figures"),
    [
        ("sl", ["111", "4.90", "2.18", "1.96", "59 %", "46 %"]),
        ("fi", ["24", "4.08", "2.17", "1.75", "33 %", "29 %"]),
    ],
)
def test_table1_row_of_the_published_files(published, language, figures):
    scores = read_dataset((published / f"cosimlex_{language}.csv").read_bytes())
    scores["change"] = scores["sim2"] - scores["sim1"]

    assert list(table1_text(table1_row(scores)).values()) == figures


def test_table1_row_leaves_out_missing_deviations():
    scores = pd.DataFrame(
        {
            "sim1": [1.0, 2.0],
            "sim2": [3.0, 0.0],
            "stdev1": [1.0, np.nan],
            "stdev2": [2.0, np.nan],
            "change": [2.0, -2.0],
            "pvalue": [0.05, 0.1],
        }
    )

    row = table1_row(scores)

    assert row == {
        "pairs": 2,
        "mean": 1.5,
        "sd": 1.5,
        "change": 2.0,
        "below_0.1": 0.5,
        "below_0.05": 0.0,
    }
    alone = table1_row(scores.loc[[1]])
    assert np.isnan(alone["sd"])
    assert table1_text(alone)["sd"] == ""


def test_table1_text_rounds_halves_up():
    assert table1_text({"mean": 4.895, "below_0.1": 0.585}) == {"mean": "4.90", "below_0.1": "59 %"}
