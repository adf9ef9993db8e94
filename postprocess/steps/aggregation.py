"""Aggregation: from ratings to scores, one row a pair."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.statistics.change import (
    change_pvalues,
    dominances,
    false_discovery_rates,
    two_sided_pvalues,
)
from postprocess.statistics.ranksum import add_from_lowest
from postprocess.table.numbering import (
    Codes,
    Floats,
    Integers,
    number_items,
    number_values,
    smallest_codes,
)
from postprocess.table.parallel import as_places, in_parts
from postprocess.table.ratings import RatingsError, name_some

Counts = Floats  # whole numbers
Progress = Callable[[int, int], None]
CELLS_AT_ONCE = 1 << 18  # of the table of contexts by different ratings: 2 MB
FIGURES = ("n", "sim", "stdev", "median")


def aggregate_ratings(
    ratings: pd.DataFrame, n_pairs: int, *, progress: Progress | None = None
) -> pd.DataFrame:
    """Mean and deviation of every context, and the change between the two of a pair.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it, or rescaled; the order of the rows does not matter.
    n_pairs : int
        Every context of the pairs 1 … n_pairs needs a rating.
    progress : callable, optional
        Called with the number of pairs done and that of all.

    Returns
    -------
    DataFrame, shape (n_pairs, 15), index pair
        n1, n2 (counts); sim1, sim2 (means), stdev1, stdev2 (sample deviation, ddof=1; NaN for
        one rating), median1, median2 and change (sim2 - sim1) in points of the ratings; pvalue
        (as published, see `change_pvalues`), pvalue_two_sided, qvalue (of the two-sided ones),
        delta, delta_low, delta_high (Cliff's, see `cliffs_delta`).

    Raises
    ------
    RatingsError
        Contexts without ratings.

    References
    ----------
    Armendariz et al. (2020), CoSimLex, for the figures; the conventions were worked out from
    the published files.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": 1, "context": [1, 1, 2, 2], "rating": [0, 2, 5, 5]})
    >>> aggregate_ratings(ratings, 1)[["sim1", "stdev2", "change"]].to_dict("records")
    [{'sim1': 1.0, 'stdev2': 0.0, 'change': 4.0}]
    """
    item = number_items(ratings)
    value, values = number_values(ratings["rating"].to_numpy())
    if (np.diff(item) < 0).any():
        order = np.argsort(item, kind="stable")
        item, value = item[order], value[order]
    refuse_unrated(item, n_pairs)
    return aggregate_numbers(item, value, values, n_pairs, progress=progress)


def aggregate_numbers(
    item: Codes, cell: Integers, points: Floats, n_pairs: int, *, progress: Progress | None = None
) -> pd.DataFrame:
    """What `aggregate_ratings` does, for ratings that have been numbered, ascending by item.

    `points`, shape (n_cells,): how high the ratings of each cell are, NaN if they are left out.
    """
    value, values = number_values(points)
    if not len(values):
        _refuse_empty(np.zeros(2 * n_pairs))
    value = value.astype(smallest_codes(len(values)))
    n_columns = len(values) + 1  # the last for those left out
    at_once = max(1, CELLS_AT_ONCE // (2 * n_columns))
    starts = range(0, n_pairs, at_once)

    def score(start: int) -> dict[str, NDArray[Any]]:
        end = min(start + at_once, n_pairs)
        ends = np.array([2 * start, 2 * end], dtype=item.dtype)  # or all would be converted
        rows = slice(*np.searchsorted(item, ends))
        shape = (end - start, 2, n_columns)
        counts = _count_values(
            as_places(item[rows]) - 2 * start, value[as_places(cell[rows])], shape
        )
        return _score(counts[..., :-1], values)

    columns: dict[str, NDArray[Any]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # the same, however many threads
        scored = pool.map(score, starts) if len(starts) > 1 else map(score, starts)
        for start, part in zip(starts, scored, strict=True):
            end = min(start + at_once, n_pairs)
            for name, numbers in part.items():
                if name not in columns:
                    columns[name] = np.empty(n_pairs, dtype=numbers.dtype)
                columns[name][start:end] = numbers
            if progress:
                progress(end, n_pairs)
    _refuse_empty(np.column_stack([columns["n1"], columns["n2"]]).ravel())
    scores = pd.DataFrame(columns, copy=False)
    scores.insert(10, "qvalue", false_discovery_rates(columns["pvalue_two_sided"]))
    return scores.set_index(pd.RangeIndex(1, n_pairs + 1, name="pair"))


def refuse_unrated(item: Codes, n_pairs: int) -> None:
    """Raise RatingsError if a context of the pairs 1 … n_pairs has no rating."""
    n_items = max(2 * n_pairs, int(item.max(initial=-1)) + 1)
    is_rated = np.zeros(n_items, dtype=bool)

    def mark(rows: slice) -> None:
        is_rated[as_places(item[rows])] = True

    in_parts(len(item), mark)
    _refuse_empty(is_rated)


def _refuse_empty(n_ratings: NDArray[Any]) -> None:
    """Raise RatingsError if an item, two of which are a pair, has no ratings."""
    if missing := [
        f"pair {i // 2 + 1} context {i % 2 + 1}" for i in np.flatnonzero(n_ratings == 0)
    ]:
        raise RatingsError(f"contexts without ratings: {name_some(missing)}")


def _count_values(item: Codes, value: Integers, shape: tuple[int, int, int]) -> Counts:
    """How often each value was given in each context; pairs lie next to each other in memory."""
    n_cells = shape[0] * shape[1] * shape[2]
    counts = np.bincount(item * shape[2] + value, minlength=n_cells).reshape(shape)
    return counts.astype(float, order="F")


def _score(counts: Counts, values: Floats) -> dict[str, NDArray[Any]]:
    """The scores of some pairs from the counts, shape (pairs, 2, values), of their ratings."""
    first, second = counts[:, 0], counts[:, 1]
    with np.errstate(invalid="ignore", divide="ignore"):  # of contexts without ratings, refused
        each = [_describe(one, values) for one in (first, second)]
        columns = {
            f"{figure}{number}": one[figure]
            for figure in FIGURES
            for number, one in enumerate(each, 1)
        }
        columns["change"] = np.subtract(columns["sim2"], columns["sim1"])
        columns["pvalue"] = change_pvalues(first, second)
        columns["pvalue_two_sided"] = two_sided_pvalues(first, second, published=columns["pvalue"])
        return columns | dominances(first, second)


def _describe(counts: Counts, values: Floats) -> dict[str, NDArray[Any]]:
    """n, mean, deviation and median of each row of counts; sums in the order of the values."""
    up_to = add_from_lowest(counts)
    n = up_to[:, -1]
    mean = _sum(counts, np.broadcast_to(values, counts.shape)) / n
    squares = _sum(counts, (values - mean[:, None]) ** 2)
    deviation = np.sqrt(squares / (n - 1))
    deviation[(counts > 0).sum(axis=1) == 1] = 0  # the mean of equal ratings may be off by noise
    deviation[n < 2] = np.nan
    middle = [
        values[np.minimum((up_to <= at[:, None]).sum(axis=1), len(values) - 1)]
        for at in ((n - 1) // 2, n // 2)
    ]
    median = (middle[0] + middle[1]) / 2
    return {"n": n.astype(np.int64), "sim": mean, "stdev": deviation, "median": median}


def _sum(counts: Counts, values: Floats) -> Floats:
    """The values added up as often as they were given, the same on every machine."""
    total = np.zeros(len(counts))
    for column in range(counts.shape[1]):
        total += counts[:, column] * values[:, column]
    return total
