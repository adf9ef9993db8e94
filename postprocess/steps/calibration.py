"""Calibration: shift the ratings of annotators whose mean is far from their group's mean."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.table.numbering import Numbers
from postprocess.table.ratings import Scale, keep_whole, number_groups
from postprocess.types import Floats

DECIMALS = 9  # differences of floats below this are rounding errors


class Calibration(NamedTuple):
    """The calibrated ratings, and a row for each annotator of each group."""

    ratings: pd.DataFrame
    annotators: pd.DataFrame


def calibrate_ratings(
    ratings: pd.DataFrame, scale: Scale, *, threshold: float = 1.0, step: float = 1.0
) -> Calibration:
    """Calibrate a ratings table; `calibrate_numbers` for a data frame.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it, in points of `scale`, without NaN. Without a column group,
        groups are found.
    scale, threshold, step
        As in `calibrate_numbers`.

    Returns
    -------
    Calibration
        `ratings`: the same rows with a column group; whole ratings stay whole.
        `annotators`, sorted by group and annotator: group, annotator and the columns of
        `calibrate_numbers`.

    Examples
    --------
    >>> ratings = pd.DataFrame({
    ...     "pair": [1, 1, 1], "context": 1, "annotator": ["A", "B", "C"], "rating": [2, 2, 6]})
    >>> calibrate_ratings(ratings, Scale()).ratings["rating"].tolist()
    [3, 3, 5]
    """
    ratings, numbers = number_groups(ratings)
    points, figures = calibrate_numbers(numbers, scale, threshold=threshold, step=step)
    calibrated = keep_whole(pd.Series(points[numbers.cell], index=ratings.index))
    return Calibration(ratings.assign(rating=calibrated), numbers.members.table().join(figures))


def calibrate_numbers(
    numbers: Numbers, scale: Scale, *, threshold: float, step: float
) -> tuple[Floats, pd.DataFrame]:
    """Shift all ratings of an annotator whose mean is far from the group's mean.

    Parameters
    ----------
    numbers : Numbers
        The ratings in points of `scale`, without NaN; members may have no ratings.
    scale : Scale
        A rating is not shifted beyond its ends; a rating at an end stays there.
    threshold : float
        In scale points. An annotator is shifted if their mean differs from the mean of the
        group's annotator means by more than this; a difference equal to it is not more.
    step : float
        By how much the ratings are shifted towards the group's mean, in scale points.

    Returns
    -------
    points : array, shape (n_cells,)
        The calibrated ratings of each cell of `numbers`, in points of `scale`.
    figures : DataFrame, shape (n_members, 5)
        mean (before), group_mean, deviation, shift (-step, 0 or step) and n_clipped (ratings of
        a shifted annotator that did not move because they were at the end of the scale); NaN, 0
        and 0 for a member without ratings.

    References
    ----------
    Hill et al. (2015), SimLex-999, section 3.
    """
    figures = _find_shifts(numbers, threshold=threshold, step=step)
    shift = figures["shift"].to_numpy()[numbers.member]
    points = (numbers.points + shift).clip(scale.minimum, scale.maximum).round(DECIMALS)
    points = np.where(shift == 0, numbers.points, points)
    is_clipped = (shift != 0) & (points == numbers.points)
    n_clipped = numbers.per_member(numbers.n * is_clipped).astype(np.int64)
    return points, figures.assign(n_clipped=n_clipped)


def _find_shifts(numbers: Numbers, *, threshold: float, step: float) -> pd.DataFrame:
    members = numbers.members
    with np.errstate(invalid="ignore"):
        mean = numbers.per_member(numbers.n * numbers.points) / numbers.per_member(numbers.n)
    has_rated = ~np.isnan(mean)
    total, n_raters = (
        np.bincount(members.group[has_rated], weights=weights, minlength=len(members.groups))
        for weights in (mean[has_rated], has_rated[has_rated])
    )
    group_mean = np.where(has_rated, (total / np.maximum(n_raters, 1))[members.group], np.nan)
    deviation = (mean - group_mean).round(DECIMALS)
    shift = np.select([deviation > threshold, deviation < -threshold], [-step, step], default=0.0)
    return pd.DataFrame(
        {"mean": mean, "group_mean": group_mean, "deviation": deviation, "shift": shift}
    )
