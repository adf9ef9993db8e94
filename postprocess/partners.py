"""How far each annotator agrees with the others of the group, for many groups at once."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.agreement import FEWEST_COMMON, pairwise_agreement
from postprocess.ratings import Codes, Sittings, number_items, number_values

Floats = NDArray[np.float64]
MOST_CELLS = 50_000_000  # of the table of sittings by different ratings: 400 MB


def average_agreement(ratings: pd.DataFrame, sittings: Sittings) -> pd.DataFrame:
    """Each annotator's mean Spearman correlation with the others of the group.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        Columns pair, context and rating, without NaN.
    sittings : Sittings
        Those of the ratings; some may be without any.

    Returns
    -------
    DataFrame, shape (n_sittings, 4), in the order of the sittings
        rho (NaN where no correlation is defined), has_common (whether some other shares three
        items or more), is_constant (all ratings equal) and gain: the mean pairwise rho of the
        group without the annotator, less that with them (NaN if either is undefined).

    Notes
    -----
    Where everybody in a group rated all of its items, the mean needs no pairs: with z an
    annotator's ranks, centred and of length 1, the sum of the correlations with the others is
    z · Z − 1, where Z is the sum of all z. Elsewhere each two annotators are compared on the
    items both rated.
    """
    value, distinct = number_values(ratings["rating"])
    group = sittings.group[sittings.codes]
    place, n_items = _number_places(number_items(ratings), group, len(sittings.groups))
    n_given = np.bincount(sittings.codes, minlength=len(sittings.group))
    n_raters = np.bincount(sittings.group, weights=n_given > 0)
    fits = len(sittings.group) * len(distinct) <= MOST_CELLS
    is_whole = fits & (np.bincount(group) == n_items * n_raters)
    if is_whole.any():
        sums = _sum_whole(sittings, place, value, len(distinct))
    else:
        sums = _no_sums(len(sittings.group))
    rest = np.flatnonzero(~is_whole[group])
    points = ratings["rating"].to_numpy(dtype=float)
    for rows in _split(rest, group[rest]):
        people, column = np.unique(sittings.codes[rows], return_inverse=True)
        sums[people] = _sum_pairs(_table(points[rows], place[rows], column))
    rho, n_rho = sums["rho"], sums["n_rho"]
    return pd.DataFrame(
        {
            "rho": np.clip(_ratio(rho, n_rho), -1, 1),
            "has_common": sums["has_common"],
            "is_constant": sums["is_constant"],
            "gain": _gains(rho, n_rho, sittings.group),
        }
    )


_SUMS = np.dtype(
    [("rho", float), ("n_rho", np.int64), ("has_common", bool), ("is_constant", bool)]
)  # of each sitting: its defined rhos added up, and their number


def _no_sums(n_sittings: int) -> NDArray[np.void]:
    return np.zeros(n_sittings, dtype=_SUMS)


def _number_places(item: Codes, group: Codes, n_groups: int) -> tuple[Codes, Codes]:
    """A number for each rating's item in its group; and each group's number of items."""
    steps = np.diff(item, prepend=item[:1])
    if (steps >= 0).all():
        place = np.cumsum(steps > 0, dtype=np.int64)
        only = np.empty(place[-1] + 1, dtype=np.int64)
        only[place] = group
        if (only[place] == group).all():  # every item stands in one group
            return place, np.bincount(only, minlength=n_groups)
    number, keys = pd.factorize(item * n_groups + group)
    return number, np.bincount(keys % n_groups, minlength=n_groups)


def _sum_whole(sittings: Sittings, place: Codes, value: Codes, n_values: int) -> NDArray[np.void]:
    """The sums of all sittings, right for those of groups in which nothing is missing."""
    sums = _no_sums(len(sittings.group))
    cell = sittings.codes * n_values + value
    shape = (len(sums), n_values)
    n_given = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    n_items = n_given.sum(axis=1)
    rank = np.cumsum(n_given, axis=1) - (n_given - 1) / 2  # the average of ties
    centred = rank - (n_items[:, None] + 1) / 2
    length = np.sqrt((n_given * centred**2).sum(axis=1, keepdims=True))
    is_constant = (n_given > 0).sum(axis=1) == 1
    z = np.divide(centred, length, out=np.zeros(shape), where=length > 0).ravel()[cell]
    everyone = np.bincount(place, weights=z)
    with_self = np.bincount(sittings.codes, weights=z * everyone[place], minlength=len(sums))
    is_defined = ~is_constant & (n_items >= FEWEST_COMMON)
    n_defined = np.bincount(sittings.group, weights=is_defined)[sittings.group]
    sums["n_rho"] = np.where(is_defined, n_defined - 1, 0)
    sums["rho"] = np.where(sums["n_rho"] > 0, with_self - 1, 0)
    n_raters = np.bincount(sittings.group, weights=n_items > 0)[sittings.group]
    sums["has_common"] = (n_items >= FEWEST_COMMON) & (n_raters > 1)
    sums["is_constant"] = is_constant
    return sums


def _split(rows: Codes, group: Codes) -> list[Codes]:
    """The rows of each group, in their order."""
    if not len(rows):
        return []
    order = np.argsort(group, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(group[order])) + 1)


def _table(points: Floats, place: Codes, column: Codes) -> pd.DataFrame:
    """One group's ratings as items by people, NaN where one did not rate."""
    items, row = np.unique(place, return_inverse=True)
    table = np.full((len(items), column.max() + 1), np.nan)
    table[row, column] = points
    return pd.DataFrame(table)


def _sum_pairs(table: pd.DataFrame) -> NDArray[np.void]:
    sums = _no_sums(table.shape[1])
    sums["is_constant"] = table.nunique() == 1
    if len(sums) > 1:
        rho = pairwise_agreement(table).to_numpy()
        rated = table.notna().to_numpy(dtype=int)
        n_common = rated.T @ rated
        np.fill_diagonal(n_common, 0)
        sums["rho"], sums["n_rho"] = np.nansum(rho, axis=1), (~np.isnan(rho)).sum(axis=1)
        sums["has_common"] = (n_common >= FEWEST_COMMON).any(axis=1)
    return sums


def _gains(rho: Floats, n_rho: Codes, group: Codes) -> Floats:
    """How much each group's mean rho rises when one sitting is left out of it."""
    total, n_total = (
        np.bincount(group, weights=rho)[group],
        np.bincount(group, weights=n_rho)[group],
    )
    without = _ratio(total - 2 * rho, n_total - 2 * n_rho)
    return np.subtract(without, _ratio(total, n_total))


def _ratio(total: NDArray[Any], n: NDArray[Any]) -> Floats:
    ratio: Floats = np.divide(total, n, out=np.full(len(total), np.nan), where=n > 0)
    return ratio
