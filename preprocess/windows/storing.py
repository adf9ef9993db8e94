"""Scans on the disk while a search runs, so that a stopped search can continue."""

import hashlib
import shutil
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from postprocess.formats.writing import write_files
from preprocess.windows.scanning import Part, Scan


class ScanStore:
    """A folder with the scans of parts, for one search.

    `search` is what the search looks for, in words that change with it. A scan is used again only
    if the search, the part, and size and time of its file are the same.
    """

    def __init__(self, folder: Path, search: str) -> None:
        self.folder, self.search = folder, search

    def load(self, part: Part) -> Scan | None:
        """Return the scan of a part, or None if there is none that can be read."""
        try:
            with np.load(self._path(part), allow_pickle=False) as stored:
                return Scan(stored["places"], stored["n_seen"], *stored["end"].tolist())
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None

    def save(self, part: Part, scan: Scan) -> None:
        """Store the scan of a part. Raises OSError."""
        path = self._path(part)
        end = np.array([scan.n_sentences, scan.document, scan.document_offset])
        content = BytesIO()
        np.savez(content, places=scan.places, n_seen=scan.n_seen, end=end)
        write_files({path.name: content.getvalue()}, self.folder)

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, part: Part) -> Path:
        stat = part.path.stat()
        file = (str(part.path.resolve()), stat.st_size, stat.st_mtime_ns)
        key = (self.search, *file, part.start, part.stop)
        return self.folder / f"{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}.npz"
