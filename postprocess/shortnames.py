"""Names of up to eight bytes, numbered in their order without looking one up among the others.

Such a name is a number. The bits in which names differ, put side by side, are a smaller number in
the same order, and if that is small enough, it is a place in a list of all that there could be.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate
from operator import or_
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from postprocess.numbering import Integers
from postprocess.parts import AT_ONCE, as_places, on_all_cores, take_all
from postprocess.ratings import smallest_codes

Codes = NDArray[np.int32]
Words = NDArray[np.uint64]

LETTERS = 8  # bytes of the longest name
WORD = np.dtype("<u8")  # the first letter lowest
UP_TO = np.array([(1 << 8 * n) - 1 for n in range(LETTERS + 1)], dtype=WORD)  # n letters


class _Run(NamedTuple):
    """Neighbouring bits of a letter: where they are in a word and in the smaller number."""

    start: int
    place: int
    n_bits: int


def number_short(column: pa.ChunkedArray) -> tuple[Integers, pd.Index] | None:
    """The number of each name among those that occur, in the order of the names; and these.

    None if a name is missing or too long, or if they differ in too many bits.

    >>> codes, names = number_short(pa.chunked_array([["b", "a", "b", "b"]]))
    >>> codes.tolist(), names.tolist()
    ([1, 0, 1, 1], ['a', 'b'])
    """
    parts = [
        chunk.slice(start, AT_ONCE)
        for chunk in column.chunks
        for start in range(0, len(chunk), AT_ONCE)
    ]
    if not parts or column.null_count:
        return None
    head = parts[0][:1]
    if not _are_short(head):
        return None
    first = int(_read_words(head)[0])
    differing = reduce(or_, on_all_cores(lambda part: _differ(part, first), parts))
    if 1 << differing.bit_count() > len(column):
        return None
    runs = list(_find_runs(differing))
    places, occurs = _place_all(parts, runs, 1 << differing.bit_count())
    number = np.cumsum(occurs, dtype=np.int32)
    number -= 1
    words = _spread(np.flatnonzero(occurs), runs) | np.uint64(first & ~differing)
    names = pa.array(words.astype(WORD).view(f"S{LETTERS}")).cast(pa.string())
    number = number.astype(smallest_codes(len(words)))
    return take_all(number, places), pd.Index(names.to_pandas(), dtype=str)


def _place_all(
    parts: Sequence[pa.Array], runs: Sequence[_Run], n_places: int
) -> tuple[Codes, NDArray[np.bool_]]:
    """The smaller number of each name, and which of all these numbers occur."""
    ends = list(accumulate(map(len, parts), initial=0))
    places = np.empty(ends[-1], dtype=np.int32)
    occurs = np.zeros(n_places, dtype=bool)

    def place(number: int) -> None:
        found = _squeeze(_read_words(parts[number]), runs)
        places[ends[number] : ends[number + 1]] = found
        occurs[as_places(found)] = True

    on_all_cores(place, range(len(parts)))
    return places, occurs


def _differ(names: pa.Array, first: int) -> int:
    """The bits in which names differ from the first; all bits if one is no word."""
    if not _are_short(names):
        return (1 << 8 * LETTERS) - 1
    return int(np.bitwise_or.reduce(_read_words(names) ^ np.uint64(first)))


def _are_short(names: pa.Array) -> bool:
    """Whether all names fit a word; with a zero byte in it one could not be told from another."""
    ends, letters = _read_buffers(names)
    return bool(np.diff(ends).max() <= LETTERS and letters.all())


def _read_words(names: pa.Array) -> Words:
    """Short names as words, zeros behind their last letters."""
    ends, letters = _read_buffers(names)
    lengths = np.diff(ends)
    if lengths.min() == LETTERS:
        return letters.view(WORD)
    padded = np.append(letters, np.zeros(LETTERS, dtype=np.uint8))
    at_each_byte = np.ndarray(len(letters) + 1, dtype=WORD, buffer=padded, strides=(1,))
    words: Words = at_each_byte[ends[:-1] - ends[0]] & UP_TO[lengths]
    return words


def _read_buffers(names: pa.Array) -> tuple[Integers, NDArray[np.uint8]]:
    """Where each name begins and the last one ends, and the letters of all."""
    kind = np.int64 if pa.types.is_large_string(names.type) else np.int32
    _, positions, letters = names.buffers()
    ends = np.frombuffer(positions, dtype=kind).astype(np.int64, copy=False)[
        names.offset : names.offset + len(names) + 1
    ]
    every = np.frombuffer(letters or b"", dtype=np.uint8)
    return ends, every[ends[0] : ends[-1]]


def _find_runs(differing: int) -> Iterator[_Run]:
    """The runs of these bits, lowest in the smaller number first: those of the last letters."""
    place = 0
    for letter in reversed(range(LETTERS)):
        start, end = 8 * letter, 8 * letter + 8
        while start < end:
            n_bits = 0
            while start + n_bits < end and differing >> (start + n_bits) & 1:
                n_bits += 1
            if n_bits:
                yield _Run(start, place, n_bits)
            place += n_bits
            start += n_bits + 1


def _squeeze(words: Words, runs: Sequence[_Run]) -> Words:
    """Only the bits of the runs, side by side."""
    squeezed = np.zeros(len(words), dtype=np.uint64)
    for start, place, n_bits in runs:
        bits = words >> np.uint64(start)
        bits &= np.uint64((1 << n_bits) - 1)
        bits <<= np.uint64(place)
        squeezed |= bits
    return squeezed


def _spread(places: Integers, runs: Sequence[_Run]) -> Words:
    """The bits of the runs back where they were."""
    words = np.zeros(len(places), dtype=np.uint64)
    for start, place, n_bits in runs:
        bits = (places >> place & ((1 << n_bits) - 1)).astype(np.uint64)
        words |= bits << np.uint64(start)
    return words
