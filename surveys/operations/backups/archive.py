"""Backups of a running site as one file, and restoring a site from a backup.

A backup is a tar archive: the database, the key, the files of runs, and last a manifest with the
SHA-256 digest of each. The database comes first: files are written before the database refers to
them, and so exist when the files are copied, unless they were deleted in between.
"""

import hashlib
import json
import os
import shutil
import tarfile
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any, TypeVar

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from surveys.errors import BackupRefused
from surveys.features import find_file_fields
from surveys.models import Run
from surveys.operations.backups.dumps import (
    KINDS,
    check_dump,
    dump_database,
    is_in_use,
    restore_database,
)
from surveys.operations.migration_guard import refuse_other_version
from surveys.operations.server_checks import MARK_NAME
from surveys.operations.stored_files import list_files

Described = TypeVar("Described")

FORMAT = 1
DATABASE, KEY, FILES, MANIFEST = "database", "secret_key", "files", "manifest.json"
PASSWORD = "researcher_password"  # noqa: S105  # nosec B105 # (the name of a file)
PARTIAL = ".cosima-backup-"
A_DAY = 24 * 60 * 60
COMPRESSION = 3
CHUNK_SIZE = 1 << 20
READ_ERRORS = (tarfile.TarError, EOFError, zlib.error, OSError, ValueError, KeyError, TypeError)


@dataclass
class Manifest:
    """The contents of a backup. `dropped` are files that were deleted while it was made."""

    vendor: str
    made_at: str
    migrations: list[str]
    rows: dict[str, int]
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    format: int = FORMAT

    @property
    def n_rows(self) -> int:
        """Return the number of rows in all tables."""
        return sum(self.rows.values())

    @property
    def n_files(self) -> int:
        """Return the number of files of runs."""
        return len(_names_below(self, FILES) - {MARK_NAME})


def write_backup(path: Path) -> Manifest:
    """Write a backup of the site into a new file that only its owner can read, and verify it.

    The file appears under its name only when it is complete. Raises BackupRefused.
    """
    if path.exists():
        raise BackupRefused(f"The file {path} already exists. Choose another name.")
    if not path.parent.is_dir():
        raise BackupRefused(f"The folder {path.parent} does not exist.")
    remove_partial(path.parent)
    try:
        with tempfile.TemporaryDirectory(prefix=PARTIAL, dir=path.parent) as place:
            partial = Path(place) / "backup"
            manifest = _write_archive(partial, Path(place) / DATABASE)
            if _read_archive(partial, None) != manifest:
                raise BackupRefused("The written backup cannot be read. Check the disk.")
            partial.rename(path)
            flush_folder(path.parent)
    except OSError as error:
        raise BackupRefused(f"The backup could not be written: {error.strerror}.") from error
    return manifest


def check_backup(path: Path) -> Manifest:
    """Restore a backup to a temporary database, compare its contents, and delete that database.

    Raises BackupRefused if it is damaged or does not match its manifest; DatabaseOfOtherVersion.
    """
    with tempfile.TemporaryDirectory(prefix=PARTIAL, dir=path.parent) as place:
        manifest = _read_archive(path, Path(place))
        _refuse_foreign(manifest)
        dump = check_dump(Path(place) / DATABASE)
    if dump.rows != manifest.rows or dump.migrations != manifest.migrations:
        raise BackupRefused(
            "The restored database does not have the rows in the backup's manifest."
        )
    if missing := dump.named_files - set(manifest.dropped) - _names_below(manifest, FILES):
        raise BackupRefused(f"The backup lacks files: {', '.join(sorted(missing)[:3])}.")
    return manifest


def restore_backup(path: Path, *, overwrites: bool) -> Manifest:
    """Replace the site's database, files and key with a backup's.

    Raises BackupRefused for a file that is not a complete backup, that another database system
    made, and, unless `overwrites`, for a site that is not empty; DatabaseOfOtherVersion.
    """
    var = Path(settings.VAR_DIR)
    with tempfile.TemporaryDirectory(prefix=PARTIAL, dir=var) as place:
        restored = Path(place)
        manifest = _read_archive(path, restored)
        _refuse_foreign(manifest)
        if not overwrites and (is_in_use() or _has_files()):
            raise BackupRefused(
                "This site already has studies, accounts or files. Restore into an empty one "
                "(another VAR_DIR, another database), or use --overwrite to lose its contents."
            )
        restore_database(restored / DATABASE)
        _replace_files(restored)
        for name in (KEY, PASSWORD):
            if (restored / name).exists():
                (restored / name).replace(var / name)
    for name in manifest.dropped:
        Run.objects.filter(archive=name).update(archive="")
        Run.objects.filter(ledger=name).update(ledger="")
    return manifest


def find_missing_files(manifest: Manifest) -> list[str]:
    """Return the files that the database still refers to and that could not be copied."""
    still_named = {
        file
        for model, names in find_file_fields().items()
        for row in QuerySet(model).values_list(*names)
        for file in row
    }
    return [name for name in manifest.dropped if name in still_named]


def _write_archive(path: Path, dumped: Path) -> Manifest:
    dump = dump_database(dumped)
    manifest = Manifest(
        vendor=connection.vendor,
        made_at=timezone.now().isoformat(timespec="seconds"),
        migrations=dump.migrations,
        rows=dump.rows,
    )
    with open(path, "xb", opener=_open_private) as file:
        with tarfile.open(fileobj=file, mode="w:gz", compresslevel=COMPRESSION) as archive:
            for name, source in _parts(dumped):
                with closing(source):
                    manifest.files[name] = add_part(archive, name, source)
            manifest.dropped = sorted(dump.named_files - _names_below(manifest, FILES))
            written = json.dumps(asdict(manifest), indent=1).encode()
            add_part(archive, MANIFEST, BytesIO(written))
        file.flush()
        os.fsync(file.fileno())
    dumped.unlink()
    return manifest


def _parts(dumped: Path) -> Iterator[tuple[str, IO[bytes]]]:
    yield DATABASE, dumped.open("rb")
    yield KEY, BytesIO(settings.SECRET_KEY.encode())
    password = Path(settings.VAR_DIR) / PASSWORD
    if password.exists():
        yield PASSWORD, password.open("rb")
    for name in list_files():
        try:
            yield f"{FILES}/{name}", default_storage.open(name)
        except FileNotFoundError:  # deleted since it was listed
            continue


def add_part(archive: tarfile.TarFile, name: str, source: IO[bytes]) -> dict[str, Any]:
    """Add a part to an archive; return its size and digest."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = source.seek(0, os.SEEK_END), 0o600, int(time.time())
    source.seek(0)
    reader = _Reader(source)
    archive.addfile(entry, reader)
    return {"size": entry.size, "sha256": reader.digest.hexdigest()}


class _Reader:
    """A file reader that computes a digest while reading."""

    def __init__(self, source: IO[bytes]) -> None:
        self.source, self.digest = source, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        data = self.source.read(size)
        self.digest.update(data)
        return data


def _read_archive(path: Path, folder: Path | None) -> Manifest:
    """Return the manifest of a backup, and extract its parts if a folder is given.

    Raises BackupRefused if the parts do not match the manifest.
    """
    manifest, files = read_parts(path, folder, Manifest, _is_part)
    if manifest.format != FORMAT or files != manifest.files or DATABASE not in files:
        raise BackupRefused(f"{path} is damaged: its contents do not match its manifest.")
    return manifest


def read_parts(
    path: Path, folder: Path | None, form: Callable[..., Described], is_part: Callable[[str], bool]
) -> tuple[Described, dict[str, dict[str, Any]]]:
    """Return an archive's manifest, in a form, and the size and digest of each of its parts.

    Raises BackupRefused for a file that cannot be read, or has other parts than it may have.
    """
    files: dict[str, dict[str, Any]] = {}
    written = b""
    try:
        with tarfile.open(path, mode="r|gz") as archive:
            for entry in archive:
                source = archive.extractfile(entry)
                if not entry.isreg() or source is None or not is_part(entry.name):
                    raise BackupRefused(f"{path} is not a backup of Cosima.")
                if entry.name == MANIFEST:
                    written = source.read()
                else:
                    files[entry.name] = _extract(source, folder and folder / entry.name)
        return form(**json.loads(written)), files
    except FileNotFoundError as error:
        raise BackupRefused(f"The file {path} does not exist.") from error
    except READ_ERRORS as error:
        raise BackupRefused(f"{path} is damaged, or not a backup of Cosima.") from error


def _is_part(name: str) -> bool:
    return is_below(name, FILES) or name in (DATABASE, KEY, PASSWORD, MANIFEST)


def is_below(name: str, folder: str) -> bool:
    """Return whether a part is in a folder of an archive."""
    parts = PurePosixPath(name).parts
    return len(parts) > 1 and parts[0] == folder and ".." not in parts


def _extract(source: IO[bytes], path: Path | None) -> dict[str, Any]:
    """Read a part, into a file if a path is given; return its size and digest."""
    reader = _Reader(source)
    if path is not None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(path or os.devnull, "wb", opener=_open_private) as target:
        shutil.copyfileobj(reader, target, CHUNK_SIZE)
    return {"size": source.tell(), "sha256": reader.digest.hexdigest()}


def _open_private(path: str, flags: int) -> int:
    """Open a file for its owner only, as an opener for `open`."""
    return os.open(path, flags, 0o600)


def _refuse_foreign(manifest: Manifest) -> None:
    """Raise BackupRefused for another database system, DatabaseOfOtherVersion for other code."""
    if manifest.vendor != connection.vendor:
        raise BackupRefused(
            f"The backup is from {KINDS.get(manifest.vendor, manifest.vendor)}, but DATABASE_URL "
            f"refers to {KINDS[connection.vendor]}."
        )
    migrations = (name.partition(".") for name in manifest.migrations)
    refuse_other_version((app, name) for app, _, name in migrations)


def _replace_files(restored: Path) -> None:
    for name in list(list_files()):
        default_storage.delete(name)
    for path in (restored / FILES).rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                default_storage.save(path.relative_to(restored / FILES).as_posix(), File(file))


def _has_files() -> bool:
    return any(name != MARK_NAME for name in list_files())


def _names_below(manifest: Manifest, folder: str) -> set[str]:
    """Return the names of a backup's parts in a folder, relative to it."""
    return {name.partition("/")[2] for name in manifest.files if name.startswith(f"{folder}/")}


def remove_partial(folder: Path) -> None:
    """Delete temporary folders of killed backups that are more than a day old."""
    for place in folder.glob(f"{PARTIAL}*"):
        if time.time() - place.stat().st_mtime > A_DAY:
            shutil.rmtree(place, ignore_errors=True)


def flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
