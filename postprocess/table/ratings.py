"""The ratings table: one row for each rating that one annotator gave to one context."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from postprocess.reporting.phrases import write_range
from postprocess.table.counting_sort import Placed, place_rows
from postprocess.table.name_codes import are_plain
from postprocess.table.numbering import Numbers, index_names, number_items, number_ratings
from postprocess.table.parallel import take_all
from postprocess.table.sorting import sort_rows
from postprocess.types import Bools, Codes, Integers

COLUMNS = ("pair", "context", "annotator", "rating")
OPTIONAL = ("group", "mark")
BY = ("pair", "context", "annotator")
NAMES = ("annotator", "group")
UNJUDGED = "cannot judge"  # the only mark that allows a missing rating
REJECTED = "rejected"  # in the review of engagement answers; a recipe may ignore it
MARKS = (UNJUDGED, "unfinished", "withdrawn", "replaced", REJECTED)
SETS_AT_ONCE = 5000  # sets of annotators that are compared together when groups are found
BLANK, BREAK = re.compile(r"\0\s*(?=\0)"), re.compile(r"[\t\n\r]")  # in names between zeros
OF_SPACES = {BLANK, BREAK}
UNKNOWN_MARK = re.compile(rf"\0(?!({'|'.join(MARKS)})?\0|$)")
MOST_NAMED = 10  # rows or contexts that a message lists; the rest are counted
NO_ROW = np.zeros(1, dtype=bool)  # broadcast: false for every row


class RatingsError(ValueError):
    """A ratings table cannot be used; the message names the rows and what to do."""


@dataclass(frozen=True)
class Scale:
    """A rating scale: its two ends and the distance between neighbouring ratings."""

    minimum: float = 0
    maximum: float = 6
    step: float = 1

    def __post_init__(self) -> None:
        if not all(math.isfinite(x) for x in (self.minimum, self.maximum, self.step)):
            raise RatingsError(f"the ends and the step of {self} must be finite numbers")
        if self.minimum >= self.maximum:
            raise RatingsError(f"the minimum of {self} must be below its maximum")
        n_steps = (self.maximum - self.minimum) / self.step if self.step > 0 else 0
        if n_steps < 1 or not math.isclose(n_steps, round(n_steps), abs_tol=1e-9):
            raise RatingsError(f"the step of {self} must divide the scale into equal parts")

    @property
    def n_points(self) -> int:
        """The number of different ratings."""
        return round((self.maximum - self.minimum) / self.step) + 1

    def __str__(self) -> str:
        steps = "" if self.step == 1 else f" in steps of {self.step:g}"
        return f"{write_range(self.minimum, self.maximum)}{steps}"


def check_ratings(
    ratings: pd.DataFrame, scale: Scale, *, n_pairs: int | None = None
) -> pd.DataFrame:
    """Check a ratings table and convert it to its canonical form.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 to 6)
        Columns pair (from 1), context (1 or 2), annotator, rating in scale points, and
        optionally group and mark (one of `MARKS`, why a rating does not count, or empty); as
        numbers or as text. An index named "line" gives the lines of the file that messages
        name; otherwise row 1 is line 2.
    scale : Scale
        Every rating lies on it.
    n_pairs : int, optional
        Pairs are numbered up to this.

    Returns
    -------
    DataFrame, shape (n_ratings, 4 to 6)
        Integers pair and context, categories annotator, group and mark (those that were given),
        rating as 32-bit integers if all are whole, NaN only for `UNJUDGED`; sorted by pair, context
        and annotator, with a fresh index.

    Raises
    ------
    RatingsError
        Missing columns, no rows, invalid values, or an annotator who rated a context twice. The
        message lists all problems, one line per kind.

    Examples
    --------
    >>> raw = pd.DataFrame({"pair": ["1"], "context": ["2"], "annotator": ["A1"], "rating": ["6"]})
    >>> check_ratings(raw, Scale()).to_dict("records")
    [{'pair': 1, 'context': 2, 'annotator': 'A1', 'rating': 6}]
    """
    found = order_ratings(ratings, scale, n_pairs=n_pairs)
    return found.rows if isinstance(found, Placed) else found


def order_ratings(
    ratings: pd.DataFrame, scale: Scale, *, n_pairs: int | None = None
) -> Placed | pd.DataFrame:
    """Return what `check_ratings` returns, with the members if sorting has found them."""
    if missing := [column for column in COLUMNS if column not in ratings]:
        found = ", ".join(str(column) for column in ratings.columns)
        raise RatingsError(f"the ratings have no column {', '.join(missing)} (found: {found})")
    if ratings.empty:
        raise RatingsError("the ratings table has no rows")
    checked = _convert(ratings)
    if problems := list(_problems(ratings, checked, scale, n_pairs)):
        raise RatingsError("\n".join([*problems, *_repeats(ratings, checked)]))
    checked = checked.astype({"pair": np.int32, "context": np.int8})
    placed = place_rows(checked)
    if placed is not None:
        return placed
    rows = sort_rows(checked, BY)
    if rows is None:
        raise RatingsError("\n".join(_repeats(ratings, checked)))
    return rows


def keep_whole(ratings: pd.Series) -> pd.Series:
    """Return the ratings as 32-bit integers if all are whole, otherwise unchanged."""
    if ratings.dtype == np.int32 or (ratings.dtype.kind != "i" and ratings.isna().any()):
        return ratings
    with np.errstate(invalid="ignore"):  # ratings too large for any scale
        whole = ratings.astype(np.int32)
    return whole if (whole == ratings).all() else ratings


def with_groups(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the ratings with a column group: the given one, or that of `find_groups`."""
    if "group" in ratings:
        return ratings
    return ratings.assign(group=find_groups(ratings))


def number_groups(ratings: pd.DataFrame) -> tuple[pd.DataFrame, Numbers]:
    """Return the ratings `with_groups`, and the same as numbers."""
    grouped = with_groups(ratings)
    return grouped, number_ratings(grouped)


def find_groups(ratings: pd.DataFrame) -> pd.Series:
    """Find the questionnaire of each rating from the items that annotators share.

    Two contexts are in one group if more than half of the annotators who rated either rated both
    (Jaccard index above 0.5), or if a chain of such contexts connects them. Contexts are clustered
    instead of annotators because every context is in one questionnaire, whereas an annotator may
    do two of them, and one who dropped out shares few contexts with the others.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 3 or more)
        Columns pair, context and annotator.

    Returns
    -------
    Series, shape (n_ratings,)
        Names "1", "2", … in the order of each group's first pair and context; the index is
        that of the ratings.

    Examples
    --------
    >>> find_groups(
    ...     pd.DataFrame({"pair": [1, 1, 2], "context": [1, 2, 1], "annotator": ["A", "B", "A"]})
    ... ).tolist()
    ['1', '2', '1']
    """
    annotator, annotators = index_names(ratings["annotator"])
    item, items = pd.factorize(number_items(ratings), sort=True)
    order = np.lexsort((annotator, item))
    raters = np.split(annotator[order], np.cumsum(np.bincount(item))[:-1])
    _, set_of_item = np.unique([one.tobytes() for one in raters], return_inverse=True)
    first = np.unique(set_of_item, return_index=True)[1]
    belongs = _membership([raters[i] for i in first], len(annotators))
    component = _join_overlapping(belongs)[set_of_item]
    in_order_of_first, _ = pd.factorize(component)
    names = np.array([str(number + 1) for number in range(len(items))], dtype=object)
    return pd.Series(names[in_order_of_first[item]], index=ratings.index, name="group")


def make_categories(codes: Integers, names: Sequence[str] | pd.Index) -> "pd.Categorical[Any]":
    """Return a column of names from their codes, which are not checked."""
    dtype = pd.CategoricalDtype(pd.Index(names, dtype=str))
    return pd.Categorical.from_codes(codes, dtype=dtype, validate=False)


def name_some(places: list[str], n_places: int | None = None) -> str:
    """Return the first of many places as text, with the total number if not all are listed.

    >>> name_some(["row 1", "row 2"]), name_some(["row 1"], 5)
    ('row 1, row 2', 'row 1, … (5 in all)')
    """
    n_all = len(places) if n_places is None else n_places
    some = ", ".join(places[:MOST_NAMED])
    return some if n_all <= len(places[:MOST_NAMED]) else f"{some}, … ({n_all} in all)"


def _membership(sets: list[Codes], n_members: int) -> csr_array:
    sizes = [len(one) for one in sets]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    ones = np.ones(starts[-1], dtype=np.int64)
    return csr_array((ones, np.concatenate(sets), starts), shape=(len(sets), n_members))


def _join_overlapping(belongs: csr_array) -> Codes:
    """Return the component of each set; sets with a Jaccard index above 0.5 are connected."""
    sizes = belongs.sum(axis=1)
    ends: list[tuple[Codes, Codes]] = []
    for start in range(0, belongs.shape[0], SETS_AT_ONCE):  # all together may not fit in memory
        shared = (belongs[start : start + SETS_AT_ONCE] @ belongs.T).tocoo()
        i, j = shared.row + start, shared.col
        joined = 2 * shared.data > sizes[i] + sizes[j] - shared.data
        ends.append((i[joined], j[joined]))
    rows, columns = (np.concatenate(side) for side in zip(*ends, strict=True))
    graph = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(sizes), len(sizes)))
    return np.asarray(connected_components(graph, directed=False)[1])


def _convert(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the columns in their types; NaN or "" for missing and non-numeric values."""
    columns: dict[str, object] = {c: _numbers(ratings[c]) for c in ("pair", "context")}
    columns["rating"] = keep_whole(pd.Series(_numbers(ratings["rating"])))
    columns |= {c: _names(ratings[c]) for c in (*NAMES, "mark") if c in ratings}
    order = [c for c in (*COLUMNS, *OPTIONAL) if c in columns]
    return pd.DataFrame({c: columns[c] for c in order}, copy=False)


def _numbers(column: pd.Series) -> NDArray[np.generic]:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu":
        return column.to_numpy()
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _names(column: pd.Series) -> "pd.Categorical[Any]":
    """Return the names as sorted categories, "" for missing ones."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, found = column.cat.codes.to_numpy(), column.cat.categories
    else:
        codes, found = pd.factorize(column)
    is_missing = codes.min(initial=0) < 0
    if isinstance(column.dtype, pd.CategoricalDtype) and not is_missing and _ascend(found):
        return pd.Categorical.from_codes(codes, dtype=column.dtype, validate=False)
    texts = found if found.dtype == "str" else pd.Index([str(name) for name in found], dtype=str)
    if is_missing:
        codes, texts = np.where(codes < 0, len(texts), codes), texts.append(pd.Index([""]))
    number, names = pd.factorize(texts, sort=True)
    return make_categories(take_all(number.astype(np.int32), codes), names)


def _ascend(names: pd.Index) -> bool:
    return names.dtype == "str" and names.is_monotonic_increasing


def _problems(
    ratings: pd.DataFrame, checked: pd.DataFrame, scale: Scale, n_pairs: int | None
) -> Iterator[str]:
    """Yield a message for each kind of invalid value, with the rows."""
    pair, context, rating = (checked[c].to_numpy() for c in ("pair", "context", "rating"))
    names = {c: _Texts(checked[c]) for c in (*NAMES, "mark") if c in checked}
    is_missing = np.isnan(rating) if rating.dtype.kind == "f" else NO_ROW
    uneven = _is_between(rating, scale.step, start=scale.minimum)
    outside = _are_outside(rating, scale.minimum, scale.maximum) & ~is_missing
    n_known = math.inf if n_pairs is None else n_pairs
    bound = "" if n_pairs is None else f" to {n_pairs}"
    wrong_pair = _are_outside(pair, 1, n_known) | _is_between(pair, 1)
    wrong_context = _are_outside(context, 1, 2) | _is_between(context, 1, tolerance=0)
    kinds = [
        ("pair", f"must be a whole number from 1{bound}", wrong_pair),
        ("context", "must be 1 or 2", wrong_context),
        *((c, "is empty", names[c].have(BLANK)) for c in NAMES if c in names),
        *(
            (c, "has a tab or a line break in it", names[c].have(BREAK))
            for c in NAMES
            if c in names
        ),
        *(
            (c, f"must be empty or one of {', '.join(MARKS)}", names[c].have(UNKNOWN_MARK))
            for c in ("mark",)
            if c in names
        ),
        ("rating", "is missing or is not a number", is_missing & ~_are_unjudged(checked)),
        ("rating", f"is outside the scale {scale}", outside),
        (
            "rating",
            f"is between the steps of the scale {scale}",
            uneven & ~outside,
        ),
    ]
    for column, reason, bad in kinds:
        if bad.any():
            yield f"{column} {reason}: {_name_rows(ratings, bad, column)}"


def _repeats(ratings: pd.DataFrame, checked: pd.DataFrame) -> list[str]:
    """Return a message on rows that repeat the context and annotator of an earlier row."""
    twice = checked.duplicated(["pair", "context", "annotator"]).to_numpy(copy=True)
    twice &= checked[["pair", "context"]].notna().all(axis="columns").to_numpy()
    twice &= ~_Texts(checked["annotator"]).have(BLANK)
    if not twice.any():
        return []
    rows = _name_rows(ratings, twice, "annotator")
    return [f"the same annotator rated the same context before: {rows}"]


def _are_unjudged(ratings: pd.DataFrame) -> Bools:
    """Return whether each row is marked as one that the annotator could not judge."""
    if "mark" not in ratings:
        return NO_ROW
    return (ratings["mark"] == UNJUDGED).to_numpy()


class _Texts:
    """Searches in the names of a categorical column."""

    def __init__(self, column: pd.Series) -> None:
        self.codes = column.cat.codes.to_numpy()
        self.names = pa.array(column.cat.categories, type=pa.large_string())

    def have(self, kind: re.Pattern[str]) -> Bools:
        """Return whether each row's name matches a pattern."""
        if kind in OF_SPACES and are_plain(self.names):
            return NO_ROW
        names = self.names.to_pylist()
        if not kind.search("\0".join(["", *names, ""])):
            return NO_ROW
        found = np.array([kind.search(f"\0{name}\0") is not None for name in names])
        return take_all(found, self.codes)


def _are_outside(numbers: NDArray[Any], least: float, most: float) -> Bools:
    """Return whether each number is outside these bounds; true for NaN."""
    if numbers.dtype.kind in "iu" and least <= numbers.min() and numbers.max() <= most:
        return NO_ROW
    return np.asarray(~((numbers >= least) & (numbers <= most)))


def _is_between(
    numbers: NDArray[Any], step: float, *, start: float = 0, tolerance: float = 1e-9
) -> Bools:
    """Return whether each number lies between the steps from the start."""
    if numbers.dtype.kind in "iu" and step == 1 and start == round(start):
        return NO_ROW
    steps = (numbers - start) / step
    return np.asarray(np.abs(steps - np.round(steps)) > tolerance)


def _name_rows(ratings: pd.DataFrame, bad: Bools, column: str) -> str:
    found = np.flatnonzero(bad)
    some = found[:MOST_NAMED].tolist()
    lines = ratings.index if ratings.index.name == "line" else range(2, len(ratings) + 2)
    values = ratings[column]
    places = [f'row {i + 1} (line {lines[i]}) "{values.iloc[i]}"' for i in some]
    return name_some(places, len(found))
