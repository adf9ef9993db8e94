import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

from postprocess.formats.files import read_dataset
from postprocess.formats.stimuli import parse_stimuli
from postprocess.statistics.confounds import (
    CONTEXT_MEASURES,
    TABLE_COLUMNS,
    find_confounds,
    measure_contexts,
)
from postprocess.statistics.correlations import spearman
from tests.factories.stimuli_rows import row_with


def rng(seed=1):
    return np.random.default_rng(seed)


def scores_of(sim1, sim2):
    index = pd.RangeIndex(1, len(sim1) + 1, name="pair")
    return pd.DataFrame({"sim1": sim1, "sim2": sim2}, index=index, dtype=float)


def measures_of(first, second, name="distance"):
    rows = [
        {"pair": pair, "context": context, name: value}
        for pair, both in enumerate(zip(first, second, strict=True), 1)
        for context, value in enumerate(both, 1)
    ]
    return pd.DataFrame(rows)


def answer(table, outcome, confound):
    rows = table[(table["outcome"] == outcome) & (table["confound"] == confound)]
    assert len(rows) == 1
    return rows.iloc[0]


# --- measures -------------------------------------------------------------------------------


def test_measure_contexts_by_hand():
    # context 1: The bank of the river: words 1 and 4 of 9 (It was wide. We sat), so 5/2/9
    measures = measure_contexts([row_with()])

    assert measures.columns.tolist() == ["pair", "context", *CONTEXT_MEASURES]
    first, second = measures.to_dict("records")
    assert first == {
        "pair": 1,
        "context": 1,
        "distance": 3.0,
        "n_tokens": 10.0,
        "position": pytest.approx(2.5 / 9),
        "sentence": 1.0,
        "same_sentence": 1.0,
        "word1_first": 1.0,
    }
    assert (second["same_sentence"], second["word1_first"], second["sentence"]) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    "wrong", [{"context1": "no marks"}, {"word1_context1": "x"}, {"word2_context1": "bank"}]
)
def test_measure_contexts_leaves_out_unreadable_contexts(wrong):
    measures = measure_contexts([row_with(**wrong)])

    assert measures.loc[0, list(CONTEXT_MEASURES)].isna().all()
    assert measures.loc[1, list(CONTEXT_MEASURES)].notna().all()


# --- the table ------------------------------------------------------------------------------


def test_find_confounds_by_hand():
    # distances 1 2 3 4 | 4 3 2 1 and scores 2 4 6 8 | 1 1 1 1. All eight: ranks of x 1.5 3.5 5.5
    # 7.5 7.5 5.5 3.5 1.5, of y 5 6 7 8 and 2.5 four times
    scores = scores_of([2, 4, 6, 8], [1, 1, 1, 1])
    measures = measures_of([1, 2, 3, 4], [4, 3, 2, 1])

    table = find_confounds(scores, measures, rng=rng())

    assert table.columns.tolist() == list(TABLE_COLUMNS)
    score = answer(table, "score", "distance")
    assert score["estimate"] == pytest.approx(
        spearman([1, 2, 3, 4, 4, 3, 2, 1], [2, 4, 6, 8] + [1] * 4)
    )
    assert (score["statistic"], score["n"], score["n_pairs"]) == ("rho", 8, 4)
    assert math.isnan(score["pvalue"])
    change = answer(table, "change", "distance")
    # differences 3 1 -1 -3 and changes -1 -3 -5 -7
    assert (change["estimate"], change["n"]) == (1.0, 4)
    assert (change["low"], change["high"]) == (1.0, 1.0)


def test_find_confounds_of_a_binary_measure_is_a_difference():
    first, second = [2.0, 4, 6, 8], [1.0, 1, 3, 3]
    scores = scores_of(first, second)
    measures = measures_of([1, 1, 0, 1], [0, 0, 0, 1], "word1_first")

    row = answer(find_confounds(scores, measures, rng=rng()), "score", "word1_first")

    ones, zeros = [2, 4, 8, 3], [6, 1, 1, 3]
    assert row["statistic"] == "difference"
    assert row["estimate"] == pytest.approx(17 / 4 - 11 / 4)
    assert row["pvalue"] == mannwhitneyu(ones, zeros, method="asymptotic").pvalue
    assert row["low"] < row["estimate"] < row["high"]


def test_find_confounds_of_ratings_by_hand():
    # pair 1: 0 2 4, each less the mean of the others: -3 0 3; pair 2: 6 6, 0 0
    ratings = pd.DataFrame(
        {
            "pair": [1, 1, 1, 2, 2, 3],
            "context": 1,
            "annotator": ["A", "B", "C", "A", "B", "A"],
            "rating": [0, 2, 4, 6, 6, 1],
            "seconds": [30.0, 20, 10, 31, math.nan, 99],
            "position": [1, 1, 1, 2, 2, 3],
        }
    )
    empty = scores_of([1, 2, 3], [1, 2, 3]), measures_of([1, 2, 3], [1, 2, 3])

    table = find_confounds(*empty, ratings=ratings, rng=rng())

    seconds = answer(table, "rating", "seconds")
    assert (seconds["n"], seconds["n_pairs"]) == (4, 2)  # not the NaN, nor the lone rating
    assert seconds["estimate"] == spearman([30, 20, 10, 31], [-3, 0, 3, 0])
    position = answer(table, "rating", "position")
    assert position["estimate"] == spearman([1, 1, 1, 2, 2], [-3, 0, 3, 0, 0])
    speed = answer(table, "rating", "annotator_seconds")
    # medians: A 31, B 20, C 10
    assert speed["estimate"] == spearman([31, 20, 10, 31, 20], [-3, 0, 3, 0, 0])


def test_find_confounds_returns_nan_for_undefined_figures():
    scores = scores_of([2, 4, 6], [1, 1, 1])
    measures = measures_of([1, 1, 1], [1, 1, 1]).assign(word1_first=1.0)

    table = find_confounds(scores, measures, rng=rng())

    assert table[["estimate", "low", "high", "pvalue"]].isna().all(axis=None)
    assert (table["n"] > 0).all()


def test_find_confounds_is_the_same_for_the_same_seed_only():
    scores = scores_of(*rng(3).uniform(0, 10, (2, 30)))
    measures = measures_of(*rng(4).integers(1, 20, (2, 30)))

    one, same, other = (find_confounds(scores, measures, rng=rng(seed)) for seed in (1, 1, 2))

    pd.testing.assert_frame_equal(one, same)
    assert (one["estimate"] == other["estimate"]).all()
    assert (one["low"] != other["low"]).all()


def test_find_confounds_does_not_depend_on_which_context_is_first():
    sims, values = rng(3).uniform(0, 10, (2, 30)), rng(4).integers(1, 20, (2, 30))

    there = find_confounds(scores_of(*sims), measures_of(*values), rng=rng())
    back = find_confounds(scores_of(*sims[::-1]), measures_of(*values[::-1]), rng=rng())

    assert there["estimate"].tolist() == pytest.approx(back["estimate"].tolist(), abs=1e-12)
    assert there["low"].tolist() == pytest.approx(back["low"].tolist(), abs=1e-12)


def test_find_confounds_is_not_moved_by_a_constant_or_a_step():
    sims, values = rng(3).uniform(0, 10, (2, 30)), rng(4).integers(1, 20, (2, 30))

    there = find_confounds(scores_of(*sims), measures_of(*values), rng=rng())
    moved = find_confounds(scores_of(*(sims + 3)), measures_of(*(2 * values)), rng=rng())

    pd.testing.assert_frame_equal(there, moved, rtol=1e-9)


def test_find_confounds_resamples_pairs_not_contexts():
    # both contexts of a pair alike: 20 pairs say as much as 20, not as 40, so the interval is
    # as wide as that of one context of each
    sims, values = rng(3).uniform(0, 10, 20), rng(4).uniform(0, 10, 20)
    both = find_confounds(scores_of(sims, sims), measures_of(values, values), rng=rng())
    one = find_confounds(scores_of(sims, sims), measures_of(values, [math.nan] * 20), rng=rng())

    wide, narrow = answer(both, "score", "distance"), answer(one, "score", "distance")
    assert wide["estimate"] == pytest.approx(narrow["estimate"])
    assert (wide["low"], wide["high"]) == pytest.approx((narrow["low"], narrow["high"]))


def test_find_confounds_intervals_have_their_nominal_coverage():
    n_covered = 0
    for seed in range(100):
        draw = rng(seed)
        scores, measures = (
            scores_of(*draw.normal(size=(2, 40))),
            measures_of(*draw.normal(size=(2, 40))),
        )
        row = answer(
            find_confounds(scores, measures, rng=draw, n_resamples=300), "score", "distance"
        )
        n_covered += row["low"] <= 0 <= row["high"]

    assert 85 <= n_covered <= 99


def test_find_confounds_runs_on_the_published_files(published):
    stimuli = parse_stimuli((published / "data_sl.tsv").read_bytes())
    scores = read_dataset((published / "cosimlex_sl.csv").read_bytes())

    measures = measure_contexts(stimuli.rows)
    table = find_confounds(scores, measures, rng=rng())

    assert measures.notna().all(axis=None)
    assert measures["distance"].between(1, 100).all()
    assert table.groupby("outcome")["n"].unique().map(list).to_dict() == {
        "change": [111],
        "score": [222],
    }
    assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()


def test_find_confounds_has_no_intervals_without_resamples():
    scores, measures = scores_of([1, 2, 4], [4, 2, 0]), measures_of([1, 2, 3], [3, 1, 2])

    table = find_confounds(scores, measures, rng=rng(), n_resamples=0)

    assert table["estimate"].notna().all()
    assert table[["low", "high"]].isna().all(axis=None)
