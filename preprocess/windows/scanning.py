"""The scan: one pass over a part of a corpus file for all pairs.

It finds places, which `reading` turns into texts afterwards. Which of the windows around two words
is kept, and which windows of a frequent pair, is decided by a hash of the window's place: by
chance, but the same chance in any order and with any number of processes.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from preprocess.corpora.lines import ScannedSentence, scan_sentences, step_back
from preprocess.corpora.opening import Report, ignore, open_corpus
from preprocess.pairs.reading import WordPair
from preprocess.windows.lexicon import Lexicon

UNKNOWN = -1  # a document that began before the part
PLACE = np.dtype(
    [
        ("pair", "i4"),  # from 0
        ("rank", "u8"),  # by chance; the lowest are kept
        ("offset", "i8"),  # the byte where the window begins, in the decompressed file
        ("sentence", "i8"),  # its first sentence, counted from the beginning of the part
        ("document", "i8"),  # the first sentence of its document, counted likewise, or UNKNOWN
        ("document_offset", "i8"),  # the byte where that begins, or UNKNOWN
    ]
)
TRIM_AT = 4  # times the number wanted, before the places of a pair are sorted


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What is looked for.

    `size`: sentences of a window. `most`: places that are kept per pair. `seed`: of the chance
    that picks them. `by_paragraph`: whether a window must lie in one paragraph. `by_sent_id`:
    whether a document also begins where the sent_id, without its last number, changes.
    """

    size: int = 3
    most: int = 200
    seed: int = 1
    by_paragraph: bool = False
    by_sent_id: bool = False


class Part(NamedTuple):
    """A part of a corpus file: the sentences that begin within [start, stop) of its bytes.

    A compressed file is one part, with stop None.
    """

    path: Path
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found in a part.

    `places`: (PLACE) those with the lowest ranks, in the order of pairs and ranks. `n_seen`: the
    number of all, per pair. `n_sentences` of the part; `document` and `document_offset` as of a
    place, for the last of them.
    """

    places: npt.NDArray[np.void]
    n_seen: npt.NDArray[np.int64]
    n_sentences: int
    document: int
    document_offset: int


class _Numbered(NamedTuple):
    """A sentence with its number, counted from the first one that was read, and its document."""

    sentence: ScannedSentence
    number: int
    document: int
    document_offset: int


Ring = Sequence[_Numbered | None]


def scan_part(
    part: Part, lexicon: Lexicon, settings: SearchSettings, report: Report = ignore
) -> Scan:
    """Find the windows of all pairs in a part of a file.

    Two words that share several windows count once, at the sentence of the first of them. `report`
    is called with the number of bytes that are read of a compressed file. Raises OSError and
    CorpusError.
    """
    places = _Places(lexicon, settings, part)
    n_before = n_owned = 0
    last: _Numbered | None = None
    for ring in _slide(part, lexicon, settings, report):
        centre = ring[settings.size - 1]
        if centre is None:
            continue
        if centre.sentence.offset < part.start:
            n_before += 1
        elif part.stop is None or centre.sentence.offset < part.stop:
            n_owned += 1
            last = centre
            if centre.sentence.words:
                places.look_around(centre, ring)
    kept = places.kept()
    kept["sentence"] -= n_before
    kept["document"][kept["document_offset"] != UNKNOWN] -= n_before
    document, document_offset = last[2:] if last else (UNKNOWN, UNKNOWN)
    if document_offset != UNKNOWN:
        document -= n_before
    return Scan(kept, places.n_seen, n_owned, document, document_offset)


def rank_place(seed: int, file: str, pair: WordPair, offset: int) -> int:
    """Return a random number for a window: the lower, the sooner it is kept (64 bits)."""
    key = f"{seed}\0{file}\0{pair.word1}\0{pair.word2}\0{offset}".encode()
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "big")


def lowest_ranks(
    places: npt.NDArray[np.void], most: int, files: npt.NDArray[np.intp] | None = None
) -> npt.NDArray[np.intp]:
    """Return the indices of each pair's `most` lowest ranks, by pair and rank.

    Equal ranks, which are as good as impossible, are ordered by file and place.
    """
    files = np.zeros(len(places), dtype=np.intp) if files is None else files
    order = np.lexsort((places["offset"], files, places["rank"], places["pair"]))
    ordered = places["pair"][order]
    position = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    return order[position < most]


def _slide(
    part: Part, lexicon: Lexicon, settings: SearchSettings, report: Report
) -> Iterator[Ring]:
    """Yield each sentence of a part in the middle of all sentences that can share its window.

    None marks what lies beyond a border. Sentences before and after the part appear in the
    middle, too.
    """
    reach = settings.size - 1
    ring: deque[_Numbered | None] = deque([None] * (2 * reach + 1), maxlen=2 * reach + 1)
    document = document_offset = UNKNOWN
    n_after = 0
    with open_corpus(part.path, report) as file:
        begin = step_back(file, part.start, reach + 1) if part.start else 0
        file.seek(begin)
        sentences = scan_sentences(
            file, lexicon.by_spelling, part.path, by_sent_id=settings.by_sent_id
        )
        for number, sentence in enumerate(sentences):
            if part.stop is not None and sentence.offset >= part.stop:
                n_after += 1
                if n_after > reach:
                    break
            if sentence.begins_document or (begin == number == 0):
                document, document_offset = number, sentence.offset
            if sentence.begins_document or (settings.by_paragraph and sentence.begins_paragraph):
                for _ in range(reach):
                    ring.append(None)
                    yield ring
            ring.append(_Numbered(sentence, number, document, document_offset))
            yield ring
    for _ in range(reach):
        ring.append(None)
        yield ring


class _Places:
    """Collects all pairs' places, and drops high ranks now and then."""

    def __init__(self, lexicon: Lexicon, settings: SearchSettings, part: Part) -> None:
        self.lexicon, self.settings, self.part = lexicon, settings, part
        self.n_seen = np.zeros(len(lexicon.pairs), dtype=np.int64)
        self._found: list[list[tuple[int, ...]]] = [[] for _ in lexicon.pairs]

    def look_around(self, middle: _Numbered, ring: Ring) -> None:
        """Add windows for pairs with a word in the middle sentence and the other there or later."""
        nearby = islice(ring, self.settings.size - 1, None)  # beyond a border all are None
        later = [numbered.sentence.words for numbered in nearby if numbered is not None]
        present: set[int] = set().union(*later)
        for word in middle.sentence.words:
            pair_of = self.lexicon.pair_of[word]
            if present.isdisjoint(pair_of):
                continue
            for partner in pair_of.keys() & present:
                ahead = next(n for n, words in enumerate(later) if partner in words)
                if ahead or word < partner:
                    self._add(ring, pair_of[partner], (word, partner), ahead)

    def _add(self, ring: Ring, pair: int, words: tuple[int, int], ahead: int) -> None:
        """Add the lowest-ranked window in which each of two words occurs once."""
        size = self.settings.size
        ranked = []
        for first in range(ahead, size):
            window = [numbered for numbered in islice(ring, first, first + size) if numbered]
            if len(window) == size and all(_occurrences(window, word) == 1 for word in words):
                ranked.append((pair, self._rank(pair, window[0]), *_place(window[0])))
        if ranked:
            self.n_seen[pair] += 1
            places = self._found[pair]
            places.append(min(ranked))
            if len(places) > TRIM_AT * self.settings.most:
                places.sort()
                del places[self.settings.most :]

    def _rank(self, pair: int, first: _Numbered) -> int:
        words = self.lexicon.pairs[pair]
        return rank_place(self.settings.seed, self.part.path.name, words, first.sentence.offset)

    def kept(self) -> npt.NDArray[np.void]:
        """Return the places with the lowest ranks."""
        places = np.array([*chain.from_iterable(self._found)], dtype=PLACE)
        return places[lowest_ranks(places, self.settings.most)]


def _occurrences(window: Sequence[_Numbered], word: int) -> int:
    return sum(numbered.sentence.words.get(word, 0) for numbered in window)


def _place(first: _Numbered) -> tuple[int, ...]:
    return first.sentence.offset, *first[1:]
