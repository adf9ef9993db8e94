"""Further columns of a ratings file; no score depends on them."""

from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.formats.reading import load_columns
from postprocess.table.ratings import RatingsError, index_names, name_some, number_items

PLACE = ("pair", "context", "annotator")
TRAITS = ("block", "pos")  # agreement is reported by these
MEASURES = ("position", "seconds")  # possible confounds
LAYOUT = "layout"  # how the page showed the scale
ORDER = "order"  # of the answers to a doubled item, from 1
RELEASED = (*TRAITS, LAYOUT, ORDER)
BEFORE = "rating_before_second_look"  # empty for ratings that were not shown again
LOOKS = (BEFORE, "others_mean", "n_others")  # of a second look
DECISION = "decision"  # in it: kept, changed, no answer
DETAILS = (*RELEASED, DECISION, *MEASURES, *LOOKS)


def load_details(path: str | PathLike[str]) -> pd.DataFrame | None:
    """Read the details of each rating from a ratings file; return None if it has none.

    Returns
    -------
    DataFrame, shape (n_ratings, 4 to 13)
        pair, context and annotator as text; those that the file has of block, pos (part of speech),
        layout (of the scale) and order (of the answers to a doubled item, from 1) as text, "" where
        they are not given, and of position (of the item in its questionnaire, from 1) and seconds
        (that the rating took), NaN where they are not given; and the columns of a second look.

    Raises
    ------
    RatingsError
        A position or a number of seconds is not a number.
    OSError
        The file cannot be read.
    """
    table = load_columns(Path(path), (*PLACE, *DETAILS))
    if not set(DETAILS) & set(table.columns):
        return None
    return table.assign(
        **{name: _numbers(table[name]) for name in (*MEASURES, *LOOKS) if name in table}
    )


def join_details(ratings: pd.DataFrame, details: pd.DataFrame | None) -> pd.DataFrame:
    """Add the details of ratings as further columns.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` returns it.
    details : DataFrame, shape (n_details, 4 or more), optional
        As `load_details` returns it; in any order. Rows of other ratings do not matter.

    Returns
    -------
    DataFrame, shape (n_ratings, 4 or more)
        With the columns of `DETAILS` that are there and not empty throughout; None or NaN where
        a rating has no row.

    Raises
    ------
    RatingsError
        Two rows for one rating.

    Examples
    --------
    >>> ratings = pd.DataFrame({"pair": [1, 2], "context": 1, "annotator": "A", "rating": [0, 6]})
    >>> details = pd.DataFrame({"pair": ["2"], "context": "1", "annotator": "A", "pos": "noun"})
    >>> join_details(ratings, details)["pos"].tolist()
    [None, 'noun']
    """
    if details is None:
        return ratings
    codes, names = index_names(ratings["annotator"])
    of_ratings = number_items(ratings).astype(np.int64) * len(names) + codes
    rows, numbers = _number_rows(details, names)
    if pd.Index(numbers).has_duplicates:
        raise RatingsError("two rows describe the same rating; keep one")
    positions = pd.Index(numbers).get_indexer(pd.Index(of_ratings))
    described = details.iloc[rows]
    joined = {name: _take(described[name], positions) for name in DETAILS if name in details}
    return ratings.assign(**{name: entry for name, entry in joined.items() if entry.notna().any()})


def find_parts_of_speech(ratings: pd.DataFrame) -> pd.Series | None:
    """Return the part of speech of each pair, or None if the ratings have no column pos.

    Parameters
    ----------
    ratings : DataFrame
        As `join_details` returns it.

    Returns
    -------
    Series of str, index pair, or None

    Raises
    ------
    RatingsError
        A pair has two parts of speech.
    """
    if "pos" not in ratings:
        return None
    of_pair = ratings.loc[ratings["pos"].notna(), ["pair", "pos"]].drop_duplicates()
    if (twice := of_pair["pair"].duplicated()).any():
        places = [f"pair {pair}" for pair in of_pair.loc[twice, "pair"].unique()]
        raise RatingsError(f"more than one part of speech (column pos) for {name_some(places)}")
    return of_pair.set_index("pair")["pos"].sort_index()


def _numbers(column: pd.Series) -> pd.Series:
    texts = column.str.strip()
    numbers = pd.to_numeric(texts, errors="coerce")
    if (bad := numbers.isna() & (texts != "")).any():
        raise RatingsError(f'{column.name} has "{column[bad].iloc[0]}", which is not a number')
    return numbers.astype(float)


def _number_rows(details: pd.DataFrame, names: pd.Index) -> tuple[NDArray[np.int64], ...]:
    """Return the rows on ratings of these annotators, and a number for the rating of each."""
    annotators = names.get_indexer(pd.Index(details["annotator"].astype(str)))
    places = [pd.to_numeric(details[name], errors="coerce") for name in PLACE[:2]]
    rows = np.flatnonzero((annotators >= 0) & places[0].notna() & places[1].notna())
    pair, context = (place.iloc[rows].astype(int) for place in places)
    items = number_items(pd.DataFrame({"pair": pair, "context": context})).astype(np.int64)
    return rows, items * len(names) + annotators[rows]


def _take(column: pd.Series, positions: NDArray[np.intp]) -> pd.Series:
    """Return the entries at these positions; None or NaN for -1 and for empty text."""
    if pd.api.types.is_float_dtype(column):
        return pd.Series(np.where(positions < 0, np.nan, column.to_numpy()[positions]))
    codes, texts = pd.factorize(column.astype(object).where(column.notna(), "").map(_as_text))
    entries = np.array([text or None for text in texts] + [None], dtype=object)
    return pd.Series(entries[np.where(positions < 0, len(texts), codes[positions])], dtype=object)


def _as_text(entry: object) -> str:
    return str(entry).strip()
