"""Correlations in many resamples of the items at once, by how often each item was drawn.

Most ratings are points of a scale, so a column has few different numbers: how often each was drawn
gives its rank in a resample, and no resample is put together or sorted.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from postprocess.statistics.correlations import FEWEST_COMMON, Method, divide, rank_levels, ratio
from postprocess.types import Floats, Integers

MOST_DRAWN = 1 << 8  # items of a pair whose products of ranks, up to the cube, are below 2 ** 24
AT_ONCE = 1 << 18  # entries times resamples, so that their arrays fit in a cache


class Columns(NamedTuple):
    """Pairs of columns of numbers, by entries: an item that both columns of a pair have.

    `pair`, from 0 and ascending; `item`: its row in the weights; `first` and `second`: the numbers
    of the two columns; each of shape (n_entries,). `n_pairs`: some may have no entry.
    """

    pair: Integers
    item: Integers
    first: Floats
    second: Floats
    n_pairs: int

    @classmethod
    def of(cls, first: Floats, second: Floats) -> "Columns":
        """Return the rows of two tables as columns; both of shape (n_pairs, n_items), NaN for gaps.

        >>> Columns.of(np.array([[1, np.nan]]), np.array([[2.0, 3]])).item.tolist()
        [0]
        """
        pair, item = np.nonzero(~np.isnan(first + second))
        return cls(pair, item, first[pair, item], second[pair, item], len(first))


def count_drawn(drawn: Integers, n_items: int) -> Floats:
    """Return the weights of drawn items: how often each is in each resample.

    `drawn` has shape (n_resamples, n_drawn), the weights (n_items, n_resamples).

    >>> count_drawn(np.array([[0, 0], [2, 1]]), 3).tolist()
    [[2.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """
    cells = drawn * len(drawn) + np.arange(len(drawn))[:, None]
    counts = np.bincount(cells.ravel(), minlength=n_items * len(drawn))
    return counts.reshape(n_items, len(drawn)).astype(float)


def correlate_weighted(
    columns: Columns, weights: Floats, methods: Sequence[Method]
) -> dict[Method, Floats]:
    """Correlate each pair of columns in each resample.

    Parameters
    ----------
    columns : Columns
        Without NaN, and rounded: Pearson's may take rounding errors for no difference.
    weights : array, shape (n_items, n_resamples)
        How often each item was drawn: whole numbers from 0.
    methods : sequence of "spearman", "pearson" or "uncentered"
        As in `correlate`.

    Returns
    -------
    dict of arrays, shape (n_pairs, n_resamples)
        For each method what `correlate` returns for columns in which every item is repeated as
        often as it was drawn.

    Examples
    --------
    >>> columns = Columns.of(np.array([[0.0, 1, 2, 6]]), np.array([[0.0, 2, 1, 6]]))
    >>> weights = np.array([[1.0, 1, 1, 1], [2, 0, 0, 1]]).T
    >>> correlate_weighted(columns, weights, ["spearman"])["spearman"].round(9).tolist()
    [[0.8, 1.0]]
    """
    tables = _Tables.of(columns, len(weights), methods)
    n_together = max(1, AT_ONCE // max(1, len(columns.pair)))
    parts = [
        tables.correlate(weights[:, start : start + n_together], methods)
        for start in range(0, max(1, weights.shape[1]), n_together)
    ]
    return {m: np.concatenate([part[m] for part in parts], axis=1) for m in methods}


def mean_weighted(
    batches: Iterable[Columns], weights: Floats, methods: Sequence[Method]
) -> dict[Method, Floats]:
    """Return the mean of the correlations that are defined in each resample, by method."""
    total, n_defined = ({m: np.zeros(weights.shape[1]) for m in methods} for _ in range(2))
    for columns in batches:
        for method, rho in correlate_weighted(columns, weights, methods).items():
            defined = ~np.isnan(rho)
            total[method] += np.where(defined, rho, 0).sum(axis=0)
            n_defined[method] += defined.sum(axis=0)
    return {method: ratio(total[method], n_defined[method]) for method in methods}


class _Levels(NamedTuple):
    """The different numbers of one side of each pair, ascending.

    The lowest of each pair come first, then the next. `of_entry`: the place of each entry's number;
    `n_levels`: those of the pair with most; `counts`: a matrix from weights to places.
    """

    of_entry: Integers
    n_levels: int
    counts: csr_array

    @classmethod
    def of(cls, columns: Columns, numbers: Floats, n_items: int) -> "_Levels":
        """Find the levels of one side."""
        order = np.lexsort((numbers, columns.pair))
        pair, number = columns.pair[order], numbers[order]
        begins = np.ones(len(order), dtype=bool)
        begins[1:] = (pair[1:] != pair[:-1]) | (number[1:] != number[:-1])
        firsts = np.searchsorted(pair[begins], np.arange(columns.n_pairs))
        level = np.cumsum(begins) - 1 - firsts[pair]
        n_levels = int(level.max(initial=0)) + 1
        of_entry = np.empty_like(order)
        of_entry[order] = level * columns.n_pairs + pair
        shape = columns.n_pairs * n_levels, n_items
        return cls(of_entry, n_levels, _add_up(of_entry, columns.item, shape))

    def add_up(self, weights: Floats) -> Floats:
        """Return how often each level was drawn, shape (n_levels, n_pairs, n_resamples)."""
        shape = self.n_levels, self.counts.shape[0] // self.n_levels, weights.shape[1]
        return np.asarray(self.counts @ weights).reshape(shape)


class _Tables(NamedTuple):
    """What adds up weights: by the levels of both sides, by cells of two levels, and by pair.

    `first` and `second`: the places of the levels of each cell; `cells` and `of_pair`: matrices
    from weights to cells, and from cells to pairs; `moments`: for each method but Spearman's, one
    from weights to the sums of products, squares and numbers of each pair.
    """

    levels: tuple[_Levels, _Levels]
    first: Integers
    second: Integers
    cells: csr_array
    of_pair: csr_array
    moments: dict[str, csr_array]

    @classmethod
    def of(cls, columns: Columns, n_items: int, methods: Sequence[Method]) -> "_Tables":
        """Sort the entries into levels and cells."""
        x, y = (_Levels.of(columns, side, n_items) for side in (columns.first, columns.second))
        width = columns.n_pairs * y.n_levels
        cells, cell = np.unique(x.of_entry * width + y.of_entry, return_inverse=True)
        first, second = np.divmod(cells, max(1, width))
        counts = _add_up(cell, columns.item, (len(cells), n_items))
        pair = first % max(1, columns.n_pairs)
        of_pair = _add_up(pair, np.arange(len(cells)), (columns.n_pairs, len(cells)))
        others = [str(method) for method in methods if method != "spearman"]
        moments = {method: _moments(columns, n_items, method) for method in others}
        return cls((x, y), first, second, counts, of_pair, moments)

    def correlate(self, weights: Floats, methods: Sequence[Method]) -> dict[Method, Floats]:
        """Correlate each pair in each resample by each method."""
        few: Floats = weights.astype(np.float32)  # exact for whole numbers below 2 ** 24
        n = [side.add_up(few) for side in self.levels]
        if n[0].sum(axis=0).max(initial=0) > MOST_DRAWN:
            few, n = weights, [side.add_up(weights) for side in self.levels]
        x, y = (rank_levels(counts) for counts in n)
        total = n[0].sum(axis=0).astype(float)
        of_x, of_y = (n[0] * x * x).sum(axis=0), (n[1] * y * y).sum(axis=0)  # 0 if constant
        sizes = np.where(total < FEWEST_COMMON, 0, np.multiply(of_x, of_y, dtype=float))
        rho: dict[Method, Floats] = {}
        if "spearman" in methods:
            first, second = (np.concatenate(side) for side in (x, y))
            products = (self.cells @ few) * first[self.first] * second[self.second]
            rho["spearman"] = divide(np.asarray(self.of_pair @ products, dtype=float), sizes)
        for method, matrix in self.moments.items():
            xy, xx, yy, sum_x, sum_y = np.asarray(matrix @ weights).reshape(5, *total.shape)
            if method == "pearson":
                xy, xx, yy = (
                    square - ratio(both, total)
                    for square, both in ((xy, sum_x * sum_y), (xx, sum_x**2), (yy, sum_y**2))
                )
                rho["pearson"] = divide(xy, np.where(sizes > 0, xx * yy, 0))
            else:
                rho["uncentered"] = divide(xy, np.where(total < FEWEST_COMMON, 0, xx * yy))
        return rho


def _moments(columns: Columns, n_items: int, method: str) -> csr_array:
    """Return the matrix from weights to the sums of x·y, x², y², x and y of each pair."""
    pair, n_pairs = columns.pair, columns.n_pairs
    x, y = columns.first, columns.second
    if method == "pearson":  # about the mean of all entries, against rounding errors
        n = np.maximum(np.bincount(pair, minlength=n_pairs), 1)
        x, y = (side - (np.bincount(pair, side, n_pairs) / n)[pair] for side in (x, y))
    numbers = (x * y, x * x, y * y, x, y)
    rows = np.concatenate([pair + place * n_pairs for place in range(len(numbers))])
    shape = len(numbers) * n_pairs, n_items
    return _add_up(rows, np.tile(columns.item, len(numbers)), shape, np.concatenate(numbers))


def _add_up(
    rows: Integers, columns: Integers, shape: tuple[int, int], numbers: Floats | None = None
) -> csr_array:
    """Return the matrix that adds up columns, times 1 or a number, by row."""
    numbers = np.ones(len(rows), np.float32) if numbers is None else numbers
    return csr_array((numbers, (rows, columns)), shape=shape)
