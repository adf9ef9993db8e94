import pandas as pd
import pytest

from postprocess.steps.comparison import compare_outcomes
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import read_recipe
from postprocess.table.ratings import RatingsError
from tests.factories.ratings import outcome_of, simulate_study

PEOPLE = {
    1: {"A": [0, 2, 4, 5], "B": [0, 2, 3, 5], "C": [1, 2, 4, 5], "D": [4, 3, 2, 1]},
    2: {"E": [5, 6, 6, 5], "F": [3, 4, 5, 2], "G": [2, 4, 5, 3], "H": [3, 5, 5, 2]},
}


def outcome(recipe, **moved):
    rows = [
        (pair, context, annotator, moved.get(annotator, rating))
        for context, people in PEOPLE.items()
        for annotator, ratings in people.items()
        for pair, rating in enumerate(ratings, 1)
    ]
    ratings = pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating"])
    return post_process(ratings, read_recipe(recipe), n_pairs=4)


def test_compare_outcomes_lists_differences():
    # cosimlex moves E down by 1 and leaves out D and G; raw does neither
    comparison = compare_outcomes(outcome("raw"), outcome("cosimlex"))

    treated = comparison.annotators.loc[comparison.annotators["differs"], "annotator"]
    assert treated.tolist() == ["D", "E", "G"]
    assert comparison.summary["annotators treated differently"] == 3
    assert comparison.summary["ratings used by the first"] == 32
    assert comparison.summary["ratings used by the second"] == 24
    # pair 1, context 1: 0 0 1 4 → 1.25; without D 1/3: the difference is -11/12 · 10/6
    first = comparison.scores.loc[1]
    assert first["sim1_difference"] == pytest.approx(-11 / 12 * 10 / 6)
    assert comparison.scores["written_differs"].all()


def test_compare_outcomes_of_one_recipe_finds_nothing():
    comparison = compare_outcomes(outcome("raw"), outcome("raw"))

    assert not comparison.annotators["differs"].any()
    assert not comparison.scores["written_differs"].any()
    assert comparison.summary["largest difference of a score"] == 0


def test_compare_outcomes_refuses_other_ratings():
    with pytest.raises(RatingsError, match="not of the same ratings"):
        compare_outcomes(outcome("raw"), outcome("raw", A=6))


def test_compare_outcomes_counts_pairs_that_cross_the_level_of_each_test():
    ratings = simulate_study(40)
    first, second = outcome_of(ratings, "raw"), outcome_of(ratings)

    comparison = compare_outcomes(first, second)

    counted = {
        name: comparison.summary[f"pairs on the other side of {name} = 0.05"]
        for name in ("q", "two-sided p", "published one-sided p")
    }
    columns = ("qvalue", "pvalue_two_sided", "pvalue")
    below = [[one.scores[column] < 0.05 for one in (first, second)] for column in columns]
    assert list(counted.values()) == [int((one != other).sum()) for one, other in below]
    assert len(set(counted.values())) > 1
