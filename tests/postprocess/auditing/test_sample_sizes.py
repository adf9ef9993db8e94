import numpy as np
import pytest

from postprocess.auditing.reconstruction.granularity import Grid, fitting_sums
from postprocess.auditing.reconstruction.sample_sizes import (
    Fits,
    Size,
    chances_of_fit,
    evidence_of,
    find_sizes,
)
from postprocess.table.ratings import Scale

GRID = Grid.of(Scale(0, 6), Scale(0, 10, 10))


def fits_of(figures, sizes, ddof=1):
    fits = np.array(
        [[any(fitting_sums(*one, n, GRID, ddof=ddof)) for n in sizes] for one in figures]
    )
    return Fits(sizes, fits, chances_of_fit(figures, sizes, GRID, ddof=ddof))


def figures_of(numbers, seed=1, ddof=1):
    """Return means and deviations, to two decimals, of contexts with these numbers of ratings."""
    rng = np.random.default_rng(seed)
    contexts = [rng.integers(0, 7, size=n) * 10 / 6 for n in numbers]
    return [(round(c.mean(), 2), round(c.std(ddof=ddof), 2)) for c in contexts]


def test_find_sizes_finds_the_numbers_of_a_dataset():
    figures = figures_of([9, 10, 11] * 20)

    found = find_sizes(fits_of(figures, range(1, 41)))

    assert [size.n for size in found] == [9, 10, 11]
    assert all(size.n_contexts >= 20 for size in found)


def test_find_sizes_ignores_large_numbers_that_fit_everything():
    figures = figures_of([10] * 30)

    assert [size.n for size in find_sizes(fits_of(figures, range(1, 121)))] == [10]


def test_find_sizes_is_empty_for_unrelated_figures():
    rng = np.random.default_rng(2)
    figures = [(round(mean, 2), round(sd, 2)) for mean, sd in rng.uniform(2, 4, size=(60, 2))]

    assert find_sizes(fits_of(figures, range(1, 31))) == ()


def test_find_sizes_finds_many_different_numbers():
    figures = figures_of(list(range(5, 21)) * 12)

    found = find_sizes(fits_of(figures, range(1, 41)))

    assert [size.n for size in found] == list(range(5, 21))


def test_find_sizes_prefers_numbers_to_their_multiples():
    # population deviations are the same if every rating is doubled
    figures = figures_of([8, 9, 10, 11, 12] * 40, ddof=0)

    found = find_sizes(fits_of(figures, range(1, 41), ddof=0))

    assert {8, 9, 10, 11, 12} <= {size.n for size in found} <= set(range(4, 13))


@pytest.mark.parametrize("true_ddof", [0, 1])
def test_evidence_of_is_greater_for_the_true_deviations(true_ddof):
    figures = figures_of(list(range(5, 21)) * 3, ddof=true_ddof)

    true = evidence_of(fits_of(figures, range(1, 41), true_ddof))
    other = evidence_of(fits_of(figures, range(1, 41), 1 - true_ddof))

    assert true > 100
    assert other < 20


def test_evidence_of_is_negative_if_nothing_fits():
    nothing = Fits([9, 10], np.zeros((30, 2), dtype=bool), np.full((30, 2), 0.01))

    assert evidence_of(nothing) < 0


def test_evidence_of_takes_a_mean_of_zero_in_the_middle_of_a_scale():
    # a printed 0 is exact: its range is empty
    fits = np.ones((30, 2), dtype=bool)

    known = Fits([9, 10], fits, np.zeros((30, 2)))

    assert np.isfinite(evidence_of(known))
    assert find_sizes(known)


def test_find_sizes_is_empty_for_few_contexts():
    assert find_sizes(fits_of(figures_of([10] * 19), range(1, 41))) == ()


def test_find_sizes_ignores_a_number_of_one_context():
    fits = np.array([[True, False]] * 30 + [[False, True]])

    assert find_sizes(Fits([10, 37], fits, np.full((31, 2), 0.01))) == (Size(10, 30),)


def test_chances_are_about_the_share_that_fits_by_chance():
    rng = np.random.default_rng(3)
    figures = [(round(m, 2), round(s, 2)) for m, s in rng.uniform([3, 2], [7, 3], size=(400, 2))]
    known = fits_of(figures, [20, 40])

    assert abs(known.fits.mean(axis=0) - known.chances.mean(axis=0)).max() < 0.04
