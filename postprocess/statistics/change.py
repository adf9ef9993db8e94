"""Change between the two contexts of a pair: tests and effect size, for many pairs at once.

The two contexts of a pair are compared as counts: how often each of the different ratings was
given. Everything follows from these counts, exactly and in whatever order the ratings came.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import mannwhitneyu, wilcoxon

from postprocess.statistics.ranksum import add_from_lowest, change_tests

Floats = NDArray[np.float64]
Counts = NDArray[np.integer[Any]] | NDArray[np.float64]  # whole numbers
MOST_EXACT = 8  # ratings of the smaller context up to which an untied pair is tested exactly


def change_pvalues(counts1: Counts, counts2: Counts) -> Floats:
    """The Mann-Whitney test for a change, as the published files have it.

    Parameters
    ----------
    counts1, counts2 : array, shape (n_pairs, n_values)
        How often each of the different ratings, in ascending order, was given in context 1 and
        in context 2; at least once in each.

    Returns
    -------
    array, shape (n_pairs,)
        One-sided p, at most 0.5: half of the two-sided one by the normal approximation,
        corrected for ties and for continuity. If all ratings of both contexts are equal there
        is no evidence of a change, and p is 1.

    References
    ----------
    Mann and Whitney (1947). The published files hold half of what SciPy's `mannwhitneyu` gives
    for two sides by the asymptotic method.

    Examples
    --------
    >>> change_pvalues(np.array([[1, 1, 0, 0]]), np.array([[0, 0, 1, 1]])).round(4).tolist()
    [0.1226]
    """
    return change_tests(counts1, counts2).pvalues


def two_sided_pvalues(
    counts1: Counts, counts2: Counts, *, published: Floats | None = None
) -> Floats:
    """The two-sided Mann-Whitney test, exact where that is small and untied.

    Parameters
    ----------
    counts1, counts2 : array, shape (n_pairs, n_values)
        As `change_pvalues` takes them.
    published : array, shape (n_pairs,), optional
        What `change_pvalues` returns for them, if that is known.

    Returns
    -------
    array, shape (n_pairs,)
        By the exact distribution of U where no rating of the pair occurs twice and one context
        has at most 8 ratings, else by the normal approximation, corrected for ties and for
        continuity; 1 if all ratings are equal.

    References
    ----------
    Mann and Whitney (1947); SciPy's `mannwhitneyu` with method "auto".

    Examples
    --------
    >>> two_sided_pvalues(np.array([[1, 1, 0, 0]]), np.array([[0, 0, 1, 1]])).round(4).tolist()
    [0.3333]
    """
    if published is None:
        published = change_pvalues(counts1, counts2)
    p = np.minimum(2 * published, 1)
    smaller = np.minimum(counts1.sum(axis=1), counts2.sum(axis=1))
    untied = (counts1 + counts2).max(axis=1) == 1
    ranks = np.arange(counts1.shape[1])
    for pair in np.flatnonzero(untied & (smaller > 0) & (smaller <= MOST_EXACT)):
        first, second = ranks[counts1[pair] > 0], ranks[counts2[pair] > 0]
        p[pair] = mannwhitneyu(first, second, alternative="two-sided", method="exact").pvalue
    return p


def false_discovery_rates(pvalues: Floats) -> Floats:
    """The q-value of each pair: the rate of false findings if it and all smaller p are called.

    Parameters
    ----------
    pvalues : array, shape (n_pairs,)
        Of one family of tests, without NaN.

    Returns
    -------
    array, shape (n_pairs,)
        Never below the p-value.

    References
    ----------
    Benjamini and Hochberg (1995).

    Examples
    --------
    >>> false_discovery_rates(np.array([0.01, 0.02, 0.5])).tolist()
    [0.03, 0.03, 0.5]
    """
    place, distinct = pd.factorize(pvalues)  # the tests of ratings on a scale have few
    order = np.argsort(distinct)
    n_up_to = np.cumsum(np.bincount(place)[order])
    rates = distinct[order] * (len(pvalues) / n_up_to)
    least = np.minimum.accumulate(rates[::-1])[::-1]
    of_distinct = np.empty_like(least)
    of_distinct[order] = np.minimum(least, 1)
    return np.asarray(of_distinct[place])


def cliffs_delta(counts1: Counts, counts2: Counts, *, confidence: float = 0.95) -> pd.DataFrame:
    """How far the ratings of context 2 lie above those of context 1.

    Parameters
    ----------
    counts1, counts2 : array, shape (n_pairs, n_values)
        As `change_pvalues` takes them.
    confidence : float
        Of the interval.

    Returns
    -------
    DataFrame, shape (n_pairs, 3)
        delta: the share of rating pairs (one of each context) that are higher in context 2 less
        the share that are lower, from -1 to 1; delta_low and delta_high: its interval, NaN if a
        context has a single rating.

    Notes
    -----
    The variance is Cliff's unbiased estimate, not let below (1 - δ²) / (n₁n₂ - 1); the interval
    is his asymmetric one. Where every rating of one context lies above every one of the other
    the estimate of the variance is 0 and says nothing; there the nearer bound is that of
    (n - z²) / (n + z²), n being the smaller number of ratings.

    References
    ----------
    Cliff (1993), Dominance statistics; Feng and Cliff (2004), Monte Carlo evaluation of ordinal
    d with improved confidence interval.

    Examples
    --------
    >>> cliffs_delta(np.array([[2, 1, 0]]), np.array([[0, 1, 2]])).round(3).iloc[0].tolist()
    [0.889, 0.212, 0.989]
    """
    return pd.DataFrame(dominances(counts1, counts2, confidence=confidence))


def dominances(counts1: Counts, counts2: Counts, *, confidence: float = 0.95) -> dict[str, Floats]:
    """The columns of `cliffs_delta`."""
    n1, n2 = counts1.sum(axis=1), counts2.sum(axis=1)
    rise = _dominance(counts1, n1)  # of a rating of context 2 over those of context 1
    fall = -_dominance(counts2, n2)
    delta = _add_up(counts2 * rise) / n2
    variance = _variance(delta, (counts1, counts2), (n1, n2), (rise, fall))
    z = float(ndtri(0.5 + confidence / 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = delta - delta**3
        spread = z * np.sqrt(variance * ((1 - delta**2) ** 2 + z**2 * variance))
        ends = [(middle + side * spread) / (1 - delta**2 + z**2 * variance) for side in (-1, 1)]
    smaller = np.minimum(n1, n2)
    nearer = np.maximum((smaller - z**2) / (smaller + z**2), -1)
    low = np.where(delta == 1, nearer, np.where(delta == -1, -1, ends[0]))
    high = np.where(delta == -1, -nearer, np.where(delta == 1, 1, ends[1]))
    low[smaller < 2], high[smaller < 2] = np.nan, np.nan
    return {"delta": delta, "delta_low": low, "delta_high": high}


def paired_pvalues(ratings: pd.DataFrame) -> pd.DataFrame:
    """The test for a change where the same people rated both contexts of a pair.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        Columns pair, context, annotator and rating.

    Returns
    -------
    DataFrame, shape (n_pairs with such people, 2), index pair
        n_both (people who rated both contexts) and p: Wilcoxon's signed-rank test, two-sided,
        zero differences left out; exact where SciPy has it exact (no ties, at most 50), else by
        the normal approximation, corrected for ties and for continuity; 1 if no one's ratings
        differ.

    References
    ----------
    Wilcoxon (1945); SciPy, `scipy.stats.wilcoxon`.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": 1, "context": [1] * 4 + [2] * 4,
    ...     "annotator": list("ABCD") * 2, "rating": [0, 1, 2, 3, 1, 3, 5, 7]})
    >>> paired_pvalues(ratings).to_dict("records")
    [{'n_both': 4, 'p': 0.125}]
    """
    both = ratings.pivot(index=["pair", "annotator"], columns="context", values="rating")
    both = both.reindex(columns=[1, 2]).dropna()
    differences = (both[2] - both[1]).groupby(level="pair", observed=True)
    return pd.DataFrame({"n_both": differences.size(), "p": differences.agg(_signed_rank)})


def _signed_rank(differences: pd.Series) -> float:
    changed = differences[differences != 0].to_numpy(dtype=float)
    if not len(changed):
        return 1.0
    return float(wilcoxon(np.sort(changed), correction=True).pvalue)


def _dominance(counts: Counts, n: Counts) -> Floats:
    """For each value: the share of the ratings that are below it less the share above."""
    up_to = add_from_lowest(counts)
    return (up_to - counts - (n[:, None] - up_to)) / n[:, None]


def _add_up(numbers: Floats) -> Floats:
    """The sum of each row, the same to the last bit however the rows lie in memory."""
    total = np.zeros(len(numbers))
    for column in range(numbers.shape[1]):
        total += numbers[:, column]
    return total


def _variance(
    delta: Floats,
    counts: tuple[Counts, Counts],
    n: tuple[Counts, Counts],
    dominances: tuple[Floats, Floats],
) -> Floats:
    """Cliff's unbiased estimate of the variance of delta, and the least it is taken to be."""
    (counts1, counts2), (n1, n2) = counts, n
    of_second, of_first = (
        _add_up(one * (dominance - delta[:, None]) ** 2)
        for one, dominance in zip((counts2, counts1), dominances, strict=True)
    )
    n_unequal = n1 * n2 - (counts1 * counts2).sum(axis=1)
    of_cells = n_unequal - n1 * n2 * delta**2
    with np.errstate(invalid="ignore", divide="ignore"):
        unbiased = (n1**2 * of_second + n2**2 * of_first - of_cells) / (
            n1 * n2 * (n1 - 1.0) * (n2 - 1.0)
        )
        least = (1 - delta**2) / (n1 * n2 - 1.0)
    return np.asarray(np.maximum(unbiased, least))
