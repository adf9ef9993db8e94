"""The ratings table: one row for each rating that one annotator gave to one context."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from postprocess.table.parallel import as_places, on_all_cores
from postprocess.table.scale import RatingsError as RatingsError
from postprocess.table.scale import Scale as Scale
from postprocess.types import Bools, Codes, Integers, NContexts

BY = ("pair", "context", "annotator")
COLUMNS = ("pair", "context", "annotator", "rating")
OPTIONAL = ("group", "mark")
NAMES = ("annotator", "group")
UNJUDGED = "cannot judge"  # the only mark that allows a missing rating
REJECTED = "rejected"  # in the review of engagement answers; a recipe may ignore it
MARKS = (UNJUDGED, "unfinished", "withdrawn", "replaced", REJECTED)
BLANK, BREAK = re.compile(r"\0\s*(?=\0)"), re.compile(r"[\t\n\r]")  # in names between zeros
MOST_PAIRS = 2**30 - 1  # whose contexts 32 bits can number
UNKNOWN_MARK = re.compile(rf"\0(?!({'|'.join(MARKS)})?\0|$)")
MOST_NAMED = 10  # rows or contexts that a message lists; the rest are counted
NO_ROW = np.zeros(1, dtype=bool)  # broadcast: false for every row


def check_ratings(
    ratings: pd.DataFrame, scale: Scale, *, n_pairs: int | None = None, n_contexts: NContexts = 2
) -> pd.DataFrame:
    """Check a ratings table and convert it to its canonical form.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 to 6)
        Columns pair (from 1), context (from 1), annotator, rating in scale points, and
        optionally group and mark (one of `MARKS`, why a rating does not count, or empty); as
        numbers or as text. An index named "line" gives the lines of the file that messages
        name; otherwise row 1 is line 2.
    scale : Scale
        Every rating lies on it.
    n_pairs : int, optional
        Pairs are numbered up to this.
    n_contexts : 1 or 2
        Contexts of each pair.

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
    if missing := [column for column in COLUMNS if column not in ratings]:
        columns = ", ".join(str(column) for column in ratings.columns)
        raise RatingsError(f"the ratings have no column {', '.join(missing)} (found: {columns})")
    if ratings.empty:
        raise RatingsError("the ratings table has no rows")
    checked = _convert(ratings)
    if problems := list(_problems(ratings, checked, scale, n_pairs, n_contexts)):
        raise RatingsError("\n".join([*problems, *_repeats(ratings, checked)]))
    checked = checked.astype({"pair": np.int32, "context": np.int8})
    ordered = _sort(checked)
    if ordered is None:
        raise RatingsError("\n".join(_repeats(ratings, checked)))
    return ordered


def keep_whole(ratings: pd.Series) -> pd.Series:
    """Return the ratings as 32-bit integers if all are whole, otherwise unchanged."""
    if ratings.dtype == np.int32 or (ratings.dtype.kind != "i" and ratings.isna().any()):
        return ratings
    with np.errstate(invalid="ignore"):  # ratings too large for any scale
        whole = ratings.astype(np.int32)
    return whole if (whole == ratings).all() else ratings


def number_items(ratings: pd.DataFrame, n_contexts: NContexts = 2) -> Integers:
    """Return the context of each rating as a number: 0 and 1 for pair 1, 2 and 3 for pair 2, ….

    With one context a pair, the numbers are 0 for pair 1, 1 for pair 2, ….

    >>> number_items(pd.DataFrame({"pair": [1, 1, 2], "context": [1, 2, 1]})).tolist()
    [0, 1, 2]
    >>> number_items(pd.DataFrame({"pair": [1, 3], "context": 1}), n_contexts=1).tolist()
    [0, 2]
    """
    pair, context = ratings["pair"].to_numpy(), ratings["context"].to_numpy()
    wide = np.int64 if len(pair) and pair.max() > MOST_PAIRS else np.int32
    numbers = n_contexts * pair.astype(wide) + context.astype(wide) - (n_contexts + 1)
    return np.asarray(numbers)


def number_members(ratings: pd.DataFrame) -> tuple[Codes, pd.DataFrame]:
    """Return the position of each rating's member, and a row for each member, as text.

    A member is an annotator in a group; members are sorted by group and annotator.

    >>> ratings = pd.DataFrame({"annotator": ["B", "A"], "group": "1"})
    >>> member, members = number_members(ratings)
    >>> member.tolist(), members.to_numpy().tolist()
    ([1, 0], [['1', 'A'], ['1', 'B']])
    """
    (group, groups), (annotator, annotators) = (
        _number_names(ratings[name]) for name in ("group", "annotator")
    )
    annotator = as_places(annotator)
    only = np.full(len(annotators), -1, dtype=group.dtype)
    only[annotator] = group
    if (only[annotator] == group).all():  # each annotator is in one group
        of_annotator = np.argsort(only, kind="stable")[np.count_nonzero(only < 0) :]
        of_group, number = only[of_annotator], np.zeros(len(annotators), dtype=np.int64)
        number[of_annotator] = np.arange(len(of_annotator))
        member = number[annotator]
    else:
        both = group.astype(np.int64) * len(annotators) + annotator
        member, distinct = pd.factorize(both, sort=True)
        of_group, of_annotator = np.divmod(distinct, len(annotators))
    names = {"group": groups.take(of_group), "annotator": annotators.take(of_annotator)}
    return member, pd.DataFrame({name: column.array for name, column in names.items()})


def index_names(column: pd.Series) -> tuple[Integers, pd.Index]:
    """Return the position of each name among the sorted names that occur, and these names.

    >>> codes, names = index_names(pd.Series(["b", "a", "b"]))
    >>> codes.tolist(), names.tolist()
    ([1, 0, 1], ['a', 'b'])
    """
    codes, names = _number_names(column)
    occurs = np.bincount(codes, minlength=len(names)) > 0
    if occurs.all():
        return codes, names
    return (np.cumsum(occurs) - 1)[codes], names[occurs]


def make_categories(codes: Integers, names: Sequence[str] | pd.Index) -> "pd.Categorical[Any]":
    """Return a column of names from their codes, which are not checked."""
    dtype = pd.CategoricalDtype(pd.Index(names, dtype=str))
    return pd.Categorical.from_codes(codes, dtype=dtype, validate=False)


def get_codes(names: pd.Series) -> Integers:
    """Return the codes of a categorical column, read-only; `names.cat.codes` copies them.

    >>> get_codes(pd.Series(["b", "a", "b"], dtype="category")).tolist()
    [1, 0, 1]
    """
    categorical: Any = names.array
    codes: Integers = categorical.codes
    return codes


def name_some(places: list[str], n_places: int | None = None) -> str:
    """Return the first of many places as text, with the total number if not all are listed.

    >>> name_some(["row 1", "row 2"]), name_some(["row 1"], 5)
    ('row 1, row 2', 'row 1, … (5 in all)')
    """
    n_all = len(places) if n_places is None else n_places
    some = ", ".join(places[:MOST_NAMED])
    return some if n_all <= len(places[:MOST_NAMED]) else f"{some}, … ({n_all} in all)"


def _convert(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the columns in their types; NaN or "" for missing and non-numeric values."""
    columns: dict[str, object] = {c: _numbers(ratings[c]) for c in ("pair", "context")}
    columns["rating"] = keep_whole(pd.Series(_numbers(ratings["rating"]), copy=False))
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
        codes, given = get_codes(column), column.cat.categories
    else:
        codes, given = pd.factorize(column)
    is_missing = codes.min(initial=0) < 0
    if isinstance(column.dtype, pd.CategoricalDtype) and not is_missing and _ascend(given):
        return pd.Categorical.from_codes(codes, dtype=column.dtype, validate=False)
    texts = given if given.dtype == "str" else pd.Index([str(name) for name in given], dtype=str)
    if is_missing:
        codes, texts = np.where(codes < 0, len(texts), codes), texts.append(pd.Index([""]))
    number, names = pd.factorize(texts, sort=True)
    return make_categories(number.astype(np.int32)[codes], names)


def _number_names(column: pd.Series) -> tuple[Integers, pd.Index]:
    """Return the position of each name among sorted names, some perhaps unused, and the names."""
    if isinstance(column.dtype, pd.CategoricalDtype) and _ascend(column.cat.categories):
        return get_codes(column), column.cat.categories
    codes, names = pd.factorize(column, sort=True)
    return codes, pd.Index(names)


def _ascend(names: pd.Index) -> bool:
    return names.dtype == "str" and names.is_monotonic_increasing


def _sort(ratings: pd.DataFrame) -> pd.DataFrame | None:
    """Sort by pair, context and annotator; return None if an annotator rated a context twice."""
    item, annotator = number_items(ratings), get_codes(ratings["annotator"])
    rows, items = _order_by(annotator, item)
    order = as_places(_order_by(items, rows)[1])  # keeps the order of the annotators of a context
    others = [name for name in ratings if name not in BY]
    columns = [item, annotator, *(ratings[name].array for name in others)]
    item, annotator, *taken = on_all_cores(lambda column: column.take(order), columns)
    if ((item[1:] == item[:-1]) & (annotator[1:] == annotator[:-1])).any():
        return None
    ordered = {
        "pair": ((item >> 1) + 1).astype(np.int32, copy=False),
        "context": ((item & 1) + 1).astype(np.int8),
        "annotator": make_categories(annotator, ratings["annotator"].cat.categories),
        **dict(zip(others, taken, strict=True)),
    }
    return pd.DataFrame(ordered, columns=ratings.columns, copy=False)


def _order_by(numbers: Integers, column: Integers) -> tuple[Integers, Integers]:
    """Return the rows in ascending order of numbers from 0, and the column in that order.

    The order of equal numbers is kept. Transposing a sparse matrix with one entry in each row is a
    counting sort.
    """
    n_rows, n_columns = len(numbers), int(numbers.max()) + 1
    if n_columns > 4 * n_rows:  # it would count mostly zeros
        order = np.argsort(numbers, kind="stable")
        return order, column[order]
    entries = (column, numbers, np.arange(n_rows + 1, dtype=np.int32))
    by_number = csr_array(entries, shape=(n_rows, n_columns)).tocsc()
    return by_number.indices, by_number.data


def _problems(
    ratings: pd.DataFrame, checked: pd.DataFrame, scale: Scale, n_pairs: int | None, n_contexts: int
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
    wrong_context = _are_outside(context, 1, n_contexts) | _is_between(context, 1, tolerance=0)
    kinds = [
        ("pair", f"must be a whole number from 1{bound}", wrong_pair),
        ("context", "must be 1" if n_contexts == 1 else "must be 1 or 2", wrong_context),
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
        ("rating", "is missing or is not a number", is_missing & ~are_unjudged(checked)),
        ("rating", f"is outside the scale {scale}", outside),
        ("rating", f"is between the steps of the scale {scale}", uneven & ~outside),
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


def are_unjudged(ratings: pd.DataFrame) -> Bools:
    """Return whether each row is marked as one that the annotator could not judge."""
    if "mark" not in ratings:
        return NO_ROW
    return (ratings["mark"] == UNJUDGED).to_numpy()


class _Texts:
    """Searches in the names of a categorical column."""

    def __init__(self, column: pd.Series) -> None:
        self.codes = get_codes(column)
        self.names = column.cat.categories.tolist()

    def have(self, kind: re.Pattern[str]) -> Bools:
        """Return whether each row's name matches a pattern."""
        if not kind.search("\0".join(["", *self.names, ""])):
            return NO_ROW
        matches = np.array([kind.search(f"\0{name}\0") is not None for name in self.names])
        return matches[self.codes]


def _are_outside(numbers: NDArray[Any], least: float, most: float) -> Bools:
    """Return whether each number is outside these bounds; true for NaN."""
    if numbers.dtype.kind in "iu" and least <= numbers.min() and numbers.max() <= most:
        return NO_ROW
    return np.asarray(~((numbers >= least) & (numbers <= most)))


def _is_between(
    numbers: NDArray[Any], step: float, *, start: float = 0, tolerance: float = 1e-9
) -> Bools:
    """Mark the numbers that are not a whole number of steps from the start."""
    if numbers.dtype.kind in "iu" and step == 1 and start == round(start):
        return NO_ROW
    steps = (numbers - start) / step
    return np.asarray(np.abs(steps - np.round(steps)) > tolerance)


def _show(value: object) -> str:
    is_empty = not str(value).strip() or value != value  # NaN
    return "(empty: fill it in, or remove the row)" if is_empty else f'"{value}"'


def _name_rows(ratings: pd.DataFrame, bad: Bools, column: str) -> str:
    bad_rows = np.flatnonzero(bad)
    some = bad_rows[:MOST_NAMED].tolist()
    lines = ratings.index if ratings.index.name == "line" else range(2, len(ratings) + 2)
    values = ratings[column]
    places = [f"row {i + 1} (line {lines[i]}) {_show(values.iloc[i])}" for i in some]
    return name_some(places, len(bad_rows))
