import pandas as pd
import pytest

from postprocess.steps.single_steps import rescale_ratings
from postprocess.table.ratings import Scale


def test_rescale_ratings_maps_end_to_end():
    ratings = pd.DataFrame({"rating": [1, 4, 7]}, index=[5, 6, 7])

    rescaled = rescale_ratings(ratings, Scale(1, 7), Scale(-1, 1))

    assert rescaled["rating"].tolist() == [-1.0, 0.0, 1.0]
    assert ratings["rating"].tolist() == [1, 4, 7]


def test_rescale_ratings_there_and_back_is_the_same():
    ratings = pd.DataFrame({"rating": list(range(7))})

    there = rescale_ratings(ratings, Scale(0, 6), Scale(0, 10))
    back = rescale_ratings(there, Scale(0, 10), Scale(0, 6))

    assert back["rating"].tolist() == pytest.approx(ratings["rating"].tolist(), abs=1e-12)
