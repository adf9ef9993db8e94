"""Whether ratings were given in an order that follows a pattern: an exact permutation test.

Each annotator reads the texts in a random order. So honest ratings are exchangeable, whatever the
texts and the scale.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FEWEST_RATINGS = 15
N_PERMUTATIONS, N_FIRST = 9_999, 199
CLEAR = 10  # permutations among the first with as much of each pattern: nothing to find
SEED = 20_200_312
PATTERNS = ("run", "turns", "rhythm", "steps")


class OrderTest(NamedTuple):
    """The p-value, and the most unlikely pattern with its extent.

    run: equal ratings in succession; turns: ratings in succession of which two alternate; rhythm:
    the percentage equal to the rating two, three or four texts before, whichever is largest; steps:
    the percentage that differ from the rating before by the same step, other than 0.
    """

    pvalue: float
    pattern: str
    extent: int


def measure_order(ratings: Sequence[float]) -> OrderTest | None:
    """Test the order of an annotator's ratings against all other orders of the same ratings.

    The p-value is four times the smallest of (1 + n) / (1 + B), at most 1, where n of B random
    orders have as much of a pattern or more (Phipson and Smyth, 2010). B is 9,999, but 199 if these
    already show each pattern ten times. None for fewer than 15 ratings.

    >>> measure_order([0, 6] * 10)
    OrderTest(pvalue=0.0004, pattern='turns', extent=20)
    >>> measure_order([3] * 20).pvalue, measure_order([3] * 14)
    (1.0, None)
    """
    if len(ratings) < FEWEST_RATINGS:
        return None
    rng, given = np.random.default_rng(SEED), np.rint(100 * np.array(ratings)).astype(np.float32)
    extents = _measure(given[:, None])[:, 0]
    for n in (N_FIRST, N_PERMUTATIONS):
        orders = rng.permuted(np.repeat(given[:, None], n, axis=1), axis=0)
        n_as_large = (_measure(orders) >= extents[:, None]).sum(axis=1)
        if n_as_large.min() >= CLEAR:
            break
    place = int(n_as_large.argmin())
    shares = np.array([1, 1, 100 / len(given), 100 / (len(given) - 1)])
    pvalue = min(4 * (1 + int(n_as_large[place])) / (1 + n), 1.0)
    return OrderTest(pvalue, PATTERNS[place], round(float(extents[place] * shares[place])))


def _measure(orders: NDArray[Any]) -> NDArray[Any]:
    """Return the four extents of each column of ratings, shape (4, n_columns)."""
    changes = orders[1:] != orders[:-1]
    repeats = [orders[gap:] == orders[:-gap] for gap in (2, 3, 4)]
    shares = [equal.sum(axis=0) / len(equal) * len(orders) for equal in repeats]
    steps = np.diff(orders, axis=0)
    steps[steps == 0] = np.nan  # differs from itself
    steps.sort(axis=0)
    return np.array(
        [
            1 + _longest(~changes),
            2 + _longest(repeats[0] & changes[1:]),
            np.max(shares, axis=0),
            1 + _longest(steps[1:] == steps[:-1]),
        ]
    )


def _longest(is_so: NDArray[Any]) -> NDArray[Any]:
    """Return the length of the longest series of true values in each column."""
    longest = current = np.zeros(is_so.shape[1], dtype=np.int16)
    for row in is_so:
        current = (current + 1) * row
        longest = np.maximum(longest, current)
    return longest
