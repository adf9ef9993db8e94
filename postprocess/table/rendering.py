"""Writing tables of any length as tab-separated text, and as Parquet."""

import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as arrow_parquet

from postprocess.formats.tabular import write_cell
from postprocess.table.ratings import get_codes, make_categories
from postprocess.types import Integers

ROWS_AT_ONCE = 1 << 20


def render_table(table: pd.DataFrame) -> str:
    r"""Write a table as tab-separated text with a header; fields have no tab or line break.

    Floats have up to 12 significant digits without trailing zeros; NaN and None are empty. Texts
    that a spreadsheet would take for a formula are escaped; see `write_cell`.

    Examples
    --------
    >>> render_table(pd.DataFrame({"n": [1, 2], "sim": [3.0, 0.1 + 0.2]})).splitlines()
    ['n\tsim', '1\t3', '2\t0.3']
    """
    columns = [_as_texts(table[name]) for name in table]
    return "".join(["\t".join(map(str, table.columns)) + "\n", *_lines(columns, len(table))])


def write_parquet(columns: Mapping[str, object], types: Mapping[str, pa.DataType]) -> bytes:
    """Return a table as a Parquet file, NaN as null; the same columns give the same bytes."""
    arrays = [pa.array(columns[name], type=kind, from_pandas=True) for name, kind in types.items()]
    out = io.BytesIO()
    arrow_parquet.write_table(pa.table(arrays, names=list(types)), out, compression="zstd")
    return out.getvalue()


def write_figures(figures: pd.Series) -> "pd.Categorical[Any]":
    """Write numbers with up to 12 significant digits without trailing zeros; NaN stays NaN.

    >>> write_figures(pd.Series([3.0, 0.1 + 0.2, float("nan")])).tolist()
    ['3', '0.3', nan]
    """
    codes, distinct = pd.factorize(figures.to_numpy(dtype=float))
    return name_codes(codes, [f"{figure:.12g}" for figure in distinct])


def name_codes(codes: Integers, names: list[str]) -> "pd.Categorical[Any]":
    """Return a column of names by their codes, -1 for missing; names may be repeated.

    >>> name_codes(np.array([0, 1, 2, -1]), ["a", "b", "a"]).tolist()
    ['a', 'b', 'a', nan]
    """
    number, distinct = pd.factorize(np.array(names, dtype=object))
    return make_categories(np.append(number, -1)[codes], distinct.tolist())


def _as_texts(column: pd.Series) -> pa.Array:
    """Return the fields of a column as text, dictionary-encoded where that is shorter."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = get_codes(column)
        names = pa.array([write_cell(str(name)) for name in column.cat.categories], pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), names)
    if pd.api.types.is_float_dtype(column):
        return _as_texts(pd.Series(write_figures(column)))
    if pd.api.types.is_integer_dtype(column):
        return pa.array(column.to_numpy())
    codes, names = pd.factorize(column)
    return _as_texts(pd.Series(name_codes(codes, [str(name) for name in names])))


def _lines(columns: list[pa.Array], n_rows: int) -> Iterator[str]:
    """Yield the text of many rows at a time."""
    for start in range(0, n_rows, ROWS_AT_ONCE):
        fields = [column.slice(start, ROWS_AT_ONCE).cast(pa.string()) for column in columns]
        lines = pc.binary_join_element_wise(
            *fields, "\t", null_handling="replace", null_replacement=""
        )
        together = pa.ListArray.from_arrays([0, len(lines)], lines)
        yield pc.binary_join(together, "\n")[0].as_py() + "\n"
