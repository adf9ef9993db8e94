"""Reading uploaded zip archives: in memory, within limits, and without writing a file."""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

CENTRAL_ENTRY = b"PK\x01\x02"  # at the start of each entry of the directory of an archive
ARCHIVE = b"PK\x03\x04"  # at the start of an archive
ENCRYPTED = 1  # flag of an entry
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
NESTED = ("this is an archive in the archive", "pack its files")
LEAST_SUSPICIOUS = 1_000_000  # bytes: a smaller file may be compressed to any share
DRIVE = re.compile("[A-Za-z]:")  # of Windows, at the start of a path
LONGEST_PATH = 500  # characters; messages have the whole path
PIECE = 65_536  # bytes that are inflated at a time
DAMAGES = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, LookupError, OSError, OverflowError,
    RuntimeError, ValueError,
)  # fmt: skip


class Limits(NamedTuple):
    """What an archive may have at most.

    `ratio`: bytes of a file over its compressed bytes, for files of a million bytes or more.
    """

    entries: int
    bytes_each: int
    bytes_together: int
    ratio: int = 100


class ArchiveRefused(ValueError):
    """An archive that is damaged, beyond the limits, or has what no upload needs.

    `what` is the problem, `advice` what to do, and `member` the path of the entry, if it is one.
    """

    def __init__(self, what: str, advice: str = "pack it again", member: str = "") -> None:
        self.what, self.advice, self.member = what, advice, member
        place = f"{member}: " if member else ""
        super().__init__(f"{place}{what}; {advice}")


class Member(NamedTuple):
    """A file of an archive: its path, and its content if it was wanted."""

    path: str
    data: bytes


def unpack(
    data: bytes, limits: Limits, is_wanted: Callable[[str], bool] = lambda path: True
) -> list[Member]:
    """Return the files of a zip archive; those that are not wanted are listed without content.

    The sizes that an archive states are checked before anything is inflated, and again while
    inflating, since they may be false. Raises ArchiveRefused for a damaged or encrypted archive,
    for more than the limits, for a path that leads out of the archive, for links, for other
    methods than stored and deflated, and for archives within it.
    """
    if (n_entries := data.count(CENTRAL_ENTRY)) > limits.entries:
        raise ArchiveRefused(*_too_many(n_entries, limits))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            for entry in entries:  # of Windows programs that separate folders by backslashes
                entry.filename = entry.filename.replace("\\", "/")
            if len(entries) > limits.entries:
                raise ArchiveRefused(*_too_many(len(entries), limits))
            files = [entry for entry in entries if _is_file(entry)]
            chosen = [entry for entry in files if is_wanted(entry.filename)]
            _check_sizes(chosen, limits)
            contents = {id(entry): content for entry, content in _inflate(archive, chosen, limits)}
    except ArchiveRefused:
        raise
    except DAMAGES as error:
        raise ArchiveRefused(f"the archive cannot be read ({error})") from error
    return [Member(entry.filename, contents.get(id(entry), b"")) for entry in files]


def _is_file(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry is a file and no folder. Raises ArchiveRefused for other kinds."""
    name = entry.filename
    if _leads_out(name):
        raise ArchiveRefused("the path leads out of the archive", member=name[:80])
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise ArchiveRefused("this is a link", "pack the file itself", name[:80])
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise ArchiveRefused("this is neither a file nor a folder", "leave it out", name[:80])
    if not name:
        raise ArchiveRefused("an entry has no name")
    if len(name) > LONGEST_PATH:
        what = f"the path has {len(name):,} characters, more than {LONGEST_PATH}"
        raise ArchiveRefused(what, "use short names", name[:80])
    return not name.endswith("/")


def _leads_out(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or DRIVE.match(name) is not None


def _check_sizes(entries: list[zipfile.ZipInfo], limits: Limits) -> None:
    """Check what the directory says of the files to read. Raises ArchiveRefused."""
    for entry in entries:
        name = entry.filename[:80]
        if entry.flag_bits & ENCRYPTED:
            raise ArchiveRefused("the file is encrypted", "pack it without a password", name)
        if entry.compress_type not in METHODS:
            what = "the file is compressed in an unusual way"
            raise ArchiveRefused(what, "use an ordinary zip archive", name)
        if name.lower().endswith(".zip"):
            raise ArchiveRefused(*NESTED, name)
        _check_size(entry.file_size, limits.bytes_each, "the file has", name)
    _check_size(sum(entry.file_size for entry in entries), limits.bytes_together)
    for entry in entries:
        is_large = entry.file_size >= LEAST_SUSPICIOUS
        if is_large and entry.file_size > limits.ratio * entry.compress_size:
            what = f"the file is compressed to less than 1/{limits.ratio} of its size"
            raise ArchiveRefused(what, "no table is so uniform; check it", entry.filename[:80])


def _check_size(
    n_bytes: int, most: int, subject: str = "the files together have", member: str = ""
) -> None:
    if n_bytes > most:
        what = f"{subject} {n_bytes:,} bytes, more than {most:,}"
        raise ArchiveRefused(what, "send less", member)


def _inflate(
    archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], limits: Limits
) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    """Yield the contents of files, counting their bytes. Raises ArchiveRefused."""
    n_together = 0
    for entry in entries:
        name, content = entry.filename[:80], bytearray()
        with archive.open(entry) as file:
            while piece := file.read(PIECE):
                content += piece
                n_together += len(piece)
                _check_size(len(content), limits.bytes_each, "the file has", name)
                _check_size(n_together, limits.bytes_together)
        if content.startswith(ARCHIVE):
            raise ArchiveRefused(*NESTED, name)
        yield entry, bytes(content)


def _too_many(n_entries: int, limits: Limits) -> tuple[str, str]:
    return f"the archive has {n_entries:,} entries, more than {limits.entries:,}", "send less"
