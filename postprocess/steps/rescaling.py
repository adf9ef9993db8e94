"""Rescaling: map ratings from the scale of the survey to the published one."""

import pandas as pd

from postprocess.table.ratings import Scale
from postprocess.types import Floats


def rescale_ratings(ratings: pd.DataFrame, source: Scale, target: Scale) -> pd.DataFrame:
    """Rescale the column rating of a ratings table; `rescale_points` for a data frame.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it, in points of `source`.
    source, target : Scale
        As in `rescale_points`.

    Returns
    -------
    DataFrame, shape (n_ratings, 4 or more)
        The same rows with ratings as floats in points of `target`.

    Examples
    --------
    >>> ratings = pd.DataFrame({"rating": [0, 3, 6]})
    >>> rescale_ratings(ratings, Scale(0, 6), Scale(0, 10))["rating"].tolist()
    [0.0, 5.0, 10.0]
    """
    points = ratings["rating"].to_numpy(dtype=float)
    return ratings.assign(rating=rescale_points(points, source, target))


def rescale_points(points: Floats, source: Scale, target: Scale) -> Floats:
    """Map ratings linearly from one scale to another, end to end.

    Parameters
    ----------
    points : array, shape (n,)
        In points of `source`.
    source, target : Scale
        Only their ends are used.

    Returns
    -------
    array, shape (n,)
        In points of `target`. Equal ratings stay equal, NaN stays NaN.

    References
    ----------
    Armendariz et al. (2020), CoSimLex.
    """
    span = target.maximum - target.minimum
    return (points - source.minimum) * span / (source.maximum - source.minimum) + target.minimum
