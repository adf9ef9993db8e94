"""Figures of resamples by weights, compared with the plain ones of items that are repeated."""

import numpy as np
import pandas as pd
import pytest

from postprocess.statistics.agreement.by_group import TABLE_FIGURES
from postprocess.statistics.agreement.group_arrays import stack_groups
from postprocess.statistics.agreement.resampled import resample_figures
from postprocess.statistics.resampling import draw_items, weigh_items
from tests.postprocess.statistics.agreement.tables import take_items

N_RESAMPLES = 25


def rate(rng, sizes, *, share_missing, n_points=7, unit=1.0, is_constant=False):
    """Return ratings of groups of a number of annotators and of items each, some missing."""
    rows = []
    for group, (n_annotators, n_items) in enumerate(sizes):
        true = rng.uniform(0, n_points - 1, n_items)
        for annotator in range(n_annotators):
            points = np.clip(np.rint(true + rng.normal(0, 1.2, n_items)), 0, n_points - 1)
            for pair, point in enumerate(points):
                if rng.random() >= share_missing:
                    point = 1 if is_constant and annotator == 0 else point
                    rows.append((pair, 1, f"{group}-{annotator}", unit * point, f"{group}"))
    return pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group"])


CASES = {
    "complete": {"sizes": [(5, 8), (5, 8), (4, 6)], "share_missing": 0},
    "gaps": {"sizes": [(6, 8), (6, 8), (3, 5)], "share_missing": 0.3},
    "mostly gaps": {"sizes": [(8, 7), (7, 9)], "share_missing": 0.75},
    "more annotators than items": {"sizes": [(20, 4)], "share_missing": 0.3},
    "two annotators": {"sizes": [(2, 6), (2, 6)], "share_missing": 0.2},
    "one annotator": {"sizes": [(1, 6)], "share_missing": 0},
    "two items": {"sizes": [(4, 2), (5, 2)], "share_missing": 0.2},
    "many ties": {"sizes": [(5, 6), (5, 6)], "share_missing": 0.1, "n_points": 2},
    "all equal": {"sizes": [(4, 5)], "share_missing": 0.1, "n_points": 1, "unit": 5 / 3},
    "fractions": {"sizes": [(5, 6), (4, 6)], "share_missing": 0.2, "unit": 10 / 6},
    "a constant annotator": {
        "sizes": [(5, 6)], "share_missing": 0.2, "unit": 0.1, "n_points": 3, "is_constant": True,
    },
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(4))
def test_resample_figures_are_those_of_repeated_items(case, seed):
    ratings = rate(np.random.default_rng(seed), **CASES[case])
    stacks = stack_groups(ratings)
    drawn = draw_items(stacks, N_RESAMPLES, np.random.default_rng(1))
    taken = [take_items(*one) for one in zip(stacks, drawn, strict=True)]
    weights = weigh_items(stacks, N_RESAMPLES, np.random.default_rng(1))

    found = resample_figures(stacks, weights, list(TABLE_FIGURES))

    for figure, known in TABLE_FIGURES.items():
        expected = known(taken, N_RESAMPLES)
        assert found[figure] == pytest.approx(expected, abs=1e-11, nan_ok=True), figure


def test_resample_figures_gives_those_that_are_asked_for(ratings_of):
    stacks = stack_groups(ratings_of(A=[0, 3, 6, 2], B=[1, 3, 5, 4], C=[0, 0, 6, 1]))
    whole = resample_figures(stacks, np.ones((4, 1)), list(TABLE_FIGURES))

    for figure, numbers in whole.items():
        (alone,) = resample_figures(stacks, np.ones((4, 1)), [figure, "split_half"]).items()
        assert alone == (figure, pytest.approx(numbers))
        assert numbers == pytest.approx(TABLE_FIGURES[figure](stacks, 1))
