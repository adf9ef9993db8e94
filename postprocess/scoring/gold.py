"""The gold of a shared task: the scores to predict, and the words of their pairs."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from postprocess.errors import UserError
from postprocess.formats.files import GOLD_COLUMNS, read_gold
from postprocess.formats.kinds import read_table
from postprocess.formats.stimuli import read_rows
from postprocess.formats.tabular import Finding, Severity, TableError
from postprocess.scoring.metrics import GWSC, TAGS, Metric, Track
from postprocess.scoring.predictions import read_number
from postprocess.types import Floats

GOLD = "gold_*.tsv"
FEWEST_TEST, FEWEST_PRACTICE = 10, 3  # pairs
T = TypeVar("T")


class GoldError(UserError):
    """The gold cannot be used: which file, and why."""


@dataclass(frozen=True, eq=False)
class Part:
    """One language of a shared task: its gold, and the words or ids of its pairs if known.

    `columns`: the numbers of the gold file's columns, each of shape (n_pairs,).
    """

    language: str
    columns: Mapping[str, Floats]
    sha256: str
    words: tuple[tuple[str, str], ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return len(next(iter(self.columns.values())))

    def find_gold(self, track: Track) -> Floats:
        """Return the gold of a track, shape (n_pairs,), or (n_pairs, 2) for two columns."""
        columns = [self.columns[name] for name in track.columns]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)


def load_parts(
    folder: Path, data: Path | None = None, tracks: Sequence[Track] = GWSC
) -> dict[str, Part]:
    """Read the gold files in a folder or its folder `gold`, and data files if they are given.

    Raises GoldError, TableError and OSError.
    """
    parts = {}
    for path in sorted((*folder.glob(GOLD), *folder.glob(f"gold/{GOLD}"))):
        language = path.stem.removeprefix("gold_")
        if language in parts:
            raise GoldError(f"{folder} has two files gold_{language}.tsv; give the folder of one")
        path_of_data = _find_data(data, language) if data else None
        content = path_of_data.read_bytes() if path_of_data else None
        parts[language] = make_part(
            language, path.read_bytes(), content, tracks, names=(str(path), str(path_of_data))
        )
    if not parts:
        raise GoldError(f"{folder} has no file gold_<lang>.tsv, nor has its folder gold")
    return parts


def make_part(
    language: str,
    gold: bytes,
    data: bytes | None = None,
    tracks: Sequence[Track] = GWSC,
    *,
    names: tuple[str, str] = ("the gold", "the data file"),
) -> Part:
    """Return the part of a language, given the contents of its gold file and its data file.

    `names` are those of the two files in messages. Raises GoldError for gold that cannot be read
    or lacks a score, and for a different number of pairs, or other ids, in the data.
    """
    sha256 = hashlib.sha256(gold).hexdigest()
    if not all(track.is_of_contexts for track in tracks):
        ids, columns = _read(partial(read_items, tracks=tracks), gold, names[0])
        if data is not None and _read(read_items, data, names[1])[0] != ids:
            raise GoldError(f"{names[0]} does not have the ids of {names[1]}, in their order")
        return Part(language, columns, sha256, ids=ids)
    scores = _read(read_gold, gold, names[0])
    numbers = scores[list(GOLD_COLUMNS)].to_numpy(dtype=float)
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers).all(axis=1))[0]) + 1
        raise GoldError(f"{names[0]}, row {row}: a score is missing; fill it in")
    rows = _read(read_rows, data, names[1]) if data is not None else ()
    if data is not None and len(rows) != len(scores):
        raise GoldError(f"{names[1]} has {len(rows):,} pairs, and the gold has {len(scores):,}")
    columns = dict(zip(GOLD_COLUMNS, numbers.T, strict=True))
    return Part(language, columns, sha256, tuple((row[0], row[1]) for row in rows))


def read_items(
    data: bytes, tracks: Sequence[Track] = ()
) -> tuple[tuple[str, ...], dict[str, Floats]]:
    """Return the ids of a table's rows, and the gold columns of tracks, tags as numbers.

    An empty id is the row's number. Raises TableError with every row that cannot be read.
    """
    metrics = {column: track.metric for track in tracks for column in track.columns}
    table = read_table(data, ("id", *metrics))
    findings, rows = table.errors, {}
    for row, (written, *fields) in table.rows.items():
        name = written or str(row)
        if name in rows:
            what = f'the id "{name[:40]}" is that of an earlier row'
            findings.append(Finding(Severity.ERROR, what, row, "id", "give each row its own"))
        rows[name] = [0.0] * len(fields)
        for place, (column, metric) in enumerate(metrics.items()):
            number, problem = read_number(fields[place])
            if metric is Metric.ACCURACY:
                number = TAGS.get(fields[place], 0.0)
                problem = None if number else ("this is not a tag", "write T or F")
            if problem:
                findings.append(Finding(Severity.ERROR, problem[0], row, column, problem[1]))
            rows[name][place] = number
    if findings:
        raise TableError(findings)
    numbers = np.array([*rows.values()]).reshape(len(rows), len(metrics))
    return tuple(rows), dict(zip(metrics, numbers.T, strict=True))


def _read(read: Callable[[bytes], T], data: bytes, name: str) -> T:
    """Read a file of this name. Raises GoldError."""
    try:
        return read(data)
    except TableError as error:
        raise GoldError(f"{name}: {error}") from error


def check_gold(part: Part, tracks: Sequence[Track] = GWSC, *, is_practice: bool = False) -> None:
    """Raise GoldError for gold that cannot tell systems apart.

    It has fewer than 10 pairs (practice data: 3), or scores that are all equal, or changes that
    are all 0. Of medians those count that are whole.
    """
    fewest = FEWEST_PRACTICE if is_practice else FEWEST_TEST
    name = f"the gold of {part.language}"
    kind = "practice data" if is_practice else "test data"
    for track in tracks:
        gold = part.find_gold(track)
        if track.metric is Metric.ORDINAL_ALPHA:
            gold = gold[gold == np.floor(gold)]
        if len(gold) < fewest:
            raise GoldError(f"{name} has {len(gold)} pairs; {kind} needs {fewest} or more")
        if not gold.any() if track.metric is Metric.CHANGE else np.ptp(gold) == 0:
            raise GoldError(f"{name} is constant, so that no prediction can correlate with it")


def _find_data(data: Path, language: str) -> Path:
    name = f"data_{language}.tsv"
    path = next((place for place in (data / name, data / "data" / name) if place.is_file()), None)
    if path is None:
        raise GoldError(f"{data} has no file {name}, nor has its folder data")
    return path
