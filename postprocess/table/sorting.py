"""Sorting tables by packing each row into one integer, if it fits."""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postprocess.table.parallel import AT_ONCE, fill_parts, in_parts, on_all_cores
from postprocess.types import Integers

MOST_BITS = 63  # of a non-negative 64-bit integer
Packed = NDArray[np.int64]


class _Field(NamedTuple):
    """Whole numbers with their minimum and the number of bits of their range."""

    numbers: Integers
    least: int
    n_bits: int


def sort_rows(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame | None:
    """Sort rows by columns of whole numbers or categories; return None if two rows have equal keys.

    Sorting packed rows is several times faster than an argsort followed by taking each column.

    Returns
    -------
    DataFrame, shape (n_rows, n_columns), or None
        With a fresh index. Categories sort by their position.

    Examples
    --------
    >>> table = pd.DataFrame({"pair": [2, 1], "rating": [0, 6]})
    >>> sort_rows(table, ["pair"]).to_dict("list")
    {'pair': [1, 2], 'rating': [6, 0]}
    """
    keys = [_as_field(table[name]) for name in by]
    others = [name for name in table.columns.astype(str) if name not in by]
    if all(_is_whole(table[name]) for name in others):
        rest = [_as_field(table[name]) for name in others]
        if _n_bits([*keys, *rest]) <= MOST_BITS:
            return _sort_packed(table, [*by, *others], [*keys, *rest], len(by))
    order = _find_order(keys)
    ordered = [field.numbers[order] for field in keys]
    same = [numbers[1:] == numbers[:-1] for numbers in ordered]
    if np.logical_and.reduce(same).any():
        return None
    return table.take(order).reset_index(drop=True)


def _sort_packed(
    table: pd.DataFrame, names: Sequence[str], fields: Sequence[_Field], n_keys: int
) -> pd.DataFrame | None:
    packed = _pack(fields)
    n_others = _n_bits(fields[n_keys:])
    if not _ascends(packed, n_others):
        _sort(packed)
        if not _ascends(packed, n_others):
            return None
        fields = _unpack(packed, fields)
    columns = {
        name: as_column(field.numbers, table[name])
        for name, field in zip(names, fields, strict=True)
    }
    return pd.DataFrame(columns, columns=table.columns, copy=False)


def _find_order(keys: Sequence[_Field]) -> NDArray[np.int64]:
    """Return the order of ascending keys; sorting packed keys is faster than an argsort."""
    n_rows = len(keys[0].numbers)
    row = _Field(np.arange(n_rows), 0, max(n_rows - 1, 0).bit_length())
    if _n_bits([*keys, row]) > MOST_BITS:
        return np.lexsort([field.numbers for field in reversed(keys)])
    packed = _pack([*keys, row])
    _sort(packed)
    packed &= (1 << row.n_bits) - 1
    return packed


def _pack(fields: Sequence[_Field]) -> Packed:
    """Pack the fields of each row into one number, the first field in the highest bits."""
    start = 0
    for _, least, n_bits in fields:
        start = (start << n_bits) + least

    def pack(rows: slice) -> Packed:
        part = fields[0].numbers[rows].astype(np.int64)
        for numbers, _, n_bits in fields[1:]:
            part <<= n_bits
            part += numbers[rows].astype(np.int64)
        part -= start
        return part

    return fill_parts(np.empty(len(fields[0].numbers), dtype=np.int64), pack)


def _sort(packed: Packed) -> None:
    """Sort numbers in place, one partition per core."""
    size = max(AT_ONCE, -(-len(packed) // (os.cpu_count() or 1)))
    starts = range(0, len(packed), size)
    if len(starts) > 1:
        packed.partition(starts[1:])
    on_all_cores(lambda start: packed[start : start + size].sort(), starts)


def _unpack(packed: Packed, fields: Sequence[_Field]) -> list[_Field]:
    """Return the fields of packed rows in their original types."""
    unpacked = [field._replace(numbers=np.empty_like(field.numbers)) for field in fields]

    def unpack(rows: slice) -> None:
        part = packed[rows].copy()
        for numbers, least, n_bits in reversed(unpacked):
            field = part & ((1 << n_bits) - 1)
            field += least
            numbers[rows] = field
            part >>= n_bits

    in_parts(len(packed), unpack)
    return unpacked


def _ascends(packed: Packed, n_others: int) -> bool:
    """Return whether numbers strictly increase, ignoring their lowest bits."""

    def ascends(rows: slice) -> bool:
        keys = packed[rows.start : rows.stop + 1] >> n_others
        return bool((keys[1:] > keys[:-1]).all())

    return ascends(slice(0, AT_ONCE)) and all(in_parts(len(packed), ascends))


def _as_field(column: pd.Series) -> _Field:
    numbers = as_numbers(column)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _Field(numbers, 0, len(column.cat.categories).bit_length())
    least = int(numbers.min())
    return _Field(numbers, least, (int(numbers.max()) - least).bit_length())


def _is_whole(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype) or column.dtype.kind == "i"


def _n_bits(fields: Sequence[_Field]) -> int:
    return sum(field.n_bits for field in fields)


def as_numbers(column: pd.Series) -> Integers:
    """Return a column of whole numbers, or the codes of its categories."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy()
    return column.to_numpy()


def as_column(numbers: Integers, column: pd.Series) -> "Integers | pd.Categorical[Any]":
    """Return numbers, or category codes, in the type of a column."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return pd.Categorical.from_codes(numbers, dtype=column.dtype, validate=False)
    return numbers
