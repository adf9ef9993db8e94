import numpy as np
import pytest

from postprocess.reporting.pairs import SHOWN, tabulate_pairs
from postprocess.reporting.phrases import fold
from postprocess.statistics.means import mean_intervals
from postprocess.steps.recipe import RescalingSection
from postprocess.steps.score_intervals import score_intervals
from tests.factories.ratings import outcome_of, rate, simulate_study

RESCALED = RescalingSection()


def test_tabulate_pairs_has_words_figures_and_intervals():
    outcome = outcome_of(simulate_study(6))
    words = [(f"Žaba{n}", f"b{n}") for n in range(6)]

    intervals = score_intervals(outcome)

    table = tabulate_pairs(words, outcome.scores, RESCALED, intervals)

    assert table[list(SHOWN)].equals(outcome.scores[list(SHOWN)])
    assert table["sought"].tolist() == [f"zaba{n} b{n}" for n in range(6)]
    for context in (1, 2):
        ends = [f"sim{context}_low", f"sim{context}_high"]
        assert table[[f"low{context}", f"high{context}"]].equals(intervals[ends].set_axis(
            [f"low{context}", f"high{context}"], axis=1
        ))  # fmt: skip
    assert table[["change_low", "change_high"]].equals(intervals[["change_low", "change_high"]])
    for _, row in table.iterrows():
        assert row["fewest"] == min(row["n1"], row["n2"])
        assert row["size"] == abs(row["change"])
        assert row["spread"] == max(row["stdev1"], row["stdev2"])


def test_tabulate_pairs_without_intervals_has_those_of_the_means():
    scores = outcome_of(simulate_study(2)).scores

    table = tabulate_pairs([("a", "b")] * 2, scores, RESCALED)

    for context in (1, 2):
        ends = table[[f"low{context}", f"high{context}"]].to_numpy()
        assert ends.tolist() == mean_intervals(scores, context, 0, 10).tolist()
    assert table[["change_low", "change_high"]].isna().all(axis=None)


def test_tabulate_pairs_has_the_score_as_interval_of_a_single_rating():
    outcome = outcome_of(rate((1, 1, "A", 3), (1, 2, "B", 6)), "raw")

    table = tabulate_pairs([("a", "b")], outcome.scores, RESCALED, score_intervals(outcome))

    assert table[["low1", "high1", "low2", "high2"]].to_numpy().tolist() == [[5, 5, 10, 10]]
    assert np.isnan(table["spread"][1])


@pytest.mark.parametrize(("word", "folded"), [("ČRNA", "crna"), ("Ääni", "aani"), ("قِطّة", "قطة")])
def test_fold_drops_case_and_marks(word, folded):
    assert fold(word) == folded
