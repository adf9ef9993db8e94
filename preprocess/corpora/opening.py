"""Opening the files of a corpus: plain, gzip, bzip2 or xz, recognised by their first bytes."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from preprocess.corpora.errors import CorpusError

Report = Callable[[int], None]  # bytes that are done
DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)
OPENERS: dict[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open
}  # fmt: skip
PACKED = (".gz", ".bz2", ".xz")  # endings of their names
MARK_BYTES = max(map(len, OPENERS))


def ignore(done: int) -> None:
    """Report callback that does nothing."""


def is_compressed(path: Path) -> bool:
    """Return whether a file is gzip, bzip2 or xz. Raises OSError."""
    with path.open("rb") as file:
        return file.read(MARK_BYTES).startswith(tuple(OPENERS))


def unpacked_name(path: Path) -> Path:
    """Return a path without the ending that says how the file is compressed.

    >>> unpacked_name(Path("wiki_00.bz2")).name
    'wiki_00'
    """
    return path.with_suffix("") if path.suffix in PACKED else path


@contextmanager
def open_corpus(path: Path, report: Report = ignore) -> Iterator[BinaryIO]:
    """Open a file for reading its text as bytes, decompressed.

    `report` is called with the number of compressed bytes that are read. Raises OSError, and
    CorpusError, also within the block, if compressed data are damaged.
    """
    try:
        with _decompress(path, report) as text:
            yield text
    except (*DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the disk; bzip2 and gzip raise those without a number
        what = "the compressed data are cut off or damaged; download or compress the file again"
        raise CorpusError(path, f"{what} ({error})", line=_last_line(path)) from error


@contextmanager
def _decompress(path: Path, report: Report) -> Iterator[BinaryIO]:
    with path.open("rb") as file:
        first = file.read(MARK_BYTES)
        file.seek(0)
        opener = next((OPENERS[mark] for mark in OPENERS if first.startswith(mark)), None)
        if opener is None:
            yield file
        else:
            with opener(_compressed(file, report)) as text:
                yield text


def _last_line(path: Path) -> int:
    """Return the number, from 1, of the line in which the text of a damaged file ends."""
    number = 1
    with suppress(*DAMAGED, OSError), _decompress(path, ignore) as text:
        for _ in text:
            number += 1
    return number


def _compressed(file: BinaryIO, report: Report) -> BinaryIO:
    return file if report is ignore else cast(BinaryIO, _ReportingFile(file, report))


class _ReportingFile:
    """A file that reports its place after every read."""

    def __init__(self, file: BinaryIO, report: Report) -> None:
        self._file, self._report = file, report

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, size: int = -1) -> bytes:
        """Read as the file does, and report."""
        data = self._file.read(size)
        self._report(self._file.tell())
        return data
