import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from postprocess.columns import as_array

LONG = ["b of more than a word", "a", "b of more than a word", "a"]


@pytest.mark.parametrize("names", [["b", "a", "b", "a"], LONG, ["b", None, "b", "a"]])
@pytest.mark.parametrize("numbered", [False, True])
def test_as_array_numbers_names_in_their_order(names, numbered):
    chunks = [pa.array(names[start : start + 2]) for start in (0, 2)]
    column = pa.chunked_array([one.dictionary_encode() if numbered else one for one in chunks])

    found = as_array(column)

    assert found.categories.tolist() == sorted(set(names) - {None})
    pd.testing.assert_extension_array_equal(found, pd.Categorical(names))


def test_as_array_of_numbered_numbers_names_them():
    column = pa.chunked_array([pa.array([10, 9, 10]).dictionary_encode()])

    assert as_array(column).tolist() == ["10", "9", "10"]


@pytest.mark.parametrize(
    ("numbers", "kind", "dtype"),
    [
        ([[1, -2], [], [2**31 - 1]], pa.int32(), np.int32),
        ([[1], [2**31]], pa.int64(), np.int64),
        ([[1], [None]], pa.int8(), np.float64),
        ([[0.5], [1]], pa.float64(), np.float64),
        ([], pa.int8(), np.int8),
    ],
)
def test_as_array_keeps_the_types_of_numbers(numbers, kind, dtype):
    found = as_array(pa.chunked_array(numbers, type=kind))

    expected = [np.nan if one is None else one for chunk in numbers for one in chunk]
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)
