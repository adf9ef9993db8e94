"""Exclusion: find ratings that do not count, for reasons other than their values."""

import numpy as np
import pandas as pd

from postprocess.table.ratings import (
    REJECTED,
    UNJUDGED,
    RatingsError,
    get_codes,
    index_names,
    make_categories,
    name_some,
)
from postprocess.types import NContexts

COUNTED = ""
FAILED_CHECKPOINT = "failed checkpoint"
REASONS = {  # by the mark in the ratings table
    UNJUDGED: "cannot judge",
    "unfinished": "questionnaire unfinished",
    "withdrawn": "withdrawn",
    "replaced": "round replaced",
    REJECTED: "engagement rejected",
}
REJECTED_ALONE = "rejected in review"  # where items have one context, and no engagement words
CHECK_COLUMNS = ("group", "annotator", "rating", "lowest", "highest")


def find_excluded(
    ratings: pd.DataFrame,
    *,
    rejected_engagement: bool = True,
    most_failed_checkpoints: int | None = None,
    checks: pd.DataFrame | None = None,
    n_contexts: NContexts = 2,
) -> pd.Series:
    """Return why each rating is left out before any other step.

    Parameters
    ----------
    ratings : DataFrame, shape (n_ratings, 5 or 6)
        As `check_ratings` returns it, with a column group and perhaps mark.
    rejected_engagement : bool
        Whether ratings marked "rejected" are left out. Ratings with any other mark always are.
    most_failed_checkpoints : int, optional
        The number of checkpoint items that an annotator may fail in a group.
    checks : DataFrame, optional
        As `count_failed` takes it. Without it, no checkpoint counts as failed.
    n_contexts : 1 or 2
        Contexts of each pair. With one, there are no engagement words to be rejected.

    Returns
    -------
    Series of categories, shape (n_ratings,)
        The reason, or "" for a rating that counts.

    References
    ----------
    Adapted from Hill et al. (2015), section 3, for checkpoint items.

    Examples
    --------
    >>> ratings = pd.DataFrame({"group": "1", "annotator": ["A", "B"], "mark": ["", "withdrawn"]})
    >>> find_excluded(ratings).tolist()
    ['', 'withdrawn']
    """
    named = REASONS if n_contexts == 2 else {**REASONS, REJECTED: REJECTED_ALONE}
    names = [COUNTED, *named.values(), FAILED_CHECKPOINT]
    codes = np.zeros(len(ratings), dtype=np.int8)
    if "mark" in ratings:
        mark, marks = index_names(ratings["mark"])
        reasons = {COUNTED: COUNTED, **named}
        if not rejected_engagement:
            reasons[REJECTED] = COUNTED
        of_mark = np.array([names.index(reasons[name]) for name in marks], dtype=np.int8)
        codes = of_mark[mark]
    if most_failed_checkpoints is not None and checks is not None:
        n_failed = count_failed(checks)
        failed = n_failed[n_failed > most_failed_checkpoints].index
        member = pd.MultiIndex.from_frame(ratings[["group", "annotator"]].astype(str))
        codes[member.isin(failed) & (codes == 0)] = names.index(FAILED_CHECKPOINT)
    return pd.Series(make_categories(codes, names), index=ratings.index, name="reason")


def count_left_out(ledger: pd.DataFrame) -> dict[str, int]:
    """Count the annotators without any rating in the scores, each once, by reason.

    `ledger` has annotator and reason, as in `Outcome.ledger`. An annotator with several reasons,
    such as in several questionnaires, counts under the one of most of their ratings; of ties, the
    first category.

    >>> ledger = pd.DataFrame({"annotator": list("AABBBC"), "reason": pd.Categorical(
    ...     ["", "withdrawn", "replaced", "withdrawn", "withdrawn", ""])})
    >>> count_left_out(ledger)
    {'withdrawn': 1}
    """
    annotator, names = index_names(ledger["annotator"])
    reasons = list(ledger["reason"].cat.categories)
    cell = annotator.astype(np.int64) * len(reasons) + get_codes(ledger["reason"])
    n_ratings = np.bincount(cell, minlength=len(names) * len(reasons)).reshape(-1, len(reasons))
    is_used = n_ratings[:, reasons.index(COUNTED)] > 0
    of_each = n_ratings[~is_used].argmax(axis=1)
    counts = np.bincount(of_each, minlength=len(reasons))
    return {str(reason): int(n) for reason, n in zip(reasons, counts, strict=True) if n}


def count_failed(checks: pd.DataFrame) -> pd.Series:
    """Count the checkpoint items that each annotator of each group failed.

    Parameters
    ----------
    checks : DataFrame, shape (n_answers, 5 or more)
        Answers to items of known similarity: group, annotator, rating (a missing one fails),
        lowest and highest: the range of ratings that pass, ends included.

    Returns
    -------
    Series of int, index group and annotator as text

    Raises
    ------
    RatingsError
        A column is missing, or an end is not a number.

    Examples
    --------
    >>> checks = pd.DataFrame({"group": "1", "annotator": ["A", "B"], "rating": [6, 2],
    ...                        "lowest": 5, "highest": 6})
    >>> count_failed(checks).to_dict()
    {('1', 'A'): 0, ('1', 'B'): 1}
    """
    if missing := [column for column in CHECK_COLUMNS if column not in checks]:
        raise RatingsError(f"the checkpoint answers have no column {', '.join(missing)}")
    numbers = checks[["rating", "lowest", "highest"]].apply(pd.to_numeric, errors="coerce")
    is_open = numbers[["lowest", "highest"]].isna().any(axis="columns")
    if is_open.any():
        rows = name_some([f"row {row + 1}" for row in np.flatnonzero(is_open)])
        raise RatingsError(f"checkpoint answers without a lowest or highest rating: {rows}")
    passed = numbers["rating"].between(numbers["lowest"], numbers["highest"])
    keys = [checks["group"].astype(str), checks["annotator"].astype(str)]
    n_failed: pd.Series = (~passed).groupby(keys).sum().astype(int)
    return n_failed
