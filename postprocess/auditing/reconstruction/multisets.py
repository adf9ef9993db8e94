"""Listing the multisets of ratings with a given number, sum and sum of squares."""

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postprocess.auditing.reconstruction.granularity import Sums

Counts = NDArray[np.integer[Any]]
MAX_MULTISETS = 20_000  # listed for one triple of sums


class Multisets(NamedTuple):
    """`counts`, shape (n_multisets, n_steps + 1): the number of ratings on each step.

    `is_complete` is False if there are too many multisets and only some are listed.
    """

    counts: Counts
    is_complete: bool


@functools.lru_cache(maxsize=2000)
def list_multisets(sums: Sums, n_steps: int) -> Multisets:
    """List the multisets of integers from 0 to `n_steps` with the given sums, at most 20,000.

    Counts are chosen from the highest step down; choices whose remainder the lower steps cannot
    make up are dropped. The counts of the last three steps follow from the sums.

    References
    ----------
    Heathers et al. (2018), SPRITE, draws such samples at random; here all are listed.

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
        open_rows = np.flatnonzero(_is_open(left, step - 1))
        is_complete = is_complete and len(open_rows) <= MAX_MULTISETS
        open_rows = open_rows[:MAX_MULTISETS]
        left = left[open_rows]
        column = count[open_rows, None].astype(np.int16)
        decided = np.hstack([column, decided[parent[open_rows]]])
    counts = np.hstack([_last_three(left), decided])
    possible = (counts >= 0).all(axis=1) & ((left[:, 2] - left[:, 1]) % 2 == 0)
    possible &= (counts[:, n_steps + 1 :] == 0).all(axis=1)  # a scale of two points has no third
    return Multisets(counts[possible, : n_steps + 1], is_complete)


def _is_open(left: Counts, highest: int) -> NDArray[np.bool_]:
    """Return whether ratings up to a step may have the remaining sums (a necessary condition)."""
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
    """Return the counts of steps 0, 1 and 2 that follow from the sums; negative if impossible."""
    n, total, squares = left.T
    twos = (squares - total) // 2
    ones = total - 2 * twos
    return np.stack([n - ones - twos, ones, twos], axis=1).astype(np.int16)
