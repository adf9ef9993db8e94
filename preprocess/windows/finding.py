"""Find the windows of all pairs in a corpus: scan its parts, then read and judge what was found."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from preprocess.corpora.opening import Report
from preprocess.pairs.reading import WordPair
from preprocess.windows.dividing import Processes, work_on_each
from preprocess.windows.examining import PASSES, Examination, examine_windows
from preprocess.windows.lexicon import Lexicon
from preprocess.windows.parts import Found, combine_scans, list_parts
from preprocess.windows.scanning import Part, Scan, SearchSettings, scan_part
from preprocess.windows.storing import ScanStore

Progress = Callable[[str, int, int], None]  # stage, done, of
PLACES_AT_ONCE = 10_000  # windows that a process has in memory
Places = Sequence[npt.NDArray[np.void]]  # per file


def find_places(
    paths: Sequence[Path],
    pairs: Sequence[WordPair],
    settings: SearchSettings,
    *,
    processes: Processes,
    store: ScanStore,
    progress: Progress,
) -> Found:
    """Scan a corpus for all pairs. Parts whose scan is stored already are not read again.

    Raises OSError, CorpusError and ClusterError.
    """
    parts = list_parts(paths, processes.part_size)
    scans = {part: scan for part in parts if (scan := store.load(part)) is not None}
    rest = [part for part in parts if part not in scans]
    sizes = {part: (part.stop or part.path.stat().st_size) - part.start for part in parts}
    done, total = sum(sizes[part] for part in scans), sum(sizes.values())
    if rest:
        progress("scanning", done, total)
    scan_one = partial(_scan_part, Lexicon(pairs), settings)

    def watch(n_bytes: int) -> None:
        progress("scanning", done + n_bytes, total)

    for part, result in work_on_each(scan_one, rest, processes, watch):
        store.save(part, result)
        scans[part] = result
        done += sizes[part]
        progress("scanning", done, total)
    return combine_scans(paths, parts, [scans[part] for part in parts], settings.most)


def examine_places(
    paths: Sequence[Path],
    pairs: Sequence[WordPair],
    found: Found,
    examination: Examination,
    *,
    processes: Processes,
    progress: Progress,
) -> Iterator[pd.DataFrame]:
    """Yield the windows of all pairs, in tables of some pairs each; see `examine_windows`."""
    groups = _group_pairs(pairs, found)
    examine = partial(_examine_group, list(paths), examination)
    waiting: dict[int, pd.DataFrame] = {}
    first = done = 0
    of_group = PASSES * sum(path.stat().st_size for path in paths)

    def watch(n_bytes: int) -> None:
        progress("reading", done + n_bytes, of_group * len(groups))

    for group, table in work_on_each(examine, groups, processes, watch):
        waiting[group.number] = table
        done += of_group
        watch(0)
        while first in waiting:
            yield waiting.pop(first)
            first += 1


@dataclass(frozen=True, eq=False)
class _Group:
    """Some pairs, by number from 0, and the places of their windows."""

    number: int
    pairs: dict[int, WordPair]
    places: Places


def _group_pairs(pairs: Sequence[WordPair], found: Found) -> list[_Group]:
    """Divide the pairs so that a group has about `PLACES_AT_ONCE` windows."""
    n_places = np.zeros(len(pairs), dtype=np.int64)
    for places in found.places:
        n_places += np.bincount(places["pair"], minlength=len(pairs))
    group_of = (np.cumsum(n_places) - n_places) // PLACES_AT_ONCE
    groups = []
    for number, group in enumerate(np.unique(group_of)):
        members = np.flatnonzero(group_of == group)
        in_group = [places[np.isin(places["pair"], members)] for places in found.places]
        groups.append(_Group(number, {pair: pairs[pair] for pair in members.tolist()}, in_group))
    return groups


def _scan_part(lexicon: Lexicon, settings: SearchSettings, part: Part, report: Report) -> Scan:
    return scan_part(part, lexicon, settings, report)


def _examine_group(
    paths: list[Path], examination: Examination, group: _Group, report: Report
) -> pd.DataFrame:
    return examine_windows(paths, group.places, group.pairs, examination, report)
