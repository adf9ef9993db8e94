"""Small files in VAR_DIR that processes of one site share, though they may start at once."""

import fcntl
import secrets
from pathlib import Path
from tempfile import NamedTemporaryFile


def keep_secret(path: Path) -> str:
    """Return the secret in a file that its owner alone may read; the first process makes it.

    Nothing is written where there is one, so that the folder may be read-only from then on.
    """
    if path.exists() and (secret := path.read_text()):
        return secret
    path.touch(mode=0o600)
    return path.read_text() or _make_secret(path)


def _make_secret(path: Path) -> str:
    with path.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
        if not (secret := file.read()):
            secret = secrets.token_urlsafe(50)
            file.write(secret)
    return secret


def keep_line(path: Path, line: str) -> None:
    """Put a line in a file in place of what it held; others read the one or the other, whole.

    Nothing is written where the file holds that line.
    """
    if path.exists() and path.read_text() == f"{line}\n":
        return
    with NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(f"{line}\n")
    Path(file.name).replace(path)
