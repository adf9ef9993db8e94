"""Coverage of the intervals of the agreement table."""

import numpy as np
import pandas as pd
import pytest

from postprocess.statistics.agreement.by_group import FIGURES, agreement_table
from tests.postprocess.statistics.agreement.tables import many_questionnaires


def test_intervals_mostly_contain_the_figure_of_many_items():
    rng = np.random.default_rng(7)
    bias = rng.normal(0, 0.6, 8)  # the same eight annotators in every study

    def study(name, n_items):
        ratings = rng.uniform(0, 6, n_items)[:, None] + bias + rng.normal(0, 1.2, (n_items, 8))
        return pd.DataFrame(
            {
                "pair": np.repeat(np.arange(1, n_items + 1), 8),
                "context": 1,
                "annotator": np.tile(np.arange(8), n_items),
                "rating": np.clip(np.rint(ratings), 0, 6).ravel(),
                "group": name,
            }
        )

    limit = agreement_table(study("all", 8_000), by=[], n_resamples=0, n_splits=9).iloc[0]
    studies = pd.concat([study(f"{number:03}", 30) for number in range(60)])

    found = agreement_table(studies, n_resamples=100, n_splits=10).iloc[:-1]

    for figure in FIGURES:
        low, high = found[f"{figure}_low"], found[f"{figure}_high"]
        share = ((low <= limit[figure]) & (limit[figure] <= high)).mean()
        assert 0.85 <= share <= 1, (figure, share)


@pytest.mark.parametrize("figure", ["human", "pairwise_spearman"])
def test_intervals_of_many_questionnaires_contain_the_figure_of_many_items(figure):
    rng = np.random.default_rng(3)
    crowd = rng.normal(0, 0.6, (14, 6))
    wanted = {"by": [], "figures": [figure]}
    limit = agreement_table(many_questionnaires(rng, crowd, 1500), n_resamples=0, **wanted)

    found = pd.concat(
        agreement_table(many_questionnaires(rng, crowd, 16), n_resamples=100, **wanted)
        for _ in range(20)
    )

    low, high = found[f"{figure}_low"], found[f"{figure}_high"]
    assert ((low <= limit[figure][0]) & (limit[figure][0] <= high)).sum() >= 17


def test_intervals_over_annotators_contain_the_figure_of_other_annotators():
    rng = np.random.default_rng(4)
    figures = ["pairwise_pearson", "alpha_interval", "icc_single"]
    wanted = {"by": [], "figures": figures}

    def study(n_groups, n_items):
        crowd = rng.normal(0, 1.2, (n_groups, 8))
        return many_questionnaires(rng, crowd, n_items, n_groups)

    others = agreement_table(study(300, 200), n_resamples=0, **wanted).loc[0]
    over_items, over_both = (
        pd.concat(
            agreement_table(study(4, 60), n_resamples=60, resample=resample, **wanted)
            for _ in range(20)
        )
        for resample in ("items", "items and annotators")
    )

    for figure in figures[1:]:
        held = [
            ((t[f"{figure}_low"] <= others[figure]) & (others[figure] <= t[f"{figure}_high"])).sum()
            for t in (over_items, over_both)
        ]
        assert held[0] <= 14 < 17 <= held[1], (figure, held)


def test_no_intervals_over_annotators_of_groups_of_two(ratings_of):
    ratings = ratings_of(A=[0, 3, 6, 5, 2], B=[1, 3, 5, 5, 1])

    found = agreement_table(ratings, by=[], n_resamples=20, resample="items and annotators")

    assert found.filter(regex="_(low|high)$").isna().all(axis=None)
    assert found["human"].notna().all()


def test_resampling_annotators_widens_every_interval(simulated):
    ratings = simulated()
    items, both = (
        agreement_table(ratings, by=[], n_resamples=60, resample=resample).loc[0]
        for resample in ("items", "items and annotators")
    )

    for figure in FIGURES:
        assert both[figure] == items[figure]
        assert both[f"{figure}_low"] < items[f"{figure}_low"], figure
        assert both[f"{figure}_high"] > items[f"{figure}_high"], figure
