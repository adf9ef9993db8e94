"""A corpus in parts that are scanned one by one, on any number of processes, and put together."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from preprocess.corpora.opening import is_compressed
from preprocess.windows.scanning import UNKNOWN, Part, Scan, lowest_ranks

PART_SIZE = 64 * 2**20  # bytes


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in a corpus.

    `places`: one array per file, as of `Scan`, but counting sentences from the beginning of the
    file, and with no document UNKNOWN. `n_seen`: the number of all windows, per pair.
    """

    places: tuple[npt.NDArray[np.void], ...]
    n_seen: npt.NDArray[np.int64]


def list_parts(paths: Sequence[Path], size: int = PART_SIZE) -> list[Part]:
    """Cut the files of a corpus into parts of about `size` bytes. Raises OSError."""
    parts = []
    for path in paths:
        n_bytes = path.stat().st_size
        if is_compressed(path) or n_bytes <= size:
            parts.append(Part(path))
            continue
        edges = [*range(0, n_bytes, size), n_bytes]
        parts += [Part(path, *part) for part in pairwise(edges)]
    return parts


def combine_scans(
    paths: Sequence[Path], parts: Sequence[Part], scans: Sequence[Scan], most: int
) -> Found:
    """Combine the scans of the parts of a corpus; keep the places with the lowest ranks.

    The result does not depend on how the files were cut.
    """
    by_file = {
        path: _join([s for p, s in zip(parts, scans, strict=True) if p.path == path])
        for path in paths
    }
    files = np.repeat(np.arange(len(paths)), [len(by_file[path]) for path in paths])
    together = np.concatenate([by_file[path] for path in paths])
    lowest = lowest_ranks(together, most, files)
    n_seen = np.sum([scan.n_seen for scan in scans], axis=0)
    return Found(
        tuple(together[lowest[files[lowest] == file]] for file in range(len(paths))), n_seen
    )


def _join(scans: Sequence[Scan]) -> npt.NDArray[np.void]:
    """Return the places of a file, given the scans of its parts in order."""
    joined = []
    n_before = document = document_offset = 0
    for scan in scans:
        places = scan.places.copy()
        is_unknown = places["document_offset"] == UNKNOWN
        places["sentence"] += n_before
        places["document"] = np.where(is_unknown, document, places["document"] + n_before)
        places["document_offset"][is_unknown] = document_offset
        joined.append(places)
        if scan.document_offset != UNKNOWN:
            document, document_offset = scan.document + n_before, scan.document_offset
        n_before += scan.n_sentences
    return np.concatenate(joined)
