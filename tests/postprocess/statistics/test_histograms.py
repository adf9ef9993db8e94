import numpy as np

from postprocess.statistics.histograms import count_points
from postprocess.table.ratings import Scale


def test_count_points_counts_at_the_nearest_point():
    scale = Scale(-1, 1, 0.5)
    rng = np.random.default_rng(3)
    ratings = rng.uniform(-1, 1, 200)

    counts = count_points(ratings, scale)

    points = [-1, -0.5, 0, 0.5, 1]
    nearest = [min(points, key=lambda point: (abs(x - point), -point)) for x in ratings]
    assert counts.tolist() == [nearest.count(point) for point in points]


def test_count_points_puts_halves_at_the_higher_point():
    assert count_points(np.array([0.5, 1.5, 2.5]), Scale(0, 3, 1)).tolist() == [0, 1, 1, 1]


def test_count_points_counts_every_point_of_a_fine_scale():
    points = np.arange(0, 101) * 0.1
    assert count_points(points, Scale(0, 10, 0.1)).tolist() == [1] * 101


def test_count_points_without_ratings_is_zero():
    assert count_points(np.array([np.nan]), Scale(0, 2, 1)).tolist() == [0, 0, 0]
