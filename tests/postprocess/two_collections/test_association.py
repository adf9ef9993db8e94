import numpy as np
import pandas as pd
import pytest
from scipy import stats

from postprocess.reporting.assessment import Chance
from postprocess.statistics.agreement.reliability import change_reliability
from postprocess.two_collections.association import correlate_collections, find_blocks
from tests.factories.collections import aligned, collection_of, rerate, scores_of
from tests.factories.ratings import simulate_study

BRIEF = Chance(20, 5, 0, "items")
RATINGS = simulate_study(24, n_blocks=2)


def table_of(first, second, chance=BRIEF):
    return correlate_collections(aligned(first, second), chance).set_index(["of", "method"])


@pytest.fixture(scope="module")
def collections():
    return collection_of(RATINGS), collection_of(rerate(RATINGS), "B")


def test_correlations_are_those_of_scipy(collections):
    table = table_of(*collections)

    sims = [one.scores[["sim1", "sim2"]].to_numpy().round(9) for one in collections]
    changes = [(one[:, 1] - one[:, 0]).round(9) for one in sims]
    rho = table["correlation"]
    assert rho["score", "pearson"] == pytest.approx(stats.pearsonr(*map(np.ravel, sims))[0])
    assert rho["score", "spearman"] == pytest.approx(stats.spearmanr(*map(np.ravel, sims))[0])
    assert rho["change", "pearson"] == pytest.approx(stats.pearsonr(*changes)[0])
    assert rho["change", "spearman"] == pytest.approx(stats.spearmanr(*changes)[0])
    lengths = [float(np.sqrt(one @ one)) for one in changes]
    uncentred = changes[0] @ changes[1] / lengths[0] / lengths[1]
    assert rho["change", "uncentered"] == pytest.approx(uncentred)
    assert ((table["low"] < rho) & (rho < table["high"])).all()
    assert table["n"].tolist() == [48, 48, 24, 24, 24]


def test_reliability_of_the_changes_is_that_of_change_reliability(collections):
    chance = Chance(0, 40, 3, "items")

    table = table_of(*collections, chance)

    known = change_reliability(collections[1].ratings, rng=chance.rng(), n_splits=40, n_resamples=0)
    found = table.loc["change", "reliability_second"]
    assert found.tolist() == pytest.approx(known.loc[found.index, "reliability"].tolist())


def test_disattenuated_is_the_correlation_over_the_ceiling(collections):
    row = table_of(*collections).loc[("score", "pearson")]

    ceiling = np.sqrt(row["reliability_first"] * row["reliability_second"])
    assert row["ceiling"] == pytest.approx(ceiling)
    assert row["disattenuated"] == pytest.approx(row["correlation"] / ceiling)
    assert row["disattenuated_low"] < row["disattenuated"] < row["disattenuated_high"]
    assert row["corrected_for"] == "both"


def test_the_interval_without_noise_is_a_jackknife_over_blocks():
    """Annotators who agree have no noise, so that both correlations are the same."""
    rng = np.random.default_rng(3)
    design = simulate_study(24, 2, n_blocks=3)
    scores = design.groupby(["pair", "context"])["rating"].transform("first")
    noisy = (scores + rng.integers(0, 2, 48).repeat(2)).clip(0, 6)
    sides = [collection_of(design.assign(rating=one)) for one in (scores, noisy)]

    row = table_of(*sides).loc[("change", "pearson")]

    changes = [(one.scores["sim2"] - one.scores["sim1"]).to_numpy() for one in sides]
    block = np.arange(24) % 3
    without = [np.corrcoef(*(one[block != n] for one in changes))[0, 1] for n in range(3)]
    reach = stats.t.ppf(0.975, 2) * np.sqrt(2 / 3 * np.square(without - np.mean(without)).sum())
    assert row["n_blocks"] == 3
    assert row["disattenuated"] == pytest.approx(row["correlation"])
    ends = [row["disattenuated_low"], row["disattenuated_high"]]
    assert ends == pytest.approx([row["correlation"] - reach, row["correlation"] + reach])


def test_a_single_block_gives_no_interval_without_noise():
    first, second = (simulate_study(24, n_blocks=1, seed=seed) for seed in (1, 2))

    table = table_of(collection_of(first), collection_of(second, "B"))

    assert set(table["n_blocks"]) == {1}
    assert table["disattenuated"].notna().all()
    assert table[["disattenuated_low", "disattenuated_high"]].isna().all(axis=None)


def test_blocks_of_one_side_that_the_other_connects_are_one(collections):
    other = simulate_study(24, n_blocks=1)

    assert set(find_blocks(aligned(collections[0], collection_of(other, "B")))) == {0}


@pytest.mark.parametrize("n_runs", [1, 3])
def test_a_model_that_rated_every_context_does_not_connect_blocks(collections, n_runs):
    runs = [RATINGS.groupby(["pair", "context"], as_index=False)["rating"].first()
            .assign(annotator=f"m{run}", group="model") for run in range(n_runs)]  # fmt: skip

    both = aligned(collections[0], collection_of(pd.concat(runs), "B"))

    assert len(set(find_blocks(both))) == 2


def test_disattenuated_recovers_the_correlation_of_the_true_scores():
    """Two crowds of six with noise as large as the differences of the true scores."""
    rng = np.random.default_rng(4)
    true = rng.normal(0, 1, (150, 2))
    sides = []
    for name in "AB":
        points = np.rint(np.clip(3 + true[:, :, None] + rng.normal(0, 1.2, (150, 2, 6)), 0, 6))
        cells = [(p + 1, c + 1, f"{c}{a}", points[p, c, a], str(c))
                 for p, c, a in np.ndindex(points.shape)]  # fmt: skip
        table = pd.DataFrame(cells, columns=["pair", "context", "annotator", "rating", "group"])
        sides.append(collection_of(table, name))

    found = table_of(*sides, Chance(0, 20, 0, "items"))

    assert found["correlation"].max() < 0.85
    assert found["disattenuated"].to_numpy() == pytest.approx(1, abs=0.06)


def test_a_side_of_single_ratings_is_not_corrected_for():
    model = RATINGS.groupby(["pair", "context"], as_index=False)["rating"].first()
    model = model.assign(annotator="m")

    table = table_of(collection_of(RATINGS), collection_of(model, "B"))

    assert table["reliability_second"].isna().all()
    assert table["ceiling"].isna().all()
    assert set(table["corrected_for"]) == {"first"}
    expected = table["correlation"] / np.sqrt(table["reliability_first"])
    assert table["disattenuated"].tolist() == pytest.approx(expected.tolist())


def test_scores_without_ratings_are_correlated_only():
    sims = [(1.0, 2.0), (3.0, 5.0), (5.0, 6.0), (9.0, 8.0)]

    table = table_of(scores_of(sims), scores_of([(y, x) for x, y in sims], "B"))

    assert set(table["corrected_for"]) == {""}
    assert table["disattenuated"].isna().all()
    assert table["correlation"].loc["change", "uncentered"] == pytest.approx(-1)


def test_figures_do_not_depend_on_the_order_of_rows_or_on_the_numbers_of_contexts(collections):
    mixed = collection_of(RATINGS.sample(frac=1, random_state=1))
    turned = [
        collection_of(one.ratings.assign(context=3 - one.ratings["context"]), one.name)
        for one in collections
    ]

    assert table_of(mixed, collections[1]).equals(table_of(*collections))
    figures = ["correlation", "reliability_first", "reliability_second"]
    by_number, by_turned = (table_of(*sides)[figures] for sides in (collections, turned))
    rows = [("score", "pearson"), ("change", "uncentered")]
    assert by_turned.loc[rows, "correlation"].tolist() == pytest.approx(
        by_number.loc[rows, "correlation"].tolist()
    )
