"""Texts that are nearly the same, such as the stubs that programs write."""

from collections.abc import Iterable, Iterator

SHINGLE = 8  # characters
MIN_SIMILARITY = 0.7  # Jaccard similarity of the sets of shingles
N_HASHES = 64


def find_near_duplicates(texts: Iterable[str]) -> Iterator[bool]:
    """Yield for each text whether an earlier one, itself no duplicate, is nearly the same.

    Texts with a Jaccard similarity of at least .7 are found by locality-sensitive hashing, which
    misses a few of those near the limit.
    """
    from datasketch import MinHash, MinHashLSH  # here, since it loads much of SciPy

    index = MinHashLSH(threshold=MIN_SIMILARITY, num_perm=N_HASHES)
    kept: dict[int, set[bytes]] = {}
    for number, text in enumerate(texts):
        shingles = _shingles(text)
        sketch = MinHash(num_perm=N_HASHES)
        sketch.update_batch(shingles)
        is_duplicate = any(
            _likeness(shingles, kept[match]) >= MIN_SIMILARITY for match in index.query(sketch)
        )
        if not is_duplicate:
            kept[number] = shingles
            index.insert(number, sketch)
        yield is_duplicate


def _shingles(text: str) -> set[bytes]:
    folded = " ".join(text.lower().split())
    last = max(1, len(folded) - SHINGLE + 1)
    return {folded[place : place + SHINGLE].encode() for place in range(last)}


def _likeness(first: set[bytes], second: set[bytes]) -> float:
    n_both = len(first & second)
    return n_both / (len(first) + len(second) - n_both)
