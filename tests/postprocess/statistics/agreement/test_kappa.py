import math
import random

import pytest

from postprocess.statistics.agreement.kappa import cohen_kappa, find_majority
from postprocess.table.ratings import RatingsError


def judged(table):
    """Return the judgements of two judges from the counts of each pair of categories."""
    pairs = [pair for pair, n in table.items() for _ in range(n)]
    return [one for one, _ in pairs], [two for _, two in pairs]


def test_cohen_kappa_of_a_published_table():
    """Fleiss (1981), Statistical methods for rates and proportions, table 13.1: kappa 0.68."""
    first, second = judged(
        {
            ("psychotic", "psychotic"): 75, ("psychotic", "neurotic"): 1,
            ("psychotic", "organic"): 4, ("neurotic", "psychotic"): 5,
            ("neurotic", "neurotic"): 4, ("neurotic", "organic"): 1, ("organic", "organic"): 10,
        }
    )  # fmt: skip

    assert cohen_kappa(first, second) == pytest.approx(0.23 / 0.34)


@pytest.mark.parametrize(
    ("n_unequal", "n_items", "printed"),
    [(8, 500, ".968"), (12, 500, ".952"), (6, 200, ".94"), (9, 200, ".91")],
)
def test_cohen_kappa_of_the_samples_of_mclwic(n_unequal, n_items, printed):
    """Martelli et al. (2021), section 3.3; half of the items have each tag."""
    half = n_items // 2
    n_true = n_unequal // 2
    table = {
        ("T", "T"): half - n_true, ("T", "F"): n_true,
        ("F", "T"): n_unequal - n_true, ("F", "F"): half - n_unequal + n_true,
    }  # fmt: skip

    kappa = cohen_kappa(*judged(table))

    assert f"{kappa:.{len(printed) - 1}f}".removeprefix("0") == printed


def test_cohen_kappa_by_hand():
    """Observed 3 of 4; expected 1/2 · 3/4 + 1/2 · 1/4 = 1/2."""
    assert cohen_kappa("aabb", "aaba") == pytest.approx(0.5)


def test_cohen_kappa_does_not_change_with_order_names_or_sides():
    rng = random.Random(1)
    first, second = ([rng.choice("abc") for _ in range(60)] for _ in range(2))
    order = rng.sample(range(60), 60)
    kappa = cohen_kappa(first, second)

    assert cohen_kappa(second, first) == pytest.approx(kappa)
    assert cohen_kappa([first[i] for i in order], [second[i] for i in order]) == pytest.approx(
        kappa
    )
    renamed = ([{"a": 1, "b": 2, "c": 3}[one] for one in side] for side in (first, second))
    assert cohen_kappa(*renamed) == pytest.approx(kappa)


def test_cohen_kappa_is_undefined_without_two_categories():
    assert math.isnan(cohen_kappa([], []))
    assert math.isnan(cohen_kappa("aaa", "aaa"))


def test_cohen_kappa_refuses_different_items():
    with pytest.raises(RatingsError, match="of 1 and of 2 items"):
        cohen_kappa("a", "ab")


@pytest.mark.parametrize(
    ("answers", "majority"),
    [
        ([1], 1), ([1, 0, 0], 0), ([1, 0], None), ([1, 0, 2, 0, 2], None), ([], None),
        ([("voda", "led"), ("led", "voda")], None),
        ([("led", "x"), ("\u010das ", "Sol"), ("c\u030cAS", "sol")], ("\u010das ", "Sol")),
    ],
)  # fmt: skip
def test_find_majority_compares_texts_without_case_composition_and_spacing(answers, majority):
    assert find_majority(answers) == majority
