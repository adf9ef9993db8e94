"""Intervals of the mean of a few ratings."""

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from postprocess.types import Floats

CONFIDENCE = 0.95


def mean_intervals(scores: pd.DataFrame, context: int, low: float, high: float) -> Floats:
    """Compute Student's 95 % interval of each mean rating of a context.

    Parameters
    ----------
    scores : DataFrame, shape (n_pairs, 6 or more)
        n1, sim1, stdev1 and n2, sim2, stdev2, as `aggregate_ratings` returns them.
    context : int
        1 or 2.
    low, high : float
        The ends of the scale of the means, at which the intervals are cut.

    Returns
    -------
    array, shape (n_pairs, 2)
        The ends, in the unit of the means; NaN for a single rating.

    Examples
    --------
    >>> scores = pd.DataFrame({"n1": [4], "sim1": [5.0], "stdev1": [1.0]})
    >>> mean_intervals(scores, 1, 0, 10).round(3).tolist()
    [[3.409, 6.591]]
    """
    n, mean, deviation = (
        scores[f"{name}{context}"].to_numpy(dtype=float) for name in ("n", "sim", "stdev")
    )
    quantile = stdtrit(np.maximum(n - 1, 1), (1 + CONFIDENCE) / 2)
    reach = np.where(n > 1, quantile * deviation / np.sqrt(n), np.nan)
    ends: Floats = np.clip(np.column_stack([mean - reach, mean + reach]), low, high)
    return ends
