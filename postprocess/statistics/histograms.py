"""Counts of ratings at the points of a scale."""

import numpy as np

from postprocess.table.scale import Scale
from postprocess.types import Counts, Floats, Integers


def count_points(ratings: Floats, scale: Scale) -> Counts:
    """Count ratings at each point of a scale; calibrated ratings count at the nearest point.

    Parameters
    ----------
    ratings : array, shape (n_ratings,)
        In points of the scale, NaN for a missing rating. A rating in the middle between two
        points counts at the higher one.
    scale : Scale
        Its points are counted.

    Returns
    -------
    array of int, shape (n_points,)
        From the lowest point to the highest one; missing ratings are not counted.

    Examples
    --------
    >>> count_points(np.array([0, 1.4, 1.5, 3, np.nan]), Scale(0, 3, 1)).tolist()
    [1, 1, 1, 1]
    """
    places = place_on_scale(ratings[~np.isnan(ratings)], scale)
    return np.bincount(places, minlength=scale.n_points)


def place_on_scale(ratings: Floats, scale: Scale) -> Integers:
    """Return the number of the point nearest to each rating, from 0; `ratings` have no NaN.

    >>> place_on_scale(np.array([0, 1.4, 1.5, 3]), Scale(0, 3, 1)).tolist()
    [0, 1, 2, 3]
    """
    places = np.floor((ratings - scale.minimum) / scale.step + 0.5 + 1e-9).astype(np.int64)
    return np.clip(places, 0, scale.n_points - 1)
