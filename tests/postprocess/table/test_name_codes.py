import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from postprocess.table import name_codes
from postprocess.table.name_codes import number_words, read_words


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
@pytest.mark.parametrize("n_parts", [1, 3])
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_number_words_equals_pandas(names, n_parts, size, kind, monkeypatch):
    monkeypatch.setattr(name_codes, "AT_ONCE", 5)
    given = shuffled(names, n_times=1 + 2000 // len(names))

    parts = np.array_split(np.array(given, dtype=object), n_parts)
    codes, found = number_words([read_words(in_chunks(list(part), kind, size)) for part in parts])

    expected, texts = pd.factorize(pd.Index(given, dtype=str), sort=True)
    assert codes.tolist() == expected.tolist()
    assert found.to_pylist() == texts.tolist()


def test_read_words_reads_a_slice():
    names = pa.chunked_array([["C", *["BB", "A"] * 10**4, "D"]]).slice(1, 2 * 10**4)

    codes, found = number_words([read_words(names)])

    assert codes.tolist() == [1, 0] * 10**4
    assert found.to_pylist() == ["A", "BB"]


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["A", None, "A"],
        ["A"] * 9 + ["A00000001"],
        ["A00000001"] * 9 + ["A"],
        ["A"] * 9 + ["A\0"],
        ["A1B2C3D4", "q9x8w7e6", "Ž"],
    ],
    ids=["none", "missing", "a long one", "a long first", "a zero byte", "many bits"],
)
def test_read_words_leaves_other_names_aside(names):
    assert read_words(pa.chunked_array([names], type=pa.string())) is None


def test_number_words_leaves_few_names_with_many_bits_aside():
    assert number_words([read_words(pa.chunked_array([["A", "Ž", "0"]]))]) is None
