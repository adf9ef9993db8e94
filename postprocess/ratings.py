"""The ratings table: one row for each rating that one annotator gave to one context."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

COLUMNS = ("pair", "context", "annotator", "rating")
TEXTS = ("annotator", "group")
MOST_NAMED = 10  # rows or contexts that a message names before it only counts


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

    def __str__(self) -> str:
        steps = "" if self.step == 1 else f" in steps of {self.step:g}"
        return f"{self.minimum:g}–{self.maximum:g}{steps}"


def check_ratings(
    ratings: pd.DataFrame, scale: Scale, *, n_pairs: int | None = None
) -> pd.DataFrame:
    """Check a ratings table and put it into its one form.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        Columns pair (from 1), context (1 or 2), annotator, rating in scale points, and
        optionally group; as numbers or as text. An index named "line" gives the lines of the
        file that messages name; otherwise row 1 is line 2.
    scale : Scale
        Every rating lies on it.
    n_pairs : int, optional
        Pairs are numbered up to this.

    Returns
    -------
    DataFrame, shape (n_ratings, 4 or 5)
        Integers pair and context, strings annotator and group (if it was given), rating as
        integers if all are whole; sorted by pair, context and annotator, with a fresh index.

    Raises
    ------
    RatingsError
        Missing columns, no rows, a value that cannot be, an annotator who rated a context
        twice. All that is wrong at once, one kind a line.

    Examples
    --------
    >>> raw = pd.DataFrame({"pair": ["1"], "context": ["2"], "annotator": ["A1"], "rating": ["6"]})
    >>> check_ratings(raw, Scale()).to_dict("records")
    [{'pair': 1, 'context': 2, 'annotator': 'A1', 'rating': 6}]
    """
    if missing := [column for column in COLUMNS if column not in ratings]:
        found = ", ".join(str(column) for column in ratings.columns)
        raise RatingsError(f"the ratings have no column {', '.join(missing)} (found: {found})")
    if ratings.empty:
        raise RatingsError("the ratings table has no rows")
    checked = _convert(ratings)
    if problems := list(_problems(ratings, checked, scale, n_pairs)):
        raise RatingsError("\n".join(problems))
    checked = checked.astype({"pair": int, "context": int})
    checked["rating"] = keep_whole(checked["rating"])
    return checked.sort_values(["pair", "context", "annotator"], ignore_index=True)


def keep_whole(ratings: pd.Series) -> pd.Series:
    """The ratings as integers if all of them are whole, otherwise as they are."""
    return ratings.astype(int) if (ratings == ratings.round()).all() else ratings


def with_groups(ratings: pd.DataFrame) -> pd.DataFrame:
    """The ratings with a column group: the given one, or else the one `find_groups` finds."""
    if "group" in ratings:
        return ratings
    return ratings.assign(group=find_groups(ratings))


def items_table(ratings: pd.DataFrame) -> pd.DataFrame:
    """The ratings as items (pair, context) by annotators, NaN where one did not rate."""
    return ratings.pivot(index=["pair", "context"], columns="annotator", values="rating").astype(
        float
    )


def find_groups(ratings: pd.DataFrame) -> pd.Series:
    """Find the questionnaire of each rating from the items that annotators share.

    Two contexts are in one group if more than half of their annotators together rated both
    (Jaccard index above 0.5), or if a chain of such contexts joins them. Items are clustered
    and not annotators, because every item stands in one questionnaire, whereas an annotator may
    do two of them, and one who dropped out shares few items with the others.

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
    raters = ratings.groupby(["pair", "context"])["annotator"].agg(frozenset)
    distinct = list(dict.fromkeys(raters))  # most contexts of a questionnaire have the same raters
    names = dict(zip(distinct, _name_overlapping(distinct), strict=True))
    by_context = {context: names[group] for context, group in raters.items()}
    contexts = zip(ratings["pair"], ratings["context"], strict=True)
    return pd.Series(
        [by_context[context] for context in contexts], index=ratings.index, name="group"
    )


def name_some(places: list[str]) -> str:
    """The first few of many places, and how many there are.

    >>> name_some(["row 1", "row 2"])
    'row 1, row 2'
    """
    some = ", ".join(places[:MOST_NAMED])
    return some if len(places) <= MOST_NAMED else f"{some}, … ({len(places)} in all)"


def _name_overlapping(sets: list[frozenset[str]]) -> list[str]:
    members = sorted(frozenset().union(*sets))
    belongs = np.array([[member in one for member in members] for one in sets], dtype=int)
    n_shared = belongs @ belongs.T
    sizes = belongs.sum(axis=1)
    n_either = sizes[:, None] + sizes[None, :] - n_shared
    _, component = connected_components(2 * n_shared > n_either, directed=False)
    in_order_of_first, _ = pd.factorize(component)
    return [str(number + 1) for number in in_order_of_first]


def _convert(ratings: pd.DataFrame) -> pd.DataFrame:
    """The columns in their types, NaN or "" for what is missing or is not a number."""
    texts = [column for column in TEXTS if column in ratings]
    columns = {c: _numbers(ratings[c]) for c in ("pair", "context")}
    columns |= {c: ratings[c].map(lambda x: "" if pd.isna(x) else str(x)) for c in texts}
    columns["rating"] = _numbers(ratings["rating"])
    order = [c for c in (*COLUMNS, "group") if c in columns]
    return pd.DataFrame({c: columns[c].to_numpy() for c in order})


def _numbers(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce").astype(float)
    return numbers.where(np.isfinite(numbers))


def _problems(
    ratings: pd.DataFrame, checked: pd.DataFrame, scale: Scale, n_pairs: int | None
) -> Iterator[str]:
    """Each kind of mistake with the rows that make it."""
    pair, context, rating = checked["pair"], checked["context"], checked["rating"]
    steps = (rating - scale.minimum) / scale.step
    outside = (rating < scale.minimum) | (rating > scale.maximum)
    n_known = math.inf if n_pairs is None else n_pairs
    bound = "" if n_pairs is None else f" to {n_pairs}"
    wrong_pair = ~((pair >= 1) & (pair <= n_known) & (pair == pair.round()))
    kinds = [
        ("pair", f"must be a whole number from 1{bound}", wrong_pair),
        ("context", "must be 1 or 2", ~context.isin([1, 2])),
        *((c, "is empty", checked[c].str.strip() == "") for c in checked if c in TEXTS),
        ("rating", "is missing or is not a number", rating.isna()),
        ("rating", f"is outside the scale {scale}", outside),
        ("rating", f"is between the steps of the scale {scale}", _uneven(steps) & ~outside),
    ]
    for column, reason, bad in kinds:
        if bad.any():
            yield f"{column} {reason}: {_name_rows(ratings, bad, column)}"
    sound = ~wrong_pair & context.isin([1, 2]) & (checked["annotator"].str.strip() != "")
    twice = checked.duplicated(["pair", "context", "annotator"]) & sound
    if twice.any():
        rows = _name_rows(ratings, twice, "annotator")
        yield f"the same annotator rated the same context before: {rows}"


def _uneven(steps: pd.Series) -> pd.Series:
    return (steps - steps.round()).abs() > 1e-9


def _name_rows(ratings: pd.DataFrame, bad: pd.Series, column: str) -> str:
    named = ratings.index.name == "line"
    lines = ratings.index.tolist() if named else range(2, len(ratings) + 2)
    found = np.flatnonzero(bad)
    values = ratings[column].to_numpy()
    return name_some([f'row {i + 1} (line {lines[i]}) "{values[i]}"' for i in found])
