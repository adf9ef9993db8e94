"""Pairs of annotators with more equal ratings than chance allows."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr

from postprocess.table.groups import with_groups
from postprocess.table.ratings import index_names, number_items
from postprocess.types import Bools, Floats, Integers

FEWEST_COMMON, FEWEST_RATERS = 10, 3  # texts of a pair; raters of a text, without whom none counts
LEAST_EXCESS = 0.5  # of the texts that chance would let differ; similar tastes stay far below
ALPHA = 0.05
CHUNK = 1 << 22  # numbers held at once
COLUMNS = ["group", "annotator1", "annotator2", "n_common", "n_equal", "expected", "pvalue"]


class _Pairs(NamedTuple):
    """Pairs of people of a group, by their rows in `points`, with common texts and equal ratings.

    `points`, shape (n_people, n_texts), has the point of each rating, -1 for none. `totals`: the
    numbers of pairs compared, of all common texts and of all equal ratings.
    """

    points: Integers
    one: Integers
    other: Integers
    n_common: Integers
    n_equal: Integers
    totals: Floats


def find_copies(ratings: pd.DataFrame) -> pd.DataFrame:
    """Find pairs of annotators of a group whose ratings are equal more often than by chance.

    A pair is a reason to look at the answers of both annotators, not proof of copying. All with ten
    common texts or more, which a third annotator rated, too, are compared.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        pair, context, annotator, rating (any scale, no NaN), and perhaps group; see `find_groups`.

    Returns
    -------
    DataFrame, shape (n_found, 7)
        group, annotator1, annotator2; n_common (texts), n_equal (equal ratings), expected (of them,
        by chance); pvalue: of n_equal or more, times the number of pairs compared (Bonferroni).
        This is at most 0.05, and n_equal exceeds `expected` by half of what is possible or more.
        The smallest p-value comes first. See docs/statistics.md for the formulas.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> rows = [(text, 1, name, rng.integers(7)) for text in range(1, 13) for name in "ABC"]
    >>> rows += [(text, 1, "D", rating) for text, _, name, rating in rows if name == "B"]
    >>> ratings = pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating"])
    >>> find_copies(ratings)[["annotator1", "annotator2", "n_equal"]].to_numpy().tolist()
    [['B', 'D', 12]]
    """
    if ratings.empty:
        return pd.DataFrame(columns=COLUMNS)
    ratings = with_groups(ratings)
    (group, groups), (annotator, names) = (index_names(ratings[c]) for c in ("group", "annotator"))
    item, point = number_items(ratings), pd.factorize(ratings["rating"], sort=True)[0]
    shares = np.bincount(point) / len(point)
    screened = []
    order = np.argsort(group, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        people, place = np.unique(annotator[rows], return_inverse=True)
        texts, text = np.unique(item[rows], return_inverse=True)
        points = np.full((len(people), len(texts)), -1)
        points[place, text] = point[rows]
        points = points[:, (points >= 0).sum(axis=0) >= FEWEST_RATERS]
        screened += [(group[rows[0]], people, part) for part in _screen(points, len(shares))]
    totals = np.sum([pairs.totals for *_, pairs in screened], axis=0)
    copies = [
        (groups[number], names[people[one]], names[people[other]], *figures)
        for number, people, pairs in screened
        for one, other, *figures in _judge(pairs, shares, totals)
    ]
    listed = pd.DataFrame(copies, columns=COLUMNS)
    return listed.sort_values(["pvalue", *COLUMNS[:3]], ignore_index=True)


def _screen(points: Integers, n_points: int) -> Iterator[_Pairs]:
    """Yield the pairs of a group that may be listed, some rows at a time."""
    layers = [(points == point).astype(np.float32) for point in range(n_points)]
    given = (points >= 0).astype(np.float32)
    step = CHUNK // len(points) + 1
    for rows in np.split(np.arange(len(points)), range(step, len(points), step)):
        common = given[rows] @ given.T
        equal = sum((layer[rows] @ layer.T for layer in layers), np.zeros_like(common))
        later = np.arange(len(points)) > rows[:, None]  # each pair once
        compared = later & (common >= FEWEST_COMMON)
        one, other = np.nonzero(compared & (equal > LEAST_EXCESS * common))
        n_common, n_equal = (table[one, other].astype(np.int64) for table in (common, equal))
        sums = [compared.sum(), *(table.sum(where=later, dtype=float) for table in (common, equal))]
        yield _Pairs(points, rows[one], other, n_common, n_equal, np.array(sums, dtype=float))


def _judge(pairs: _Pairs, shares: Floats, totals: Floats) -> Iterator[tuple[Any, ...]]:
    """Yield the two rows, common texts, equal ratings, expectation and p-value of listed pairs."""
    n_compared, n_all, n_alike = totals
    size = CHUNK // max(pairs.points.shape[1] * len(shares), 1) + 1
    for start in range(0, len(pairs.one), size):
        one, other, n_common, n_equal = (column[start : start + size] for column in pairs[1:5])
        share = (n_alike - n_equal) / np.maximum(n_all - n_common, 1)  # of all other pairs
        spread = np.maximum((1 - share) / np.maximum(share - (shares**2).sum(), 0.001), 0.05)
        chance = _compute_chances(pairs.points, one, other, spread, shares)
        expected = chance.sum(axis=1)
        pvalue = np.minimum(poisson_binomial_tail(chance, n_equal) * n_compared, 1)
        exceeds = n_equal - expected >= LEAST_EXCESS * (n_common - expected)
        listed = exceeds & (pvalue <= ALPHA)
        columns = (one, other, n_common, n_equal, expected, pvalue)
        yield from zip(*(column[listed] for column in columns), strict=True)


def _compute_chances(
    points: Integers, one: Integers, other: Integers, spread: Floats, shares: Floats
) -> Floats:
    """Return the probability of equal ratings for each pair and text, 0 for texts not in common."""
    given = points[..., None] == np.arange(len(shares))
    habits = (given.sum(axis=1) + shares) / (given.sum(axis=(1, 2))[:, None] + 1) / shares
    others = given.sum(axis=0) - given[one] - given[other].astype(np.int64)
    alpha = spread[:, None, None] * shares + others
    first, second = habits[one, None], habits[other, None]
    both = alpha * first * second
    every = (alpha * first).sum(axis=2) * (alpha * second).sum(axis=2) + both.sum(axis=2)
    by_shares = (both * (alpha + 1)).sum(axis=2) / every
    is_common = (points[one] >= 0) & (points[other] >= 0)
    by_means = _predict(points[one], others, is_common) * _predict(points[other], others, is_common)
    return np.where(is_common, np.maximum(by_shares, by_means.sum(axis=2)), 0)


def _predict(points: Integers, others: Integers, is_common: Bools) -> Floats:
    """Return each point's probability given a regression on the means of the others' points."""
    n_others, numbers = others.sum(axis=2), np.arange(others.shape[2])
    mean = (others * numbers).sum(axis=2) / np.maximum(n_others, 1)
    n = is_common.sum(axis=1, keepdims=True)
    x, y = (
        np.where(is_common, side - (side * is_common).sum(axis=1, keepdims=True) / n, 0)
        for side in (mean, points)
    )
    slope = (x * y).sum(axis=1) / np.maximum((x * x).sum(axis=1), 1e-9)
    rest = y - slope[:, None] * x
    error = np.sqrt((rest**2).sum(axis=1, keepdims=True) / (n - 2) * n_others / (n_others + 1))
    bounds = numbers[1:] - 0.5 - (points - rest)[..., None]
    return np.diff(ndtr(bounds / np.maximum(error, 0.1)[..., None]), prepend=0, append=1)


def poisson_binomial_tail(chance: Floats, least: Integers) -> Floats:
    """Return the probability of `least` or more events, for rows of their probabilities."""
    numbers = np.eye(1, chance.shape[1] + 1).repeat(len(chance), axis=0)
    for column in chance.T[:, :, None]:
        numbers[:, 1:] += column * (numbers[:, :-1] - numbers[:, 1:])
        numbers[:, :1] *= 1 - column
    return np.asarray((numbers * (np.arange(numbers.shape[1]) >= least[:, None])).sum(axis=1))
