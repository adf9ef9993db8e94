"""Calibration: annotators who use the scale higher or lower than their group are moved."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.ratings import Scale, keep_whole, with_groups

DECIMALS = 9  # deviations are rounded to these before they are compared, against float noise


class Calibration(NamedTuple):
    """The calibrated ratings, and a row for each annotator of each group."""

    ratings: pd.DataFrame
    annotators: pd.DataFrame


def calibrate_ratings(
    ratings: pd.DataFrame, scale: Scale, *, threshold: float = 1.0, step: float = 1.0
) -> Calibration:
    """Move all ratings of an annotator whose mean lies far from the group's.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or 5)
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
        that stayed because they were at the end of the scale).

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
    annotators = _find_shifts(ratings, threshold=threshold, step=step)
    keys = ["group", "annotator"]
    shift = ratings[keys].merge(annotators[[*keys, "shift"]], how="left", on=keys)["shift"]
    before = ratings["rating"]
    after = (before + shift.to_numpy()).clip(scale.minimum, scale.maximum)
    stayed = ratings[keys].assign(n_clipped=((shift != 0).to_numpy() & (after == before)))
    n_clipped = stayed.groupby(keys, as_index=False)["n_clipped"].sum()
    if pd.api.types.is_integer_dtype(before):
        after = keep_whole(after)
    return Calibration(ratings.assign(rating=after), annotators.merge(n_clipped, on=keys))


def _find_shifts(ratings: pd.DataFrame, *, threshold: float, step: float) -> pd.DataFrame:
    means = ratings.groupby(["group", "annotator"])["rating"].mean()
    annotators = means.rename("mean").reset_index()
    annotators["group_mean"] = annotators.groupby("group")["mean"].transform("mean")
    deviation = (annotators["mean"] - annotators["group_mean"]).round(DECIMALS)
    annotators["deviation"] = deviation
    annotators["shift"] = np.select(
        [deviation > threshold, deviation < -threshold], [-step, step], default=0.0
    )
    return annotators
