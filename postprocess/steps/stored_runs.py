"""Stored outcomes: the ledger as Parquet for searching, and restoring for comparison."""

import csv
import io
from collections.abc import Hashable
from typing import BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as arrow_parquet

from postprocess.formats.tabular import read_cell
from postprocess.steps.ledger import number_single
from postprocess.steps.post_process import Outcome
from postprocess.steps.recipe import Recipe

ROWS_A_GROUP = 50_000  # read at once to find the ratings of one pair
Filters = dict[str, str | int]
NAMES: dict[Hashable, type[str]] = dict.fromkeys(
    ("group", "annotator", "decision", "reason", "explanation", "note"), str
)


def write_ledger(outcome: Outcome) -> bytes:
    """Return the ledger of an outcome as a Parquet file, with the columns of `Outcome`."""
    out = io.BytesIO()
    table = pa.Table.from_pandas(outcome.ledger, preserve_index=False)
    arrow_parquet.write_table(
        table.replace_schema_metadata(None), out, compression="zstd", row_group_size=ROWS_A_GROUP
    )
    return out.getvalue()


def read_ledger(data: bytes) -> pd.DataFrame:
    """Read the ledger from a file of `write_ledger`."""
    ledger: pd.DataFrame = arrow_parquet.read_table(io.BytesIO(data)).to_pandas()
    return ledger


def read_pair(file: BinaryIO, pair: int) -> pd.DataFrame:
    """Read one pair's ratings from a file by `write_ledger`, skipping the other pairs.

    Returns the rows in the order of the ledger; none for a pair that does not exist.
    """
    rows = arrow_parquet.read_table(file, filters=[("pair", "=", pair)])
    ratings: pd.DataFrame = rows.to_pandas()
    return ratings


def read_scores(data: bytes) -> pd.DataFrame:
    """Read `scores.tsv` of a stored run; the index is pair."""
    return number_single(_read_figures(data)).set_index("pair")


def read_intervals(data: bytes) -> pd.DataFrame:
    """Read `intervals.tsv` of a stored run; the index is pair."""
    return number_single(_read_figures(data)).set_index("pair")


def search_ledger(
    data: bytes, filters: Filters, *, start: int = 0, n_rows: int = 100
) -> tuple[pd.DataFrame, int]:
    """Return rows of a stored ledger that match filters.

    Parameters
    ----------
    data : bytes
        A file of `write_ledger`.
    filters : dict
        Column → required value: pair and context as numbers, the others as text; "reason" may be
        "*", for every rating that was left out.
    start, n_rows : int
        The page of matching rows to return.

    Returns
    -------
    (DataFrame, int)
        The rows in the order of the ledger, and the number of all matching rows.
    """
    file = arrow_parquet.ParquetFile(io.BytesIO(data))
    places = _find_rows(file, filters)
    chosen = places[start : start + n_rows]
    rows: pd.DataFrame = _take(file, chosen).to_pandas()
    return rows, len(places)


def _find_rows(
    file: arrow_parquet.ParquetFile, filters: Filters
) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    """Return the indices of matching rows, reading only the filtered columns."""
    keep = np.ones(file.metadata.num_rows, dtype=bool)
    table = file.read(columns=list(filters))
    for name, value in filters.items():
        keep &= np.concatenate([_match(chunk, value) for chunk in table[name].chunks] or [keep])
    return np.flatnonzero(keep)


def _match(values: pa.Array, wanted: str | int) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Return which values are those wanted; "*" matches all that are not empty."""
    if pa.types.is_dictionary(values.type):  # each different value is compared once
        of_values = pa.array(_match(values.dictionary, wanted))
        matches = of_values.take(values.indices)
    else:
        matches = pc.not_equal(values, "") if wanted == "*" else pc.equal(values, wanted)
    return np.asarray(matches.fill_null(False), dtype=bool)


def _take(
    file: arrow_parquet.ParquetFile, places: "np.ndarray[tuple[int], np.dtype[np.intp]]"
) -> pa.Table:
    """Return the rows at ascending places; only the row groups that have them are read."""
    sizes = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
    ends = np.cumsum([0, *sizes])
    groups = np.unique(np.searchsorted(ends, places, side="right") - 1)
    begins = np.concatenate([np.arange(ends[n], ends[n + 1]) for n in groups] or [places])
    return file.read_row_groups(groups.tolist()).take(np.searchsorted(begins, places))


def restore_outcome(recipe: Recipe, ledger: bytes, scores: bytes, annotators: bytes) -> Outcome:
    """Restore an outcome from its stored ledger, `scores.tsv` and `annotators.tsv`."""
    return Outcome(
        recipe,
        read_ledger(ledger),
        _read_figures(annotators),
        read_scores(scores),
        groups_given=True,
    )


def _read_figures(data: bytes) -> pd.DataFrame:
    table: pd.DataFrame = pd.read_csv(
        io.BytesIO(data),
        sep="\t",
        quoting=csv.QUOTE_NONE,
        dtype=NAMES,
        keep_default_na=False,
        na_values=[""],
    )
    named = [name for name in NAMES if name in table]
    table = table.fillna(dict.fromkeys(named, ""))
    return table.assign(**{str(name): table[name].map(read_cell) for name in named})
