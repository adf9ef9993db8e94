"""Which ratings can stand behind sums: every multiset with a number, a sum and a sum of squares."""

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postprocess.auditing.granularity import Sums

Counts = NDArray[np.integer[Any]]
MOST_MULTISETS = 20_000  # to list of one triple of sums


class Multisets(NamedTuple):
    """`counts`, shape (n_multisets, n_steps + 1): how many ratings lie on each step.

    `is_complete` is False if there are too many of them and only some are listed.
    """

    counts: Counts
    is_complete: bool


@functools.lru_cache(maxsize=2000)
def list_multisets(sums: Sums, n_steps: int) -> Multisets:
    """Every multiset of whole numbers from 0 to `n_steps` that has the sums, 20,000 at most.

    The counts are decided from the highest step down, and of all that is left open only what
    the steps below can still make up is kept; those of the last three follow from the sums.

    References
    ----------
    Heathers et al. (2018), SPRITE, draws such samples at random; here they are listed.

    Examples
    --------
    >>> list_multisets(Sums(n=4, total=8, squares=26), 4).counts.tolist()  # 0 1 3 4
    [[1, 1, 0, 1, 1]]
    """
    left = np.array([sums], dtype=np.int64)
    decided: Counts = np.zeros((1, 0), dtype=np.int16)
    is_complete = True
    for step in range(n_steps, 2, -1):
        most = np.minimum(left[:, 1] // step, left[:, 2] // step**2)
        parent = np.repeat(np.arange(len(left)), most + 1)
        count = np.arange(len(parent)) - np.repeat(np.cumsum(most + 1) - most - 1, most + 1)
        left = left[parent] - count[:, None] * np.array([1, step, step**2])
        kept = np.flatnonzero(_is_open(left, step - 1))
        is_complete = is_complete and len(kept) <= MOST_MULTISETS
        kept = kept[:MOST_MULTISETS]
        left = left[kept]
        column = count[kept, None].astype(np.int16)
        decided = np.hstack([column, decided[parent[kept]]])
    counts = np.hstack([_last_three(left), decided])
    possible = (counts >= 0).all(axis=1) & ((left[:, 2] - left[:, 1]) % 2 == 0)
    possible &= (counts[:, n_steps + 1 :] == 0).all(axis=1)  # a scale of two points has no third
    return Multisets(counts[possible, : n_steps + 1], is_complete)


def _is_open(left: Counts, highest: int) -> NDArray[np.bool_]:
    """Whether ratings up to a step may have the sums that are left; none that can is refused."""
    n, total, squares = left.T
    return np.asarray(
        (n >= 0)
        & (total <= squares)
        & (squares <= highest * total)
        & (total <= highest * n)
        & (total * total <= n * squares)
        & ((squares - total) % 2 == 0)
    )


def _last_three(left: Counts) -> Counts:
    """The counts of steps 0, 1 and 2 that follow from the sums; a negative one cannot be."""
    n, total, squares = left.T
    twos = (squares - total) // 2
    ones = total - 2 * twos
    return np.stack([n - ones - twos, ones, twos], axis=1).astype(np.int16)
