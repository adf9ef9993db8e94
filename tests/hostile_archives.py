"""Zip archives as users send them by mistake or to do harm."""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping

LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"


def pack(files: Mapping[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """Return an archive of files by their paths."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def linked(name: str, target: str, kind: int = stat.S_IFLNK) -> bytes:
    """Return an archive with a link, or with another kind of entry."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        entry = zipfile.ZipInfo(name)
        entry.create_system, entry.external_attr = 3, (kind | 0o777) << 16
        archive.writestr(entry, target)
    return out.getvalue()


def encrypted(files: Mapping[str, bytes]) -> bytes:
    """Return an archive whose entries are marked as encrypted."""
    packed = bytearray(pack(files))
    for mark, place in ((LOCAL, 6), (CENTRAL, 8)):
        start = packed.find(mark)
        while start != -1:
            packed[start + place] |= 1
            start = packed.find(mark, start + 1)
    return bytes(packed)


def overlapping(n_entries: int, n_bytes: int) -> bytes:
    """Return an archive whose entries share one compressed file, as in a bomb of 42 kB."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = compressor.compress(bytes(n_bytes)) + compressor.flush()
    checksum, name = zlib.crc32(bytes(n_bytes)), b"results_subtask1_sl.tsv"
    fields = (20, 0, 8, 0, 33, checksum, len(content), n_bytes, len(name), 0)
    body = LOCAL + struct.pack("<5H3L2H", *fields) + name + content
    entry = CENTRAL + struct.pack("<6H3L5H2L", 20, *fields, 0, 0, 0, 0, 0) + name
    directory = entry * n_entries
    sizes = (0, 0, n_entries, n_entries, len(directory), len(body), 0)
    return body + directory + END + struct.pack("<4H2LH", *sizes)


def _of_archives() -> bytes:
    inner = pack({"a.tsv": bytes(2_000_000)}, zipfile.ZIP_DEFLATED)
    return pack({f"{n}.zip": inner for n in range(40)}, zipfile.ZIP_DEFLATED)


BOMBS: dict[str, Callable[[], bytes]] = {  # make archives that are small and would be huge
    "one file": lambda: pack({"results_subtask1_sl.tsv": bytes(50_000_000)}, zipfile.ZIP_DEFLATED),
    "4 GB in 42 kB": lambda: overlapping(250, 16_000_000),
    "40 overlapping files": lambda: overlapping(40, 9_000_000),
    "10,000 entries": lambda: pack({f"{n}.tsv": b"" for n in range(10_000)}),
    "in archives": _of_archives,
}
