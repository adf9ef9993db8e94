"""Ratings by scripts instead of people: read from a ratings file, and marked in all output."""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from postprocess.formats.reading import has_column, load_columns

SCRIPTED = "is_scripted"  # the column of a ratings file
TRUE = {"true", "yes", "1"}


def load_scripted(path: Path) -> frozenset[str]:
    """Return the annotators that a ratings file marks as scripts in its column `is_scripted`.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    if not has_column(path, SCRIPTED):
        return frozenset()
    table = load_columns(path, ("annotator", SCRIPTED))
    is_scripted = table[SCRIPTED].str.strip().str.casefold().isin(TRUE)
    return frozenset(table.loc[is_scripted, "annotator"])


def count_scripted(ratings: pd.DataFrame, scripted: Collection[str]) -> dict[str, int]:
    """Count the ratings by scripts and the scripted annotators, for the report.

    Examples
    --------
    >>> count_scripted(pd.DataFrame({"annotator": ["A", "A", "B"]}), {"A", "C"})
    {'annotators_scripted': 1, 'ratings_scripted': 2}
    """
    if not scripted:
        return {"annotators_scripted": 0, "ratings_scripted": 0}
    by_scripts = ratings["annotator"].astype(str)[ratings["annotator"].isin(list(scripted))]
    return {"annotators_scripted": by_scripts.nunique(), "ratings_scripted": len(by_scripts)}


def warn_of_scripts(counts: dict[str, int]) -> str:
    """Return the warning for a report with these `counts`; "" if no script rated."""
    if not counts.get("ratings_scripted"):
        return ""
    return (
        f"This is a rehearsal, not a dataset of human judgements: {counts['ratings_scripted']} of "
        f"its {counts['ratings']} ratings, by {counts['annotators_scripted']} of its "
        f"{counts['annotators']} annotators, are by scripts. Do not use, cite or publish its "
        "scores."
    )
