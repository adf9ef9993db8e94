"""Opening the files of a corpus: plain, gzip or xz, recognised by their first bytes."""

import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from preprocess.corpora.errors import CorpusError

GZIP_MARK, XZ_MARK = b"\x1f\x8b", b"\xfd7zXZ\x00"


def is_compressed(path: Path) -> bool:
    """Return whether a file is gzip or xz. Raises OSError."""
    with path.open("rb") as file:
        return file.read(len(XZ_MARK)).startswith((GZIP_MARK, XZ_MARK))


@contextmanager
def open_corpus(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading its text as bytes, decompressed.

    Raises OSError, and CorpusError, also within the block, if compressed data are damaged.
    """
    try:
        with path.open("rb") as file:
            mark = file.read(len(XZ_MARK))
            file.seek(0)
            if mark.startswith(GZIP_MARK):
                with gzip.open(file) as text:
                    yield cast(BinaryIO, text)
            elif mark.startswith(XZ_MARK):
                with lzma.open(file) as text:
                    yield cast(BinaryIO, text)
            else:
                yield file
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        what = "the compressed data are cut off or damaged; download or compress the file again"
        raise CorpusError(path, f"{what} ({error})") from error
