"""Reference rows of the published data equal figures that were computed elsewhere."""

import math

import pandas as pd
import pytest

from postprocess.boards.bounds import bound_changes, bound_without_context, measure_people
from postprocess.boards.entries import Kind
from postprocess.scoring.metrics import Metric
from tests.machine import COSIMLEX
from tests.postprocess.boards.systems import LANGUAGES, read_tsv


@pytest.fixture(scope="module")
def scores_of():
    """Return the scores of the test pairs by language, with the numbers of ratings."""
    found = {}
    for language in LANGUAGES:
        dataset = read_tsv(COSIMLEX / f"cosimlex_{language}.csv")
        ratings = pd.read_csv(COSIMLEX / f"ratings_{language}.csv")
        n = ratings.groupby(["pair", "context"]).size().unstack().to_numpy()
        found[language] = dataset.assign(n1=n[:, 0], n2=n[:, 1])
    return found


def test_the_ceiling_is_the_root_of_the_reliability(scores_of):
    ceiling, crowd = bound_changes(scores_of)

    assert (ceiling.kind, crowd.kind) == (Kind.CEILING, Kind.SECOND_CROWD)
    found = {x: (crowd.figures[x].score, ceiling.figures[x].score) for x in LANGUAGES}
    assert found["sl"] == pytest.approx((0.841, 0.917), abs=5e-4)
    assert found["fi"] == pytest.approx((0.807, 0.898), abs=5e-4)
    assert ceiling.figures["sl"].n == 111


def test_there_is_no_ceiling_without_reliable_changes(scores_of):
    constant = scores_of["fi"].assign(sim1=5.0, sim2=5.0)
    noisy = scores_of["fi"].assign(stdev1=90.0)

    assert bound_changes({"fi": constant}) == []
    assert bound_changes({"fi": noisy}) == []
    rows = bound_changes({"fi": noisy, "sl": scores_of["sl"]})
    assert [list(row.figures) for row in rows] == [["sl"], ["sl"]]


def test_the_best_without_context_knows_means_only(published_scores):
    gold = {x: published_scores[x][0] for x in LANGUAGES}

    row = bound_without_context(Metric.HARMONIC, gold)
    found = {x: one.score for x, one in row.figures.items()}
    assert found == pytest.approx({"fi": 0.877462, "sl": 0.864720}, abs=1e-6)
    assert all(one.left_out.size == 0 for one in row.figures.values())
    of_changes = bound_without_context(Metric.CHANGE, gold)
    assert {one.score for one in of_changes.figures.values()} == {0}


def test_the_human_row_is_the_mean_agreement_with_the_others():
    ratings = pd.DataFrame(
        [
            (pair, 1, name, rating, "1")
            for name, own in {"A": [0, 3, 6, 2], "B": [1, 3, 5, 2], "C": [1, 4, 6, 3]}.items()
            for pair, rating in enumerate(own, 1)
        ],
        columns=["pair", "context", "annotator", "rating", "group"],
    )

    row = measure_people({"sl": ratings, "fi": ratings.assign(rating=3)})

    assert (row.name, row.kind, list(row.figures)) == ("human", Kind.HUMAN, ["sl"])
    assert row.figures["sl"].score == pytest.approx(1.0)
    assert measure_people({"fi": ratings.assign(rating=3)}) is None
    assert not math.isnan(row.figures["sl"].score)
