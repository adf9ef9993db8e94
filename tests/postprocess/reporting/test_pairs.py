import math

import numpy as np
import pytest
from scipy import stats

from postprocess.reporting.pairs import SHOWN, fold, tabulate_pairs
from tests.factories.ratings import outcome_of, rate, simulate_study


def test_tabulate_pairs_has_words_figures_and_intervals():
    outcome = outcome_of(simulate_study(6))
    words = [(f"Žaba{n}", f"b{n}") for n in range(6)]

    table = tabulate_pairs(words, outcome.scores, 0, 10)

    assert table[list(SHOWN)].equals(outcome.scores[list(SHOWN)])
    assert table["sought"].tolist() == [f"zaba{n} b{n}" for n in range(6)]
    for pair, row in table.iterrows():
        for context in "12":
            n, mean, deviation = (row[f"{name}{context}"] for name in ("n", "sim", "stdev"))
            low, high = stats.t.interval(0.95, n - 1, mean, deviation / math.sqrt(n))
            assert row[f"low{context}"] == pytest.approx(max(0, low)), pair
            assert row[f"high{context}"] == pytest.approx(min(10, high)), pair
        assert row["fewest"] == min(row["n1"], row["n2"])
        assert row["size"] == abs(row["change"])
        assert row["spread"] == max(row["stdev1"], row["stdev2"])


def test_tabulate_pairs_has_the_score_as_interval_of_a_single_rating():
    outcome = outcome_of(rate((1, 1, "A", 3), (1, 2, "B", 6)), "raw")

    table = tabulate_pairs([("a", "b")], outcome.scores, 0, 10)

    assert table[["low1", "high1", "low2", "high2"]].to_numpy().tolist() == [[5, 5, 10, 10]]
    assert np.isnan(table["spread"][1])


@pytest.mark.parametrize(("word", "folded"), [("ČRNA", "crna"), ("Ääni", "aani"), ("قِطّة", "قطة")])
def test_fold_drops_case_and_marks(word, folded):
    assert fold(word) == folded
