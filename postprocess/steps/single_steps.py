"""The steps one by one, for data frames. `post_process` runs the same functions of `core`."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from postprocess.steps import core
from postprocess.steps.recipe import Recipe
from postprocess.table.counts import Ratings, count_ratings, refuse_unrated
from postprocess.table.groups import with_groups
from postprocess.table.ratings import Scale, keep_whole, number_items, number_members
from postprocess.types import Centre, NContexts


class StepResult(NamedTuple):
    """The ratings after a step, and a row for each annotator of each group."""

    ratings: pd.DataFrame
    annotators: pd.DataFrame


def calibrate_ratings(
    ratings: pd.DataFrame, scale: Scale, *, threshold: float = 1.0, step: float = 1.0
) -> StepResult:
    """Shift all ratings of an annotator whose mean is far from the group's mean.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it, in points of `scale`, without NaN. Without a column group,
        groups are found.
    scale : Scale
        A rating that would be shifted beyond an end is cut at the end of the scale.
    threshold : float
        In scale points. An annotator is shifted if their mean differs from the mean of the
        group's annotator means by more than this; a difference equal to it is not more.
    step : float
        By how much the ratings are shifted towards the group's mean, in scale points.

    Returns
    -------
    StepResult
        `ratings`: the same rows with a column group; whole ratings stay whole.
        `annotators`, sorted by group and annotator: group, annotator, mean (before), group_mean,
        deviation, shift (-step, 0 or step) and n_clipped (ratings of a shifted annotator that were
        cut at the end of the scale: they moved by less than the step, or not at all).

    References
    ----------
    Adapted from Hill et al. (2015), SimLex-999, section 3, to questionnaires.

    Examples
    --------
    >>> ratings = pd.DataFrame({
    ...     "pair": [1, 1, 1], "context": 1, "annotator": ["A", "B", "C"], "rating": [2, 2, 6]})
    >>> calibrate_ratings(ratings, Scale()).ratings["rating"].tolist()
    [3, 3, 5]
    """
    grouped, members, counted = count_table(ratings)
    calibrated, figures = core.calibrate(counted, scale, threshold=threshold, step=step)
    points = pd.Series(calibrated.points.ravel()[calibrated.cell], index=grouped.index)
    return StepResult(grouped.assign(rating=keep_whole(points)), members.join(figures))


def filter_annotators(
    ratings: pd.DataFrame,
    *,
    k: float = 1.0,
    minimum_rho: float | None = None,
    gain_share: float | None = None,
    constant_from: int | None = None,
) -> StepResult:
    """Leave out the annotators who agree too little with their group.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it, in any unit, without NaN. Without a column group, groups
        are found. An annotator of several groups is judged in each separately.
    k : float
        Leave out an annotator whose average agreement is more than k sample standard deviations
        below the mean of the group's averages; at the bound they are kept. One pass.
    minimum_rho : float or None
        Leave out an annotator whose average agreement is below this.
    gain_share : float or None
        Leave out the annotators without whom the group's mean pairwise rho would rise most, up
        to this share of the group (rounded down) and only if it would rise. Annotators with
        equal gains are left out together, or not at all if they would exceed the share.
    constant_from : int or None
        Leave out an annotator who gave this number of items or more one and the same rating, even
        if nobody in the group can be compared.

    Returns
    -------
    StepResult
        `ratings`: the kept rows in their order with a column group and a fresh index.
        `annotators`, sorted by group and annotator: group, annotator, n_ratings, rho (mean
        Spearman correlation with each other annotator of the group; NaN if all are undefined),
        bound (of the group; NaN with fewer than two defined averages), gain (by how much the
        group's mean pairwise rho rises without the annotator; NaN if undefined), decision
        ("kept" or "left out") and reason (one of `core.REASONS`; "" for an annotator who is kept
        and whose rho is defined). An annotator without a defined average is left out only for
        constant ratings: on `constant_from` items or more, or on items to which others gave
        different ratings, that is, if at least two others of the group have a defined average.

    References
    ----------
    Adapted from Hill et al. (2015), SimLex-999, section 3, to questionnaires.

    Examples
    --------
    >>> ratings = pd.DataFrame({
    ...     "pair": [1, 2, 3] * 4, "context": 1, "annotator": list("AAABBBCCCDDD"),
    ...     "rating": [0, 3, 6, 0, 3, 6, 1, 3, 5, 6, 3, 0], "group": "1"})
    >>> filter_annotators(ratings).annotators["decision"].tolist()
    ['kept', 'kept', 'kept', 'left out']
    """
    grouped, members, counted = count_table(ratings)
    figures = core.judge(
        counted, k=k, minimum_rho=minimum_rho, gain_share=gain_share, constant_from=constant_from
    )
    is_kept = (figures["decision"] == core.KEPT).to_numpy()[counted.member]
    return StepResult(grouped[is_kept].reset_index(drop=True), members.join(figures))


def calibrate_and_filter(ratings: pd.DataFrame, recipe: Recipe) -> pd.DataFrame:
    """Calibrate ratings and leave out annotators, as far as a recipe enables these steps.

    `ratings` are those of `calibrate_ratings`. Returns the rows that are kept.
    """
    calibration, filtering = recipe.calibration, recipe.filtering
    if calibration.enabled:
        ratings = calibrate_ratings(
            ratings, recipe.scale.as_scale(), threshold=calibration.threshold, step=calibration.step
        ).ratings
    if filtering.enabled:
        bounds = filtering.model_dump(exclude={"enabled"})
        ratings = filter_annotators(ratings, **bounds).ratings
    return ratings


def rescale_ratings(ratings: pd.DataFrame, source: Scale, target: Scale) -> pd.DataFrame:
    """Map ratings linearly from one scale to another, end to end.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it, in points of `source`.
    source, target : Scale
        Only their ends are used.

    Returns
    -------
    DataFrame, shape (n_ratings, 4 or more)
        The same rows with ratings as floats in points of `target`. Equal ratings stay equal, NaN
        stays NaN.

    References
    ----------
    Armendariz et al. (2020), CoSimLex.

    Examples
    --------
    >>> ratings = pd.DataFrame({"rating": [0, 3, 6]})
    >>> rescale_ratings(ratings, Scale(0, 6), Scale(0, 10))["rating"].tolist()
    [0.0, 5.0, 10.0]
    """
    points = ratings["rating"].to_numpy(dtype=float)
    return ratings.assign(rating=core.rescale(points, source, target))


def aggregate_ratings(
    ratings: pd.DataFrame, n_pairs: int, *, n_contexts: NContexts = 2, centre: Centre = "mean"
) -> pd.DataFrame:
    """Compute the mean and deviation of every context, and the change within each pair.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 3 or more)
        As `check_ratings` returns it, or rescaled: pair, context and rating, NaN for a rating
        that is left out; the order of the rows does not matter.
    n_pairs : int
        Every context of the pairs 1 … n_pairs needs a rating.
    n_contexts : 1 or 2
        Contexts of each pair; with 1 there are only n1, sim1, stdev1 and median1.
    centre : "mean", "median" or "majority"
        What sim1 is. With "median", mean1 replaces median1. With "majority", sim1 is the rating
        with most votes, NaN for a tie, and share1, its share of the votes, replaces stdev1 and
        median1.

    Returns
    -------
    DataFrame, shape (n_pairs, 15), index pair
        n1, n2 (counts); sim1, sim2 (means), stdev1, stdev2 (sample deviation, ddof=1; NaN for
        one rating), median1, median2 and change (sim2 - sim1) in the unit of the ratings; pvalue
        (as published, see `change_tests`), pvalue_two_sided, qvalue (of the two-sided ones),
        delta, delta_low, delta_high (see `cliffs_delta`).

    Raises
    ------
    RatingsError
        Contexts without ratings.

    References
    ----------
    Armendariz et al. (2020), CoSimLex, for the figures; the conventions were worked out from
    the published files.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": 1, "context": [1, 1, 2, 2], "rating": [0, 2, 5, 5]})
    >>> aggregate_ratings(ratings, 1)[["sim1", "stdev2", "change"]].to_dict("records")
    [{'sim1': 1.0, 'stdev2': 0.0, 'change': 4.0}]
    """
    item = number_items(ratings, n_contexts)
    refuse_unrated(np.bincount(item, minlength=n_contexts * n_pairs), n_contexts)
    points, order = ratings["rating"].to_numpy(dtype=float), np.argsort(item, kind="stable")
    scores = core.score(item[order], order, points, n_pairs, n_contexts=n_contexts, centre=centre)
    n_used = scores[["n1", "n2"][:n_contexts]].to_numpy()
    refuse_unrated(n_used.ravel(), n_contexts)
    return scores


def count_table(
    ratings: pd.DataFrame, n_contexts: NContexts = 2
) -> tuple[pd.DataFrame, pd.DataFrame, Ratings]:
    """Return the ratings with a column group, a row for each member, and the counts."""
    grouped = with_groups(ratings)
    member, members = number_members(grouped)
    group = pd.factorize(members["group"])[0]
    counted = count_ratings(number_items(grouped, n_contexts), member, grouped["rating"], group)
    return grouped, members, counted
