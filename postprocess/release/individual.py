"""Individual ratings for publication: no names, no withdrawn ratings, words only by consent."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from postprocess.designs.kinds import KINDS
from postprocess.formats.reading import load_columns
from postprocess.formats.tabular import write_cell
from postprocess.release.pseudonyms import make_pseudonyms
from postprocess.steps.exclusion import CHECK_COLUMNS
from postprocess.steps.rehearsal import SCRIPTED
from postprocess.table.details import BEFORE, DECISION, LOOKS, PLACE, RELEASED
from postprocess.table.ratings import RatingsError, index_names
from postprocess.table.rendering import render_table, write_parquet

WRITTEN = tuple(dict.fromkeys(kind.written for kind in KINDS.values()))  # names by kind
WORDS = tuple(name for names in WRITTEN for name in names)
SECOND_LOOK = "second_look.tsv"
PUBLISHED_CHECKS = ("checkpoint", *CHECK_COLUMNS)
WITHDRAWN = "withdrawn"
SCHEMA = {
    "language": pa.string(),
    "pair": pa.int32(),
    "context": pa.int8(),
    "annotator": pa.string(),
    "rating": pa.float64(),
    "group": pa.string(),
    "mark": pa.string(),
    **dict.fromkeys(RELEASED, pa.string()),
    BEFORE: pa.float64(),
    **dict.fromkeys(WORDS, pa.string()),
    SCRIPTED: pa.bool_(),
}


@dataclass(frozen=True)
class Individual:
    """The answers of single annotators, with the ids of a release.

    `ratings`: see `check_ratings`; with the layout of the scale if it is known, and the words if
    they are published; `checks`: see `count_failed`, or None; `decisions`: see `post_process`.
    """

    ratings: pd.DataFrame
    checks: pd.DataFrame | None
    decisions: pd.DataFrame | None = None

    @property
    def scripted(self) -> frozenset[str]:
        """The ids of the annotators that are scripts."""
        if SCRIPTED not in self.ratings:
            return frozenset()
        return frozenset(self.ratings.loc[self.ratings[SCRIPTED], "annotator"].astype(str))

    def renumbered(self, order: Sequence[int]) -> "Individual":
        """Return the answers with new numbers of the pairs, whose rows are given in their order."""
        number = np.empty(len(order) + 1, dtype=np.int32)
        number[np.array(order) + 1] = np.arange(1, len(number))

        def renumber(table: pd.DataFrame) -> pd.DataFrame:
            renumbered = table.assign(pair=number[table["pair"]])
            return renumbered.sort_values([*PLACE], ignore_index=True)

        decisions = None if self.decisions is None else renumber(self.decisions)
        return replace(self, ratings=renumber(self.ratings), decisions=decisions)

    def render(self, language: str, tag: str) -> dict[str, bytes]:
        """Return the files of the ratings and of the answers to checkpoint items."""
        files = {
            f"ratings_{tag}.tsv": render_ratings(self.ratings, language).encode(),
            f"ratings_{tag}.parquet": write_ratings_parquet(self.ratings, language),
        }
        if self.checks is not None:
            files[f"checkpoints_{tag}.csv"] = render_checks(self.checks, language).encode()
        if self.decisions is not None:
            decided = render_ratings(self.decisions, language)
            files[name_decisions(tag)] = decided.encode()
        return files


def name_decisions(tag: str) -> str:
    """Return the path of the file of the decisions on items without a majority."""
    return f"adjudicated_{tag}.tsv"


def load_words(path: Path) -> pd.DataFrame | None:
    """Return the words that annotators wrote, of a ratings file; None if it has no such columns.

    The columns are pair, context (as integers), annotator, inspired_word1 and inspired_word2 (or
    written1 and written2), as text. Raises RatingsError if one of the last two is missing or a pair
    or context is not a number, OSError if the file cannot be read.
    """
    table = load_columns(path, (*PLACE, *WORDS))
    given = [column for column in WORDS if column in table]
    if not given:
        return None
    columns = [*PLACE, *next(names for names in WRITTEN if given[0] in names)]
    if missing := [column for column in columns if column not in table]:
        raise RatingsError(f"{path} has a column {given[0]}, but no column {', '.join(missing)}")
    words = table[columns]
    places = {name: pd.to_numeric(words[name], errors="coerce") for name in PLACE[:2]}
    if any(place.isna().any() for place in places.values()):
        raise RatingsError(f"{path} has words without a pair or context")
    return words.assign(**{name: place.astype(int) for name, place in places.items()})


def publish_individual(
    ratings: pd.DataFrame, checks: pd.DataFrame | None, words: pd.DataFrame | None, key: str
) -> Individual:
    """Drop withdrawn answers, join what annotators wrote, and replace names by ids.

    `ratings` are those of `check_ratings`, `checks` answers to checkpoint items as in
    `count_failed`. `words` are those that may be published, as `load_words` returns them; words of
    unpublished ratings are dropped. `key` decides the ids, see `make_pseudonyms`. Rows are ordered
    by pair, context and id, so that the order reveals nothing of the names.

    Raises
    ------
    RatingsError
        No rating is left, or an annotator has two answers to a context among the words.
    ReleaseError
        The key is too short.
    """
    kept, left_checks = _drop_withdrawn(ratings, checks)
    if kept.empty:
        raise RatingsError("every rating was withdrawn; there is nothing to release")
    if words is not None:
        kept = join_words(kept, words)
    names = [table["annotator"].astype(str) for table in (kept, left_checks) if table is not None]
    ids = make_pseudonyms(pd.concat(names).unique(), key)
    renamed = _rename(kept, ids).sort_values(list(PLACE), ignore_index=True)
    if left_checks is None:
        return Individual(renamed, None)
    return Individual(renamed, _publish_checks(_rename(left_checks, ids)))


def render_ratings(ratings: pd.DataFrame, language: str) -> str:
    """Return the text of `ratings_<lang>.tsv`; no spreadsheet reads its words as formulas."""
    table = ratings[[column for column in SCHEMA if column in ratings]]
    safe = {column: table[column].map(write_word) for column in WORDS if column in table}
    if SCRIPTED in table:
        safe[SCRIPTED] = table[SCRIPTED].map({True: "true", False: "false"})
    table = table.assign(**safe)
    table.insert(0, "language", language)
    return render_table(table)


def render_second_look(ratings: pd.DataFrame) -> dict[str, bytes]:
    """Return the file of the ratings that were shown again, if there was a second look."""
    if DECISION not in ratings:
        return {}
    shown = ratings[ratings[DECISION].notna()].astype({"n_others": int})
    table = shown[["pair", "annotator", *LOOKS, "rating", DECISION]]
    named = table.rename(columns={BEFORE: "before", "rating": "after"})
    return {SECOND_LOOK: render_table(named).encode()}


def write_ratings_parquet(ratings: pd.DataFrame, language: str) -> bytes:
    """Return the content of `ratings_<lang>.parquet`: the same columns, words unchanged."""
    columns: dict[str, object] = {"language": np.full(len(ratings), language, dtype=object)}
    columns |= {name: ratings[name].to_numpy() for name in SCHEMA if name in ratings}
    columns["annotator"] = ratings["annotator"].astype(str).to_numpy(dtype=object)
    return write_parquet(columns, {name: SCHEMA[name] for name in columns})


def render_checks(checks: pd.DataFrame, language: str) -> str:
    """Return the text of `checkpoints_<lang>.csv`, comma separated, for `load_checks`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("language", *checks.columns))
    columns = [checks[name] for name in checks]
    writer.writerows(
        (language, *(write_cell(_as_text(cell)) for cell in row))
        for row in zip(*columns, strict=True)
    )
    return out.getvalue()


def write_word(word: str) -> str:
    """Return a word on one line.

    >>> write_word(" sea  ice")
    'sea ice'
    """
    return " ".join(word.split())


def find_withdrawn(ratings: pd.DataFrame) -> NDArray[np.bool_]:
    """Return whether each rating was withdrawn."""
    if "mark" not in ratings:
        return np.zeros(len(ratings), dtype=bool)
    return (ratings["mark"] == WITHDRAWN).to_numpy(dtype=bool)


def _drop_withdrawn(
    ratings: pd.DataFrame, checks: pd.DataFrame | None
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Drop withdrawn ratings, and the checkpoint answers of the annotators who gave them."""
    is_withdrawn = find_withdrawn(ratings)
    if not is_withdrawn.any():
        return ratings, checks
    remaining = ratings[~is_withdrawn]
    if checks is None:
        return remaining, None
    gone = set(ratings.loc[is_withdrawn, "annotator"].astype(str))
    return remaining, checks[~checks["annotator"].astype(str).isin(gone)]


def join_words(ratings: pd.DataFrame, words: pd.DataFrame) -> pd.DataFrame:
    """Add the words that annotators wrote as further columns, "" where there are none.

    Raises RatingsError if an annotator has two answers to a context among the words.
    """
    if words.duplicated(list(PLACE)).any():
        raise RatingsError("an annotator has two engagement answers to the same context")
    written = [name for name in WORDS if name in words]
    named = words.assign(annotator=words["annotator"].astype(str))[[*PLACE, *written]]
    joined = ratings.assign(annotator=ratings["annotator"].astype(str)).merge(
        named, how="left", on=list(PLACE), validate="one_to_one"
    )
    return joined.assign(**{name: joined[name].fillna("").astype(object) for name in written})


def _rename(table: pd.DataFrame, ids: Mapping[str, str]) -> pd.DataFrame:
    codes, names = index_names(table["annotator"].astype(str))
    return table.assign(annotator=np.array([ids[name] for name in names], dtype=object)[codes])


def _publish_checks(checks: pd.DataFrame) -> pd.DataFrame:
    columns: Sequence[str] = [name for name in PUBLISHED_CHECKS if name in checks]
    first = [name for name in ("group", "annotator", "checkpoint") if name in columns]
    return checks[list(columns)].sort_values(first, ignore_index=True)


def _as_text(entry: object) -> str:
    if isinstance(entry, float):
        text = f"{entry:g}"
        return "" if text == "nan" else text
    return str(entry)
