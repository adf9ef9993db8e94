"""Aggregation: from ratings to scores, one row a pair."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from postprocess.ratings import RatingsError, name_some

Ratings = NDArray[np.float64]


def aggregate_ratings(ratings: pd.DataFrame, n_pairs: int) -> pd.DataFrame:
    """Mean and deviation of every context, and the change between the two of a pair.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or 5)
        As `check_ratings` returns it, or rescaled; the order of the rows does not matter.
    n_pairs : int
        Every context of the pairs 1 … n_pairs needs a rating.

    Returns
    -------
    DataFrame, shape (n_pairs, 8), index pair
        n1, n2 (counts); sim1, sim2 (means), stdev1, stdev2 (sample deviation, ddof=1; NaN for
        one rating) and change (sim2 - sim1) in points of the ratings; pvalue (see
        `change_pvalue`).

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
    refuse_unrated(ratings, n_pairs)
    by_context = {
        key: np.sort(rows.to_numpy(dtype=float))  # the same sum in whatever order they came
        for key, rows in ratings.groupby(["pair", "context"])["rating"]
    }
    pairs = range(1, n_pairs + 1)
    scores = pd.DataFrame([_score(by_context[p, 1], by_context[p, 2]) for p in pairs])
    return scores.set_index(pd.RangeIndex(1, n_pairs + 1, name="pair"))


def refuse_unrated(ratings: pd.DataFrame, n_pairs: int) -> None:
    """Raise RatingsError if a context of the pairs 1 … n_pairs has no rating."""
    rated = set(zip(ratings["pair"].tolist(), ratings["context"].tolist(), strict=True))
    wanted = [(pair, context) for pair in range(1, n_pairs + 1) for context in (1, 2)]
    if missing := [f"pair {p} context {c}" for p, c in wanted if (p, c) not in rated]:
        raise RatingsError(f"contexts without ratings: {name_some(missing)}")


def change_pvalue(first: Ratings, second: Ratings) -> float:
    """The Mann-Whitney test for a change between two contexts.

    Parameters
    ----------
    first, second : array, shapes (n1,) and (n2,)
        The ratings of the two contexts, in the same unit, without NaN.

    Returns
    -------
    float
        One-sided p, at most 0.5: half of the two-sided one by the normal approximation,
        corrected for ties and for continuity. If all ratings of both contexts are equal there
        is no evidence of a change, and p is 1.

    References
    ----------
    SciPy, `scipy.stats.mannwhitneyu`; half, because the published files have it so.

    Examples
    --------
    >>> round(change_pvalue(np.array([0.0, 1.0]), np.array([5.0, 6.0])), 4)
    0.1226
    """
    if np.ptp(np.concatenate([first, second])) == 0:
        return 1.0
    test = mannwhitneyu(
        first, second, alternative="two-sided", method="asymptotic", use_continuity=True
    )
    return float(test.pvalue) / 2


def _score(first: Ratings, second: Ratings) -> dict[str, float]:
    sim1, sim2 = float(first.mean()), float(second.mean())
    return {
        "n1": len(first),
        "n2": len(second),
        "sim1": sim1,
        "sim2": sim2,
        "stdev1": _deviation(first),
        "stdev2": _deviation(second),
        "change": sim2 - sim1,
        "pvalue": change_pvalue(first, second),
    }


def _deviation(ratings: Ratings) -> float:
    """The sample deviation, exactly 0 for equal ratings, whose mean may be off by float noise."""
    if len(ratings) < 2:
        return float("nan")
    return float(ratings.std(ddof=1)) if np.ptp(ratings) > 0 else 0.0
