from itertools import combinations, product

import numpy as np
import pytest

from postprocess.reporting.assessment import Chance
from postprocess.two_collections.crossing import compare_agreement
from postprocess.two_collections.matching import align, match_pairs
from tests.factories.collections import collection_of, rerate, scores_of
from tests.factories.ratings import rate, simulate_study

BRIEF = Chance(20, 5, 0, "items")


def agreement_of(first, second):
    found = compare_agreement(align(first, second, match_pairs(first, second)), BRIEF)
    return found.set_index(["measure", "among"])


def by_annotator(ratings):
    """The ratings of each annotator of each group, by item."""
    return {
        key: part.set_index(["pair", "context"])["rating"]
        for key, part in ratings.groupby(["group", "annotator"], observed=True)
    }


def rho(one, other):
    both = one.to_frame("a").join(other.rename("b"), how="inner")
    ranks = both.rank().to_numpy().T
    return np.corrcoef(ranks)[0, 1] if len(both) > 2 else np.nan


@pytest.fixture(scope="module")
def crossed():
    ratings = simulate_study(10, 3, n_blocks=2, odd=False)
    gaps = rerate(ratings, n_raters=2).drop(index=[3, 22])
    return collection_of(ratings), collection_of(gaps, "B")


def test_agreement_is_that_of_a_loop_over_all_annotators(crossed):
    table = agreement_of(*crossed)["estimate"]

    people = [by_annotator(one.ratings) for one in crossed]
    between = [rho(a, b) for a, b in product(people[0].values(), people[1].values())]
    assert table["pairwise", "between"] == pytest.approx(np.nanmean(between))
    for side, among in ((0, "first"), (1, "second")):
        own = [
            rho(a, b)
            for (one, a), (other, b) in combinations(people[side].items(), 2)
            if one[0] == other[0]
        ]
        assert table["pairwise", among] == pytest.approx(np.nanmean(own))
    means = [one.scores[["sim1", "sim2"]].stack().reset_index() for one in crossed]
    scores = [
        one.assign(context=one["level_1"].str[-1].astype(int)).set_index(["pair", "context"])[0]
        for one in means
    ]
    with_first = [rho(a, scores[0].round(9)) for a in people[1].values()]
    assert table["with means", "second with first"] == pytest.approx(np.mean(with_first))


def test_agreement_counts_correlations_and_has_intervals(crossed):
    table = agreement_of(*crossed)

    assert table["n_correlations"].to_dict() == {
        ("pairwise", "first"): 4 * 3,
        ("pairwise", "second"): 4 * 1,
        ("pairwise", "between"): 4 * 3 * 2,
        ("with means", "first"): 12,
        ("with means", "second"): 8,
        ("with means", "second with first"): 8,
        ("with means", "first with second"): 12,
    }
    assert (table["low"] < table["estimate"]).all()
    assert (table["estimate"] < table["high"]).all()


def test_agreement_of_one_annotator_with_a_crowd_is_defined_between_alone(crossed):
    # rates as the group of each item does on average
    means = crossed[0].ratings.groupby(["pair", "context"], as_index=False)["rating"].mean().round()
    model = collection_of(means.assign(annotator="m"), "M")

    table = agreement_of(crossed[0], model)

    assert table.loc[("pairwise", "second"), ["estimate", "low"]].isna().all()
    assert table.loc[("with means", "second"), ["estimate", "low"]].isna().all()
    assert table.loc[("with means", "second with first"), "estimate"] > 0.9
    assert table.loc[("pairwise", "between"), "n_groups"] == 4  # those of the crowd


def test_agreement_of_groups_with_few_common_contexts_is_undefined():
    first = rate(*((p, c, "A", p) for p in (1, 2, 3) for c in (1, 2)), group="1")
    second = rate(*((p, c, f"B{p}", p) for p in (1, 2, 3) for c in (1, 2)))
    second = second.assign(group=second["pair"].astype(str))

    table = agreement_of(collection_of(first), collection_of(second, "B"))

    assert table.loc[("pairwise", "between"), "n_groups"] == 0
    assert np.isnan(table.loc[("pairwise", "between"), "estimate"])


def test_agreement_needs_ratings(crossed):
    sims = crossed[0].scores[["sim1", "sim2"]].to_numpy().tolist()

    table = agreement_of(scores_of(sims), crossed[1])

    assert table.index.tolist() == [
        ("pairwise", "second"), ("with means", "second"), ("with means", "second with first")
    ]  # fmt: skip
    assert agreement_of(scores_of(sims), scores_of(sims, "B")).empty
