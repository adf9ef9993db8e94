"""Whether ratings with the printed means and deviations can have the printed p-value."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postprocess.auditing.granularity import Sums
from postprocess.auditing.multisets import Multisets, list_multisets
from postprocess.auditing.printed import printed_bounds
from postprocess.statistics.ranksum import change_pvalues_between

Solutions = Mapping[int, Sequence[Sums]]  # of one context: the fitting sums by number of ratings
AT_ONCE = 128  # multisets of each context, so that a block of p-values fits a cache
FLOAT_NOISE = 1e-9
HIGHEST = 0.5  # of a one-sided p-value, but for 1


@dataclass(frozen=True, slots=True)
class Search:
    """What a search for ratings with a p-value came to.

    `sizes` are the numbers of ratings of the two contexts that can have it; None if none were
    found, and then `is_complete` says whether everything was tried. `n_tried` counts the pairs of
    multisets that were tested.
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
    most: int | None = None,
) -> Search:
    """Find ratings of two contexts that have a printed p-value.

    Parameters
    ----------
    pvalue : float
        As printed.
    contexts : two mappings
        For each context: number of ratings → all sums that have its mean and deviation.
    n_steps : int
        Of the scale.
    sides : int
        1 for the p-value as published; 2 for twice that, the two-sided one.
    most : int, optional
        Pairs of multisets after which to give up; without it, all are tested.

    Returns
    -------
    Search
        Of the first pair that has it, numbers of ratings being tried in the order of their
        product.

    References
    ----------
    `change_pvalues_between` for the p-value.

    Examples
    --------
    >>> low, high = {2: [Sums(2, 1, 1)]}, {2: [Sums(2, 5, 13)]}  # 0 1 and 2 3
    >>> search_pvalue(0.123, (low, high), 6).sizes, search_pvalue(0.2, (low, high), 6).sizes
    ((2, 2), None)
    """
    bounds = printed_bounds(pvalue)
    low = float(bounds.low) / sides * (1 - FLOAT_NOISE)
    high = float(bounds.high) / sides * (1 + FLOAT_NOISE)
    may_be_one = Fraction(1) in bounds  # what both kinds are if all ratings are equal
    n_tried, is_complete = 0, True
    if low > HIGHEST and not may_be_one:
        return Search(None, is_complete, n_tried)
    for sizes in sorted(((a, b) for a in contexts[0] for b in contexts[1]), key=_product):
        listed = [
            _all_of(solutions[n], n_steps) for solutions, n in zip(contexts, sizes, strict=True)
        ]
        is_complete &= all(one.is_complete for one in listed)
        for pvalues in _blocks(listed[0].counts, listed[1].counts):
            if _has(pvalues, low, high) or (may_be_one and _has(pvalues, 1, 1)):
                return Search(sizes, is_complete, n_tried)
            n_tried += pvalues.size
            if most is not None and n_tried > most:
                return Search(None, False, n_tried)
    return Search(None, is_complete, n_tried)


def _product(sizes: tuple[int, int]) -> tuple[int, tuple[int, int]]:
    return sizes[0] * sizes[1], sizes


def _all_of(solutions: Sequence[Sums], n_steps: int) -> Multisets:
    """The multisets of all sums of one number of ratings."""
    listed = [list_multisets(sums, n_steps) for sums in solutions]
    if len(listed) == 1:
        return listed[0]
    counts = np.concatenate([one.counts for one in listed])
    return Multisets(counts, all(one.is_complete for one in listed))


def _blocks(first: NDArray[Any], second: NDArray[Any]) -> Iterable[NDArray[np.float64]]:
    """The p-values of all pairs of multisets, some of them at a time."""
    for i in range(0, len(first), AT_ONCE):
        for j in range(0, len(second), AT_ONCE):
            yield change_pvalues_between(first[i : i + AT_ONCE], second[j : j + AT_ONCE])


def _has(pvalues: NDArray[np.float64], low: float, high: float) -> bool:
    return bool(((pvalues >= low) & (pvalues <= high)).any())
