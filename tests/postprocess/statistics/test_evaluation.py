import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from postprocess.formats.files import read_dataset
from postprocess.statistics.evaluation import (
    harmonic_correlation,
    table1_row,
    table1_text,
    uncentered_pearson,
)

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


@pytest.mark.parametrize(
    ("predicted", "gold"),
    [
        ([0, 1, 2, 10], [3, 2, 0, 2.5]),  # Pearson positive, Spearman negative
        ([0, 1, 2, 3], [3, 2, 1, 0]),  # both negative
        ([0, 1, 2], [0, 1, 0]),  # both 0
        ([1, 1, 1], [0, 1, 0]),
        ([0.1, 0.1, 0.1], [0, 1, 2]),  # constant, though not equal to its computed mean
        ([0, 1, 2], [3, 3, 3]),
        ([0, 1], [0, 1]),
    ],
)
def test_harmonic_correlation_is_0_unless_both_correlations_are_positive(predicted, gold):
    assert repr(harmonic_correlation(predicted, gold)) == "0.0"  # neither -0.0 nor NaN


def test_metrics_do_not_depend_on_how_large_or_small_numbers_are():
    for unit in (1e200, 1e-200):
        for metric in (uncentered_pearson, harmonic_correlation):
            scaled = metric(np.array([0, 1, 2, 6]) * unit, [0, 2, 1, 6])
            assert scaled == pytest.approx(metric([0, 1, 2, 6], [0, 2, 1, 6]))


@pytest.mark.parametrize(("language", "expected"), [("fi", 0.289), ("sl", 0.516)])
def test_harmonic_correlation_of_the_published_baseline(published, language, expected):
    scores = read_dataset((published / f"cosimlex_{language}.csv").read_bytes())
    gold = scores[["sim1", "sim2"]].to_numpy().ravel()
    results = published / "baseline_mbert" / f"results_subtask2_{language}.tsv"
    baseline = pd.read_csv(results, sep="\t").to_numpy().ravel()

    assert round(harmonic_correlation(baseline, gold), 3) == expected
    assert harmonic_correlation(-baseline, gold) == 0


@given(NUMBERS, st.integers(1, 5), st.integers(-5, 5))
def test_harmonic_correlation_does_not_depend_on_unit(gold, factor, constant):
    assume(len(set(gold)) > 1)

    assert harmonic_correlation(np.array(gold) * factor + constant, gold) == pytest.approx(1)


@pytest.mark.parametrize("metric", [uncentered_pearson, harmonic_correlation])
@pytest.mark.parametrize(
    ("x", "y"), [([1, 2], [1]), ([], []), ([1, np.nan], [1, 2]), ([1, 2], [np.inf, 1])]
)
def test_metrics_refuse_columns_that_do_not_match(metric, x, y):
    with pytest.raises(ValueError, match="predicted and gold must be"):
        metric(x, y)


def test_table1_row_leaves_out_missing_deviations():
    scores = pd.DataFrame(
        {
            "sim1": [1.0, 2.0],
            "sim2": [3.0, 0.0],
            "stdev1": [1.0, np.nan],
            "stdev2": [2.0, np.nan],
            "change": [2.0, -2.0],
            "pvalue": [0.04, 0.1],
            "pvalue_two_sided": [0.08, 0.2],
            "qvalue": [0.16, 0.2],
        }
    )

    row = table1_row(scores, 0.5)

    assert row == {
        "pairs": 2,
        "human": 0.5,
        "mean": 1.5,
        "sd": 1.5,
        "change": 2.0,
        "share_q": 0.0,
        "share_two_sided": 0.0,
        "share_one_sided": 0.5,
        "share_one_sided_10": 0.5,
    }
    alone = table1_row(scores.loc[[1]])
    assert np.isnan(alone["sd"])
    assert (table1_text(alone)["sd"], table1_text(alone)["human"]) == ("–", "–")


def test_table1_text_rounds_halves_up():
    figures = {"mean": 4.895, "change": -0.125, "share_q": 0.585}

    assert table1_text(figures) == {"mean": "4.90", "change": "−0.13", "share_q": "59 %"}
