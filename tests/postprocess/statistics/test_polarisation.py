import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multinomial

from postprocess.statistics import polarisation
from postprocess.statistics.polarisation import find_polarised, scale_agreement
from postprocess.table.ratings import Scale

COUNTS = st.lists(st.integers(0, 12), min_size=7, max_size=7).filter(any)


def rng(seed=1):
    return np.random.default_rng(seed)


def ratings_of(*contexts):
    rows = [(pair, 1, x) for pair, ratings in enumerate(contexts, 1) for x in ratings]
    return pd.DataFrame(rows, columns=["pair", "context", "rating"])


def agreement(counts):
    return scale_agreement(np.array([counts])).item()


def test_scale_agreement_of_a_pattern_by_hand():
    # 1 1 0 0 1 0 0, points 1 to 7. Triples 110: (1,2,·) with · of 3 4 6 7: 4; (1,5,·) and (2,5,·)
    # with · of 6 7: 4. Triples 011: none. TU = 8. Triples 101: (1,·,5) and (2,·,5), · of 3 4:
    # TDU = 4, so U = (5·8 - 6·4)/(5·12) = 16/60, A = 16/60 · (1 - 2/6)
    assert agreement([1, 1, 0, 0, 1, 0, 0]) == pytest.approx(16 / 60 * 2 / 3)


def test_scale_agreement_is_the_weighted_mean_of_layers():
    # 2 0 1 on three points. Layer 1 0 1, two ratings: TDU = 1, U = -2 · 1/(1 · 1), A = -2 · ½.
    # Layer 1 0 0, one rating: A = 1. (2 · -1 + 1 · 1)/3
    assert agreement([2, 0, 1]) == pytest.approx(-1 / 3)


def test_scale_agreement_is_that_of_the_r_package():
    # the example of agrmt's documentation, which says 0.6113333
    assert agreement([30, 40, 210, 130, 530, 50, 10]) == pytest.approx(0.6113333, abs=1e-7)


@settings(deadline=None)
@given(COUNTS, st.integers(1, 5))
def test_scale_agreement_knows_neither_direction_nor_number(counts, times):
    there = agreement(counts)

    assert -1 <= there <= 1
    assert agreement(counts[::-1]) == there
    assert agreement([times * n for n in counts]) == pytest.approx(there, abs=1e-11)


def test_find_polarised_lists_two_camps_only():
    camps, spread, one_mind = (
        [0, 0, 0, 1, 0, 6, 6, 5, 6, 6],
        [0, 1, 2, 3, 4, 5, 6, 2, 3, 4],
        [3] * 10,
    )
    lopsided = [0, 0, 0, 0, 0, 0, 1, 1, 2, 6]

    listed = find_polarised(ratings_of(camps, spread, one_mind, lopsided), Scale(), rng=rng())

    assert listed["pair"].tolist() == [1]
    row = listed.iloc[0]
    assert (row["context"], row["n"], row["ratings"]) == (1, 10, "4 1 0 0 0 1 4")
    assert row["agreement"] < -0.5
    assert 0 < row["pvalue"] < 0.001


def test_find_polarised_sorts_the_clearest_first():
    listed = find_polarised(
        ratings_of([0, 0, 0, 1, 5, 6, 6, 2], [0] * 4 + [6] * 4), Scale(), rng=rng(), alpha=0.2
    )

    assert listed["pair"].tolist() == [2, 1]


def test_find_polarised_is_exact_for_few_ratings():
    # two ratings on three points: only 0 and 2 have A = -1, with probability 2 · (1 + 2a)/3 ·
    # (1 - a)/3 where the peak at 0 holds a; that is greatest, 1/4, for a = 1/4
    listed = find_polarised(ratings_of([0, 2]), Scale(0, 2), rng=rng(), alpha=0.5)

    assert listed["pvalue"].tolist() == pytest.approx([1 / 4])


@pytest.mark.parametrize(
    "chances",
    [
        [1 / 7] * 7,
        [0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1],  # the least favourable
        [0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.3],
        [0.3, 0.2, 0.15, 0.12, 0.1, 0.08, 0.05],
        [0.1, 0.13, 0.17, 0.2, 0.17, 0.13, 0.1],
        [0.1, 0.1, 0.1, 0.4, 0.1, 0.1, 0.1],
    ],
)
def test_find_polarised_lists_alpha_of_single_modes_at_most(chances):
    draws = rng(6).choice(7, size=(3000, 10), p=chances).tolist()

    share = len(find_polarised(ratings_of(*draws), Scale(), rng=rng())) / 3000

    assert share < 0.06


@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 6),
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.floats(0.1, 1)), min_size=1, max_size=5
    ),
)
def test_find_polarised_uses_the_least_favourable_unimodal_distributions(mode, parts):
    # every distribution with this mode is a mixture of even spreads round it
    chances = np.zeros(7)
    for down, up, weight in parts:
        some = slice(max(0, mode - down), min(6, mode + up) + 1)
        chances[some] += weight / (some.stop - some.start)
    chances /= chances.sum()
    vectors = polarisation._all_counts(8, 7)  # noqa: SLF001
    agreements, shares = polarisation._reference(8, 7, rng())  # noqa: SLF001

    exact = multinomial.pmf(vectors, 8, chances)

    place = np.searchsorted(agreements, scale_agreement(vectors))
    chance_of_as_low = np.cumsum(np.bincount(place, weights=exact))
    listed = shares <= 0.05
    assert (chance_of_as_low[listed] <= shares[listed] + 0.003).all()


def test_find_polarised_samples_large_references(monkeypatch):
    ratings = ratings_of([0, 0, 1, 2, 3, 4, 5, 6, 6, 6, 1, 0])
    exact = find_polarised(ratings, Scale(), rng=rng(), alpha=1)["pvalue"].item()
    monkeypatch.setattr(polarisation, "MOST_ENUMERATED", 10)

    one, same = (find_polarised(ratings, Scale(), rng=rng(), alpha=1) for _ in range(2))

    assert one["pvalue"].item() == pytest.approx(exact, abs=0.02)
    assert one.equals(same)


def test_find_polarised_supports_another_scale():
    ratings = ratings_of([-1, -1, -0.5, 1, 1, 1])

    listed = find_polarised(ratings, Scale(-1, 1, 0.5), rng=rng(), alpha=1)

    assert listed["ratings"].tolist() == ["2 1 0 0 3"]


@pytest.mark.parametrize("scale", [Scale(0, 1), Scale(0, 100)])
def test_find_polarised_refuses_too_few_or_too_many_points(scale):
    with pytest.raises(ValueError, match="on 3 to 21 points, not on 0–1"):
        find_polarised(ratings_of([0, 1]), scale, rng=rng())
