"""Small files in VAR_DIR that are safe for processes starting simultaneously."""

import fcntl
import secrets
from pathlib import Path
from tempfile import NamedTemporaryFile


def load_secret(path: Path) -> str:
    """Return the secret in a file that only its owner can read; the first process creates it.

    An existing secret is never rewritten, so that the folder can be read-only.
    """
    if path.exists() and (secret := path.read_text()):
        return secret
    path.touch(mode=0o600)
    return path.read_text() or _make_secret(path)


def _make_secret(path: Path) -> str:
    with path.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed
        if not (secret := file.read()):
            secret = secrets.token_urlsafe(50)
            file.write(secret)
    return secret


def write_line(path: Path, line: str) -> None:
    """Replace the contents of a file by a line, atomically.

    An unchanged file is not rewritten.
    """
    if path.exists() and path.read_text() == f"{line}\n":
        return
    with NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(f"{line}\n")
    Path(file.name).replace(path)
