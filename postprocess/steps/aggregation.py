"""Aggregation: compute scores from ratings, one row per pair."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.statistics.change import (
    add_from_lowest,
    change_tests,
    cliffs_delta,
    false_discovery_rates,
    two_sided_pvalues,
)
from postprocess.table.numbering import number_items, number_values, smallest_codes
from postprocess.table.parallel import as_places, in_parts
from postprocess.table.ratings import RatingsError, name_some
from postprocess.types import Codes, Counts, Floats, Integers

Progress = Callable[[int, int], None]
CELLS_AT_ONCE = 1 << 18  # contexts × different ratings counted together: 2 MB
FIGURES = ("n", "sim", "stdev", "median")


def aggregate_ratings(
    ratings: pd.DataFrame, n_pairs: int, *, progress: Progress | None = None
) -> pd.DataFrame:
    """Aggregate a ratings table; `aggregate_numbers` for a data frame.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 3 or more)
        As `check_ratings` returns it, or rescaled: pair, context and rating, NaN for a rating
        that is left out; the order of the rows does not matter.
    n_pairs, progress
        As in `aggregate_numbers`.

    Returns
    -------
    DataFrame, shape (n_pairs, 15), index pair
        As `aggregate_numbers` returns it.

    Raises
    ------
    RatingsError
        Contexts without ratings.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": 1, "context": [1, 1, 2, 2], "rating": [0, 2, 5, 5]})
    >>> aggregate_ratings(ratings, 1)[["sim1", "stdev2", "change"]].to_dict("records")
    [{'sim1': 1.0, 'stdev2': 0.0, 'change': 4.0}]
    """
    ordered = ratings.sort_values(["pair", "context"])
    cell, points = np.arange(len(ordered)), ordered["rating"].to_numpy(dtype=float)
    item = number_items(ordered)
    refuse_unrated(item, n_pairs)
    return aggregate_numbers(item, cell, points, n_pairs, progress=progress)


def aggregate_numbers(
    item: Codes, cell: Integers, points: Floats, n_pairs: int, *, progress: Progress | None = None
) -> pd.DataFrame:
    """Compute the mean and deviation of every context, and the change within each pair.

    Parameters
    ----------
    item : array, shape (n_ratings,), ascending
        The context of each rating, as `number_items` numbers them.
    cell : array, shape (n_ratings,)
        The position of each rating in `points`.
    points : array, shape (n_cells,)
        The ratings of each cell in any unit; NaN if they are left out.
    n_pairs : int
        Every context of the pairs 1 … n_pairs needs a rating.
    progress : callable, optional
        Called with the number of pairs done and the number of all pairs.

    Returns
    -------
    DataFrame, shape (n_pairs, 15), index pair
        n1, n2 (counts); sim1, sim2 (means), stdev1, stdev2 (sample deviation, ddof=1; NaN for
        one rating), median1, median2 and change (sim2 - sim1) in the unit of `points`; pvalue
        (as published, see `change_tests`), pvalue_two_sided, qvalue (of the two-sided ones),
        delta, delta_low, delta_high (see `cliffs_delta`).

    Raises
    ------
    RatingsError
        Contexts without ratings.

    References
    ----------
    Armendariz et al. (2020), CoSimLex, for the figures; the conventions were worked out from
    the published files.
    """
    value, values = number_values(points)
    if not len(values):
        _refuse_empty(np.zeros(2 * n_pairs))
    value = value.astype(smallest_codes(len(values)))
    at_once = max(1, CELLS_AT_ONCE // (2 * (len(values) + 1)))
    starts = range(0, n_pairs, at_once)

    def score(start: int) -> dict[str, NDArray[Any]]:
        pairs = range(start, min(start + at_once, n_pairs))
        return _score(_count_values(item, cell, value, pairs, len(values)), values)

    columns: dict[str, NDArray[Any]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # results do not depend on the threads
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
    """Raise RatingsError if an item has no ratings; two consecutive items are a pair."""
    if missing := [
        f"pair {i // 2 + 1} context {i % 2 + 1}" for i in np.flatnonzero(n_ratings == 0)
    ]:
        raise RatingsError(f"contexts without ratings: {name_some(missing)}")


def _count_values(
    item: Codes, cell: Integers, value: Integers, pairs: range, n_values: int
) -> Floats:
    """Count how often each value was given in each context of some pairs.

    Returns shape (n_pairs, 2, n_values); pairs are neighbours in memory.
    """
    ends = np.array([2 * pairs.start, 2 * pairs.stop], dtype=item.dtype)  # or all are converted
    rows = slice(*np.searchsorted(item, ends))
    n_columns = n_values + 1  # the last for ratings that are left out
    position = (as_places(item[rows]) - 2 * pairs.start) * n_columns + value[as_places(cell[rows])]
    counts = np.bincount(position, minlength=2 * len(pairs) * n_columns)
    counts = counts.reshape(len(pairs), 2, n_columns)
    return counts.astype(float, order="F")[..., :-1]


def _score(counts: Counts, values: Floats) -> dict[str, NDArray[Any]]:
    """Compute the scores of some pairs from counts of shape (n_pairs, 2, n_values)."""
    first, second = counts[:, 0], counts[:, 1]
    with np.errstate(invalid="ignore", divide="ignore"):  # contexts without ratings
        each = [_describe(one, values) for one in (first, second)]
        columns = {
            f"{figure}{number}": one[figure]
            for figure in FIGURES
            for number, one in enumerate(each, 1)
        }
        columns["change"] = np.subtract(columns["sim2"], columns["sim1"])
        columns["pvalue"] = change_tests(first, second).pvalues
        columns["pvalue_two_sided"] = two_sided_pvalues(first, second, published=columns["pvalue"])
        return columns | cliffs_delta(first, second)


def _describe(counts: Counts, values: Floats) -> dict[str, NDArray[Any]]:
    """Return n, mean, deviation and median of each row; sums are in the order of the values."""
    up_to = add_from_lowest(counts)
    n = up_to[:, -1]
    mean = _sum(counts, np.broadcast_to(values, counts.shape)) / n
    squares = _sum(counts, (values - mean[:, None]) ** 2)
    deviation = np.sqrt(squares / (n - 1))
    deviation[(counts > 0).sum(axis=1) == 1] = 0  # against rounding errors of the mean
    deviation[n < 2] = np.nan
    middle = [
        values[np.minimum((up_to <= at[:, None]).sum(axis=1), len(values) - 1)]
        for at in ((n - 1) // 2, n // 2)
    ]
    median = (middle[0] + middle[1]) / 2
    return {"n": n.astype(np.int64), "sim": mean, "stdev": deviation, "median": median}


def _sum(counts: Counts, values: Floats) -> Floats:
    """Return the sum of each row of values times counts, the same on every machine."""
    total = np.zeros(len(counts))
    for column in range(counts.shape[1]):
        total += counts[:, column] * values[:, column]
    return total
