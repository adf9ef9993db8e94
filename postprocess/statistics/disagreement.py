"""How far the ratings of a context disagree: entropy, polarisation and agreement."""

import numpy as np
import pandas as pd

from postprocess.statistics.correlations import ratio
from postprocess.statistics.polarisation import FEWEST_POINTS, MOST_POINTS, scale_agreement
from postprocess.types import Integers


def measure_disagreement(counts: Integers) -> pd.DataFrame:
    """Measure the disagreement of the ratings of each context.

    Parameters
    ----------
    counts : array of int, shape (n_contexts, n_points)
        The number of ratings at each point of a scale with equal steps.

    Returns
    -------
    DataFrame, shape (n_contexts, 3)
        entropy, in bits, from 0 (all ratings at one point) to log2 of the number of points (equally
        many at each); polarisation, from 0 (all at one point) to 1 (half at each end of the scale);
        agreement, see `scale_agreement`. NaN without ratings; agreement also for scales of two
        points, or more than 21.

    Notes
    -----
    Of shares p of the points, the entropy is -Σ p log2 p. Polarisation is Leik's dispersion
    D = 2 / (n_points - 1) · Σ min(F, 1 - F) over all points but the last, where F is the share of
    ratings up to a point: the mean distance of ratings from their median, relative to its largest
    possible value. It uses the order of the points, which the entropy does not.

    References
    ----------
    Shannon (1948), A mathematical theory of communication; Leik (1966), A measure of ordinal
    consensus; Van der Eijk (2001), Measuring agreement in ordered rating scales.

    Examples
    --------
    >>> measure_disagreement(np.array([[0, 4, 0], [2, 0, 2]])).values.tolist()
    [[0.0, 0.0, 1.0], [1.0, 1.0, -1.0]]
    """
    n_ratings, n_points = counts.sum(axis=1), counts.shape[1]
    shares = ratio(counts, n_ratings[:, None])
    logarithms = np.log2(shares, out=np.zeros(shares.shape), where=shares != 0)
    up_to = counts.cumsum(axis=1)[:, :-1]
    distances = np.minimum(up_to, n_ratings[:, None] - up_to).sum(axis=1)
    agreement = np.full(len(counts), np.nan)
    if FEWEST_POINTS <= n_points <= MOST_POINTS:
        rated = n_ratings > 0
        agreement[rated] = scale_agreement(counts[rated])
    return pd.DataFrame(
        {
            "entropy": 0 - (shares * logarithms).sum(axis=1),
            "polarisation": ratio(2 * distances, (n_points - 1) * n_ratings),
            "agreement": agreement,
        }
    )
