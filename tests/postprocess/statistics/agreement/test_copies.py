import numpy as np
import pandas as pd
import pytest
from scipy.stats import poisson_binom

from postprocess.formats.reading import load_ratings
from postprocess.statistics.agreement import copies
from postprocess.statistics.agreement.copies import find_copies
from tests.postprocess.simulated import simulate_honest


def list_pairs(ratings):
    found = find_copies(ratings)
    return [
        {one, other} for one, other in zip(found["annotator1"], found["annotator2"], strict=True)
    ]


def give(ratings, name, values):
    """Return the ratings with those of an annotator replaced."""
    changed = ratings["rating"].to_numpy(copy=True)
    changed[(ratings["annotator"] == name).to_numpy()] = values
    return ratings.assign(rating=changed)


def copy(ratings, name, source, share=0.0, rng=None):
    values = ratings.loc[ratings["annotator"] == source, "rating"].to_numpy(copy=True)
    if share:
        places = rng.choice(len(values), round(share * len(values)), replace=False)
        values[places] = (values[places] + 1 + rng.integers(6, size=len(places))) % 7
    return give(ratings, name, values)


@pytest.mark.parametrize("kind", ["normal", "skewed", "sharp"])
@pytest.mark.parametrize(
    "design", [(3, 20, 10, 7), (10, 20, 5, 7), (27, 40, 2, 7), (5, 12, 10, 4), (10, 40, 2, 101)]
)
def test_find_copies_lists_no_pair_in_most_honest_studies(kind, design):
    rng = np.random.default_rng(1)
    listed = [bool(list_pairs(simulate_honest(rng, *design, kind=kind))) for _ in range(20)]

    assert sum(listed) <= 2  # 5 % would be 1; at most 4 of 100 were seen in any design


@pytest.mark.parametrize("language", ["sl", "fi"])
def test_find_copies_lists_no_published_pair_and_finds_a_copy(published, language):
    """Who gave which rating of a context is arbitrary, in order or at random."""
    ratings = load_ratings(published / f"ratings_{language}.csv", language)
    ratings = ratings.assign(rating=ratings["rating"].astype(int))
    rng = np.random.default_rng(2)
    mixed = ratings.groupby(["pair", "context"])["rating"].transform(lambda x: rng.permutation(x))

    for honest in (ratings, ratings.assign(rating=mixed)):
        grouped = copies.with_groups(honest)
        first = grouped["group"].iloc[0]
        inside = grouped[grouped["group"] == first]
        texts = inside.pivot_table(index=["pair", "context"], columns="annotator", values="rating")
        full = texts.columns[texts.notna().all()][[0, 4]].tolist()

        assert list_pairs(honest) == []
        assert list_pairs(copy(inside, *full, 0.1, rng)) == [set(full)]


def test_find_copies_spares_real_annotators(wordsim):
    """WordSim-353, set 1; of the real people the closest two gave 44 of 153 equal ratings."""
    assert list_pairs(wordsim) == []


@pytest.mark.parametrize("n_annotators", [3, 10, 60])
def test_find_copies_finds_a_copy_with_a_tenth_changed(n_annotators):
    rng = np.random.default_rng(3)
    found = []
    for _ in range(20):
        ratings = simulate_honest(rng, n_annotators, 20, 3, 7)
        found.append({"0-0", "0-1"} in list_pairs(copy(ratings, "0-0", "0-1", 0.1, rng)))

    assert sum(found) >= 18


def test_find_copies_finds_three_copies_of_each_other():
    rng = np.random.default_rng(4)
    ratings = simulate_honest(rng, 10, 20, 1, 7)
    ratings = copy(copy(ratings, "0-0", "0-2"), "0-1", "0-2")

    assert sorted(map(sorted, list_pairs(ratings))) == [
        ["0-0", "0-1"], ["0-0", "0-2"], ["0-1", "0-2"]
    ]  # fmt: skip


@pytest.mark.parametrize("careless", ["constant", "nearly constant", "ends", "two points"])
def test_find_copies_does_not_accuse_annotators_who_use_few_points(careless):
    """They are equal to each other, too, but not copies; other figures show them."""
    rng = np.random.default_rng(5)
    n_listed = 0
    for _ in range(20):
        ratings = simulate_honest(rng, 10, 20, 3, 7)
        for name in ("0-0", "0-1", "0-2", "1-0", "1-1"):
            values = {
                "constant": np.full(20, 3),
                "nearly constant": np.where(rng.random(20) < 0.1, rng.integers(7, size=20), 3),
                "ends": rng.permutation(np.resize([0, 6], 20)),
                "two points": rng.choice([3, 4], 20, p=[0.8, 0.2]),
            }[careless]
            ratings = give(ratings, name, values)
        n_listed += bool(list_pairs(ratings))

    assert n_listed <= 2


def test_find_copies_compares_ten_common_texts_that_a_third_rated(ratings_of):
    rng = np.random.default_rng(6)
    ten, third = rng.permutation(10).tolist(), rng.permutation(10).tolist()

    assert list_pairs(ratings_of(A=ten, B=ten, C=third)) == [{"A", "B"}]
    assert list_pairs(ratings_of(A=ten, B=ten, C=third[:9])) == []
    assert list_pairs(ratings_of(A=ten, B=ten)) == []
    assert list_pairs(ratings_of(A=[3] * 10, B=[3] * 10, C=[3] * 10)) == []
    assert list_pairs(ratings_of()) == []


def test_find_copies_depends_on_neither_order_nor_names_nor_units(simulated):
    ratings = copy(simulated(), "1A00", "1A01")
    found = find_copies(ratings)
    shuffled = ratings.sample(frac=1, random_state=1)
    moved = shuffled.assign(rating=10 - 0.5 * shuffled["rating"])

    assert list_pairs(ratings) == [{"1A00", "1A01"}]
    for other in (shuffled, moved):
        pd.testing.assert_frame_equal(find_copies(other), found)


def test_the_tail_is_that_of_a_poisson_binomial():
    chance = np.random.default_rng(7).uniform(size=(3, 12))
    tail = copies.poisson_binomial_tail(chance, np.array([0, 5, 12]))

    assert tail == pytest.approx(
        [poisson_binom(row).sf(least - 1) for row, least in zip(chance, (0, 5, 12), strict=True)]
    )


def test_blocks_of_rows_give_the_same_pairs(simulated, monkeypatch):
    ratings = copy(simulated(), "1A00", "1A01")
    found = find_copies(ratings)
    monkeypatch.setattr(copies, "CHUNK", 1)

    pd.testing.assert_frame_equal(find_copies(ratings), found)
