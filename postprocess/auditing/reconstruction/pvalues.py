"""Searching for ratings with printed means and deviations that have a printed p-value."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postprocess.auditing.reconstruction.granularity import Sums
from postprocess.auditing.reconstruction.multisets import Multisets, list_multisets
from postprocess.auditing.reconstruction.printed import printed_bounds
from postprocess.statistics.change import change_pvalues_between

Solutions = Mapping[int, Sequence[Sums]]  # of one context: the fitting sums by number of ratings
BLOCK_SIZE = 128  # multisets of each context, so that a block of p-values fits a cache
FLOAT_NOISE = 1e-9
MAX_ONE_SIDED = 0.5  # except for 1


@dataclass(frozen=True, slots=True)
class Search:
    """The result of a search for ratings with a p-value.

    `sizes` are the numbers of ratings of the two contexts that can have it; None if none were
    found, and then `is_complete` tells whether all ratings were tried. `n_tried` is the number of
    tested pairs of multisets.
    """

    sizes: tuple[int, int] | None
    is_complete: bool
    n_tried: int


def search_pvalue(
    pvalue: float,
    contexts: tuple[Solutions, Solutions],
    n_steps: int,
    *,
    sides: int = 1,
    max_tried: int | None = None,
) -> Search:
    """Find ratings of two contexts that have a printed p-value; see `change_pvalues_between`.

    `contexts` has for each context all sums with its mean and deviation, by number of ratings;
    numbers of ratings are tried in the order of their product, until a pair is found. `sides` is 1
    for the one-sided p-value as published, 2 for the two-sided one. At most `max_tried` pairs of
    multisets are tested; by default, all are.

    >>> low, high = {2: [Sums(2, 1, 1)]}, {2: [Sums(2, 5, 13)]}  # 0 1 and 2 3
    >>> search_pvalue(0.123, (low, high), 6).sizes, search_pvalue(0.2, (low, high), 6).sizes
    ((2, 2), None)
    """
    bounds = printed_bounds(pvalue)
    low = float(bounds.low) / sides * (1 - FLOAT_NOISE)
    high = float(bounds.high) / sides * (1 + FLOAT_NOISE)
    may_be_one = Fraction(1) in bounds  # of either kind if all ratings are equal
    n_tried, is_complete = 0, True
    if low > MAX_ONE_SIDED and not may_be_one:
        return Search(None, is_complete, n_tried)
    for sizes in sorted(((a, b) for a in contexts[0] for b in contexts[1]), key=_product):
        listed = [
            _all_of(solutions[n], n_steps) for solutions, n in zip(contexts, sizes, strict=True)
        ]
        is_complete &= all(multisets.is_complete for multisets in listed)
        for pvalues in _blocks(listed[0].counts, listed[1].counts):
            if _has(pvalues, low, high) or (may_be_one and _has(pvalues, 1, 1)):
                return Search(sizes, is_complete, n_tried)
            n_tried += pvalues.size
            if max_tried is not None and n_tried > max_tried:
                return Search(None, False, n_tried)
    return Search(None, is_complete, n_tried)


def _product(sizes: tuple[int, int]) -> tuple[int, tuple[int, int]]:
    return sizes[0] * sizes[1], sizes


def _all_of(solutions: Sequence[Sums], n_steps: int) -> Multisets:
    listed = [list_multisets(sums, n_steps) for sums in solutions]
    if len(listed) == 1:
        return listed[0]
    counts = np.concatenate([multisets.counts for multisets in listed])
    return Multisets(counts, all(multisets.is_complete for multisets in listed))


def _blocks(first: NDArray[Any], second: NDArray[Any]) -> Iterable[NDArray[np.float64]]:
    for i in range(0, len(first), BLOCK_SIZE):
        for j in range(0, len(second), BLOCK_SIZE):
            yield change_pvalues_between(first[i : i + BLOCK_SIZE], second[j : j + BLOCK_SIZE])


def _has(pvalues: NDArray[np.float64], low: float, high: float) -> bool:
    return bool(((pvalues >= low) & (pvalues <= high)).any())
