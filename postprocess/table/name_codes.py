"""Sorted codes of names of up to eight bytes, computed without a hash table.

A name is packed into a 64-bit integer (a word). The bits in which the names differ, compressed,
are a smaller integer with the same order; if it is small enough, it indexes a table of all
possible names.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate
from operator import or_
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from postprocess.table.parallel import AT_ONCE, as_places, fill_parts, on_all_cores
from postprocess.types import Bools, Codes, Integers

Words = NDArray[np.uint64]

MOST_PLACES = 4  # entries of that table per row
MOST_BITS = 24  # of its indices
SAMPLE = 1000  # names
LETTERS = 8  # bytes of the longest name
WORD = np.dtype("<u8")  # the first letter lowest
UP_TO = np.array([(1 << 8 * n) - 1 for n in range(LETTERS + 1)], dtype=WORD)  # n letters


class ShortNames(NamedTuple):
    """Names as words, shape (n_names,), and the bits in which any differs from the first."""

    words: Words
    differing: int


class _Run(NamedTuple):
    """Adjacent bits of a letter: their positions in a word and in the compressed number."""

    start: int
    place: int
    n_bits: int


def read_words(column: pa.ChunkedArray) -> ShortNames | None:
    """Pack each name into a word.

    Returns None if there are no names, if a name is missing, too long or contains a zero byte, or
    if the names differ in too many bits.

    >>> [hex(word) for word in read_words(pa.chunked_array([["a", "ab"]])).words]
    ['0x61', '0x6261']
    """
    parts = [
        chunk.slice(start, AT_ONCE)
        for chunk in column.chunks
        for start in range(0, len(chunk), AT_ONCE)
    ]
    if not parts or column.null_count:
        return None
    head = _read_part(parts[0][:SAMPLE])  # to decide early in most cases
    if head is None or _differ(head, head[0]).bit_count() > MOST_BITS:
        return None
    ends = list(accumulate(map(len, parts), initial=0))
    words = np.empty(ends[-1], dtype=WORD)

    def read(number: int) -> int:
        """Return the bits in which names differ from the first; all if a name cannot be packed."""
        packed = _read_part(parts[number])
        if packed is None:
            return (1 << 8 * LETTERS) - 1
        words[ends[number] : ends[number + 1]] = packed
        return _differ(packed, head[0])

    differing = reduce(or_, on_all_cores(read, range(len(parts))))
    return ShortNames(words, differing) if differing.bit_count() <= MOST_BITS else None


def number_words(parts: Sequence[ShortNames]) -> tuple[Integers, pa.LargeStringArray] | None:
    """Return the position of each name among the sorted names that occur, and these names.

    Returns None if the names differ in many bits but are few.

    >>> codes, names = number_words([read_words(pa.chunked_array([["b", "a", "b", "b"]]))])
    >>> codes.tolist(), names.to_pylist()
    ([1, 0, 1, 1], ['a', 'b'])
    """
    pieces = [
        part.words[start : start + AT_ONCE]
        for part in parts
        for start in range(0, len(part.words), AT_ONCE)
    ]
    first = pieces[0][0]
    firsts = np.array([part.words[0] for part in parts])
    differing = reduce(or_, (part.differing for part in parts), _differ(firsts, first))
    n_places = 1 << differing.bit_count()
    if n_places > MOST_PLACES * sum(map(len, pieces)):
        return None
    runs = list(_find_runs(differing))
    places, occurs = _place_all(pieces, runs, n_places)
    number = np.cumsum(occurs, dtype=np.int32)
    number -= 1
    words = _spread(np.flatnonzero(occurs), runs) | (first & ~np.uint64(differing))
    number = number.astype(smallest_codes(len(words)))
    codes = places if number.dtype == places.dtype else np.empty(len(places), dtype=number.dtype)
    return fill_parts(codes, lambda rows: number[as_places(places[rows])]), spell(words)


def spell(words: Words) -> pa.LargeStringArray:
    """Unpack words into names.

    >>> spell(np.array([0x6261], dtype=WORD)).to_pylist()
    ['ab']
    """
    return pa.array(words.astype(WORD).view(f"S{LETTERS}")).cast(pa.large_string())


def smallest_codes(n_names: int) -> np.dtype[np.signedinteger[Any]]:
    """Return the integer type that pandas uses for the codes of this many names.

    >>> smallest_codes(1000)
    dtype('int16')
    """
    fits = (kind for kind in (np.int8, np.int16, np.int32) if n_names < np.iinfo(kind).max)
    return np.dtype(next(fits, np.int64))


def _place_all(pieces: Sequence[Words], runs: Sequence[_Run], n_places: int) -> tuple[Codes, Bools]:
    """Return each name's code, and a mask of the codes that occur."""
    ends = list(accumulate(map(len, pieces), initial=0))
    places = np.empty(ends[-1], dtype=np.int32)
    occurs = np.zeros(n_places, dtype=bool)

    def place(number: int) -> None:
        squeezed = _squeeze(pieces[number], runs)
        places[ends[number] : ends[number + 1]] = squeezed
        occurs[as_places(squeezed)] = True

    on_all_cores(place, range(len(pieces)))
    return places, occurs


def _differ(words: Words, first: np.uint64) -> int:
    """Return the bits in which words differ from the first."""
    return int(np.bitwise_or.reduce(words ^ first))


def _read_part(names: pa.Array) -> Words | None:
    """Pack names into words, zero-padded; return None if one is too long or has a zero byte.

    A zero byte would make names ambiguous.
    """
    positions, letters = _read_buffers(names)
    lengths = np.diff(positions)
    if lengths.max() > LETTERS or not letters.all():
        return None
    if lengths.min() == LETTERS:
        return letters.view(WORD)
    padded = np.append(letters, np.zeros(LETTERS, dtype=np.uint8))
    at_each_byte = np.ndarray(len(letters) + 1, dtype=WORD, buffer=padded, strides=(1,))
    words: Words = at_each_byte[positions[:-1] - positions[0]] & UP_TO[lengths]
    return words


def _read_buffers(names: pa.Array) -> tuple[Integers, NDArray[np.uint8]]:
    """Return the start of each name and the end of the last, and the bytes of all."""
    kind = np.int64 if pa.types.is_large_string(names.type) else np.int32
    _, positions, letters = names.buffers()
    ends = np.frombuffer(positions, dtype=kind).astype(np.int64, copy=False)[
        names.offset : names.offset + len(names) + 1
    ]
    every = np.frombuffer(letters or b"", dtype=np.uint8)
    return ends, every[ends[0] : ends[-1]]


def _find_runs(differing: int) -> Iterator[_Run]:
    """Yield the runs of these bits, from the lowest of the compressed number (last letters)."""
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
    """Compress words to the bits of the runs."""
    squeezed = np.zeros(len(words), dtype=np.uint64)
    for start, place, n_bits in runs:
        far = np.uint64(abs(start - place))
        bits = words >> far if start > place else words << far
        bits &= np.uint64(((1 << n_bits) - 1) << place)
        squeezed |= bits
    return squeezed


def _spread(places: Integers, runs: Sequence[_Run]) -> Words:
    """Expand compressed numbers to the bits of the runs."""
    words = np.zeros(len(places), dtype=np.uint64)
    for start, place, n_bits in runs:
        bits = (places >> place & ((1 << n_bits) - 1)).astype(np.uint64)
        words |= bits << np.uint64(start)
    return words
