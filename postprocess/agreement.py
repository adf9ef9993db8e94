"""Inter-rater agreement within one group, given as a table of items by annotators."""

from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from postprocess.ratings import RatingsError

FEWEST_COMMON = 3  # items that two annotators must share for a correlation
DECIMALS = 9  # means are rounded to these before ranking, so that equal means are ties


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's rank correlation over the items that both have.

    Parameters
    ----------
    first, second : array_like, shape (n_items,)
        In any unit; NaN where an item has no rating.

    Returns
    -------
    float
        Ties by average rank. NaN for under 3 common items, or if either is constant on them.

    Examples
    --------
    >>> spearman([0, 1, 2, 6], [0, 2, 1, 6])
    0.8
    """
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    common = ~(np.isnan(x) | np.isnan(y))
    if common.sum() < FEWEST_COMMON:
        return float("nan")
    x, y = rankdata(x[common]), rankdata(y[common])
    x, y = x - x.mean(), y - y.mean()
    if not x.any() or not y.any():
        return float("nan")
    return float(np.clip((x @ y) / np.sqrt((x @ x) * (y @ y)), -1, 1))


def leave_one_out_agreement(ratings: pd.DataFrame) -> pd.Series:
    """Correlate each annotator with the mean of the others.

    Parameters
    ----------
    ratings : DataFrame, shape (n_items, n_annotators)
        One group, in scale points; NaN where an annotator did not rate an item.

    Returns
    -------
    Series, shape (n_annotators,)
        Spearman's rho, ties by average rank; NaN for constant ratings or under 3 common items.

    Raises
    ------
    RatingsError
        Fewer than two annotators.

    References
    ----------
    Armendariz et al. (2020), SemEval-2020 Task 3, the human performance row.

    Examples
    --------
    >>> leave_one_out_agreement(pd.DataFrame({"A01": [0, 3, 6], "A02": [1, 3, 5]})).to_dict()
    {'A01': 1.0, 'A02': 1.0}
    """
    _refuse_one(ratings)
    means = {a: ratings.drop(columns=a).mean(axis="columns").round(DECIMALS) for a in ratings}
    return pd.Series({a: spearman(ratings[a], means[a]) for a in ratings}, name="rho", dtype=float)


def pairwise_agreement(ratings: pd.DataFrame) -> pd.DataFrame:
    """Correlate each annotator with each other one.

    Parameters
    ----------
    ratings : DataFrame, shape (n_items, n_annotators)
        One group, in scale points; NaN where an annotator did not rate an item.

    Returns
    -------
    DataFrame, shape (n_annotators, n_annotators)
        Spearman's rho, symmetric; NaN on the diagonal, for constant ratings and under 3 common
        items. The mean of a row is the annotator's average agreement, the mean of all cells
        the group's mean pairwise rho.

    Raises
    ------
    RatingsError
        Fewer than two annotators.

    Examples
    --------
    >>> rho = pairwise_agreement(pd.DataFrame({"A": [0, 3, 6], "B": [1, 3, 5], "C": [6, 3, 0]}))
    >>> rho.mean().to_dict()
    {'A': 0.0, 'B': 0.0, 'C': -1.0}
    """
    _refuse_one(ratings)
    table = ratings.to_numpy(dtype=float)
    n_annotators = table.shape[1]
    rho = np.full((n_annotators, n_annotators), np.nan)
    for i, j in combinations(range(n_annotators), 2):
        rho[i, j] = rho[j, i] = spearman(table[:, i], table[:, j])
    return pd.DataFrame(rho, index=ratings.columns, columns=ratings.columns)


def krippendorff_alpha(
    ratings: pd.DataFrame, *, level: Literal["interval", "ordinal"] = "interval"
) -> float:
    """Krippendorff's alpha: one minus observed over expected disagreement.

    Parameters
    ----------
    ratings : DataFrame, shape (n_items, n_annotators)
        In scale points; NaN where an annotator did not rate an item. Items with one rating
        do not count.
    level : "interval" or "ordinal"
        Disagreement is the squared distance of two ratings, or of their average ranks among
        all ratings that count.

    Returns
    -------
    float
        1 for full agreement, 0 for chance. NaN if no item has two ratings or all are equal.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> krippendorff_alpha(pd.DataFrame({"A": [0, 3, 6], "B": [0, 3, 6]}))
    1.0
    """
    table = ratings.to_numpy(dtype=float)
    table = table[(~np.isnan(table)).sum(axis=1) >= 2]
    if level == "ordinal":
        table = rankdata(table, nan_policy="omit", axis=None).reshape(table.shape)
    rated = ~np.isnan(table)
    n_each = rated.sum(axis=1)
    total = table[rated]
    if total.size == 0 or np.ptp(total) == 0:
        return float("nan")
    deviations = table - np.nanmean(table, axis=1, keepdims=True)
    observed = (n_each / (n_each - 1) * np.nansum(deviations**2, axis=1)).sum() / total.size
    expected = ((total - total.mean()) ** 2).sum() / (total.size - 1)
    return float(1 - observed / expected)


def _refuse_one(ratings: pd.DataFrame) -> None:
    if ratings.shape[1] < 2:
        raise RatingsError(f"agreement needs two annotators or more, got {ratings.shape[1]}")
