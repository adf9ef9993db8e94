"""The key of a release, in a file that is created if missing."""

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from postprocess.release import ReleaseError
from postprocess.release.pseudonyms import check_key

ENDING = ".key"


@dataclass(frozen=True)
class Key:
    """A key, its file (None for a key given on the command line), and whether it is new."""

    text: str = field(repr=False)
    file: Path | None = None
    is_new: bool = False


def find_key(text: str | None, file: Path | None, folder: Path) -> Key:
    """Return the given key, the key in a file, or a new key if the file does not exist.

    By default, the file is `<folder>.key`, next to the folder of the release. Nothing is written;
    see `stored`. Raises ReleaseError if the key is too short, or if its file is not text or is in
    the published folder, OSError if the file cannot be read.
    """
    if text is not None:
        check_key(text)
        return Key(text)
    place = folder.resolve()
    path = file or place.parent / f"{place.name}{ENDING}"
    if path.resolve().is_relative_to(place):
        raise ReleaseError(
            f"{path} is in the folder that is published, but the key must stay secret; keep it in "
            "another folder"
        )
    if not path.exists():
        return Key(secrets.token_hex(16), path, is_new=True)
    return Key(_read(path), path)


@contextlib.contextmanager
def stored(key: Key) -> Iterator[None]:
    """Write a new key to a file that only its owner can read; remove it if the block fails.

    Raises OSError, also if another process has created the file.
    """
    with contextlib.ExitStack() as on_failure:
        if key.is_new and key.file:
            key.file.parent.mkdir(parents=True, exist_ok=True)
            key.file.touch(mode=0o600, exist_ok=False)
            on_failure.callback(key.file.unlink)
            key.file.write_text(f"{key.text}\n", encoding="utf-8")
        yield
        on_failure.pop_all()


def describe_key(key: Key) -> str:
    """Return a line that names the key file; empty if the key was given as an option."""
    if key.file is None:
        return ""
    if not key.is_new:
        return f"key       {key.file}: annotator ids are derived from this key\n"
    return (
        f"new key   {key.file}: annotator ids are derived from this key. Keep it secret, and do "
        "not lose it: only the same key gives the same ids\n"
    )


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8").strip()
        check_key(text)
    except UnicodeDecodeError as error:
        raise ReleaseError(
            f"{path} is not a text file; give the file of the key, or one that does not exist yet "
            "to create a key"
        ) from error
    except ReleaseError as error:
        raise ReleaseError(f"{path}: {error}") from error
    return text
