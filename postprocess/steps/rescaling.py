"""Rescaling: from the scale of the survey to the published one."""

import pandas as pd

from postprocess.table.numbering import Floats
from postprocess.table.ratings import Scale


def rescale_ratings(ratings: pd.DataFrame, source: Scale, target: Scale) -> pd.DataFrame:
    """Map ratings linearly, end to end, from one scale to another.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or 5)
        As `check_ratings` returns it, in points of `source`.
    source, target : Scale
        Only their ends count.

    Returns
    -------
    DataFrame, shape (n_ratings, 4 or 5)
        The same rows with ratings in points of `target`, as floats. Equal ratings stay equal.

    Examples
    --------
    >>> ratings = pd.DataFrame({"rating": [0, 3, 6]})
    >>> rescale_ratings(ratings, Scale(0, 6), Scale(0, 10))["rating"].tolist()
    [0.0, 5.0, 10.0]
    """
    points = ratings["rating"].to_numpy(dtype=float)
    return ratings.assign(rating=rescale_points(points, source, target))


def rescale_points(points: Floats, source: Scale, target: Scale) -> Floats:
    """Map numbers linearly, end to end, from one scale to another."""
    span = target.maximum - target.minimum
    return (points - source.minimum) * span / (source.maximum - source.minimum) + target.minimum
