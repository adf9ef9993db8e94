"""Inter-rater agreement within one group, given as a table of items by annotators."""

from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from postprocess.statistics.correlations import (
    DECIMALS,
    FEWEST_COMMON,
    correlate,
    correlate_left_out,
    correlate_pairs,
)
from postprocess.statistics.resampling import basic_interval
from postprocess.table.ratings import RatingsError

__all__ = [
    "FEWEST_COMMON",
    "agreement_with_means",
    "leave_one_out_agreement",
    "pairwise_agreement",
    "pearson",
    "spearman",
]


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

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things.

    Examples
    --------
    >>> spearman([0, 1, 2, 6], [0, 2, 1, 6])
    0.8
    """
    return float(correlate(_floats(first), _floats(second), method="spearman"))


def pearson(first: ArrayLike, second: ArrayLike) -> float:
    """Pearson's product-moment correlation over the items that both have.

    Parameters
    ----------
    first, second : array_like, shape (n_items,)
        In any unit; NaN where an item has no rating.

    Returns
    -------
    float
        NaN for under 3 common items, or if either is constant on them.

    Examples
    --------
    >>> pearson([0, 1, 2], [0, 2, 1])
    0.5
    """
    return float(correlate(_floats(first), _floats(second), method="pearson"))


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
    rho = correlate_left_out(_table(ratings))[0]
    return pd.Series(rho, index=ratings.columns, name="rho", dtype=float)


def agreement_with_means(
    own: ArrayLike, means: ArrayLike, *, n_resamples: int = 1000, seed: int = 0
) -> tuple[float, float, float]:
    """Correlate one annotator with the means of the others, with a bootstrap interval.

    Parameters
    ----------
    own, means : array_like, shape (n_items,)
        The annotator's rating of each item and the mean rating of the others, in scale points;
        NaN where there is none. Equal means are ties, whatever noise floats add.
    n_resamples : int
        How many bootstrap samples of the items that both have.
    seed : int
        Of chance.

    Returns
    -------
    tuple of float
        Spearman's rho as in `leave_one_out_agreement` and the ends of its 95 % interval: for
        endless items, this annotator and these others. NaN where `spearman` has it; the ends
        also where more than 5 % of the resamples have no rho.

    References
    ----------
    See `basic_interval`.

    Examples
    --------
    >>> agreement_with_means([0, 1, 2, 6], [0, 2, 1, 6], n_resamples=0)
    (0.8, nan, nan)
    """
    one, others = _floats(own), _floats(means).round(DECIMALS)
    common = ~(np.isnan(one) | np.isnan(others))
    one, others = one[common], others[common]
    rho = spearman(one, others)
    if np.isnan(rho):
        return rho, float("nan"), float("nan")
    drawn = np.random.default_rng(seed).integers(len(one), size=(n_resamples, len(one)))
    resampled = correlate(one[drawn], others[drawn], method="spearman")
    return rho, *basic_interval(rho, resampled)


def pairwise_agreement(
    ratings: pd.DataFrame, *, method: Literal["spearman", "pearson"] = "spearman"
) -> pd.DataFrame:
    """Correlate each annotator with each other one.

    Parameters
    ----------
    ratings : DataFrame, shape (n_items, n_annotators)
        One group, in scale points; NaN where an annotator did not rate an item.
    method : "spearman" or "pearson"
        Of the ranks, ties by average rank, or of the ratings.

    Returns
    -------
    DataFrame, shape (n_annotators, n_annotators)
        The correlation, symmetric; NaN on the diagonal, for constant ratings and under 3 common
        items. The mean of a row is the annotator's average agreement, the mean of all cells
        the group's mean pairwise correlation.

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
    rho = correlate_pairs(_table(ratings), method=method)[0]
    return pd.DataFrame(rho, index=ratings.columns, columns=ratings.columns)


def _table(ratings: pd.DataFrame) -> NDArray[np.float64]:
    """A stack of the one table, annotators by items."""
    return np.ascontiguousarray(ratings.to_numpy(dtype=float).T)[None]


def _floats(numbers: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(numbers, dtype=float)


def _refuse_one(ratings: pd.DataFrame) -> None:
    if ratings.shape[1] < 2:
        raise RatingsError(f"agreement needs two annotators or more, got {ratings.shape[1]}")
