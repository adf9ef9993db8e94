"""Outcomes that were kept: their ledger as Parquet, to be searched, and compared with others."""

import csv
import io
from collections.abc import Hashable

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as arrow_parquet

from postprocess.formats.cells import read_cell
from postprocess.steps.post_process import Outcome
from postprocess.steps.recipe import Recipe

Filters = dict[str, str | int]
NAMES: dict[Hashable, type[str]] = dict.fromkeys(
    ("group", "annotator", "decision", "reason", "explanation"), str
)


def write_ledger(outcome: Outcome) -> bytes:
    """The ledger of an outcome as a Parquet file, its columns as `Outcome` has them."""
    out = io.BytesIO()
    table = pa.Table.from_pandas(outcome.ledger, preserve_index=False)
    arrow_parquet.write_table(table.replace_schema_metadata(None), out, compression="zstd")
    return out.getvalue()


def read_ledger(data: bytes) -> pd.DataFrame:
    """The ledger in a file of `write_ledger`."""
    ledger: pd.DataFrame = arrow_parquet.read_table(io.BytesIO(data)).to_pandas()
    return ledger


def search_ledger(
    data: bytes, filters: Filters, *, start: int = 0, n_rows: int = 100
) -> tuple[pd.DataFrame, int]:
    """Some rows of a kept ledger.

    Parameters
    ----------
    data : bytes
        A file of `write_ledger`.
    filters : dict
        Column → the value that a row must have: pair and context as numbers, the others as text;
        "reason" may be "*", for every row that was left out.
    start, n_rows : int
        Which of the rows that were found are wanted.

    Returns
    -------
    (DataFrame, int)
        The rows wanted, in the order of the ledger; and how many were found.
    """
    table = arrow_parquet.read_table(io.BytesIO(data))
    for name, value in filters.items():
        column = table[name]
        if pa.types.is_dictionary(column.type):
            column = column.cast(pa.string())
        keep = pc.not_equal(column, "") if value == "*" else pc.equal(column, value)
        table = table.filter(keep)
    rows: pd.DataFrame = table.slice(start, n_rows).to_pandas()
    return rows, table.num_rows


def restore_outcome(recipe: Recipe, ledger: bytes, scores: bytes, annotators: bytes) -> Outcome:
    """An outcome from what was kept of it: its ledger, `scores.tsv` and `annotators.tsv`."""
    return Outcome(
        recipe,
        read_ledger(ledger),
        _read_figures(annotators),
        _read_figures(scores).set_index("pair"),
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
