"""Calibration: annotators who use the scale higher or lower than their group are moved."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.table.numbering import Floats, Numbers, number_ratings
from postprocess.table.ratings import Scale, keep_whole, with_groups

DECIMALS = 9  # what floats add below these is no difference


class Calibration(NamedTuple):
    """The calibrated ratings, and a row for each annotator of each group."""

    ratings: pd.DataFrame
    annotators: pd.DataFrame


def calibrate_ratings(
    ratings: pd.DataFrame,
    scale: Scale,
    *,
    threshold: float = 1.0,
    step: float = 1.0,
) -> Calibration:
    """Move all ratings of an annotator whose mean lies far from the group's.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it, in points of `scale`. Without a column group, groups are
        found.
    scale : Scale
        A rating is not moved beyond its ends; one that is there already stays.
    threshold : float
        In scale points. An annotator is moved if their mean differs from the mean of the
        group's means by more than this; a difference of exactly this is not more.
    step : float
        How far the ratings are moved towards the group, in scale points.

    Returns
    -------
    Calibration
        `ratings`: the same rows with a column group; whole ratings stay whole.
        `annotators`, sorted by group and annotator: group, annotator, mean (before),
        group_mean, deviation, shift (-step, 0 or step), n_clipped (ratings of a moved annotator
        that stayed because they were at the end of the scale); NaN for a sitting without ratings.

    References
    ----------
    Hill et al. (2015), SimLex-999, section 3.

    Examples
    --------
    >>> ratings = pd.DataFrame({
    ...     "pair": [1, 1, 1], "context": 1, "annotator": ["A", "B", "C"], "rating": [2, 2, 6]})
    >>> calibrate_ratings(ratings, Scale()).ratings["rating"].tolist()
    [3, 3, 5]
    """
    ratings = with_groups(ratings)
    numbers = number_ratings(ratings)
    points, figures = calibrate_numbers(numbers, scale, threshold=threshold, step=step)
    annotators = numbers.sittings.table().join(figures)
    calibrated = pd.Series(points[numbers.cell], index=ratings.index)
    return Calibration(ratings.assign(rating=keep_whole(calibrated)), annotators)


def calibrate_numbers(
    numbers: Numbers, scale: Scale, *, threshold: float, step: float
) -> tuple[Floats, pd.DataFrame]:
    """The calibrated points of each cell; and the figures of annotators of `calibrate_ratings`."""
    annotators = _find_shifts(numbers, threshold=threshold, step=step)
    shift = annotators["shift"].to_numpy()[numbers.sitting]
    points = (numbers.points + shift).clip(scale.minimum, scale.maximum).round(DECIMALS)
    points = np.where(shift == 0, numbers.points, points)
    stayed = (shift != 0) & (points == numbers.points)
    n_clipped = numbers.per_sitting(numbers.n * stayed).astype(np.int64)
    return points, annotators.assign(n_clipped=n_clipped)


def _find_shifts(numbers: Numbers, *, threshold: float, step: float) -> pd.DataFrame:
    sittings = numbers.sittings
    with np.errstate(invalid="ignore"):
        mean = numbers.per_sitting(numbers.n * numbers.points) / numbers.per_sitting(numbers.n)
    sat = ~np.isnan(mean)
    total, n_sat = (
        np.bincount(sittings.group[sat], weights=of_each, minlength=len(sittings.groups))
        for of_each in (mean[sat], sat[sat])
    )
    group_mean = np.where(sat, (total / np.maximum(n_sat, 1))[sittings.group], np.nan)
    deviation = (mean - group_mean).round(DECIMALS)
    shift = np.select([deviation > threshold, deviation < -threshold], [-step, step], default=0.0)
    return pd.DataFrame(
        {"mean": mean, "group_mean": group_mean, "deviation": deviation, "shift": shift}
    )
