import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from postprocess import shortnames
from postprocess.shortnames import number_short


def shuffled(names, *, n_times=50, seed=3):
    return np.random.default_rng(seed).permutation(np.repeat(names, n_times)).tolist()


def in_chunks(names, kind, size):
    chunks = [names[start : start + size] for start in range(0, len(names), size)]
    return pa.chunked_array(chunks, type=kind)


NAMES = {
    "of one length": [f"A{number:07}" for number in range(300)],
    "of some lengths": ["", "A", "A1", "A10", "A11", "A2", "B"],
    "with letters of two bytes": ["Ž2", "ž1", "Ž", "ž22", "Ž1"],
    "one": ["B12"],
}


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("size", [10**6, 7])
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_number_short_is_what_pandas_does(names, size, kind, monkeypatch):
    monkeypatch.setattr(shortnames, "AT_ONCE", 5)
    given = shuffled(names, n_times=1 + 10**4 // len(names))

    codes, found = number_short(in_chunks(given, kind, size))

    expected, texts = pd.factorize(pd.Index(given, dtype=str), sort=True)
    assert codes.tolist() == expected.tolist()
    assert found.tolist() == texts.tolist()


def test_number_short_reads_a_slice():
    names = pa.chunked_array([["C", *["BB", "A"] * 10**4, "D"]]).slice(1, 2 * 10**4)

    codes, found = number_short(names)

    assert codes.tolist() == [1, 0] * 10**4
    assert found.tolist() == ["A", "BB"]


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["A", None, "A"],
        ["A"] * 9 + ["A00000001"],
        ["A00000001"] * 9 + ["A"],
        ["A"] * 9 + ["A\0"],
        ["A", "Ž", "0"],
    ],
    ids=["none", "missing", "a long one", "a long first", "a zero byte", "many bits, few rows"],
)
def test_number_short_leaves_other_names_aside(names):
    assert number_short(pa.chunked_array([names], type=pa.string())) is None
