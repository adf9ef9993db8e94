import numpy as np
import pytest
from scipy import stats

from postprocess.reporting.assessment import Chance
from postprocess.statistics.change import false_discovery_rates
from postprocess.two_collections.differences import (
    compare_changes,
    compare_contexts,
    measure_differences,
)
from tests.factories.collections import aligned, collection_of, rerate, scores_of
from tests.factories.ratings import rate, simulate_study

BRIEF = Chance(20, 5, 0, "items")
# Bland and Altman (1986), table 1: peak flow by two meters, first readings, l/min
LARGE = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]


@pytest.fixture(scope="module")
def aligned_two():
    ratings = simulate_study(12, n_blocks=2)
    return aligned(collection_of(ratings), collection_of(rerate(ratings), "B"))


def test_limits_of_agreement_are_those_that_bland_and_altman_print():
    mini, large = (scores_of([(0, flow) for flow in flows], name)
                   for flows, name in ((MINI, "mini"), (LARGE, "large")))  # fmt: skip

    row = measure_differences(aligned(mini, large), BRIEF).set_index("of").loc["change"]

    assert row["n"] == 17
    assert row["difference"] == pytest.approx(-2.1, abs=0.05)
    assert row["sd"] == pytest.approx(38.8, abs=0.05)
    # the paper takes 2 deviations: -79.7 and 75.5
    assert row["limit_low"] == pytest.approx(-2.1 - 1.96 * 38.8, abs=0.1)
    assert row["limit_high"] == pytest.approx(-2.1 + 1.96 * 38.8, abs=0.1)
    assert np.isnan(row["sd_by_noise"])  # scores alone


def test_measure_differences_of_a_worked_case():
    # scores 0 and 10 of each pair by ratings 0 0 and 6 6; of the second 5 (0, 6) and 10
    first = rate(*((p, c, a, 6 * (c - 1)) for p in (1, 2, 3) for c in (1, 2) for a in "AB"))
    second = rate(*((p, c, a, 6 if c == 2 else 6 * (a == "A"))
                    for p in (1, 2, 3) for c in (1, 2) for a in "AB"))  # fmt: skip

    found = measure_differences(
        aligned(collection_of(first), collection_of(second, "B")), BRIEF
    ).set_index("of")

    assert found.loc["score", "difference"] == 2.5  # 5 and 0
    assert found.loc["score", "sd"] == pytest.approx(np.std([5, 0] * 3, ddof=1))
    assert found.loc["change", "difference"] == -5
    assert found.loc["change", "limit_low"] == -5
    # the deviation of 0 and 10 is √50; √(50/2) in one of two contexts
    assert found.loc["score", "sd_by_noise"] == pytest.approx(np.sqrt(25 / 2))
    assert found.loc["change", "sd_by_noise"] == pytest.approx(5)
    low, high = found.loc["change", ["difference_low", "difference_high"]]
    assert (low, high) == (-5, -5)


def test_compare_contexts_tests_as_scipy_does(aligned_two):
    table = compare_contexts(aligned_two)

    for row in table.head(6).itertuples():
        sides = [
            one.loc[(one["pair"] == row.pair) & (one["context"] == row.context), "rating"]
            for one in aligned_two.ratings
        ]
        expected = stats.mannwhitneyu(*sides, alternative="two-sided", method="asymptotic")
        assert row.pvalue == pytest.approx(min(expected.pvalue, 1))
        higher = np.sign(np.subtract.outer(sides[1].to_numpy(), sides[0].to_numpy())).mean()
        assert row.delta == pytest.approx(higher)
        assert row.difference == pytest.approx(sides[1].mean() - sides[0].mean())
    assert table["qvalue"].tolist() == false_discovery_rates(table["pvalue"].to_numpy()).tolist()


def test_compare_contexts_without_ratings_has_no_tests():
    sims = [(1.0, 2.0), (3.0, 5.0), (5.0, 6.0)]

    table = compare_contexts(aligned(scores_of(sims), scores_of(sims, "B")))

    assert "pvalue" not in table
    assert table["score_second"].tolist() == [1, 2, 3, 5, 5, 6]


def test_compare_changes_is_welchs_test_if_one_context_does_not_vary():
    """With equal ratings in context 1, the changes differ as the ratings of context 2 do."""
    one, other = [1, 2, 4, 5, 3], [4, 6, 5, 6]
    sides = [
        rate(*((pair, context, n, rating if context == 2 else 3)
               for pair in (1, 2, 3) for context in (1, 2) for n, rating in enumerate(points)))
        for points in (one, other)
    ]  # fmt: skip

    table = compare_changes(aligned(collection_of(sides[0]), collection_of(sides[1], "B")))

    expected = stats.ttest_ind(other, one, equal_var=False)
    assert table["pvalue"].tolist() == pytest.approx([expected.pvalue] * 3)
    assert table["t"].tolist() == pytest.approx([expected.statistic] * 3)
    assert table["qvalue"].tolist() == pytest.approx([expected.pvalue] * 3)
    assert table["difference"].tolist() == pytest.approx([(5.25 - 3) / 0.6] * 3)


def test_compare_changes_leaves_single_ratings_and_constant_ones_untested():
    single = rate(*((p, c, "A", p) for p in (1, 2, 3) for c in (1, 2)))
    constant = rate(*((p, c, a, p) for p in (1, 2, 3) for c in (1, 2) for a in "AB"))

    for ratings in (single, constant):
        table = compare_changes(aligned(collection_of(ratings), collection_of(constant, "B")))
        assert table[["t", "pvalue", "qvalue"]].isna().all(axis=None)


def test_differences_change_their_sign_with_the_sides(aligned_two):
    turned = aligned_two._replace(
        scores=aligned_two.scores[::-1], ratings=aligned_two.ratings[::-1]
    )

    one, other = (measure_differences(side, BRIEF) for side in (aligned_two, turned))
    assert other["difference"].tolist() == pytest.approx((-one["difference"]).tolist())
    assert other["limit_low"].tolist() == pytest.approx((-one["limit_high"]).tolist())
    tests, turned_tests = (compare_contexts(side) for side in (aligned_two, turned))
    assert turned_tests["pvalue"].tolist() == pytest.approx(tests["pvalue"].tolist())
    assert turned_tests["delta"].tolist() == pytest.approx((-tests["delta"]).tolist())
