"""The checksums of a release, and its zip archive."""

import hashlib
import io
import zipfile
from collections.abc import Mapping

CHECKSUMS = "SHA256SUMS"
NO_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time of the zip format
READABLE_BY_ALL = 0o100644 << 16
UNIX = 3


def render_checksums(files: Mapping[str, bytes]) -> bytes:
    """Return the content of `SHA256SUMS`, for `sha256sum -c`, ordered by path.

    >>> print(render_checksums({"a.txt": b""}).decode().split()[1])
    a.txt
    """
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return "".join(lines).encode()


def write_archive(files: Mapping[str, bytes], folder: str = "") -> bytes:
    """Return a zip archive of the files in a folder; the same files give the same bytes.

    Without the name of a folder they are at the top of the archive.

    Files are ordered by path, without times and owners. Nothing is compressed, since the bytes
    of a compressed file depend on the version of the compressor.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{name}" if folder else name, NO_TIME)
            entry.create_system, entry.external_attr = UNIX, READABLE_BY_ALL
            archive.writestr(entry, files[name])
    return out.getvalue()
