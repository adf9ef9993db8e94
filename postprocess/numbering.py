"""The ratings table as numbers, which the steps compute with: what is numbered once stays so."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
WIDEST = 1000  # span of whole ratings that are numbered without a search
MOST_CELLS = 50_000_000  # of the table of sittings by different ratings: 400 MB


class Sittings(NamedTuple):
    """Who rated in which group: a sitting is one annotator in one group.

    `group` and `annotator`, shape (n_sittings,), in the order of both: their numbers, which count
    through `groups` and `annotators`.
    """

    group: Codes
    annotator: Codes
    groups: pd.Index
    annotators: pd.Index

    def table(self) -> pd.DataFrame:
        """A row for each sitting: group and annotator, as text."""
        return pd.DataFrame(
            {
                "group": self.groups.to_numpy()[self.group],
                "annotator": self.annotators.to_numpy()[self.annotator],
            }
        )


class Numbers(NamedTuple):
    """Ratings as numbers: what each is of, and which it is of those that are alike.

    Alike are ratings of one height from one sitting: apart from what they are of, no step can
    tell them from each other, so that it needs only look at each cell, and not at each rating.

    `item` and `cell`, shape (n_ratings,): the number of the context, ascending by pair and
    context; and that of the cell.
    `sitting`, `points` and `n`, shape (n_cells,), ascending by sitting and points: whose a cell
    is, how high its ratings are, and how many they are, which may be none.
    """

    item: Codes
    cell: Codes
    sitting: Codes
    points: Floats
    n: Codes
    sittings: Sittings

    @property
    def n_sittings(self) -> int:
        """How many there are, some perhaps without ratings."""
        return len(self.sittings.group)

    def per_sitting(self, numbers: Codes | Floats | NDArray[np.bool_]) -> Floats:
        """The sum of a number of each cell over the cells of each sitting."""
        weights = np.asarray(numbers, dtype=float)
        total = np.bincount(self.sitting, weights=weights, minlength=self.n_sittings)
        return np.asarray(total, dtype=float)


def number_sittings(ratings: pd.DataFrame) -> tuple[Codes, Sittings]:
    """The sitting of each rating of a table that has a column group; and all sittings.

    >>> ratings = pd.DataFrame({"annotator": ["B", "A"], "group": "1"})
    >>> number_sittings(ratings)[0].tolist()
    [1, 0]
    """
    annotator, annotators = index_names(ratings["annotator"])
    group, groups = index_names(ratings["group"])
    sitting, keys = _number_pairs(group, annotator, len(annotators))
    return sitting, Sittings(*np.divmod(keys, len(annotators)), groups, annotators)


def number_ratings(ratings: pd.DataFrame) -> Numbers:
    """Number ratings of a table that has a column group, as `check_ratings` returns it, no NaN.

    >>> ratings = pd.DataFrame({"pair": [1, 1], "context": [1, 2], "annotator": ["B", "A"],
    ...                         "rating": [6, 0], "group": "1"})
    >>> numbers = number_ratings(ratings)
    >>> numbers.item.tolist(), numbers.points[numbers.cell].tolist()
    ([0, 1], [6.0, 0.0])
    """
    sitting, sittings = number_sittings(ratings)
    return number_cells(number_items(ratings), sitting, ratings["rating"], sittings)


def number_cells(item: Codes, sitting: Codes, ratings: pd.Series, sittings: Sittings) -> Numbers:
    """Number the cells of ratings, whose items and sittings have been numbered."""
    value, values = number_values(ratings)
    n_sittings = len(sittings.group)
    cell = sitting * len(values)
    cell += value
    if n_sittings * len(values) <= MOST_CELLS:
        of_cell = np.repeat(np.arange(n_sittings), len(values))
        points = np.tile(values, n_sittings)
    else:
        cell, keys = pd.factorize(cell, sort=True)
        of_cell, points = keys // len(values), values[keys % len(values)]
    n = np.bincount(cell, minlength=len(of_cell))
    return Numbers(item, cell, of_cell, points, n, sittings)


def index_names(column: pd.Series) -> tuple[Codes, pd.Index]:
    """Each name's number, counting through the names that occur in their order; and those.

    >>> codes, names = index_names(pd.Series(["b", "a", "b"]))
    >>> codes.tolist(), names.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    if (
        isinstance(column.dtype, pd.CategoricalDtype)
        and column.cat.categories.is_monotonic_increasing
    ):
        codes, names = column.cat.codes.to_numpy(dtype=np.int64), column.cat.categories
        occurs = np.zeros(len(names), dtype=bool)
        occurs[codes] = True
        if not occurs.all():
            codes, names = (np.cumsum(occurs) - 1)[codes], names[occurs]
    else:
        codes, names = pd.factorize(column, sort=True)
    return codes.astype(np.int64, copy=False), pd.Index(np.asarray(names, dtype=object))


def number_values(column: pd.Series) -> tuple[Codes, Floats]:
    """The place of each rating among values in ascending order; and those, some perhaps unused.

    >>> codes, values = number_values(pd.Series([2.5, 0, 2.5]))
    >>> codes.tolist(), values.tolist()
    ([1, 0, 1], [0.0, 2.5])
    """
    ratings = column.to_numpy()
    if ratings.dtype.kind == "i" and len(ratings):
        least, most = int(ratings.min()), int(ratings.max())
        if most - least < WIDEST:
            codes = ratings.astype(np.int64)
            codes -= least
            return codes, np.arange(least, most + 1, dtype=float)
    codes, distinct = pd.factorize(ratings)
    order = np.argsort(distinct)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return number[codes], distinct[order].astype(float)


def number_items(ratings: pd.DataFrame) -> Codes:
    """A number for the context of each rating, ascending by pair and context.

    >>> number_items(pd.DataFrame({"pair": [1, 1, 2], "context": [1, 2, 1]})).tolist()
    [0, 1, 2]
    """
    item: Codes = ratings["pair"].to_numpy().astype(np.int64)
    item *= 2
    item += ratings["context"].to_numpy()
    item -= 3
    return item


def _number_pairs(group: Codes, annotator: Codes, n_annotators: int) -> tuple[Codes, Codes]:
    """A number for each (group, annotator), ascending; and their keys, from which both follow."""
    only = np.zeros(n_annotators, dtype=np.int64)
    only[annotator] = group
    if (only[annotator] == group).all():  # everybody sat once
        keys = only * n_annotators + np.arange(n_annotators)
        order = np.argsort(keys)
        number = np.empty_like(order)
        number[order] = np.arange(n_annotators)
        return number[annotator], keys[order]
    return pd.factorize(group * n_annotators + annotator, sort=True)
