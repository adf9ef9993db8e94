"""Change between the two contexts of a pair: tests and effect size, for many pairs at once.

The two contexts of a pair are compared by counts: how often each of the different ratings was
given. All figures follow from these counts, exactly and whatever the order of the ratings.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from postprocess.types import Bools, Counts, Floats, Integers

MOST_EXACT = 8  # ratings of the smaller context up to which an untied pair is tested exactly


class ChangeTests(NamedTuple):
    """One-sided p-values, and the direction (-1, 0 or 1) in which each change points."""

    pvalues: Floats
    directions: Integers


def change_tests(first: Counts, second: Counts) -> ChangeTests:
    """Test for a change between two contexts with the Mann-Whitney test, as published.

    Parameters
    ----------
    first, second : array of int, shapes (…, n_points)
        How many ratings of the two contexts are at each point of the scale, lowest first;
        at least one in each context. The leading axes are broadcast, so that two lists of
        contexts can be tested all against all.

    Returns
    -------
    ChangeTests
        `pvalues`, shape (…): the one-sided p of the published files, half of the two-sided one
        by the normal approximation, corrected for ties and for continuity, at most 0.5; 1 if
        all ratings of both contexts are equal, since they give no evidence of a change.
        `directions`: 1 where the ranks of the second context are higher on average, -1 where
        those of the first are.

    References
    ----------
    Mann and Whitney (1947). The published files hold half of what SciPy's `mannwhitneyu` with
    method "asymptotic" returns for two sides.

    Examples
    --------
    >>> tests = change_tests(np.array([2, 0, 0, 1]), np.array([0, 0, 1, 1]))  # 0 0 3 and 2 3
    >>> tests.pvalues.round(4).item(), tests.directions.item()
    (0.2714, 1)
    """
    together = (first + second).astype(float)
    n_first, n_second = first.sum(axis=-1), second.sum(axis=-1)
    wins_of_first = (first * (add_from_lowest(second) - second / 2)).sum(axis=-1)
    excess = n_first * n_second / 2 - wins_of_first  # above 0 if the second ranks higher
    tied = (together * (together * together - 1)).sum(axis=-1)  # t³ - t
    pvalues = _pvalues(np.abs(excess), tied, n_first, n_second)
    all_equal = together.max(axis=-1) == n_first + n_second
    return ChangeTests(np.where(all_equal, 1.0, pvalues), np.sign(excess).astype(np.int64))


def change_pvalues_between(first: Counts, second: Counts) -> Floats:
    """Return the p-values of `change_tests` for contexts tested all against all, but faster.

    All contexts of `first`, shape (n_first, n_points), have equally many ratings, and so have all
    of `second`. Returns shape (n_first, n_second).

    >>> change_pvalues_between(np.array([[2, 0, 0, 1]]), np.array([[0, 0, 1, 1]])).round(4)
    array([[0.2714]])
    """
    a, b = first.astype(float), second.astype(float)
    n_first, n_second = a[0].sum(), b[0].sum()
    wins_of_first = a @ (b.cumsum(axis=1) - b / 2).T
    cubes = (a**3).sum(axis=1)[:, None] + (b**3).sum(axis=1) + 3 * (a**2 @ b.T + a @ (b**2).T)
    excess = np.abs(n_first * n_second / 2 - wins_of_first)
    pvalues = _pvalues(excess, cubes - n_first - n_second, n_first, n_second)
    return np.where(_all_equal(a, b), 1.0, pvalues)


def two_sided_pvalues(
    counts1: Counts, counts2: Counts, *, published: Floats | None = None
) -> Floats:
    """Return two-sided Mann-Whitney p-values, exact for small contexts without ties.

    Parameters
    ----------
    counts1, counts2 : array, shape (n_pairs, n_values)
        How many ratings of the two contexts are at each point of the scale, lowest first.
    published : array, shape (n_pairs,), optional
        The p-values of `change_tests`, if they are known.

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
        published = change_tests(counts1, counts2).pvalues
    p = np.minimum(2 * published, 1)
    smaller = np.minimum(counts1.sum(axis=1), counts2.sum(axis=1))
    untied = (counts1 + counts2).max(axis=1) == 1
    ranks = np.arange(counts1.shape[1])
    for pair in np.flatnonzero(untied & (smaller > 0) & (smaller <= MOST_EXACT)):
        first, second = ranks[counts1[pair] > 0], ranks[counts2[pair] > 0]
        p[pair] = _exact_pvalue(first, second)
    return p


def false_discovery_rates(pvalues: Floats) -> Floats:
    """Return the q-value of each pair: the false discovery rate if its p is the threshold.

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
    place, distinct = pd.factorize(pvalues)  # few: ratings are points of a scale
    order = np.argsort(distinct)
    n_up_to = np.cumsum(np.bincount(place)[order])
    rates = distinct[order] * (len(pvalues) / n_up_to)
    least = np.minimum.accumulate(rates[::-1])[::-1]
    of_distinct = np.empty_like(least)
    of_distinct[order] = np.minimum(least, 1)
    return np.asarray(of_distinct[place])


def cliffs_delta(
    counts1: Counts, counts2: Counts, *, confidence: float = 0.95
) -> dict[str, Floats]:
    """Measure how far context 2's ratings lie above context 1's.

    Parameters
    ----------
    counts1, counts2 : array, shape (n_pairs, n_values)
        How many ratings of the two contexts are at each point of the scale, lowest first.
    confidence : float
        Of the interval.

    Returns
    -------
    dict of arrays, shape (n_pairs,)
        delta: the share of rating pairs (one of each context) that are higher in context 2 less
        the share that are lower, from -1 to 1; delta_low and delta_high: its interval, NaN if a
        context has a single rating.

    Notes
    -----
    The variance is Cliff's unbiased estimate, but at least (1 - δ²) / (n₁n₂ - 1); the interval
    is his asymmetric one. If every rating of one context lies above every one of the other, the
    estimate of the variance is 0 and carries no information; the nearer bound is then
    (n - z²) / (n + z²), where n is the smaller number of ratings.

    References
    ----------
    Cliff (1993), Dominance statistics; Feng and Cliff (2004), Monte Carlo evaluation of ordinal
    d with improved confidence interval.

    Examples
    --------
    >>> delta = cliffs_delta(np.array([[2, 1, 0]]), np.array([[0, 1, 2]]))
    >>> {name: ends.round(3).item() for name, ends in delta.items()}
    {'delta': 0.889, 'delta_low': 0.212, 'delta_high': 0.989}
    """
    n1, n2 = counts1.sum(axis=1), counts2.sum(axis=1)
    rise = _dominance(counts1, n1)  # of a rating of context 2 over those of context 1
    fall = -_dominance(counts2, n2)
    delta = add_up(counts2 * rise) / n2
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
    """Test for a change among the annotators who rated both contexts of a pair.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        Columns pair, context, annotator and rating.

    Returns
    -------
    DataFrame, shape (n_pairs with such annotators, 2), index pair
        n_both (annotators who rated both contexts) and p: Wilcoxon's signed-rank test, two-sided,
        without zero differences; exact where SciPy has it exact (no ties, at most 50), else by
        the normal approximation, corrected for ties and for continuity; 1 if all differences
        are zero.

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


def add_from_lowest(counts: Counts) -> Counts:
    """Return how many ratings are at each point or below: cumulative sums over the last axis.

    >>> add_from_lowest(np.array([[2, 0, 1]])).tolist()
    [[2, 2, 3]]
    """
    up_to = counts.copy(order="K")
    for point in range(1, counts.shape[-1]):
        up_to[..., point] += up_to[..., point - 1]
    return up_to


def add_up(numbers: Floats) -> Floats:
    """Return the sum of each row, to the last bit the same on every machine.

    >>> add_up(np.array([[2.0, 0.5]])).tolist()
    [2.5]
    """
    total = np.zeros(len(numbers))
    for column in range(numbers.shape[1]):
        total += numbers[:, column]
    return total


def _all_equal(first: Floats, second: Floats) -> Bools:
    """Return whether all ratings of two contexts are at the same point, all against all."""
    equal1, equal2 = ((c == c.sum(axis=1, keepdims=True)).astype(float) for c in (first, second))
    return np.asarray(equal1 @ equal2.T > 0)


def _pvalues(
    excess: Floats, tied: Floats, n_first: Integers | np.float64, n_second: Integers | np.float64
) -> Floats:
    """Return p from the distance of U to its mean and the sum of t³ - t over the points."""
    n = n_first + n_second
    variance = n_first * n_second / 12 * (n + 1 - tied / (n * (n - 1)))
    z = (excess - 0.5) / np.sqrt(np.maximum(variance, np.finfo(float).tiny))
    return np.asarray(np.minimum(ndtr(-z), 0.5))


def _exact_pvalue(first: Integers, second: Integers) -> float:
    from scipy.stats import mannwhitneyu  # slow to import, and rarely needed

    return float(mannwhitneyu(first, second, alternative="two-sided", method="exact").pvalue)


def _signed_rank(differences: pd.Series) -> float:
    changed = differences[differences != 0].to_numpy(dtype=float)
    if not len(changed):
        return 1.0
    from scipy.stats import wilcoxon  # slow to import, and rarely needed

    return float(wilcoxon(np.sort(changed), correction=True).pvalue)


def _dominance(counts: Counts, n: Counts) -> Floats:
    """Return, for each value, the share of ratings below it less the share above."""
    up_to = add_from_lowest(counts)
    return (up_to - counts - (n[:, None] - up_to)) / n[:, None]


def _variance(
    delta: Floats,
    counts: tuple[Counts, Counts],
    n: tuple[Counts, Counts],
    dominances: tuple[Floats, Floats],
) -> Floats:
    """Return Cliff's unbiased estimate of the variance of delta, or its lower bound."""
    (counts1, counts2), (n1, n2) = counts, n
    of_second, of_first = (
        add_up(counts * (dominance - delta[:, None]) ** 2)
        for counts, dominance in zip((counts2, counts1), dominances, strict=True)
    )
    n_unequal = n1 * n2 - (counts1 * counts2).sum(axis=1)
    of_cells = n_unequal - n1 * n2 * delta**2
    with np.errstate(invalid="ignore", divide="ignore"):
        unbiased = (n1**2 * of_second + n2**2 * of_first - of_cells) / (
            n1 * n2 * (n1 - 1.0) * (n2 - 1.0)
        )
        least = (1 - delta**2) / (n1 * n2 - 1.0)
    return np.asarray(np.maximum(unbiased, least))
