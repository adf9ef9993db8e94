"""Checksums of a release, and the release as one file."""

import hashlib
import io
import zipfile
from collections.abc import Mapping

CHECKSUMS = "SHA256SUMS"
FIRST_INSTANT = (1980, 1, 1, 0, 0, 0)  # the earliest that the format can tell: it means none
READ_BY_ALL = 0o100644 << 16
UNIX = 3


def render_checksums(files: Mapping[str, bytes]) -> bytes:
    """The text of `SHA256SUMS`, as `sha256sum -c` reads it, in the order of the paths.

    >>> print(render_checksums({"a.txt": b""}).decode().split()[1])
    a.txt
    """
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return "".join(lines).encode()


def write_archive(files: Mapping[str, bytes], folder: str) -> bytes:
    """A zip archive of the files in a folder; the same bytes for the same files.

    The order is that of the paths, and no file has an instant or an owner. Nothing is
    compressed, since what a compressor writes depends on its version and build.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{name}", FIRST_INSTANT)
            entry.create_system, entry.external_attr = UNIX, READ_BY_ALL
            archive.writestr(entry, files[name])
    return out.getvalue()
