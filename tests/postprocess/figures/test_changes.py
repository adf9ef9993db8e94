import pandas as pd

from postprocess.reporting.figures.changes import part_pairs
from tests.factories.ratings import outcome_of, simulate_study

SCORES = pd.DataFrame({"change": range(8)}, index=pd.RangeIndex(1, 9, name="pair"))


def pairs_of(parts):
    return {name: scores.index.tolist() for name, scores in part_pairs(SCORES, parts).items()}


def test_part_pairs_puts_the_most_frequent_first_and_the_unknown_last():
    parts = pd.Series({3: "verb", 4: "noun", 5: "noun", 6: "", 7: None, 99: "of no pair"})

    assert pairs_of(parts) == {"noun": [4, 5], "verb": [3], "not given": [1, 2, 6, 7, 8]}


def test_part_pairs_returns_one_part_if_unknown():
    assert pairs_of(None) == {"": list(range(1, 9))}
    assert pairs_of(pd.Series({1: " ", 2: None}, dtype=object)) == {"": list(range(1, 9))}


def test_part_pairs_pools_rare_parts():
    parts = pd.Series({i: f"part {i}" for i in range(1, 9)} | {2: "part 1"})

    assert pairs_of(parts) == {
        "part 1": [1, 2], "part 3": [3], "part 4": [4], "part 5": [5], "part 6": [6],
        "others": [7, 8],
    }  # fmt: skip


def test_part_pairs_keeps_all_pairs():
    scores = outcome_of(simulate_study()).scores
    parts = pd.Series(["noun", None, "verb", "noun"] * 6, index=scores.index)

    assert sum(map(len, part_pairs(scores, parts).values())) == len(scores)
