"""Columns of Arrow tables as arrays, on all cores, names numbered in their order."""

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from postprocess.numbering import Integers
from postprocess.parts import on_all_cores
from postprocess.ratings import make_categories, smallest_codes
from postprocess.shortnames import number_short


def as_array(column: pa.ChunkedArray) -> "NDArray[Any] | pd.Categorical[Any]":
    """A column in one piece.

    Returns
    -------
    array or Categorical, shape (n_rows,)
        Names as categories in their order, of which some may not occur, -1 for a missing one;
        other columns as Arrow converts them, NaN for a missing number.

    Examples
    --------
    >>> as_array(pa.chunked_array([["b", "a"], ["b"]])).codes.tolist()
    [1, 0, 1]
    """
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        short = number_short(column)
        return _number_dictionaries(_encode(column)) if short is None else make_categories(*short)
    if pa.types.is_dictionary(column.type):
        return _number_dictionaries(column)
    if pa.types.is_integer(column.type) and not column.null_count:
        dtype = np.dtype(column.type.to_pandas_dtype())
        return _join(column, dtype, lambda number: column.chunk(number).to_numpy())
    return np.asarray(column.to_numpy())


def _join(
    column: pa.ChunkedArray, dtype: np.dtype[Any], make: Callable[[int], Integers]
) -> Integers:
    """What is made of each chunk of a column, by its number, one after another in an array."""
    ends = list(accumulate(map(len, column.chunks), initial=0))
    joined = np.empty(ends[-1], dtype=dtype)

    def put(number: int) -> None:
        joined[ends[number] : ends[number + 1]] = make(number)

    on_all_cores(put, range(len(column.chunks)))
    return joined


def _encode(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The numbers of texts, in as many parts as there are cores, each with its dictionary."""
    size = -(-len(column) // max(1, pa.cpu_count())) or 1
    parts = [column.slice(start, size) for start in range(0, len(column), size)]
    chunks = on_all_cores(lambda part: part.dictionary_encode().combine_chunks(), parts)
    return pa.chunked_array(chunks, type=pa.dictionary(pa.int32(), column.type))


def _number_dictionaries(column: pa.ChunkedArray) -> "pd.Categorical[Any]":
    """Numbered names, each chunk of which has a dictionary of its own."""
    texts = [_as_texts(chunk.dictionary) for chunk in column.chunks]
    every = pa.chunked_array(texts, type=pa.large_string()).unique().drop_null()
    names = every.take(pc.array_sort_indices(every))
    numbers = [_find(text, names) for text in texts]

    def number(chunk: int) -> Integers:
        indices = column.chunk(chunk).indices
        codes = (indices.fill_null(-1) if indices.null_count else indices).to_numpy()
        found: Integers = numbers[chunk][codes]
        return found

    return make_categories(_join(column, smallest_codes(len(names)), number), names.to_pandas())


def _as_texts(names: pa.Array) -> pa.Array:
    if pa.types.is_string(names.type) or pa.types.is_large_string(names.type):
        return names.cast(pa.large_string())
    texts = [None if name is None else str(name) for name in names.to_pylist()]
    return pa.array(texts, type=pa.large_string())


def _find(texts: pa.Array, names: pa.Array) -> Integers:
    """The place of each text among the names, -1 for null; and -1 behind them all."""
    places = pc.index_in(texts, value_set=names, skip_nulls=True).fill_null(-1)
    return np.append(places.to_numpy(), -1)
