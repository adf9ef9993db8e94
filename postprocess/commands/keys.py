"""The key of a release in a file of its operator, made when there is none."""

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from postprocess.release.errors import ReleaseError
from postprocess.release.pseudonyms import check_key

ENDING = ".key"


@dataclass(frozen=True)
class Key:
    """A key, the file that holds it (None: it was given as it is), and whether it is new."""

    text: str = field(repr=False)
    file: Path | None = None
    is_new: bool = False


def find_key(text: str | None, file: Path | None, folder: Path) -> Key:
    """Return the key that was given, or that of a file; a new one if the file does not exist.

    Without a key and a file, the file is `<folder>.key`, next to the folder of the release.
    Nothing is written; see `stored`.

    Raises
    ------
    ReleaseError
        The key is too short, its file is not text, or lies in the folder that is published.
    OSError
        The file cannot be read.
    """
    if text is not None:
        check_key(text)
        return Key(text)
    place = folder.resolve()
    path = file or place.parent / f"{place.name}{ENDING}"
    if path.resolve().is_relative_to(place):
        raise ReleaseError(
            f"{path} lies in the folder that is published, and the key must stay secret; keep it "
            "elsewhere"
        )
    if not path.exists():
        return Key(secrets.token_hex(16), path, is_new=True)
    return Key(_read(path), path)


@contextlib.contextmanager
def stored(key: Key) -> Iterator[None]:
    """Write a new key to its file, for its owner alone; remove the file if the block fails.

    Raises OSError, also if another process has made the file meanwhile.
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
    """Return the line that tells the operator which key was used; empty if they gave it."""
    if key.file is None:
        return ""
    if not key.is_new:
        return f"key       {key.file}: annotators have the ids that this key gives\n"
    return (
        f"new key   {key.file}: the annotators' ids follow from it. Keep it secret, and keep it: "
        "only the same key gives the same ids again\n"
    )


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8").strip()
        check_key(text)
    except UnicodeDecodeError as error:
        raise ReleaseError(
            f"{path} is not a text file; name the file that holds the key, or one that does not "
            "exist yet to have a key made"
        ) from error
    except ReleaseError as error:
        raise ReleaseError(f"{path}: {error}") from error
    return text
