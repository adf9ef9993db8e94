"""Calibration: annotators who use the scale higher or lower than their group are moved."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.ratings import Codes, Scale, Sittings, index_sittings, keep_whole, with_groups

DECIMALS = 9  # deviations are rounded to these before they are compared, against float noise


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
    sittings: Sittings | None = None,
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
    sittings : Sittings, optional
        Those of the ratings, if they have been numbered; some may be without any.

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
    sittings = sittings or index_sittings(ratings)
    annotators = _find_shifts(ratings, sittings, threshold=threshold, step=step)
    shift = annotators["shift"].to_numpy()[sittings.codes]
    before = ratings["rating"].to_numpy()
    after = np.clip(before + shift, scale.minimum, scale.maximum)
    stayed = (shift != 0) & (after == before)
    annotators["n_clipped"] = np.bincount(sittings.codes[stayed], minlength=len(annotators))
    calibrated = pd.Series(after, index=ratings.index)
    if pd.api.types.is_integer_dtype(before):
        calibrated = keep_whole(calibrated)
    return Calibration(ratings.assign(rating=calibrated), annotators)


def _find_shifts(
    ratings: pd.DataFrame, sittings: Sittings, *, threshold: float, step: float
) -> pd.DataFrame:
    points = ratings["rating"].to_numpy(dtype=float)
    mean = _means(points, sittings.codes, len(sittings.group))
    sat = ~np.isnan(mean)
    of_groups = _means(mean[sat], sittings.group[sat], len(sittings.groups))
    group_mean = np.where(sat, of_groups[sittings.group], np.nan)
    deviation = (mean - group_mean).round(DECIMALS)
    shift = np.select([deviation > threshold, deviation < -threshold], [-step, step], default=0.0)
    return sittings.table().assign(
        mean=mean, group_mean=group_mean, deviation=deviation, shift=shift
    )


def _means(values: NDArray[np.float64], codes: Codes, n_codes: int) -> NDArray[np.float64]:
    """The mean of the values of each code, NaN where there are none."""
    total = np.bincount(codes, weights=values, minlength=n_codes)
    with np.errstate(invalid="ignore"):
        return total / np.bincount(codes, minlength=n_codes)
