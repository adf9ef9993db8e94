"""Writing files to the disk: all or none."""

import contextlib
import errno
import os
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path


def write_files(files: Mapping[str, bytes], folder: str | os.PathLike[str]) -> list[Path]:
    """Write files, relative path → content, into a folder, which is created if it is missing.

    All files are written under temporary names before the first one is renamed, so that an error
    while writing leaves neither half a release nor a changed one; only a crash during the renames
    could leave files of two releases. Returns the paths. Raises OSError.
    """
    contents = {Path(folder) / name: content for name, content in files.items()}
    temporary = {path: path.with_name(f".{path.name}.{uuid.uuid4().hex}") for path in contents}
    made: list[Path] = []
    with contextlib.ExitStack() as on_failure:
        on_failure.callback(_remove, temporary.values(), made)
        for path, content in contents.items():
            made.extend(_make_folder(path.parent))
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, "this is a folder, not a file", str(path))
            _write_through(temporary[path], content)
        for path in contents:
            temporary[path].replace(path)
        on_failure.pop_all()
    return list(contents)


def _make_folder(folder: Path) -> list[Path]:
    """Create a folder with its parents; return the folders created, outermost first."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "this is a file, not a folder", str(folder))
    new = [path for path in (folder, *folder.parents) if not path.exists()][::-1]
    folder.mkdir(parents=True, exist_ok=True)
    return new


def _write_through(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _remove(files: Iterable[Path], folders: Iterable[Path]) -> None:
    for path in files:
        with contextlib.suppress(OSError):
            path.unlink()
    for path in reversed(list(folders)):
        with contextlib.suppress(OSError):  # not empty
            path.rmdir()
