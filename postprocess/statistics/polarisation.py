"""Polarised contexts, whose ratings fall into two camps."""

import math
from functools import lru_cache

import numpy as np
import pandas as pd

from postprocess.table.ratings import Scale
from postprocess.types import Floats, Integers

FEWEST_POINTS = 3  # of a scale, for a point between two camps
MOST_POINTS = 21  # of a scale; with more, most points are empty by chance
MOST_ENUMERATED = 250_000  # multisets of ratings; with more, the reference is sampled
N_SAMPLES = 20_000  # for each peak
AT_ONCE = 1 << 14  # distributions
PEAKS = tuple(round(0.05 * i, 2) for i in range(11))  # shares at one end; the rest is even
DECIMALS = 12  # against rounding errors, so that equal agreements compare equal


def scale_agreement(counts: Integers) -> Floats:
    """Compute Van der Eijk's agreement A of ratings on an ordered scale.

    Parameters
    ----------
    counts : array of int, shape (n_contexts, n_points)
        The number of ratings at each point, of three points or more; at least one rating.

    Returns
    -------
    array, shape (n_contexts,)
        1 if all ratings are at one point, 0 if they are spread evenly over all points, -1 if
        half are at each end.

    Notes
    -----
    The counts are decomposed into layers of equal height; a layer is a pattern of used (1) and
    unused (0) points. Of a pattern with S of K points used, let TU be the number of triples of
    points, in order, that read 110 or 011, and TDU that of triples that read 101. Its agreement
    is U · (1 - (S - 1)/(K - 1)) with U = ((K-2)·TU - (K-1)·TDU) / ((K-2)·(TU + TDU)), or U = 1
    without such triples; A is the mean over the layers, weighted by their ratings.

    References
    ----------
    Van der Eijk (2001), Measuring agreement in ordered rating scales.

    Examples
    --------
    >>> scale_agreement(np.array([[0, 9, 0, 0], [5, 5, 5, 5], [4, 0, 0, 4]])).tolist()
    [1.0, 0.0, -1.0]
    """
    starts = range(AT_ONCE, len(counts), AT_ONCE)
    return np.concatenate([_agree(some) for some in np.split(counts, starts)])


def find_polarised(
    ratings: pd.DataFrame, scale: Scale, *, rng: np.random.Generator, alpha: float = 0.05
) -> pd.DataFrame:
    """List the contexts whose ratings fall into two camps, by p-value.

    A context is listed if its agreement A is too low for annotators of one opinion: as many ratings
    drawn from a unimodal distribution have an A as low with a probability of at most alpha. The
    least favourable unimodal distributions are used: an even spread with a peak at one end that
    holds a share from 0 to a half.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 3 or more)
        pair, context, rating in points of `scale`, as `check_ratings` returns them.
    scale : Scale
        Of 3 to 21 points.
    rng : Generator
        For contexts with so many ratings that the reference is sampled (more than 20 on 7
        points); for others it is exact.
    alpha : float
        The upper bound of the p-value.

    Returns
    -------
    DataFrame, shape (n_listed, 6)
        pair, context, n, agreement (A), pvalue, and ratings: the number at each point of the
        scale, as `5 0 0 1 0 0 4`.

    Raises
    ------
    ValueError
        The scale has two points, or more than 21.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": 1, "context": [1] * 10 + [2] * 10,
    ...                         "rating": [0] * 5 + [6] * 5 + [2, 3] * 5})
    >>> find_polarised(ratings, Scale(), rng=np.random.default_rng(1))["ratings"].tolist()
    ['5 0 0 0 0 0 5']
    """
    n_points = scale.n_points
    if not FEWEST_POINTS <= n_points <= MOST_POINTS:
        raise ValueError(
            f"two camps can be found on {FEWEST_POINTS} to {MOST_POINTS} points, not on {scale}"
        )
    points = ((ratings["rating"] - scale.minimum) / scale.step).round().astype(int)
    counts = pd.crosstab([ratings["pair"], ratings["context"]], points)
    counts = counts.reindex(columns=range(n_points), fill_value=0)
    vectors = counts.to_numpy(dtype=np.int64)
    contexts = counts.index.to_frame(index=False)
    contexts["n"] = vectors.sum(axis=1)
    contexts["agreement"] = scale_agreement(vectors)
    contexts["pvalue"] = np.nan
    for n in sorted(contexts["n"].unique().tolist()):
        reference = _reference(n, n_points, rng)
        rows = contexts["n"] == n
        contexts.loc[rows, "pvalue"] = _share_below(contexts.loc[rows, "agreement"], *reference)
    contexts["ratings"] = [" ".join(map(str, vector)) for vector in vectors.tolist()]
    listed = contexts[contexts["pvalue"] <= alpha]
    return listed.sort_values(["pvalue", "pair", "context"], ignore_index=True)


def _agree(counts: Integers) -> Floats:
    """Return the agreement of a batch of contexts small enough for the processor's cache."""
    points = np.ascontiguousarray(counts.T)
    agreement, height = np.zeros(len(counts)), np.zeros(len(counts), dtype=np.int64)
    agreements = _pattern_agreements(len(points))
    for top in np.sort(points, axis=0):  # layers of one pattern end where a point has no more
        used = [(point >= top) << place for place, point in enumerate(points)]
        pattern = np.bitwise_or.reduce(used)
        agreement += (top - height) * np.bitwise_count(pattern) * agreements[pattern]
        height = top
    return np.asarray((agreement / points.sum(axis=0)).round(DECIMALS))


@lru_cache(maxsize=4)
def _pattern_agreements(n_points: int) -> Floats:
    """Return the agreement of every pattern; a pattern's index has its used points as bits."""
    patterns = np.arange(1 << n_points)
    n_used = np.bitwise_count(patterns).astype(np.int64)
    before, conforming, deviating = (np.zeros_like(patterns) for _ in range(3))
    for point in range(n_points):
        used = patterns >> point & 1
        after = n_used - before - used
        conforming += (1 - used) * (before * (before - 1) + after * (after - 1)) // 2
        deviating += (1 - used) * before * after
        before += used
    net = (n_points - 2.0) * conforming - (n_points - 1.0) * deviating
    triples = np.maximum(conforming + deviating, 1) * (n_points - 2)
    unimodality = np.where(conforming + deviating > 0, net / triples, 1.0)
    return np.asarray(unimodality * (1 - (n_used - 1) / (n_points - 1)))


def _reference(n: int, n_points: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the sorted agreements of n ratings, and the greatest probability of one as low."""
    if math.comb(n + n_points - 1, n_points - 1) <= MOST_ENUMERATED:
        return _exact_reference(n, n_points)
    samples = [rng.multinomial(n, shares, size=N_SAMPLES) for shares in _spreads(n_points)]
    agreements, place = np.unique(scale_agreement(np.concatenate(samples)), return_inverse=True)
    below = [
        np.cumsum(np.bincount(drawn, minlength=len(agreements))) / N_SAMPLES
        for drawn in place.reshape(len(samples), N_SAMPLES)
    ]
    return agreements, np.max(below, axis=0)


@lru_cache(maxsize=64)
def _exact_reference(n: int, n_points: int) -> tuple[Floats, Floats]:
    """Return the reference from all distributions of n ratings (up to a quarter of a second)."""
    vectors = _all_counts(n, n_points)
    agreements, place = np.unique(scale_agreement(vectors), return_inverse=True)
    log_factorials = np.cumsum(np.log(np.maximum(np.arange(n + 1), 1)))
    n_orders = log_factorials[n] - log_factorials[vectors].sum(axis=1)
    at_first, even = np.arange(n + 1), np.exp(n_orders - n * math.log(n_points))
    cells = place * (n + 1) + vectors[:, 0]  # a spread depends on the ratings at its peak alone
    chances = np.bincount(cells, even, len(agreements) * (n + 1)).reshape(-1, n + 1)
    below = [
        np.cumsum((chances * (n_points * peak) ** at_first
                   * (n_points * other) ** (n - at_first)).sum(axis=1))
        for peak, other, *_ in _spreads(n_points)
    ]  # fmt: skip
    return agreements, np.max(below, axis=0)


def _spreads(n_points: int) -> list[Floats]:
    """Return the least favourable unimodal distributions."""
    return [_with_peak(peak, n_points) for peak in PEAKS]


def _with_peak(peak: float, n_points: int) -> Floats:
    spread = np.full(n_points, (1 - peak) / n_points)
    spread[0] += peak
    return spread


def _share_below(agreements: pd.Series, reference: Floats, shares: Floats) -> Floats:
    """Return the p-values; below the sampled reference its least share is an upper bound."""
    place = np.searchsorted(reference, agreements.to_numpy(dtype=float), side="right") - 1
    return np.asarray(shares[np.maximum(place, 0)])


def _all_counts(n: int, n_points: int) -> Integers:
    """Return every distribution of n ratings over the points, shape (n_ways, n_points)."""
    rest = np.array([n], dtype=np.int16)
    chosen = np.empty((1, 0), dtype=np.int16)
    for _ in range(n_points - 1):
        parent = np.repeat(np.arange(len(rest)), rest + 1)
        first = np.cumsum(rest + 1) - rest - 1
        here = (np.arange(len(parent)) - first[parent]).astype(np.int16)
        chosen = np.column_stack([chosen[parent], here])
        rest = rest[parent] - here
    return np.column_stack([chosen, rest])
