"""The files of runs and releases, wherever they are: in a folder or a bucket (FILES_URL)."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.files.storage import default_storage
from django.db.models.fields.files import FieldFile


def list_folder(folder: str) -> tuple[list[str], list[str]]:
    """Return the names of the folders and files in a folder, in order; none if it is missing."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return [], []
    return sorted(folders), sorted(files)


def list_files(folder: str = "") -> Iterator[str]:
    """Yield the names of all files in a folder and below it."""
    folders, files = list_folder(folder)
    yield from (f"{folder}{name}" for name in files)
    for name in folders:
        yield from list_files(f"{folder}{name}/")


def delete_below(folder: str) -> None:
    """Delete a folder, which must end with a slash, with all that is in it."""
    for name in list(list_files(folder)):
        default_storage.delete(name)
    default_storage.delete(folder.rstrip("/"))


@contextmanager
def local_copy(file: FieldFile) -> Iterator[Path]:
    """Have a stored file as a file of this machine, for a library that reads paths."""
    try:
        yield Path(file.path)
    except NotImplementedError:  # it is in a bucket
        with tempfile.TemporaryDirectory() as made:
            path = Path(made) / Path(str(file.name)).name
            with file.open("rb") as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)
            yield path
