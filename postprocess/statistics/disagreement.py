"""How far the ratings of a context disagree, and which are far from the others."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd

from postprocess.statistics.correlations import ratio
from postprocess.statistics.polarisation import FEWEST_POINTS, MOST_POINTS, scale_agreement
from postprocess.types import Integers

FEWEST_OTHERS = 2  # with whom a rating is compared


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


def find_disagreements(ratings: pd.DataFrame, above: Decimal | str | int) -> pd.DataFrame:
    """Find the ratings that differ from the mean of the others' by more than a number.

    All are compared at once, without division or floats: with n others, a rating x is found
    if ``|n · x - Σ others| > above · n``.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 3 or more)
        Columns pair, annotator and rating, of ratings that count: an annotator rated a pair once,
        and none is NaN. Ratings are decimals, also as text; floats stand for the shortest decimal
        with their value.
    above : decimal
        In points of the scale.

    Returns
    -------
    DataFrame, shape (n_found, 5)
        pair, annotator, rating, the sum of the others' ratings as a fraction, and their number;
        with the index of `ratings`. Pairs with fewer than two others have none.

    References
    ----------
    Camacho-Collados et al. (2017), SemEval-2017 Task 2, section 2.1.3.

    Examples
    --------
    >>> given = pd.DataFrame({"pair": 1, "annotator": list("abc"), "rating": ["1", "1", "2.25"]})
    >>> found = find_disagreements(given, 1)
    >>> found["annotator"].tolist(), found["others"].astype(str).tolist()
    (['c'], ['2'])
    """
    codes, points = pd.factorize(ratings["rating"].astype(str))
    values = [Fraction(point) for point in points]
    limit = Fraction(str(above))
    unit = int(np.lcm.reduce([value.denominator for value in (*values, limit)], dtype=object))
    whole = [int(value * unit) for value in values]
    largest = 2 * len(ratings) * max(map(abs, (*whole, int(limit * unit))))
    dtype = np.int64 if largest <= np.iinfo(np.int64).max else object
    units = np.array(whole, dtype=dtype)[codes]
    table = pd.DataFrame({"pair": ratings["pair"].to_numpy(), "units": units})
    groups = table.groupby("pair", sort=False)["units"]
    n_others = groups.transform("size").to_numpy() - 1
    others = groups.transform("sum").to_numpy() - units
    is_far = np.abs(n_others * units - others) > int(limit * unit) * n_others
    is_found = is_far & (n_others >= FEWEST_OTHERS)
    found: pd.DataFrame = ratings.loc[is_found, ["pair", "annotator", "rating"]]
    sums = [Fraction(int(total), unit) for total in others[is_found]]
    of_others = pd.Series(sums, index=found.index, dtype=object)
    return found.assign(others=of_others, n_others=n_others[is_found])
