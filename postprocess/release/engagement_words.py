"""Reading engagement words, the two words written before rating, from a ratings file."""

from pathlib import Path

import pandas as pd

from postprocess.formats.reading import load_columns
from postprocess.release.individual import WORDS
from postprocess.table.details import PLACE
from postprocess.table.ratings import RatingsError


def load_words(path: Path) -> pd.DataFrame | None:
    """Return the engagement words of a ratings file; None if it has no such columns.

    The columns are pair, context (as integers), annotator, inspired_word1 and inspired_word2, as
    text. Raises RatingsError if one of the last two is missing or a pair or context is not a
    number, OSError if the file cannot be read.
    """
    table = load_columns(path, (*PLACE, *WORDS))
    given = [column for column in WORDS if column in table]
    if not given:
        return None
    if missing := [column for column in (*PLACE, *WORDS) if column not in table]:
        raise RatingsError(f"{path} has a column {given[0]}, but no column {', '.join(missing)}")
    words = table[[*PLACE, *WORDS]]
    places = {name: pd.to_numeric(words[name], errors="coerce") for name in PLACE[:2]}
    if any(place.isna().any() for place in places.values()):
        raise RatingsError(f"{path} has words without a pair or context")
    return words.assign(**{name: place.astype(int) for name, place in places.items()})
