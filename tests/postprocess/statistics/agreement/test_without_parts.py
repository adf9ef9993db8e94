from functools import partial

import numpy as np
import pandas as pd
import pytest

from postprocess.statistics.agreement.alpha import krippendorff_alpha
from postprocess.statistics.agreement.group_arrays import stack_groups
from postprocess.statistics.agreement.split_halves import mean_reliabilities
from postprocess.statistics.agreement.without_parts import (
    measure_without_parts,
    process_without_parts,
)
from postprocess.statistics.resampling import N_PARTS, divide_annotators
from tests.postprocess.statistics.agreement.tables import drop_lowest

COLUMNS = ["pair", "context", "annotator", "rating", "group"]


def test_ratings_are_processed_without_each_part_of_the_annotators(simulated):
    ratings = simulated()
    names = np.sort(ratings["annotator"].unique())
    divisions = divide_annotators(stack_groups(ratings), 60, np.random.default_rng(3))

    found = process_without_parts(ratings, drop_lowest, 60, np.random.default_rng(3))

    for division, processed in zip(divisions, found, strict=True):
        for part in range(N_PARTS):
            is_left_out = ratings["annotator"].isin(names[division.parts == part])
            expected = drop_lowest(ratings[~is_left_out])[COLUMNS]
            rows = processed.loc[processed["part"] == part, COLUMNS]
            pd.testing.assert_frame_equal(
                rows.reset_index(drop=True), expected.reset_index(drop=True)
            )


def test_figures_without_each_part_are_those_of_the_processed_ratings(simulated):
    ratings = simulated()
    tables = list(process_without_parts(ratings, drop_lowest, 60, np.random.default_rng(3)))
    alpha = partial(krippendorff_alpha, level="interval")

    found = measure_without_parts(
        tables, [table["block"].to_numpy() - 1 for table in tables], 2, {"alpha": alpha}
    )

    assert found["alpha"].shape == (2, 2, N_PARTS)
    for division, table in enumerate(tables):
        for (block, part), rows in table.groupby(["block", "part"]):
            expected = alpha(stack_groups(rows), 1)[0]
            assert found["alpha"][division, block - 1, part] == pytest.approx(expected)


def test_mean_reliabilities_of_the_same_annotators_are_the_same(simulated):
    ratings = simulated()
    twice = pd.concat([ratings, ratings], ignore_index=True)
    slices = np.repeat([0, 2], len(ratings))

    first, none, second = mean_reliabilities(stack_groups(twice, slices), 3)

    assert first == second
    assert np.isnan(none)
