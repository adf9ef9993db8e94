"""The gold of a shared task: the scores to predict, and the words of their pairs."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from postprocess.errors import UserError
from postprocess.formats.files import GOLD_COLUMNS, read_gold
from postprocess.formats.stimuli import read_rows
from postprocess.formats.tabular import TableError
from postprocess.types import Floats

GOLD = "gold_*.tsv"
FEWEST_TEST, FEWEST_PRACTICE = 10, 3  # pairs
T = TypeVar("T")


class GoldError(UserError):
    """The gold cannot be used: which file, and why."""


@dataclass(frozen=True, eq=False)
class Part:
    """One language of a shared task: its gold, and the words of its pairs if they are known.

    `similarities`, shape (n_pairs, 2); `changes`, shape (n_pairs,), as the gold file has them.
    """

    language: str
    similarities: Floats
    changes: Floats
    sha256: str
    words: tuple[tuple[str, str], ...] = ()

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return len(self.changes)


def load_parts(folder: Path, data: Path | None = None) -> dict[str, Part]:
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
            language, path.read_bytes(), content, names=(str(path), str(path_of_data))
        )
    if not parts:
        raise GoldError(f"{folder} has no file gold_<lang>.tsv, nor has its folder gold")
    return parts


def make_part(
    language: str,
    gold: bytes,
    data: bytes | None = None,
    *,
    names: tuple[str, str] = ("the gold", "the data file"),
) -> Part:
    """Return the part of a language, given the contents of its gold file and its data file.

    `names` are those of the two files in messages. Raises GoldError for gold that cannot be read
    or lacks a score, and for a different number of pairs in the data.
    """
    scores = _read(read_gold, gold, names[0])
    numbers = scores[list(GOLD_COLUMNS)].to_numpy(dtype=float)
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers).all(axis=1))[0]) + 1
        raise GoldError(f"{names[0]}, row {row}: a score is missing; fill it in")
    rows = _read(read_rows, data, names[1]) if data is not None else ()
    if data is not None and len(rows) != len(scores):
        raise GoldError(f"{names[1]} has {len(rows):,} pairs, and the gold has {len(scores):,}")
    return Part(
        language,
        numbers[:, :2],
        numbers[:, 2],
        hashlib.sha256(gold).hexdigest(),
        tuple((row[0], row[1]) for row in rows),
    )


def _read(read: Callable[[bytes], T], data: bytes, name: str) -> T:
    """Read a file of this name. Raises GoldError."""
    try:
        return read(data)
    except TableError as error:
        raise GoldError(f"{name}: {error}") from error


def check_gold(part: Part, *, is_practice: bool = False) -> None:
    """Raise GoldError for gold that cannot tell systems apart.

    It has fewer than 10 pairs (practice data: 3), or scores that are all equal, or changes that
    are all 0.
    """
    fewest = FEWEST_PRACTICE if is_practice else FEWEST_TEST
    name = f"the gold of {part.language}"
    if part.n_pairs < fewest:
        kind = "practice data" if is_practice else "test data"
        raise GoldError(f"{name} has {part.n_pairs} pairs; {kind} needs {fewest} or more")
    if np.ptp(part.similarities) == 0 or not part.changes.any():
        raise GoldError(f"{name} is constant, so that no prediction can correlate with it")


def _find_data(data: Path, language: str) -> Path:
    name = f"data_{language}.tsv"
    path = next((place for place in (data / name, data / "data" / name) if place.is_file()), None)
    if path is None:
        raise GoldError(f"{data} has no file {name}, nor has its folder data")
    return path
