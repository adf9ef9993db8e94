import itertools
import math
import statistics
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from postprocess.auditing import AuditError
from postprocess.auditing.reconstruction.granularity import (
    Grid,
    Sums,
    fitting_sums,
    fitting_totals,
    squares_attained,
)
from postprocess.formats.files import format_number
from postprocess.table.ratings import Scale

GRID = Grid.of(Scale(0, 6), Scale(0, 10, 10))


def printed(ratings, grid=GRID, ddof=1):
    points = [grid.lowest + grid.unit * k for k in ratings]
    if len(points) > ddof:
        variance = sum((x - statistics.mean(points)) ** 2 for x in points) / (len(points) - ddof)
        deviation = math.sqrt(variance)
    else:
        deviation = math.nan
    return float(format_number(float(statistics.mean(points)))), (
        deviation if math.isnan(deviation) else float(format_number(deviation))
    )


def sums_of(ratings):
    return Sums(len(ratings), sum(ratings), sum(k * k for k in ratings))


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_fitting_sums_are_those_of_all_multisets(n, ddof):
    by_figures = defaultdict(set)
    for ratings in itertools.combinations_with_replacement(range(7), n):
        by_figures[printed(ratings, ddof=ddof)].add(sums_of(ratings))
    grid_of_figures = {(mean, deviation) for mean, _ in by_figures for _, deviation in by_figures}

    for mean, deviation in grid_of_figures:
        found = set(fitting_sums(mean, deviation, n, GRID, ddof=ddof))
        assert found == by_figures.get((mean, deviation), set())


@pytest.mark.parametrize(
    ("survey", "published"),
    [
        (Scale(1, 5, 1), Scale(0, 10, 10)),
        (Scale(0, 6, 0.25), Scale(0, 10, 10)),
        (Scale(0, 1, 1), Scale(-1, 1, 2)),
    ],
)
def test_fitting_sums_find_ratings_on_other_scales(survey, published):
    grid = Grid.of(survey, published)
    rng = np.random.default_rng(4)

    for _ in range(50):
        ratings = rng.integers(0, grid.n_steps + 1, size=8).tolist()
        assert sums_of(ratings) in fitting_sums(*printed(ratings, grid), 8, grid)


def test_a_published_context_fits_ten_ratings():
    assert [n for n in range(2, 13) if any(fitting_sums(3.33, 2.72, n, GRID))] == [4, 7, 10]


def test_halves_may_be_rounded_either_way():
    grid = Grid.of(Scale(0, 10), Scale(0, 10, 10))  # 25 of 8 ratings: 3.125

    assert list(fitting_totals(3.13, 8, grid)) == [25]
    assert list(fitting_totals(3.12, 8, grid)) == [25]


@pytest.mark.parametrize(
    ("mean", "deviation"), [(10.5, 1.0), (-1.0, 1.0), (5.0, 7.0), (5.0, -1.0), (0.0, 1.0)]
)
def test_figures_outside_the_scale_fit_nothing(mean, deviation):
    assert not any(any(fitting_sums(mean, deviation, n, GRID)) for n in range(1, 41))


def test_a_missing_deviation_is_that_of_a_single_rating():
    assert list(fitting_sums(5.0, math.nan, 1, GRID)) == [Sums(1, 3, 9)]
    assert list(fitting_sums(5.0, math.nan, 2, GRID)) == []
    assert list(fitting_sums(5.0, 0.0, 1, GRID)) == []


def test_squares_attained_agree_with_counting():
    attained = squares_attained(4, 6)
    expected = defaultdict(set)
    for ratings in itertools.combinations_with_replacement(range(7), 4):
        expected[sum(ratings)].add(sum(k * k for k in ratings))

    for total, squares in enumerate(attained):
        assert {q for q in range(squares.bit_length()) if squares >> q & 1} == expected[total]


def test_grid_is_exact_and_refuses_fine_scales():
    assert Grid(6, Fraction(5, 3), Fraction(0)) == GRID
    with pytest.raises(AuditError, match="100 steps"):
        Grid.of(Scale(0, 100), Scale(0, 10, 10))
