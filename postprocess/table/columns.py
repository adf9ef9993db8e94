"""Columns of Arrow tables as arrays: read part by part, then joined."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from postprocess.table.name_codes import ShortNames, number_words, read_words, smallest_codes, spell
from postprocess.table.parallel import as_places, on_all_cores
from postprocess.table.ratings import make_categories
from postprocess.types import Integers


class Names(NamedTuple):
    """A column of names: for each row a position in `names`, -1 for a missing one."""

    codes: Integers
    names: pa.LargeStringArray


Part = NDArray[Any] | Names | ShortNames


def as_part(column: pa.ChunkedArray) -> Part:
    """Convert a column of a part of a file from Arrow.

    Returns
    -------
    array, Names or ShortNames, shape (n_rows,)
        The names may include unused ones; other columns are as Arrow converts them, with NaN for
        a missing number.

    Examples
    --------
    >>> as_part(pa.chunked_array([[1, 2], [3]])).tolist()
    [1, 2, 3]
    """
    if _is_text(column.type):
        short = read_words(column)
        if short is not None:
            return short
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        whole = column.unify_dictionaries().combine_chunks()
        indices = whole.indices.fill_null(-1) if whole.indices.null_count else whole.indices
        return Names(indices.to_numpy(), _as_texts(whole.dictionary))
    return np.asarray(column.to_numpy())


def join_parts(parts: Sequence[Part]) -> "NDArray[Any] | pd.Categorical[Any]":
    """Concatenate the parts of one column.

    Returns
    -------
    array or Categorical, shape (n_rows,)
        In the smallest type that holds all values; names as sorted categories.

    Examples
    --------
    >>> a, b = (as_part(pa.chunked_array([names])) for names in (["b", "a"], ["c"]))
    >>> join_parts([a, b]).codes.tolist()
    [1, 0, 2]
    """
    named = [part for part in parts if not isinstance(part, np.ndarray)]
    if not named:
        numbers = [part for part in parts if isinstance(part, np.ndarray)]
        return _join(numbers, np.result_type(*numbers), numbers.__getitem__)
    short = [part for part in named if isinstance(part, ShortNames)]
    numbered = number_words(short) if len(short) == len(named) else None
    if numbered is None:
        numbered = _join_names([_number(p) if isinstance(p, ShortNames) else p for p in named])
    codes, names = numbered
    return make_categories(codes, names.to_pandas())


def _join_names(parts: Sequence[Names]) -> tuple[Integers, pa.LargeStringArray]:
    """Return the position of each name among the sorted names, -1 for a missing one."""
    texts = pa.chunked_array([part.names for part in parts], type=pa.large_string())
    short = read_words(texts)
    places, names = (short and number_words([short])) or _number_texts(texts)
    ends = accumulate((len(part.names) for part in parts), initial=0)
    of_part = [np.append(places[start:end], -1) for start, end in pairwise(ends)]  # -1 stays -1
    codes = [part.codes for part in parts]
    return _join(
        codes, smallest_codes(len(names)), lambda n: of_part[n][as_places(codes[n])]
    ), names


def _join(
    parts: Sequence[NDArray[Any]], dtype: np.dtype[Any], make: Callable[[int], NDArray[Any]]
) -> NDArray[Any]:
    """Concatenate in one array what `make` returns for the number of each part."""
    ends = list(accumulate(map(len, parts), initial=0))
    joined = np.empty(ends[-1], dtype=dtype)

    def fill(number: int) -> None:
        joined[ends[number] : ends[number + 1]] = make(number)

    on_all_cores(fill, range(len(parts)))
    return joined


def _number(part: ShortNames) -> Names:
    encoded = spell(part.words).dictionary_encode()
    return Names(encoded.indices.to_numpy(), encoded.dictionary)


def _number_texts(texts: pa.ChunkedArray) -> tuple[Integers, pa.LargeStringArray]:
    """Return the position of each text among the sorted texts, -1 for null, and these."""
    every = texts.unique().drop_null()
    names = every.take(pc.array_sort_indices(every))
    places = pc.index_in(texts, value_set=names, skip_nulls=True).fill_null(-1)
    return places.to_numpy(), names


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _as_texts(names: pa.Array) -> pa.LargeStringArray:
    if _is_text(names.type):
        return names.cast(pa.large_string())
    texts = [None if name is None else str(name) for name in names.to_pylist()]
    return pa.array(texts, type=pa.large_string())
