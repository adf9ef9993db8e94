import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from postprocess.table.columns import as_part, join_parts

SHORT, LONG = ["b", "a", "b", "a"], ["b of more than a word", "a", "b of more than a word", "a"]
FAR = ["A1B2C3D4", "q9x8w7e6", "A1B2C3D4", "Ž"]  # differ in more bits than are put side by side
MIXED = ["b", "a", "b of more than a word", "a"]


def joined(chunks):
    return join_parts([as_part(pa.chunked_array([chunk])) for chunk in chunks])


@pytest.mark.parametrize("names", [SHORT, LONG, FAR, MIXED, ["b", None, "b", "a"]])
@pytest.mark.parametrize("numbered", [(False, False), (True, True), (True, False)])
@pytest.mark.parametrize("in_parts", [False, True])
def test_parts_of_names_are_numbered_in_their_order(names, numbered, in_parts):
    chunks = [pa.array(names[start : start + 2]) for start in (0, 2)]
    if not in_parts:
        chunks, numbered = [pa.array(names)], numbered[:1]
    pairs = zip(chunks, numbered, strict=True)

    found = joined([one.dictionary_encode() if is_numbered else one for one, is_numbered in pairs])

    assert found.categories.tolist() == sorted(set(names) - {None})
    pd.testing.assert_extension_array_equal(found, pd.Categorical(names))


def test_parts_of_numbered_numbers_are_names():
    found = joined([pa.array([10, 9, 10]).dictionary_encode()])

    assert found.tolist() == ["10", "9", "10"]


@pytest.mark.parametrize(
    ("numbers", "kind", "dtype"),
    [
        ([[1, -2], [], [2**31 - 1]], pa.int32(), np.int32),
        ([[1], [2**31]], pa.int64(), np.int64),
        ([[1], [None]], pa.int8(), np.float64),
        ([[0.5], [1]], pa.float64(), np.float64),
        ([[]], pa.int8(), np.int8),
    ],
)
def test_parts_of_numbers_keep_their_types(numbers, kind, dtype):
    found = joined([pa.array(chunk, type=kind) for chunk in numbers])

    expected = [np.nan if one is None else one for chunk in numbers for one in chunk]
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)


def test_join_parts_promotes_number_types():
    found = joined([pa.array([1], type=pa.int32()), pa.array([2**40])])

    assert found.dtype == np.int64
    assert found.tolist() == [1, 2**40]
